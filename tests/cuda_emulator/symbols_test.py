"""The emulator has every function of CUDA and cuBLAS that the module uses: a missing one shows only when it is called.

    symbols_test.py NM MODULE EMULATED_LIBRARY ...
"""
import re
import subprocess
import sys


def symbols(nm, choice, path):
    """Of the library at `path`: those of CUDA that it defines, or lacks."""
    table = subprocess.run([nm, "-D", choice, path], check=True, capture_output=True, text=True).stdout
    names = (line.split()[-1].split("@")[0] for line in table.splitlines())
    return {name for name in names if re.match(r"(__)?(cuda|cublas)[A-Z]", name)}


def main(nm, module, *emulated):
    wanted = symbols(nm, "--undefined-only", module)
    there = set().union(*(symbols(nm, "--defined-only", path) for path in emulated))
    if not wanted:
        return f"{module} uses no CUDA: this would prove nothing"
    missing = wanted - there
    return f"not emulated: {', '.join(sorted(missing))}" if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
