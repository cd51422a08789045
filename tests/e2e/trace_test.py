"""The trace of whole runs: trace.json against the rules of its viewers, the report's numbers against trace.json, and
`penstock trace` after a rank was killed and while a run goes on.
"""
import json
import os
import pathlib
import signal
import unittest

import trace_numbers
import trace_validator
from support import JOBS, PENSTOCK, ProgramTest

RANKS = (None, 1, 2, 4)

# Arrays that are made, added up in a tree over all ranks, and saved; each task has a name, and some have panels.
TREE = """
[job]
name = "tree"
[data.leaf]
for = ["i in 0..2", "j in 3..19"]
shape = [3000]
dtype = "i64"
origin = "iota"
[data.sum]
for = "j in 3..19"
shape = [3000]
dtype = "i64"
[data.all]
shape = [3000]
dtype = "i64"
origin = "zeros"
[[task]]
for = "j in 3..19"
kernel = "add"
cores = 2
read = ["leaf[0, j]", "leaf[1, j]"]
write = ["sum[j]"]
[[task]]
for = "j in 3..19"
kernel = "axpy"
read = ["sum[j]"]
read_write = ["all"]
[[save]]
data = "all"
file = "all.npy"
"""
TREE_TASKS = 2 * 16 + 1 + 16 + 16 + 1

# One array that is saved at once, which says that the run is under way, and long chains of work on others.
CHAINS = """
[job]
name = "chains"
[data.sign]
shape = [1]
dtype = "f32"
origin = "zeros"
[[save]]
data = "sign"
file = "sign.npy"
[data.x]
for = "i in 0..8"
shape = [1000]
dtype = "f64"
origin = "zeros"
[[task]]
for = ["round in 0..100", "i in 0..8"]
kernel = "axpy"
read = ["x[i]"]
read_write = ["y[i]"]
[[task]]
for = "i in 0..20000"
kernel = "spin"
parameters = { microseconds = 20000 }
[data.y]
for = "i in 0..8"
shape = [1000]
dtype = "f64"
origin = "zeros"
"""


def environment_of(pid):
    try:
        return dict(entry.split("=", 1) for entry in pathlib.Path(f"/proc/{pid}/environ").read_text().split("\0") if "=" in entry)
    except (OSError, UnicodeDecodeError):
        return {}


class TraceTest(ProgramTest):
    def trace(self, run_dir):
        document = json.loads((self.folder / run_dir / "trace.json").read_text(encoding="utf-8"))
        self.assertEqual(trace_validator.problems(document), [])
        return document

    def check_numbers(self, run_dir):
        document = self.trace(run_dir)
        report = self.report(run_dir)
        self.assertEqual(list(trace_numbers.differences(document, report["trace"])), [])
        self.assertGreater(report["trace"]["events"], 0)
        self.assertEqual(report["trace"]["dropped"], 0)
        return document, report

    def slices(self, document, category):
        return [event for event in document["traceEvents"] if event["ph"] == "X" and event["cat"] == category]

    def rank_process(self, running, rank):
        """The process of the rank below mpirun."""
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == running.process.pid:
                continue
            try:
                in_session = os.getsid(int(entry.name)) == running.process.pid
            except OSError:
                continue
            if in_session and environment_of(entry.name).get("OMPI_COMM_WORLD_RANK") == str(rank):
                return int(entry.name)
        raise AssertionError(f"rank {rank} is not there")

    def start_chains(self, ranks):
        job = self.job("chains.toml", CHAINS)
        running = self.start([PENSTOCK, "run", str(job), "--run-dir", "run", "--quiet"], ranks)
        self.await_until((self.folder / "run/results/sign.npy").exists, "the first result")
        self.await_until(lambda: self.ranks_at_work() == set(range(ranks)), "tasks on every rank")
        return running

    def ranks_at_work(self):
        self.penstock("trace", "run")
        return {task["pid"] for task in self.slices(self.trace("run"), "task")}

    def test_a_run_leaves_a_trace_and_its_numbers(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.penstock("run", JOBS / "matmul.toml", "--run-dir", f"run{ranks}", ranks=ranks)

                document, report = self.check_numbers(f"run{ranks}")
                tasks = self.slices(document, "task")
                self.assertEqual(len({task["args"]["task"] for task in tasks}), report["tasks"]["done"])
                self.assertEqual({task["args"]["outcome"] for task in tasks}, {"done"})
                received = [each for each in self.slices(document, "transfer") if "from" in each["args"]]
                self.assertEqual(sum(version["bytes"] for each in received for version in each["args"]["versions"]),
                                 sum(rank["bytes_received"] for rank in report["ranks"]))
                self.assertEqual(document["otherData"]["not_ended"], [])
                self.assertGreaterEqual(report["trace"]["critical_path"]["tasks"], 3, "load, gemm, save")

    def test_things_have_the_names_of_the_job(self):
        job = self.job("tree.toml", TREE)
        for ranks in (None, 2):
            with self.subTest(ranks=ranks):
                self.penstock("run", job, "--run-dir", f"run{ranks}", "--workers", "2", ranks=ranks)

                document, report = self.check_numbers(f"run{ranks}")
                self.assertEqual(document["otherData"]["job"], "tree")
                self.assertEqual(report["tasks"]["done"], TREE_TASKS)
                tasks = self.slices(document, "task")
                written = {version["data"] for task in tasks for version in task["args"].get("writes", [])}
                expected = {"all"} | {f"sum[{j}]" for j in range(3, 19)}
                expected |= {f"leaf[{i}, {j}]" for i in range(2) for j in range(3, 19)}
                self.assertEqual(written, expected)
                self.assertGreaterEqual(report["trace"]["critical_path"]["tasks"], 4, "leaf, add, axpy, save")

    def test_numbers_after_losses_are_of_what_is_left(self):
        self.penstock("run", JOBS / "increments.toml", "--run-dir", "run", "--trace-bytes", "800KiB", ranks=2)

        document = self.trace("run")
        report = self.report("run")
        self.assertEqual(list(trace_numbers.differences(document, report["trace"])), [])
        self.assertGreater(report["trace"]["dropped"], 0)
        self.assertGreater(document["otherData"]["complete_from_us"], 0)

    def test_without_a_trace_the_report_still_says_how_busy_devices_were(self):
        for ranks in (None, 2):
            with self.subTest(ranks=ranks):
                self.penstock("run", JOBS / "matmul.toml", "--run-dir", f"run{ranks}", "--trace-bytes", "0", ranks=ranks)

                for rank in self.report(f"run{ranks}")["ranks"]:
                    self.assertGreater(rank["devices"][0]["busy_s"], 0)

    def test_every_version_read_has_an_arrow_to_its_reader(self):
        self.penstock("run", self.job("tree.toml", TREE), "--run-dir", "run", ranks=2)

        document = self.trace("run")
        slices = self.slices(document, "task") + self.slices(document, "transfer")
        reads = sum(len(each["args"].get("reads", [])) + len(each["args"].get("versions", [])) for each in slices
                    if each["dur"] > 0)
        arrows = sum(event["ph"] == "f" for event in document["traceEvents"])
        self.assertEqual(arrows, reads)

    def test_updates_of_one_panel_run_beside_the_next_panel(self):
        self.penstock("run", JOBS / "cholesky.toml", "--set", "n=2000", "--set", "tile=250", "--workers", "2",
                      "--run-dir", "run")

        tasks = self.slices(self.trace("run"), "task")
        def of(kind, step):
            return [task for task in tasks if task["name"].startswith(f"{kind} {step}:")
                    or task["name"].startswith(f"{kind} {step},") or task["name"] == f"{kind} {step}"]
        self.assertTrue(of("panel", 0) and of("update", 0))
        beside = [(panel, update) for step in range(7) for panel in of("panel", step + 1) for update in of("update", step)
                  if panel["tid"] != update["tid"] and panel["ts"] < update["ts"] + update["dur"]
                  and update["ts"] < panel["ts"] + panel["dur"]]
        self.assertTrue(beside)

    def test_the_command_makes_the_same_again(self):
        self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run", ranks=2)
        first = (self.folder / "run/trace.json").read_bytes()
        (self.folder / "run/trace.json").unlink()

        made = self.penstock("trace", "run")
        self.penstock("trace", "-o", "elsewhere.json", "run/trace")
        printed = self.penstock("trace", "-o", "-", "run")

        self.assertEqual((self.folder / "run/trace.json").read_bytes(), first)
        self.assertEqual((self.folder / "elsewhere.json").read_bytes(), first)
        self.assertEqual(printed.stdout().encode(), first)
        self.assertRegex(self.messages(made)[-1], r"^penstock: \d+ events of 2 ranks$")

    def test_works_after_a_rank_was_killed(self):
        for rank in (0, 1):
            with self.subTest(killed=rank):
                running = self.start_chains(2)

                os.kill(self.rank_process(running, rank), signal.SIGKILL)

                self.assertNotEqual(running.end(), 0)
                made = self.penstock("trace", "run")
                document = self.trace("run")
                self.assertIn(rank, document["otherData"]["not_ended"])
                self.assertRegex(self.messages(made)[-1], r"events of 2 ranks.*killed: rank ")
                self.assertEqual({task["pid"] for task in self.slices(document, "task")}, {0, 1})
                self.penstock("trace", "run")  # and again
                (self.folder / "run/trace").rename(self.folder / f"trace{rank}")
                self.run_program(["rm", "-r", "run"])

    def test_works_while_the_run_goes_on(self):
        running = self.start_chains(2)

        for _ in range(3):
            self.penstock("trace", "run")
            self.assertEqual(self.trace("run")["otherData"]["not_ended"], [0, 1])

        self.assertIsNone(running.process.poll(), "the run still goes on")

    def test_a_lost_or_damaged_rank_is_said_and_left_out(self):
        self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run", ranks=2)
        (self.folder / "run/trace/rank-00001.trace").write_bytes(b"no trace")

        damaged = self.penstock("trace", "run")
        self.assertRegex("\n".join(self.messages(damaged)), r"rank-00001\.trace: is no trace of penstock\n.* of 1 rank$")
        self.trace("run")

        (self.folder / "run/trace/rank-00001.trace").unlink()
        lost = self.penstock("trace", "run")
        self.assertIn("penstock: rank 1 left no trace", self.messages(lost))
        self.trace("run")

    def test_without_rank_0_the_others_are_shown(self):
        self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run", ranks=2)
        (self.folder / "run/trace/rank-00000.trace").unlink()

        made = self.penstock("trace", "run")

        self.assertIn("penstock: rank 0 left no trace", self.messages(made))
        self.assertEqual({task["pid"] for task in self.slices(self.trace("run"), "task")}, {1})

    def test_what_is_no_run_is_one_line(self):
        (self.folder / "empty").mkdir()
        for folder, why in (("nowhere", "No such file"), ("empty", "holds no trace of penstock")):
            failed = self.penstock("trace", folder, expect=2)
            self.assertEqual(len(failed.stderr().splitlines()), 1, failed.stderr())
            self.assertIn(why, failed.stderr())
        self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run")
        self.assertIn("cannot write", self.penstock("trace", "-o", "none/x.json", "run", expect=2).stderr())
        self.assertIn("cannot write", self.penstock("trace", "-o", "/dev/full", "run", expect=2).stderr())


if __name__ == "__main__":
    unittest.main()
