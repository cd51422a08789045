#!/usr/bin/env python3
"""Ctrl-C in a benchmark leaves nothing behind: usage check_interrupt.py PENSTOCK_BENCH."""

import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 60


def wait_for(condition, what):
    limit = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < limit, f"not within {LIMIT_S} s: {what}"
        time.sleep(0.01)


def folders(pid):
    parents = ("/dev/shm", tempfile.gettempdir())
    return [path for parent in parents for path in glob.glob(f"{parent}/penstock-bench-{pid}-*")]


def descendants(pid):
    """The processes below this one, while it lives."""
    found = []
    try:
        for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
            found += [int(child)] + descendants(int(child))
    except FileNotFoundError:
        pass
    return found


def is_running(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def check(bench, number):
    run = subprocess.Popen([bench, "matmul"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: glob.glob(f"/proc/{run.pid}") and any(os.listdir(folder) for folder in folders(run.pid)),
             "a file of the benchmark")
    wait_for(lambda: descendants(run.pid), "a program that is measured")
    measured = descendants(run.pid)
    os.kill(run.pid, number)
    out, errors = run.communicate(timeout=LIMIT_S)
    assert run.returncode == 130, (run.returncode, errors)
    assert out == "" and errors.endswith("penstock-bench: interrupted\n"), (out, errors)
    assert not folders(run.pid), folders(run.pid)
    wait_for(lambda: not any(map(is_running, measured)), "the end of what was started")


def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        check(sys.argv[1], number)


if __name__ == "__main__":
    main()
