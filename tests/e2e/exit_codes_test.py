"""Exit codes of `penstock run`, and what is left behind with each."""
import signal
import unittest

from support import JOBS, PENSTOCK, ProgramTest

# One task fails: zeros are not positive definite. The others are not concerned.
FAILS = """
[job]
name = "fails"
[data.x]
shape = [4]
dtype = "f64"
origin = "ones"
[[task]]
kernel = "increment"
read_write = ["x"]
[[task]]
kernel = "potrf"
read_write = ["z"]
[[save]]
data = "x"
file = "x.npy"
[data.z]
shape = [4, 4]
dtype = "f64"
origin = "zeros"
"""
LINE_OF_THE_FAILING_TASK = 11

LONG = """
[job]
name = "long"
[[task]]
for = "i in 0..100000"
kernel = "spin"
parameters = { microseconds = 1000 }
"""


class ExitCodesTest(ProgramTest):
    def test_1_when_a_task_failed(self):
        job = self.job("fails.toml", FAILS)
        for ranks in (None, 2):
            with self.subTest(ranks=ranks):
                self.penstock("run", job, "--run-dir", f"run{ranks}", ranks=ranks, expect=1)

                report = self.report(f"run{ranks}")
                self.assertEqual(report["exit_code"], 1)
                self.assertEqual(report["tasks"]["done"], 4)
                self.assertEqual(report["tasks"]["failed"], 1)
                self.assertEqual(report["results_saved"], 1)
                (failure,) = report["failures"]
                self.assertIn(f"fails.toml:{LINE_OF_THE_FAILING_TASK})", failure["message"])
                self.assertIn("potrf", failure["message"])
                self.assertTrue((self.folder / f"run{ranks}/results/x.npy").exists())

    def test_2_for_a_job_with_a_mistake_before_anything_begins(self):
        job = self.job("mistake.toml", FAILS.replace('"increment"', '"incremend"'))
        for ranks in (None, 3):
            with self.subTest(ranks=ranks):
                started = self.penstock("run", job, "--run-dir", "run", ranks=ranks, expect=2)

                (line,) = self.messages(started)
                self.assertIn("mistake.toml:9:10: ", line)
                self.assertIn("incremend", line)
                self.assertEqual(started.stdout(), "")
                self.assertFalse((self.folder / "run").exists())

    def test_2_for_a_job_with_a_mistake_leaves_an_earlier_run_as_it_is(self):
        self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run")
        before = (self.folder / "run/report.json").read_bytes()

        self.penstock("run", self.job("bad.toml", "[job]\n"), "--run-dir", "run", "--fresh", expect=2)

        self.assertEqual((self.folder / "run/report.json").read_bytes(), before)
        self.assertEqual(len(list((self.folder / "run/results").iterdir())), 64)

    def test_2_for_an_input_file_that_is_cut_off(self):
        whole = (JOBS / "data/b.npy").read_bytes()
        (self.folder / "b.npy").write_bytes(whole[:-8])
        job = self.job("cut.toml", '[job]\nname = "cut"\n[data.b]\nshape = [80, 64]\ndtype = "f32"\n'
                                   'origin = "file"\nfile = "b.npy"\n[[save]]\ndata = "b"\nfile = "c.npy"\n')

        started = self.penstock("run", job, "--run-dir", "run", expect=2)

        self.assertIn("cut off", self.messages(started)[0])

    def test_2_for_wrong_use(self):
        for arguments in ([], ["run"], ["run", "a", "b"], ["run", "--window-tasks", "0", "a"], ["rum", "a"]):
            started = self.penstock(*arguments, ranks=2, expect=2)
            self.assertEqual(len(self.messages(started)), 1, arguments)

    def test_3_for_a_folder_that_holds_a_run_unless_it_may_be_replaced(self):
        job = self.job("fails.toml", FAILS)
        self.penstock("run", job, "--run-dir", "run", expect=1)
        first = self.report("run")

        for ranks in (None, 2):
            started = self.penstock("run", job, "--run-dir", "run", ranks=ranks, expect=3)
            self.assertIn("--fresh", self.messages(started)[0])
            self.assertEqual(self.report("run"), first)
        self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run", "--fresh")

        self.assertEqual(self.report("run")["job"], "matmul")
        self.assertFalse((self.folder / "run/results/x.npy").exists())

    def test_3_for_what_is_no_run_folder(self):
        (self.folder / "file").write_text("mine")
        (self.folder / "other").mkdir()
        (self.folder / "other/mine").write_text("mine")
        (self.folder / "link").symlink_to(self.folder)

        for name in ("file", "other", "link"):
            self.penstock("run", JOBS / "matmul.toml", "--run-dir", name, "--fresh", expect=3)

        self.assertEqual((self.folder / "file").read_text(), "mine")
        self.assertEqual([path.name for path in (self.folder / "other").iterdir()], ["mine"])

    def test_3_for_a_folder_in_use(self):
        running = self.start([PENSTOCK, "run", str(self.job("long.toml", LONG)), "--run-dir", "run"])
        self.await_until((self.folder / "run/run.json").exists, "the run to begin")

        started = self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run", "--fresh", expect=3)
        running.signal(signal.SIGTERM)

        self.assertIn(f"in use by pid {running.process.pid}", self.messages(started)[0])
        self.assertEqual(running.end(), 130)


if __name__ == "__main__":
    unittest.main()
