"""Ctrl-C and the signals of launchers: what is drained, what is cancelled, and what the report says of it."""
import pathlib
import re
import shutil
import signal
import time
import unittest

from support import PENSTOCK, ProgramTest

SPINS = 4000
TASKS = SPINS + 2  # and an array, which is made and saved first: its file says that the run is well under way
JOB = f"""
[job]
name = "spins"
[data.sign]
shape = [1]
dtype = "f32"
origin = "zeros"
[[save]]
data = "sign"
file = "sign.npy"
[[task]]
for = "i in 0..{SPINS}"
kernel = "spin"
parameters = {{ microseconds = 20000 }}
"""


# Whose task comes after more steps than can be passed over in a lifetime.
ENDLESS_JOB = """
[data.sign]
shape = [1]
dtype = "f32"
origin = "zeros"
[[save]]
data = "sign"
file = "sign.npy"
[[task]]
for = ["i in 0..1000000", "j in 0..1000000"]
if = "i * j < 0"
kernel = "spin"
parameters = { microseconds = 1 }
"""
ANSWER_S = 20.0  # a tenth of a second on a machine with nothing else to do


class EndlessLoopTest(ProgramTest):
    def test_of_a_run_ends_at_the_first(self):
        for ranks in (None, 2):
            with self.subTest(ranks=ranks):
                job = self.job("endless.toml", ENDLESS_JOB)
                run_dir = f"run{ranks}"
                running = self.start([PENSTOCK, "run", str(job), "--run-dir", run_dir], ranks)
                self.await_until((self.folder / run_dir / "results/sign.npy").exists, "the first result")

                self.check_end(running, signal.SIGINT if ranks is None else signal.SIGUSR1)

                self.assertEqual(self.report(run_dir)["verdict"], "interrupted")

    def test_of_a_check_ends_at_the_first(self):
        job = self.job("endless.toml", ENDLESS_JOB)
        for options in ((), ("--graph", "graph.dot")):
            with self.subTest(options=options):
                running = self.start([PENSTOCK, "check", str(job), *options])
                self.await_until(lambda: self.catches(running, signal.SIGINT), "the handler")

                self.check_end(running, signal.SIGINT)

                self.assertIn("interrupted before the job was looked through", running.stderr())

    def check_end(self, running, number):
        begin = time.monotonic()
        running.signal(number)
        self.assertEqual(running.end(), 130)
        self.assertLess(time.monotonic() - begin, ANSWER_S)

    @staticmethod
    def catches(running, number):
        status = pathlib.Path(f"/proc/{running.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"^SigCgt:\s*(\w+)$", status, re.MULTILINE).group(1), 16) >> (number - 1) & 1 == 1


class InterruptsTest(ProgramTest):
    def start_run(self, *options, ranks=None):
        job = self.job("spins.toml", JOB)
        command = [PENSTOCK, "run", str(job), "--run-dir", "run", "--workers", "1", *options]
        running = self.start(command, ranks)
        self.await_until((self.folder / "run/results/sign.npy").exists, "the first result")
        return running

    def tasks_of_report(self):
        report = self.report("run")
        self.assertEqual(report["exit_code"], 130)
        self.assertEqual(report["verdict"], "interrupted")
        tasks = report["tasks"]
        self.assertEqual(sum(tasks.values()), TASKS)
        self.assertEqual(tasks["failed"], 0)
        self.assertGreater(tasks["done"], 0)
        return tasks

    def test_the_first_drains_what_is_in_flight(self):
        for number in (signal.SIGINT, signal.SIGUSR1):
            with self.subTest(signal=number):
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                running = self.start_run("--window-tasks", "10")

                running.signal(number)

                self.assertEqual(running.end(), 130)
                tasks = self.tasks_of_report()
                self.assertEqual(tasks["cancelled"], 0)
                self.assertGreater(tasks["not_started"], 0)

    def test_the_second_cancels_what_has_not_started(self):
        running = self.start_run()

        running.signal(signal.SIGINT)
        self.await_until(lambda: "interrupted: waiting for" in running.stderr(), "the answer to the first")
        running.signal(signal.SIGINT)

        self.assertEqual(running.end(), 130)
        self.assertIn("cancelled: waiting for the tasks that run", running.stderr())
        self.assertGreater(self.tasks_of_report()["cancelled"], 0)

    def test_a_request_to_terminate_cancels_at_once(self):
        running = self.start_run()

        running.signal(signal.SIGTERM)

        self.assertEqual(running.end(), 130)
        self.assertGreater(self.tasks_of_report()["cancelled"], 0)

    def test_the_third_ends_the_process(self):
        running = self.start_run()

        running.signal(signal.SIGINT)
        self.await_until(lambda: "interrupted: waiting for" in running.stderr(), "the answer to the first")
        for _ in range(2):
            running.signal(signal.SIGINT)

        self.assertEqual(running.end(), 130)

    def test_that_a_launcher_passes_on_drains_all_ranks(self):
        running = self.start_run("--window-tasks", "10", ranks=2)

        running.signal(signal.SIGUSR1)

        self.assertEqual(running.end(), 130)
        self.assertGreater(self.tasks_of_report()["not_started"], 0)


if __name__ == "__main__":
    unittest.main()
