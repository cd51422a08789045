"""`penstock check`: what it prints, what it writes, and that it leaves everything else alone."""
import hashlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import unittest

from support import JOBS, PENSTOCK, ProgramTest

# Far more than can be counted while a test waits.
ENDLESS = """
[[task]]
for = ["i in 0..1000000", "j in 0..1000000"]
kernel = "spin"
parameters = { microseconds = 1 }
"""
HUGE = """
[data.x]
for = "i in 0..3"
shape = [{count}]
dtype = "f64"
origin = "zeros"
[[save]]
for = "i in 0..3"
data = "x[2 - i]"
file = "x_{{i}}.npy"
[[save]]
for = "i in 0..3"
data = "x[i]"
file = "y_{{i}}.npy"
"""


def state_of(folder):
    """Names, contents and times of all files below."""
    return {path: (hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "", path.stat().st_mtime_ns)
            for path in sorted(folder.rglob("*"))}


class ReportTest(ProgramTest):
    def check(self, job, *options):
        return json.loads(self.penstock("check", "--json", *options, job).stdout())

    def test_says_as_json_what_the_job_amounts_to(self):
        report = self.check(JOBS / "matmul.toml")

        self.assertEqual(list(report), [
            "format", "file", "job", "tasks", "kernels", "data", "files", "graph", "first_task", "last_task",
            "largest_task", "memory_bytes", "warnings"])
        self.assertEqual(report["format"], 1)
        self.assertEqual(report["job"], "matmul")
        self.assertEqual(report["tasks"], {"tasks": 64, "origins": 65, "saves": 64})
        a, b, c = 96 * 80 * 4, 80 * 64 * 4, 96 * 64 * 4
        self.assertEqual(report["data"]["count"], 129)
        self.assertEqual(report["data"]["bytes"], 64 * (a + c) + b)
        self.assertEqual(report["files"], {"bytes_read": 64 * a + b, "bytes_written": 64 * c})
        self.assertEqual(
            list(report["graph"]),
            ["depth", "width", "width_levels", "parallelism", "flops", "path_flops", "speedup_max"])
        self.assertEqual((report["graph"]["depth"], report["graph"]["width"]), (3, 65))
        self.assertEqual(report["graph"]["flops"], 64 * 2 * 96 * 80 * 64)
        self.assertEqual(report["graph"]["speedup_max"], 64)
        self.assertEqual(report["largest_task"]["bytes"], a + b + c)
        self.assertEqual(report["largest_task"]["accesses"], "A[0], B -> C[0]")
        self.assertEqual(report["last_task"]["name"], "gemm")
        self.assertRegex(report["first_task"]["place"], r"matmul\.toml:\d+$")
        self.assertGreater(report["memory_bytes"], 0)
        self.assertEqual(report["warnings"], [])
        kernels = {kernel["name"]: kernel for kernel in report["kernels"]}
        self.assertEqual(set(kernels), {"load", "gemm", "save"})
        self.assertEqual(list(kernels["load"]), ["name", "tasks", "bytes", "flops", "devices"])
        self.assertEqual(kernels["load"]["devices"], ["cpu"])
        self.assertEqual(kernels["gemm"]["devices"], ["cpu", "cuda"])

    def test_is_a_screen_of_text_about_any_job(self):
        for job in sorted(JOBS.glob("*.toml")):
            shutil.copytree(JOBS, self.folder / "jobs", dirs_exist_ok=True)
            lines = self.penstock("check", f"jobs/{job.name}").stdout().splitlines()

            self.assertEqual(lines[0], f"jobs/{job.name}: ok")
            self.assertLessEqual(len(lines), 24, job)
            self.assertLessEqual(max(map(len, lines)), 120, job)

    def test_warns_of_what_does_not_fit_this_machine(self):
        memory = self.check(JOBS / "matmul.toml")["memory_bytes"]

        (task,) = self.check(self.job("task.toml", HUGE.format(count=memory // 8 + 1)))["warnings"]
        (together,) = self.check(self.job("together.toml", HUGE.format(count=memory // 16 + 1)))["warnings"]
        none = self.check(self.job("none.toml", HUGE.format(count=memory // 64)))["warnings"]

        self.assertIn("the largest task needs", task)
        self.assertIn("alive at once", together)
        self.assertEqual(none, [])
        self.assertIn(f"warning: {task}\n", self.penstock("check", "task.toml").stdout())

    def test_is_given_once_by_any_number_of_ranks(self):
        bad = self.job("bad.toml", "[job]\n[[task]]\nkernel = 'gem'\n")

        alone = self.penstock("check", JOBS / "matmul.toml").stdout()
        self.assertEqual(self.penstock("check", JOBS / "matmul.toml", ranks=3).stdout(), alone)
        self.assertEqual(len(self.messages(self.penstock("check", bad, ranks=3, expect=2))), 1)


class FilesTest(ProgramTest):
    def test_are_left_alone(self):
        folder = self.folder / "jobs"
        shutil.copytree(JOBS, folder)
        everything = [folder, *folder.rglob("*")]
        for path in everything:
            path.chmod(0o555 if path.is_dir() else 0o444)
        self.addCleanup(lambda: [path.chmod(0o755) for path in everything])
        before = state_of(self.folder)

        for options in ([], ["--json"], ["--graph", "-"]):
            self.penstock("check", *options, "jobs/matmul.toml")

        self.assertEqual(state_of(self.folder), before)

    def test_graph_goes_to_standard_output_or_to_a_file(self):
        printed = self.penstock("check", "--graph", "-", JOBS / "matmul.toml").stdout()
        (self.folder / "old.dot").write_text("old")

        for name in ("new.dot", "old.dot"):
            report = self.penstock("check", "--graph", name, JOBS / "matmul.toml").stdout()

            self.assertEqual((self.folder / name).read_text(), printed)
            self.assertIn("matmul.toml: ok\n", report)
        self.assertEqual(len(re.findall(r"^  t\d+ -> t\d+ ", printed, re.MULTILINE)), 64 * (2 + 1))
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"new.dot", "old.dot"})

    def test_graph_replaces_nothing_but_a_regular_file(self):
        (self.folder / "target").write_text("mine")
        (self.folder / "link").symlink_to("target")
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "pipe")

        for name in ("link", "folder", "pipe", "/dev/null", "nowhere/x.dot", ""):
            started = self.penstock("check", "--graph", name, JOBS / "matmul.toml", expect=2)
            self.assertEqual(len(self.messages(started)), 1, name)
            self.assertEqual(started.stdout(), "")

        self.assertEqual((self.folder / "target").read_text(), "mine")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertTrue((self.folder / "pipe").is_fifo())

    def test_graph_of_too_many_tasks_is_refused_in_one_line(self):
        (self.folder / "old.dot").write_text("old")

        started = self.penstock("check", "--graph", "old.dot", JOBS / "increments.toml", expect=2)

        (line,) = self.messages(started)
        self.assertIn("more than 100000 tasks", line)
        self.assertEqual((self.folder / "old.dot").read_text(), "old")


class LongTest(ProgramTest):
    def test_ctrl_c_ends_it(self):
        running = self.start([PENSTOCK, "check", str(self.job("endless.toml", ENDLESS))])
        self.await_until(lambda: self.catches_ctrl_c(running.process.pid), "the counting to begin")

        running.signal(signal.SIGINT)

        self.assertEqual(running.end(), 130)
        (line,) = running.stderr().splitlines()  # and no progress, since it is no terminal
        self.assertIn("interrupted", line)
        self.assertEqual(running.stdout(), "")

    def test_a_terminal_shows_how_far_it_is(self):
        ours, terminal = pty.openpty()
        job = self.job("endless.toml", ENDLESS)
        with subprocess.Popen([PENSTOCK, "check", str(job)], stdout=subprocess.DEVNULL, stderr=terminal,
                              env={**os.environ, "TERM": "vt100"}) as running:
            os.close(terminal)
            shown = b""
            while b"1000000000000 tasks" not in shown:
                shown += os.read(ours, 4096)
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.wait(), 130)
        os.close(ours)

    @staticmethod
    def catches_ctrl_c(pid):
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            (caught,) = [line.split()[1] for line in status if line.startswith("SigCgt:")]
        return int(caught, 16) >> (signal.SIGINT - 1) & 1 == 1


if __name__ == "__main__":
    unittest.main()
