"""The jobs of jobs/ on 1, 2 and 4 ranks: their results by NumPy, their reports and their run folders."""
import json
import os
import re
import stat
import unittest

import numpy
import random_numbers
from support import JOBS, ProgramTest, read_npy

RANKS = (None, 1, 2, 4)
FEWER_RANKS = (None, 2, 4)
ONE_TILE_RANKS = (None, 2)
EPSILON = numpy.finfo("f8").eps


def task_slices(folder):
    """What the trace of the run has of tasks."""
    events = json.loads((folder / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    return [event for event in events if event["ph"] == "X" and event["cat"] == "task"]


def times_of(tasks, name):
    """When those of that name began and ended."""
    return [(task["ts"], task["ts"] + task["dur"]) for task in tasks if re.fullmatch(name, task["name"])]


def have_common_time(some, others):
    return any(begin < until and start < end for begin, end in some for start, until in others)


class JobTest(ProgramTest):
    def results_of(self, job, *options, ranks=None, expect=0):
        """Runs the job into the folder run{ranks}; its results by their paths, without `.npy`."""
        run_dir = f"run{ranks}"
        self.ended = self.penstock("run", JOBS / f"{job}.toml", *options, "--run-dir", run_dir, ranks=ranks,
                                   expect=expect)
        folder = self.folder / run_dir / "results"
        files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
        self.assertEqual({path.suffix for path in files}, {".npy"}, "parts are left behind")
        return {path.with_suffix("").as_posix(): numpy.load(folder / path) for path in files}

    def check_report(self, ranks, tasks, saves):
        report = self.report(f"run{ranks}")
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

    def assert_arrays(self, results, **expected):
        """These files and no others, with exactly these elements, dtypes and shapes."""
        self.assertEqual(set(results), set(expected))
        for name, array in expected.items():
            self.assert_same(results[name], array)

    def assert_same(self, array, expected):
        self.assertEqual((array.dtype, array.shape), (expected.dtype, expected.shape))
        numpy.testing.assert_array_equal(array, expected)


class ProductsTest(JobTest):
    def test_matmul_gives_the_products_of_numpy(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.penstock("run", JOBS / "matmul.toml", "--run-dir", f"run{ranks}", ranks=ranks)

                for i in range(64):
                    expected = read_npy(JOBS / "data" / f"c_{i:02}.npy")
                    self.assertEqual(read_npy(self.folder / f"run{ranks}" / "results" / f"c_{i:02}.npy"), expected)
                self.check_report(ranks, tasks=65 + 64 + 64, saves=64)

    def test_matmul_of_made_matrices_is_the_same_on_any_number_of_ranks(self):
        b = random_numbers.uniform((120, 120), 1, low=-1.0, dtype="f4").astype("f8")
        files = {f"c_{i:02}": set() for i in range(12)}
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                results = self.results_of("matmul-large", "--set", "n=120", "--set", "count=12", ranks=ranks)
                self.assertEqual(set(results), set(files))
                for i, (name, contents) in enumerate(files.items()):
                    contents.add((self.folder / f"run{ranks}/results/{name}.npy").read_bytes())
                    a = random_numbers.uniform((120, 120), 1000 + i, low=-1.0, dtype="f4").astype("f8")
                    error = numpy.abs(results[name] - a @ b)
                    self.assertTrue((error <= 120 * numpy.finfo("f4").eps * (numpy.abs(a) @ numpy.abs(b))).all())
                self.check_report(ranks, tasks=13 + 12 + 12, saves=12)
        self.assertEqual({len(contents) for contents in files.values()}, {1})

    def test_blocked_products_are_those_of_numpy_and_their_factors_follow_the_formula(self):
        for ranks in FEWER_RANKS:
            with self.subTest(ranks=ranks):
                self.check_blocked(self.results_of("blocked-matmul", ranks=ranks), 500)
                self.check_report(ranks, tasks=2 * 16 + 64 + 3 * (16 + 15 + 1), saves=3)

    def test_a_product_of_one_block_is_that_of_numpy(self):
        for ranks in ONE_TILE_RANKS:
            with self.subTest(ranks=ranks):
                self.check_blocked(self.results_of("blocked-matmul", "--set", "n=60", ranks=ranks), 60)
                self.check_report(ranks, tasks=2 + 1 + 3 * (1 + 1), saves=3)

    def check_blocked(self, results, n):
        a, b = random_numbers.uniform((n, n), 1), random_numbers.uniform((n, n), 2)
        self.assertEqual(set(results), {"a", "b", "c"})
        self.assert_same(results["a"], a)
        self.assert_same(results["b"], b)
        error = numpy.abs(results["c"] - a @ b)
        self.assertTrue((error <= 2 * n * EPSILON * (a @ b)).all())


class CholeskyTest(JobTest):
    def test_factor_times_its_transpose_is_the_matrix(self):
        for ranks in FEWER_RANKS:
            with self.subTest(ranks=ranks):
                self.check_factor(self.results_of("cholesky", ranks=ranks), 700)
                self.check_report(ranks, tasks=64 + 128 + 2 * (64 + 63 + 1), saves=2)

    def test_factor_of_one_tile_is_that_of_the_whole(self):
        for ranks in ONE_TILE_RANKS:
            with self.subTest(ranks=ranks):
                self.check_factor(self.results_of("cholesky", "--set", "n=96", ranks=ranks), 96)
                self.check_report(ranks, tasks=1 + 2 + 2 * (1 + 1), saves=2)

    def check_factor(self, results, n):
        given, made = results["a"], results["l"]
        self.assert_same(given, random_numbers.uniform((n, n), 1) + n * numpy.eye(n))
        self.assert_same(numpy.triu(made, 1), numpy.triu(given, 1))  # is never touched
        factor, lower = numpy.tril(made), numpy.tril(given, -1)
        matrix = lower + lower.T + numpy.diag(numpy.diag(given))
        residual = numpy.linalg.norm(matrix - factor @ factor.T) / (n * numpy.linalg.norm(matrix) * EPSILON)
        self.assertLess(residual, 1.0)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "two workers need two cores")
    def test_the_next_panel_starts_while_updates_still_run(self):
        """Which ready task is taken next is for the workers to say, so nothing is certain of a single step. But while
        one of them works on a panel the other has updates to take; for none of 19 steps to show that, or just two, it
        would have to be kept from its core during each of the panels, and be given it for all updates between them.
        """
        tiles = 20
        self.penstock("run", JOBS / "cholesky.toml", "--set", "n=2400", "--set", f"tile={2400 // tiles}", "--workers",
                      "2", "--run-dir", "run")

        tasks = task_slices(self.folder / "run")
        panels = [times_of(tasks, rf"panel {k}\b.*") for k in range(tiles)]
        updates = [times_of(tasks, rf"update {k}: .*") for k in range(tiles - 1)]
        beside = [k for k, update in enumerate(updates) if have_common_time(update, panels[k + 1])]
        early = [k for k, update in enumerate(updates) if min(panels[k + 1])[0] < max(end for _, end in update)]

        self.assertEqual([len(panel) for panel in panels], [tiles - k for k in range(tiles)])
        self.assertEqual([len(update) for update in updates],
                         [left * (left + 1) // 2 for left in range(tiles - 1, 0, -1)])
        self.assertGreaterEqual(len(beside), 3, beside)
        self.assertGreater(len(early), tiles // 2, early)


class SmallTasksTest(JobTest):
    def test_jacobi_is_a_loop_of_numpy(self):
        for ranks in FEWER_RANKS:
            with self.subTest(ranks=ranks):
                self.check_jacobi(self.results_of("jacobi", ranks=ranks), 512)
                self.check_report(ranks, tasks=19 + 100 * (3 * 16 - 2) + 2 * (16 + 15 + 1), saves=2)

    def test_jacobi_of_one_block_is_that_loop_too(self):
        for ranks in ONE_TILE_RANKS:
            with self.subTest(ranks=ranks):
                self.check_jacobi(self.results_of("jacobi", "--set", "blocks=1", ranks=ranks), 32)
                self.check_report(ranks, tasks=2 + 100 + 2 * (1 + 1), saves=2)

    def check_jacobi(self, results, n):
        u = random_numbers.uniform((n, 1), 3)
        for _ in range(100):  # a sum of two halves is rounded once, in blocks too: what is added to it there are zeros
            padded = numpy.pad(u, ((1, 1), (0, 0)))
            u = 0.5 * padded[:-2] + 0.5 * padded[2:]
        self.assert_arrays(results, first=random_numbers.uniform((n, 1), 3), last=u)

    def test_chain_counts_to_its_length(self):
        for ranks in FEWER_RANKS:
            with self.subTest(ranks=ranks):
                results = self.results_of("chain", ranks=ranks)
                self.assert_arrays(results, y=numpy.full((1, 2), 1001, "f4"))
                self.check_report(ranks, tasks=1 + 1000 + 1, saves=1)

    def test_independent_writes_leave_the_last(self):
        for ranks in FEWER_RANKS:
            with self.subTest(ranks=ranks):
                results = self.results_of("independent", ranks=ranks)
                self.assert_arrays(results, y=numpy.array([[1, 2]], "f4"))
                self.check_report(ranks, tasks=2 + 1000 + 1, saves=1)

    def test_fan_adds_up_all_copies(self):
        total = numpy.arange(1000) * sum(g + m for g in range(8) for m in range(16))
        for ranks in FEWER_RANKS:
            with self.subTest(ranks=ranks):
                results = self.results_of("fan", ranks=ranks)
                self.assert_arrays(results, total=total, answer=numpy.array([total.sum()]))
                self.check_report(ranks, tasks=10 + 3 * 128 + 8 + 1 + 2, saves=2)

    def test_increments_are_all_done(self):
        hundred = numpy.full(64, 100.0)
        for ranks in FEWER_RANKS:
            with self.subTest(ranks=ranks):
                results = self.results_of("increments", ranks=ranks)
                self.assert_arrays(results, x_000=hundred, x_333=hundred, x_666=hundred, x_999=hundred)
                self.check_report(ranks, tasks=1000 + 100_000 + 4, saves=4)


class FailuresTest(JobTest):
    BAD = (2, 5, 8)
    GOOD = (0, 1, 3, 4, 6, 7)

    def test_fails_and_skips_what_it_says_and_saves_the_rest(self):
        for ranks in FEWER_RANKS:
            with self.subTest(ranks=ranks):
                results = self.results_of("failures", ranks=ranks, expect=1)

                self.assert_arrays(results, **{f"x_{i}": numpy.full((50, 1), 0.5) for i in self.GOOD})
                self.check_failures(self.report(f"run{ranks}"))
                self.check_skipped(self.report(f"run{ranks}"))
                screen = self.ended.stdout()
                self.assertTrue(screen.startswith("failures: 9 of 51 tasks not done\n"), screen)
                self.assertEqual(sorted(re.findall(r"^  (\w+ \d+) \[", screen, re.MULTILINE)), self.named("factor"))
                self.check_outcomes(task_slices(self.folder / f"run{ranks}"))

    def named(self, word, numbers=BAD):
        return [f"{word} {i}" for i in numbers]

    def check_failures(self, report):
        self.assertEqual((report["exit_code"], report["verdict"]), (1, "9 of 51 tasks not done"))
        self.assertEqual(report["tasks"], {"done": 42, "failed": 3, "skipped": 6, "cancelled": 0, "not_started": 0})
        self.assertEqual(report["results_saved"], 6)
        self.assertEqual(report["failures_omitted"], 0)
        messages = sorted(failure["message"] for failure in report["failures"])
        self.assertEqual([message.split(" [")[0] for message in messages], self.named("factor"))
        for message in messages:
            self.assertRegex(message, r"\[potrf\] \(.*failures\.toml:\d+\): failed on rank \d, device 0, attempt 1: "
                                      r"a is not positive definite: ")

    def check_skipped(self, report):
        """Each by its name and place, and because of the factor that failed."""
        lines = [(entry["message"].split(" (")[0], entry["cause"]["message"].split(" [")[0])
                 for entry in report["skipped"]]
        self.assertEqual(sorted(lines),
                         sorted([(f"solve {i} [trsm]", f"factor {i}") for i in self.BAD] +
                                [("save", f"factor {i}") for i in self.BAD]))
        self.assertEqual(report["skipped_omitted"], 0)
        failures = {failure["task"]: failure["message"] for failure in report["failures"]}
        for entry in report["skipped"]:
            self.assertRegex(entry["message"], r" \(.*failures\.toml:\d+\): skipped$")
            self.assertEqual(failures[entry["cause"]["task"]], entry["cause"]["message"])

    def check_outcomes(self, tasks):
        """By their names: those that were done and that failed, so that the six skipped ones are the others."""
        names = {}
        for task in tasks:
            names.setdefault(task["args"]["outcome"], []).append(task["name"])
        self.assertEqual(sorted(names["failed"]), self.named("factor"))
        self.assertEqual(sorted(names["done"]),
                         sorted(["fill"] * 18 + ["add_diagonal"] * 6 + self.named("factor", self.GOOD) +
                                self.named("solve", self.GOOD) + ["save"] * 6))


class RunFolderTest(ProgramTest):
    def test_its_marker_has_a_hash_of_all_that_the_job_follows_from(self):
        def hash_of(name, include, *options):
            self.job("include.toml", include)
            self.penstock("run", job, *options, "--run-dir", name)
            return json.loads((self.folder / name / "run.json").read_text(encoding="utf-8"))["job_hash"]

        job = self.job("job.toml", 'include = "include.toml"\n[[task]]\nkernel = "spin"\n'
                                   'parameters = { microseconds = "n" }\n')
        first = hash_of("first", "values.n = 1\n")

        self.assertEqual(hash_of("same", "values.n = 1\n"), first)
        others = {hash_of("included", "values.n = 2\n"), hash_of("set", "values.n = 1\n", "--set", "n=2"),
                  hash_of("set_again", "values.n = 1\n", "--set", "n=3")}
        self.assertEqual(len(others - {first}), 3)

    def test_only_the_owner_may_look_into_it(self):
        self.penstock("run", JOBS / "matmul.toml", "--run-dir", "run")

        for folder in ("run", "run/results"):
            self.assertEqual(stat.S_IMODE((self.folder / folder).stat().st_mode), 0o700, folder)


if __name__ == "__main__":
    unittest.main()
