"""The job language as users meet it: the examples of jobs/README.md, and arrays in tiles, from files and into files."""
import os
import pathlib
import re
import unittest

import numpy
import random_numbers
from support import JOBS, PENSTOCK, ProgramTest

README = JOBS / "README.md"


def blocks_of_readme():
    """The fenced blocks in their order: the language, and the text."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def results_below(run_dir):
    folder = run_dir / "results"
    return {path.relative_to(folder).as_posix(): numpy.load(path) for path in folder.rglob("*.npy")}


def strided_sums(n, middle, factor):
    """What values.toml computes."""
    x = numpy.ones((n, 2 * n))
    for h in (1, 2, 4):
        for i in range(0, n, 2):
            if i + h < n and i % 4 == 0:
                x[i + h] += factor * x[i]
    return {f"x_{i:02}.npy": x[i] for i in range(middle, n)}


def matrices_of_data():
    whole = numpy.load(JOBS / "data/a_00.npy") + numpy.float32(1.0)
    made = {f"a/{i}.npy": random_numbers.uniform((96, 80), 10 * i + 2, low=-1.0, dtype="f4") for i in range(2)}
    return {"whole.npy": whole, "tile.npy": whole[80:, 40:], **made}


def products_of_tasks():
    a = random_numbers.uniform((8, 8), 1)
    return {f"{kind}/c_{weight:g}.npy": 2.0 * (weight * a.T @ a + a @ a) for kind in ("left", "right")
            for weight in (0.5, 2.0)}


# What each example leaves, by its name. Those that only others include have no results.
EXAMPLES = {
    "first": {"sum.npy": numpy.array([2.0 * 999 * 1000 / 2])},
    "values": strided_sums(5, 2, 0.5),
    "data": matrices_of_data(),
    "common": None,
    "tasks": products_of_tasks(),
    "order": {"early.npy": numpy.full(4, 3), "late.npy": numpy.full(4, 7 + 9)},
}


class ArraysTest(ProgramTest):
    def assert_results(self, results, expected):
        self.assertEqual(set(results), set(expected))
        for name, array in expected.items():
            self.assertEqual((results[name].dtype, results[name].shape), (array.dtype, array.shape), name)
            numpy.testing.assert_allclose(results[name], array, rtol=1e-14, atol=0, err_msg=name)


class ReadmeTest(ArraysTest):
    def setUp(self):
        super().setUp()
        (self.folder / "data").symlink_to(JOBS / "data")
        self.names = []
        for language, text in blocks_of_readme():
            if language == "toml":
                name = re.match(r"# (\w+)\.toml\n", text).group(1)
                self.job(f"{name}.toml", text)
                self.names.append(name)

    def test_is_not_long_and_has_nothing_but_examples(self):
        text = README.read_text(encoding="utf-8")

        self.assertLessEqual(len(text.splitlines()), 200)
        self.assertEqual(2 * len(blocks_of_readme()), len(re.findall("^```", text, re.MULTILINE)))
        self.assertEqual({language for language, _ in blocks_of_readme()}, {"toml", "sh"})
        self.assertEqual(self.names, list(EXAMPLES))

    def test_jobs_leave_what_numpy_computes(self):
        for name, expected in EXAMPLES.items():
            for ranks in (None, 2):
                if expected is not None:
                    with self.subTest(example=name, ranks=ranks):
                        run_dir = f"{name}{ranks}"
                        self.penstock("run", f"{name}.toml", "--run-dir", run_dir, ranks=ranks)

                        self.assert_results(results_below(self.folder / run_dir), expected)

    def test_commands_do_what_they_say(self):
        environment = f"PATH={pathlib.Path(PENSTOCK).parent}:{os.environ['PATH']}"
        script = "".join(text for language, text in blocks_of_readme() if language == "sh")
        self.assertRegex(script, "^(penstock (run|check) .*\n)+$")

        started, code = self.run_program(["env", environment, "sh", "-e", "-c", script])

        self.assertEqual(code, 0, started.stderr())
        self.assertIn("first.toml: ok\n", started.stdout())
        self.assert_results(results_below(self.folder / "penstock-runs/first"), EXAMPLES["first"])
        self.assert_results(results_below(self.folder / "penstock-runs/values"), strided_sums(8, 7, 0.25))


# Every tile of an array that a file holds is changed in a way of its own; then the whole is saved.
CHANGED_TILES = """
[data.x]
shape = {shape}
tile = {tile}
dtype = "{dtype}"
origin = "file"
file = "x.npy"
{tasks}
[[save]]
data = "x"
file = "y.npy"
"""
CHANGED_TILE = """
[[task]]
kernel = "increment"
read_write = ["x{subscripts}"]
parameters = {{ by = {by} }}
"""
# A family of tiled arrays of an origin, each saved whole.
WHOLE_ARRAYS = """
[data.x]
for = "i in 0..3"
shape = {shape}
tile = {tile}
dtype = "f64"
origin = "{origin}"
{keys}
[data.small]
shape = [5]
tile = [2]
dtype = "i64"
origin = "iota"
[[group]]
for = "i in 0..3"
[[group.save]]
data = "x[i]"
file = "x_{{i}}.npy"
[[group.save]]
data = "small"
file = "small_{{i}}.npy"
"""
SHAPES = (((23, 17), (5, 4)), ((23, 17), (23, 6)), ((23, 17), (1, 40)), ((20, 16), (5, 4)), ((41,), (7,)), ((1,), (3,)))


class TilesTest(ArraysTest):
    def test_of_files_are_numpys_views_of_the_array(self):
        for shape, tile in SHAPES:
            for order in ("C", "F"):
                for dtype, name in (("<f8", "f64"), ("<i4", "i32")):
                    with self.subTest(shape=shape, tile=tile, order=order, dtype=dtype):
                        array = numpy.arange(numpy.prod(shape)).reshape(shape).astype(dtype)
                        numpy.save(self.folder / "x.npy", numpy.asarray(array, order=order))
                        tasks = self.change_tiles(array, tile)
                        job = self.job("tiles.toml", CHANGED_TILES.format(shape=list(shape), tile=list(tile),
                                                                          dtype=name, tasks=tasks))

                        self.penstock("run", job, "--run-dir", "run", "--fresh")

                        self.assert_results(results_below(self.folder / "run"), {"y.npy": array})

    @staticmethod
    def change_tiles(array, tile):
        """Adds another number to each tile of the array; the text of tasks that do the same."""
        tasks = ""
        for place in numpy.ndindex(*(-(-extent // size) for extent, size in zip(array.shape, tile))):
            by = 1 + sum(1000**axis * at for axis, at in enumerate(place))
            array[tuple(slice(at * size, (at + 1) * size) for at, size in zip(place, tile))] += by
            tasks += CHANGED_TILE.format(subscripts=list(place), by=by)
        return tasks

    def test_of_origins_are_parts_of_the_whole(self):
        for shape, tile in SHAPES:
            for origin, keys, number in (("uniform", 'seed = "7 + i"\nlow = -2.0', self.uniform),
                                         ("normal", 'seed = "7 + i"\nmean = 3.0\ndeviation = 0.5', self.normal),
                                         ("iota", "", self.iota)):
                with self.subTest(shape=shape, tile=tile, origin=origin):
                    job = self.job("whole.toml", WHOLE_ARRAYS.format(shape=list(shape), tile=list(tile),
                                                                     origin=origin, keys=keys))

                    self.penstock("run", job, "--run-dir", "run", "--fresh")

                    self.assert_results(results_below(self.folder / "run"),
                                        {f"x_{i}.npy": number(shape, 7 + i) for i in range(3)} |
                                        {f"small_{i}.npy": numpy.arange(5) for i in range(3)})

    @staticmethod
    def uniform(shape, seed):
        return random_numbers.uniform(shape, seed, low=-2.0)

    @staticmethod
    def normal(shape, seed):
        return random_numbers.normal(shape, seed, mean=3.0, deviation=0.5)

    @staticmethod
    def iota(shape, _):
        return numpy.arange(float(numpy.prod(shape))).reshape(shape)

    def test_are_put_together_from_all_ranks(self):
        numpy.save(self.folder / "x.npy", array := random_numbers.uniform((300, 200), 5))
        tasks = self.change_tiles(array, (64, 48))
        job = self.job("tiles.toml", CHANGED_TILES.format(shape=[300, 200], tile=[64, 48], dtype="f64",
                                                          tasks=tasks))

        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                self.penstock("run", job, "--run-dir", f"run{ranks}", ranks=ranks)

                self.assert_results(results_below(self.folder / f"run{ranks}"), {"y.npy": array})


if __name__ == "__main__":
    unittest.main()
