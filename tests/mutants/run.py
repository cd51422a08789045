#!/usr/bin/env python3
"""Plants one mistake after the other and sees that some test catches it.

usage: run.py SOURCE FOLDER [NAME ...]   plants all patches beside this file, or those named, in a copy in FOLDER
       run.py --check SOURCE             only sees that they apply

A patch begins with a line that says what is wrong then, `build: TARGETS` and `caught by: REGEX`, of ctest's names.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = "60"  # for a test that a mistake makes hang


class Mutant:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        what, build, caught_by = path.read_text().splitlines()[:3]
        self.what = what
        self.targets = build.removeprefix("build: ").split()
        self.tests = caught_by.removeprefix("caught by: ")

    def apply(self, source, *options):
        """Returns what git says against it, or nothing."""
        # In a copy inside a checkout, git would look for the files from the checkout's root on.
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=str(source.parent))
        ended = subprocess.run(["git", "apply", *options, self.path], cwd=source, env=environment,
                               capture_output=True, text=True)
        return ended.stderr.strip() if ended.returncode != 0 else ""


def copy_sources(source, tree):
    """Those that git knows; unchanged files keep their times, so that little is built anew."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=source, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        there, here = tree / name, source / name
        if not here.exists() or (there.exists() and there.read_bytes() == here.read_bytes()):
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here, there)


def build(tree, targets):
    """Returns the compiler's words when it cannot be built."""
    ended = subprocess.run(["cmake", "--build", "--preset", "release", "--target", *targets], cwd=tree,
                           capture_output=True, text=True)
    return ended.stdout[-2000:] if ended.returncode != 0 else ""


def failing(tree, regex):
    """The names of the tests that fail; None when none ran."""
    ended = subprocess.run(["ctest", "--test-dir", "build/release", "-R", regex, "-LE", "slow", "--timeout", LIMIT_S,
                            "--stop-on-failure"], cwd=tree, capture_output=True, text=True)
    if "No tests were found" in ended.stdout + ended.stderr:
        return None
    return re.findall(r"^\s*\d+ - (\S+)(?: .*)?\((?:Failed|Timeout|SEGFAULT|Subprocess aborted|ILLEGAL|NUMERICAL)\)",
                      ended.stdout, re.MULTILINE) or ([] if ended.returncode == 0 else ["ctest"])


def try_one(mutant, tree):
    """Whether it is caught, and what is to be said of it."""
    if refusal := mutant.apply(tree):
        return False, f"does not apply: {refusal}"
    try:
        if errors := build(tree, mutant.targets):
            return False, f"does not compile:\n{errors}"
        caught = failing(tree, mutant.tests)
        return bool(caught), f"by {caught[0]}" if caught else f"SURVIVES {mutant.tests}: {mutant.what}"
    finally:
        mutant.apply(tree, "--reverse")


def check(mutants, source):
    refused = {mutant.name: refusal for mutant in mutants if (refusal := mutant.apply(source, "--check"))}
    for name, refusal in refused.items():
        print(f"{name}: {refusal}")
    print(f"{len(mutants) - len(refused)} of {len(mutants)} mutants apply")
    return not refused and len(mutants) >= 20


def run(mutants, source, folder):
    tree = folder / "tree"
    copy_sources(source, tree)
    subprocess.run(["cmake", "--preset", "release", "--log-level=WARNING"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    print("building without a mistake", flush=True)
    if errors := build(tree, sorted({target for mutant in mutants for target in mutant.targets})):
        sys.exit(f"the sources do not compile:\n{errors}")
    for regex in sorted({mutant.tests for mutant in mutants}):
        if (before := failing(tree, regex)) != []:
            sys.exit(f"{regex} fails without a mistake: {before or 'there is no such test'}")
    survivors = 0
    for mutant in mutants:
        begin = time.monotonic()
        caught, words = try_one(mutant, tree)
        survivors += not caught
        print(f"{'caught' if caught else 'NOT'}  {mutant.name}  {words}  ({time.monotonic() - begin:.0f} s)", flush=True)
    print(f"{len(mutants) - survivors} of {len(mutants)} mutants caught")
    return survivors == 0


def main():
    arguments = sys.argv[1:]
    only_check = arguments[:1] == ["--check"]
    source = pathlib.Path(arguments[1 if only_check else 0]).resolve()
    mutants = [Mutant(path) for path in sorted(HERE.glob("*.patch"))]
    if only_check:
        return check(mutants, source)
    if names := set(arguments[2:]):
        if unknown := names - {mutant.name for mutant in mutants}:
            sys.exit(f"there is no mutant {', '.join(sorted(unknown))}, but {', '.join(m.name for m in mutants)}")
        mutants = [mutant for mutant in mutants if mutant.name in names]
    return run(mutants, source, pathlib.Path(arguments[1]).resolve())


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
