"""Standard output and error of the command, programs of the library, and ranks that do not belong together."""
import json
import os
import subprocess
import unittest

from support import JOBS, MPIRUN, PENSTOCK, ProgramTest

PIPELINE = os.environ["PENSTOCK_PIPELINE"]
MISMATCH = os.environ["PENSTOCK_MISMATCH"]
OTHER_BUILD = os.environ["PENSTOCK_OTHER_BUILD"]


class OutputTest(ProgramTest):
    def test_a_reader_that_leaves_early_does_no_harm(self):
        command = [PENSTOCK, "run", str(JOBS / "matmul.toml"), "--run-dir", "run"]
        running = self.start(command, stdout=subprocess.PIPE)

        running.process.stdout.close()  # nobody reads at all: what `| head -1` may come to

        self.assertEqual(running.end(), 0)
        self.assertEqual(self.report("run")["exit_code"], 0)

    def test_a_pipe_to_head_shows_the_verdict(self):
        script = f"'{PENSTOCK}' run --quiet '{JOBS}/matmul.toml' --run-dir run | head -n 1; echo ${{PIPESTATUS[0]}}"

        started, code = self.run_program(["bash", "-c", script])

        self.assertEqual(code, 0)
        self.assertEqual(started.stdout().splitlines(), ["matmul: all done", "0"])
        self.assertEqual(started.stderr(), "")

    def test_the_report_can_be_had_as_json(self):
        for ranks in (None, 2):
            started = self.penstock("run", JOBS / "matmul.toml", "--json", "--quiet", "--run-dir", "run", "--fresh",
                                    ranks=ranks)

            self.assertEqual(json.loads(started.stdout()), self.report("run"))
            self.assertEqual(self.messages(started), [])

    def test_devices_of_all_ranks_are_one_table(self):
        rows = self.penstock("devices", ranks=3).stdout().splitlines()

        self.assertEqual(len(rows), 4)
        self.assertTrue(rows[0].startswith("rank"))
        self.assertEqual([row.split()[0] for row in rows[1:]], ["0", "1", "2"])
        self.assertEqual(len(json.loads(self.penstock("devices", "--json", ranks=3).stdout())["ranks"]), 3)

    def test_check_and_kernels_are_printed_once(self):
        for arguments in (["check", JOBS / "matmul.toml"], ["kernels"], ["--version"]):
            alone = self.penstock(*arguments).stdout()

            self.assertEqual(self.penstock(*arguments, ranks=2).stdout(), alone)
            self.assertNotEqual(alone, "")


class PipelineTest(ProgramTest):
    def test_gives_the_same_on_any_number_of_ranks(self):
        outputs = set()
        files = set()
        for ranks in (None, 1, 2, 4):
            file = self.folder / f"warmest{ranks}.npy"
            started, code = self.run_program([PIPELINE, str(file)], ranks)
            self.assertEqual(code, 0, started.stderr())
            outputs.add(started.stdout())
            files.add(file.read_bytes())

        self.assertEqual(len(outputs), 1, outputs)
        self.assertEqual(len(files), 1)
        self.assertIn("16 rods", outputs.pop())

    def test_needs_a_file_name(self):
        started, code = self.run_program([PIPELINE])

        self.assertEqual(code, 2)
        self.assertIn("usage:", started.stderr())

    def test_says_when_the_file_cannot_be_written(self):
        for ranks in (None, 2):
            started, code = self.run_program([PIPELINE, "/proc/nowhere/all.npy"], ranks)

            self.assertEqual(code, 1)
            self.assertIn("/proc/nowhere/all.npy", started.stderr())
            self.assertIn("pipeline.cpp:", started.stderr())


class MismatchTest(ProgramTest):
    def run_pair(self, first, second):
        before = [*MPIRUN, "1", *first, ":", MPIRUN[-1], "1", *second]
        started, code = self.run_program(before)
        self.assertNotIn("runs on", started.stdout())
        self.assertEqual(code, 2, started.stderr())
        (line,) = self.messages(started)
        return line

    def test_of_kernels_names_the_rank_and_the_kernel(self):
        self.assertRegex(self.run_pair([MISMATCH], [MISMATCH, "more"]), "rank 1 .*it has mismatch.extra")
        self.assertRegex(self.run_pair([MISMATCH, "more"], [MISMATCH]), "rank 1 .*it lacks mismatch.extra")

    def test_of_builds_names_the_rank(self):
        self.assertRegex(self.run_pair([MISMATCH], [OTHER_BUILD, "unused.npy"]), "rank 1 .*another build")

    def test_is_none_between_equal_ranks(self):
        started, code = self.run_program([MISMATCH, "more"], ranks=2)

        self.assertEqual(code, 0, started.stderr())
        self.assertEqual(started.stdout(), "runs on 2 ranks\n")


if __name__ == "__main__":
    unittest.main()
