"""Jobs whose tasks reduce or commute: known sums, and the same bits alone, on one worker and on several ranks."""
import math
import unittest

from support import ProgramTest, read_npy

# Blocks of y are sums over i of i * x, with x = j + 1 in block j; each block is looked at between the rounds.
SUMS = """
[values]
rounds = 3
terms = 100
[data.x]
for = "j in 0..4"
shape = [50]
dtype = "i64"
origin = "ones"
[data.y]
for = "j in 0..4"
shape = [50]
dtype = "i64"
[[task]]
for = "j in 0..4"
kernel = "increment"
read_write = ["x[j]"]
parameters = { by = "j" }
[[group]]
for = "round in 0..rounds"
[[group.task]]
name = "term {i} of {j}"
for = ["i in 0..terms", "j in 0..4"]
kernel = "axpy"
read = ["x[j]"]
read_write = ["y[j]"]
reduce = { y = "sum" }
parameters = { alpha = "i" }
[[group.save]]
for = "j in 0..4"
data = "y[j]"
file = "{round}/{j}.npy"
"""

# Reals of very different sizes, whose sum depends on the order in its last bits.
REALS = """
[data.x]
for = "i in 0..200"
shape = [64]
dtype = "f32"
origin = "normal"
seed = "i"
deviation = 1e3
[data.y]
shape = [64]
dtype = "f32"
origin = "normal"
seed = 1000
[[task]]
for = "i in 0..200"
kernel = "axpy"
read = ["x[i]"]
read_write = ["y"]
reduce = { y = "sum" }
parameters = { alpha = "2 * i + 1" }
[[save]]
data = "y"
file = "y.npy"
"""

COMMUTE = """
data.x = { shape = [10], dtype = "i64", origin = "zeros" }
[[task]]
for = "i in 0..500"
kernel = "increment"
read_write = ["x"]
commute = ["x"]
parameters = { by = "i" }
[[save]]
data = "x"
file = "x.npy"
"""

PRODUCT = """
data.p = { shape = [3], dtype = "f64", origin = "ones" }
[[task]]
for = "i in 1..11"
kernel = "scale"
read_write = ["p"]
reduce = { x = "product" }
parameters = { by = "i" }
[[save]]
data = "p"
file = "p.npy"
"""

FAILURE = """
data.a = { shape = [2, 2], dtype = "f64", origin = "zeros" }
data.y = { shape = [2, 2], dtype = "f64", origin = "ones" }
[[task]]
kernel = "increment"
read_write = ["y"]
reduce = { x = "sum" }
[[task]]
name = "the singular one"
kernel = "trsm"
read = ["a"]
read_write = ["y"]
reduce = { b = "sum" }
[[save]]
data = "y"
file = "y.npy"
"""


class ReductionsTest(ProgramTest):
    def run_job(self, name, text, *arguments, ranks=None, expect=0):
        self.job(f"{name}.toml", text)
        run_dir = f"{name}-{ranks}-{len(arguments)}"
        started = self.penstock("run", f"{name}.toml", "--run-dir", run_dir, "--fresh", *arguments, ranks=ranks,
                                expect=expect)
        return started, self.folder / run_dir

    def test_sums_in_loops_are_known(self):
        for arguments, ranks in (((), None), (("--window-tasks", "5"), None), ((), 2)):
            with self.subTest(arguments=arguments, ranks=ranks):
                _, run_dir = self.run_job("sums", SUMS, *arguments, ranks=ranks)

                once = sum(range(100))
                for j in range(4):
                    for round_ in range(3):
                        _, shape, numbers = read_npy(run_dir / f"results/{round_}/{j}.npy")
                        self.assertEqual(shape, (50,))
                        self.assertEqual(set(numbers), {(round_ + 1) * once * (j + 1)})

    def test_sums_of_reals_are_the_same_bits_everywhere(self):
        _, first = self.run_job("reals", REALS)
        expected = (first / "results/y.npy").read_bytes()

        for arguments, ranks in ((("--workers", "1"), None), (("--schedule-seed", "3"), None), (("--serial",), None),
                                 ((), 2), (("--workers", "1"), 3)):
            with self.subTest(arguments=arguments, ranks=ranks):
                _, run_dir = self.run_job("reals", REALS, *arguments, ranks=ranks)

                self.assertEqual((run_dir / "results/y.npy").read_bytes(), expected)

    def test_commuting_tasks_add_all_up(self):
        for ranks in (None, 2):
            _, run_dir = self.run_job("commute", COMMUTE, ranks=ranks)

            self.assertEqual(set(read_npy(run_dir / "results/x.npy")[2]), {sum(range(500))})

    def test_products_are_known(self):
        _, run_dir = self.run_job("product", PRODUCT)

        self.assertEqual(set(read_npy(run_dir / "results/p.npy")[2]), {float(math.factorial(10))})

    def test_a_task_that_fails_is_the_cause_of_what_reads_the_sum(self):
        _, run_dir = self.run_job("failure", FAILURE, expect=1)

        report = self.report(run_dir.name)
        self.assertIn("the singular one [trsm]", str(report))
        self.assertFalse((run_dir / "results/y.npy").exists())

    def test_check_counts_the_tasks_of_the_job_alone(self):
        self.job("sums.toml", SUMS)
        started = self.penstock("check", "sums.toml")

        self.assertIn("1204", started.stdout().replace(" ", "").replace(",", ""))


if __name__ == "__main__":
    unittest.main()
