#!/usr/bin/env python3
"""Clones a checkout's HEAD into a temporary folder, runs `./dev run` there, and checks its verdict and what it leaves.

Usage: fresh_clone.py SOURCE_DIR. Exit status 77, which ctest takes for skipped, where SOURCE_DIR is no git checkout.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def git(*arguments):
    # The checkout may belong to another user than the one who tests.
    return subprocess.run(["git", "-c", "safe.directory=*", *arguments], capture_output=True, text=True, check=False)


def environment():
    """The caller's, without what would make the job differ from a newcomer's."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "ASAN_", "PENSTOCK_"))}


def check_outputs(clone):
    """What is wrong with the files that the run left, or nothing."""
    folder = clone / "penstock-runs" / "matmul"
    report = folder / "report.json"
    if not report.is_file():
        return f"no {report.relative_to(clone)}"
    exit_code = json.loads(report.read_text(encoding="utf-8")).get("exit_code")
    if exit_code != 0:
        return f"report.json says exit_code {exit_code}"
    if not any(path.stat().st_size > 0 for path in (folder / "results").rglob("*.npy")):
        return "no results were saved"
    status = git("-C", str(clone), "status", "--porcelain").stdout
    return f"the run left files that git does not ignore:\n{status}" if status else None


def run(clone):
    done = subprocess.run([str(clone / "dev"), "run"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=environment(), cwd="/", check=False)
    lines = done.stdout.rstrip().splitlines() or [""]
    problem = None
    if done.returncode != 0 or not lines[-1].startswith("[dev] ok: "):
        problem = f"./dev run ended with status {done.returncode}"
    problem = problem or check_outputs(clone)
    if problem:
        print("\n".join(lines[-60:]), problem, sep="\n")
        return 1
    print(lines[-1])
    return 0


def main(source_dir):
    if git("-C", source_dir, "rev-parse", "--verify", "-q", "HEAD").returncode != 0:
        print(f"{source_dir} is no git checkout with a commit")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="penstock-fresh-") as folder:
        clone = pathlib.Path(folder) / "penstock"
        cloned = git("clone", "-q", "--no-local", source_dir, str(clone))
        if cloned.returncode != 0:
            print(f"git clone: {cloned.stderr}")
            return 1
        return run(clone)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
