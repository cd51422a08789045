"""The jobs of jobs/ on 1, 2 and 4 ranks: their results, their reports and their run folders."""
import re
import stat
import unittest

from support import JOBS, ProgramTest, read_npy

RANKS = (None, 1, 2, 4)


class JobsTest(ProgramTest):
    def check_report(self, run_dir, ranks, tasks, saves):
        report = self.report(run_dir)
        self.assertEqual(report["exit_code"], 0)
        self.assertEqual(report["verdict"], "all done")
        self.assertEqual(report["tasks"],
                         {"done": tasks, "failed": 0, "skipped": 0, "cancelled": 0, "not_started": 0})
        self.assertEqual(report["results_saved"], saves)
        self.assertEqual(report["failures"], [])
        self.assertEqual([rank["rank"] for rank in report["ranks"]], list(range(ranks or 1)))
        devices = [device for rank in report["ranks"] for device in rank["devices"]]
        self.assertEqual(sum(device["tasks"] for device in devices), tasks)
        for device in devices:
            self.assertGreaterEqual(device["lanes"], 1)
            self.assertGreaterEqual(device["busy_share"], 0.0)
            self.assertLessEqual(device["busy_share"], 1.01)
        sent = sum(rank["bytes_sent"] for rank in report["ranks"])
        self.assertEqual(sent, sum(rank["bytes_received"] for rank in report["ranks"]))
        if not ranks or ranks == 1:
            self.assertEqual(sent, 0)

    def test_matmul_gives_the_products_of_numpy(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.penstock("run", JOBS / "matmul.toml", "--run-dir", f"run{ranks}", ranks=ranks)

                for i in range(64):
                    expected = read_npy(JOBS / "data" / f"c_{i:02}.npy")
                    self.assertEqual(read_npy(self.folder / f"run{ranks}" / "results" / f"c_{i:02}.npy"), expected)
                self.check_report(f"run{ranks}", ranks, tasks=65 + 64 + 64, saves=64)

    def test_matmul_of_made_matrices_is_the_same_on_any_number_of_ranks(self):
        text = (JOBS / "matmul-large.toml").read_text().replace("1000, 1000", "120, 120").replace("0..64", "0..12")
        job = self.job("matmul-small.toml", text)
        self.assertEqual(len(re.findall(r"\[120, 120\]", text)), 3)

        for ranks in RANKS:
            self.penstock("run", job, "--run-dir", f"run{ranks}", ranks=ranks)

        for i in range(12):
            results = [(self.folder / f"run{ranks}/results/c_{i:02}.npy").read_bytes() for ranks in RANKS]
            self.assertEqual(len(set(results)), 1, f"c_{i:02}.npy")

    def test_increments_are_all_done(self):
        for ranks in (None, 2):
            with self.subTest(ranks=ranks):
                self.penstock("run", JOBS / "increments.toml", "--run-dir", f"run{ranks}", ranks=ranks)

                for i in range(4):
                    result = read_npy(self.folder / f"run{ranks}/results/x_{333 * i:03}.npy")
                    self.assertEqual(result, ("<f8", (64,), (100.0,) * 64))
                self.check_report(f"run{ranks}", ranks, tasks=1000 + 100_000 + 4, saves=4)

    def test_only_the_owner_may_look_into_a_run_folder(self):
        self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run")

        for folder in ("run", "run/results"):
            self.assertEqual(stat.S_IMODE((self.folder / folder).stat().st_mode), 0o700, folder)


if __name__ == "__main__":
    unittest.main()
