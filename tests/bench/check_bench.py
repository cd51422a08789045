#!/usr/bin/env python3
"""Runs benchmarks in their short form: usage check_bench.py PENSTOCK PENSTOCK_BENCH list|run NAME...

list: the benchmarks in the help are those named, the exit codes of mistakes, and that a table shows the rival. run: that
each benchmark named ends within its time, that its JSON has the agreed shape and its cases. Nothing here says how fast
anything has to be.
"""

import json
import os
import re
import subprocess
import sys

from report_shape import mistakes

WHOLE_SECONDS = 280  # of one short run; generous, so that a busy machine does not fail it

INCREMENTS = [f"y = {x} + 1, {size}" for x in "xy" for size in ("1x2", "200x200")]
INCREMENT_PARTS = ["t1 issue", "hand-over", "t2 compute", "t3 return", "wait each", "wait at end"]
MODES = ["wait each batch", "one batch ahead", "window 256 MiB"]
TRAINED = [*(f"{batch} {what}" for batch in (1, 2, 3) for what in ("issued", "done")), "memory growth",
           "loss, last/first"]

# The cases of the textbook's experiments.
SHAPES = ["a chain among others", "a stencil", "a tree of sums", "a wavefront"]
OVERLAP = ["copies", "efficiency"]
CASES = {
    "async": ["front-end free", "all done"],
    "backward": ["pass", "pass and copies", *OVERLAP],
    "critical-path": [f"{shape} of {us} us" for shape in SHAPES for us in (20, 200)],
    "deps": ["z = x * y + 2"],
    "idle": ["share of a core, 10 ms after work", "a task begins, 20 ms after work"],
    "increments": [f"{case}, {part}" for case in INCREMENTS for part in INCREMENT_PARTS],
    "minibatch": [f"{mode}, {what}" for mode in MODES for what in [*TRAINED, "cores idle"]],
    "minibatch --devices cpu,gpu": [f"cpu,gpu, {mode}, {what}" for mode in MODES
                                    for what in [*TRAINED, "cores idle", "GPUs idle"]],
    "overlap": [f"{memory}, {what}" for memory in ("pinned", "pageable")
                for what in ["products", "one stream", *OVERLAP]],
    "parallel": [f"{pair}, {what}" for pair in ("two GPUs", "GPU + cores", "cores in two ranks")
                 for what in ("first", "second", "longer", "all", "ratio")],
    "tasks": ["independent", "chain", "random graph, 3 inputs", "fork-join, binary tree", "bytes a task in flight",
              "resident after a tenth", "resident after all"],
    "wait": ["x, then 40 others", "40 others, then x", "40 products, each copied", "40 products, each summed"],
}


def call(*command, code=0, **environment):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=WHOLE_SECONDS,
                         env={**os.environ, **environment})
    assert ran.returncode == code, f"{command} returned {ran.returncode}:\n{ran.stdout}{ran.stderr}"
    return ran


def benchmarks(bench):
    listed = call(bench, "--help").stdout.split("Benchmarks:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def check_mistakes_of_the_user(bench):
    for arguments in ([], ["no-such"], ["matmul", "matmul"], ["--no-such", "matmul"], ["--qui", "matmul"],
                      ["--n", "0", "matmul"], ["--n", "many", "matmul"], ["--n", "5", "increments-job"],
                      ["--devices", "cpu", "matmul"], ["--devices", "gpu,", "minibatch"]):
        ran = call(bench, *arguments, code=2)
        assert ran.stdout == "" and ran.stderr.startswith("penstock-bench: ") and ran.stderr.count("\n") == 1, ran


def check_lack_of_a_gpu(bench):
    for name in ("overlap", "backward", "parallel"):
        ran = call(bench, "--quick", name, code=2, CUDA_VISIBLE_DEVICES="-1")
        assert ran.stdout == "" and ran.stderr.count("\n") == 1 and "needs a GPU" in ran.stderr, ran


def check_benchmark(penstock, name):
    report = json.loads(call(penstock, "bench", "--quick", "--json", *name.split()).stdout)
    found = list(mistakes(report))
    assert not found, f"{name}: {found}"
    assert {row["bench"] for row in report["rows"]} == {name.split()[0]}
    cases = {row["case"].removeprefix("emulated: ") for row in report["rows"]}
    known = set(CASES.get(name, cases))
    not_everywhere = {case for case in known - cases if case.startswith(("two GPUs, ", "cores in two ranks, "))}
    assert cases == known - not_everywhere, f"{name}: {sorted(cases)}"
    print(f"{name}: {len(report['rows'])} rows, regimes {sorted({row['regime'] for row in report['rows']})}")
    return report


def check_table(bench):
    lines = call(bench, "--quick", "increments-job").stdout.splitlines()
    assert lines[1].startswith("case"), lines
    assert any("openmp-gcc" in line or "bare" in line for line in lines[2:]), lines


def check_graph(bench):
    text = call(bench, "--quick", "deps").stdout
    assert "task 2: mul x, y -> z, after task 0 for x, after task 1 for y\n" in text, text
    assert 'digraph "z" {' in text and 't2 -> t3 [label="z"];' in text, text
    assert "z = [[3, 3]]\n" in text, text


def main():
    penstock, bench, what, *names = sys.argv[1:]
    if what == "list":
        assert set(benchmarks(bench)) == set(names), (benchmarks(bench), names)
        check_mistakes_of_the_user(bench)
        check_lack_of_a_gpu(bench)
        check_table(bench)
        check_graph(bench)
        return
    for name in names:
        check_benchmark(penstock, name)


if __name__ == "__main__":
    main()
