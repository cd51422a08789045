#!/usr/bin/env python3
"""Runs every benchmark in its short form: usage check_bench.py PENSTOCK PENSTOCK_BENCH.

Checked: the list of benchmarks in the help, the exit codes of mistakes, that each benchmark ends within its time, that
its JSON has the agreed shape, and that the table shows the rival. Nothing here says how fast anything has to be.
"""

import json
import re
import subprocess
import sys

from report_shape import mistakes

WHOLE_SECONDS = 200  # of all short runs; generous, so that a busy machine does not fail them


def call(*command, code=0):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=WHOLE_SECONDS)
    assert ran.returncode == code, f"{command} returned {ran.returncode}:\n{ran.stdout}{ran.stderr}"
    return ran


def benchmarks(bench):
    listed = call(bench, "--help").stdout.split("Benchmarks:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def check_mistakes_of_the_user(bench):
    for arguments in ([], ["no-such"], ["matmul", "matmul"], ["--no-such", "matmul"], ["--qui", "matmul"],
                      ["--n", "0", "matmul"], ["--n", "many", "matmul"], ["--n", "5", "increments-job"]):
        ran = call(bench, *arguments, code=2)
        assert ran.stdout == "" and ran.stderr.startswith("penstock-bench: ") and ran.stderr.count("\n") == 1, ran


def check_benchmark(penstock, name):
    report = json.loads(call(penstock, "bench", "--quick", "--json", name).stdout)
    found = list(mistakes(report))
    assert not found, f"{name}: {found}"
    assert {row["bench"] for row in report["rows"]} == {name}
    print(f"{name}: {len(report['rows'])} rows, regimes {sorted({row['regime'] for row in report['rows']})}")
    return report


def check_table(bench):
    lines = call(bench, "--quick", "increments-job").stdout.splitlines()
    assert lines[1].startswith("case"), lines
    assert any("openmp-gcc" in line or "bare" in line for line in lines[2:]), lines


def main():
    penstock, bench = sys.argv[1:]
    names = benchmarks(bench)
    assert {"matmul", "increments-job"} <= set(names), names
    check_mistakes_of_the_user(bench)
    for name in names:
        check_benchmark(penstock, name)
    check_table(bench)


if __name__ == "__main__":
    main()
