"""How a run can be had otherwise: checked, serially, in a random order, on GPUs alone; and run() twice."""
import os
import unittest

from support import JOBS, ProgramTest

ODD_PROGRAM = os.environ["PENSTOCK_ODD_PROGRAM"]


class CheckedTest(ProgramTest):
    def test_finds_no_fault_in_the_kernels_of_the_library(self):
        for job in ("blocked-matmul", "cholesky", "fan", "jacobi", "matmul"):
            with self.subTest(job=job):
                self.penstock("run", "--checked", JOBS / f"{job}.toml", "--run-dir", "run", "--fresh", "--quiet")
        self.penstock("run", "--checked", JOBS / "matmul.toml", "--run-dir", "run", "--fresh", ranks=2)

    def test_on_rank_0_is_checked_on_all(self):
        for ranks in (None, 2):
            with self.subTest(ranks=ranks):
                started, code = self.run_program([ODD_PROGRAM, "unwritten"], ranks)

                self.assertEqual(code, 1, started.stderr())
                self.assertRegex(started.stderr(), r"odd.forget_one \(.*odd_program.cpp:\d+\): failed on rank \d+, .*: the "
                                                   r"access of out is declared as write, but 1 of its 40000 elements were "
                                                   r"never written, the first at \[\d+\] \(and 199 more\)")


class OrderTest(ProgramTest):
    def results(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder / "results").iterdir()}

    def test_changes_no_result(self):
        self.penstock("run", JOBS / "fan.toml", "--run-dir", "usual")

        for number, options in enumerate((["--serial"], ["--schedule-seed", "1"], ["--schedule-seed", "2"])):
            with self.subTest(options=options):
                self.penstock("run", *options, JOBS / "fan.toml", "--run-dir", f"run{number}")

                self.assertEqual(self.results(f"run{number}"), self.results("usual"))
                self.assertEqual(sum(rank["devices"][0]["tasks"] for rank in self.report(f"run{number}")["ranks"]),
                                 self.report("usual")["tasks"]["done"])

    def test_is_for_one_rank(self):
        for options in (["--serial"], ["--schedule-seed", "1"]):
            started = self.penstock("run", *options, JOBS / "fan.toml", "--run-dir", "run", ranks=2, expect=2)

            (line,) = self.messages(started)
            self.assertIn("has one rank, not 2", line)

    def test_and_checks_are_for_cores(self):
        for options in (["--serial"], ["--schedule-seed", "1"], ["--checked"]):
            started = self.penstock("run", *options, "--devices", "cpu,cuda", JOBS / "fan.toml", expect=2)

            (line,) = self.messages(started)
            self.assertIn(f"{options[0]} runs on cores only", line)


class OtherTest(ProgramTest):
    def test_gpus_alone_where_there_is_none_are_refused_in_a_clear_line(self):
        hidden = ["env", "CUDA_VISIBLE_DEVICES="]
        started, code = self.run_program([*hidden, os.environ["PENSTOCK"], "run", "--devices", "cuda",
                                          str(JOBS / "fan.toml"), "--run-dir", "run"])

        self.assertEqual(code, 2)
        (line,) = self.messages(started)
        self.assertRegex(line, r"^penstock: only GPUs were asked for, but rank 0 \(.+\) has none: CUDA_VISIBLE_DEVICES is "
                               r"empty$")

    def test_a_second_run_is_refused_once_where_mpi_is_over(self):
        for ranks in (1, 2):
            started, code = self.run_program([ODD_PROGRAM, "twice"], ranks)

            self.assertEqual(code, 2, started.stderr())
            (line,) = self.messages(started)
            self.assertIn("under mpirun or srun there can be one run() in a process", line)

    def test_a_second_run_alone_is_as_good_as_the_first(self):
        started, code = self.run_program([ODD_PROGRAM, "twice"])

        self.assertEqual(code, 0, started.stderr())


if __name__ == "__main__":
    unittest.main()
