"""`penstock check` on the jobs of jobs/: tasks, depth and width by formulas, for the sizes in the files and others."""
import json
import math
import unittest

from support import JOBS, ProgramTest


def levels_of_save(tiles):
    """Of a tiled array: its parts are written, what they wrote is added up in a binary tree, the file is published. (Of
    tiles that are ready one after the other, a number that is no power of two makes the path to the last one shorter.)
    """
    return 1 + math.ceil(math.log2(tiles)) + 1


def tasks_of_save(tiles):
    return tiles + (tiles - 1)  # besides the one that publishes the file


def blocked_matmul(tiles):
    blocks = tiles * tiles
    return {"tasks": (tiles * blocks, 2 * blocks, 3 * tasks_of_save(blocks), 3),
            "depth": 1 + tiles + levels_of_save(blocks),
            "width": 3 * blocks}  # the first products, and the parts of A and B


def cholesky(tiles):
    below = tiles * (tiles - 1) // 2
    products = tiles * (tiles - 1) * (tiles - 2) // 6
    return {"tasks": (2 * tiles + 2 * below + products, tiles * tiles, 2 * tasks_of_save(tiles * tiles), 2),
            "depth": 2 + 1 + 3 * (tiles - 1) + levels_of_save(tiles * tiles),
            "width": tiles + 2 * below + below}  # diagonals, the other parts of a.npy, and of l.npy those never touched


def jacobi(blocks, pairs):
    return {"tasks": (2 * pairs * (3 * blocks - 2), blocks + 3, 2 * tasks_of_save(blocks), 2),
            "depth": 1 + 2 * pairs * 3 + levels_of_save(blocks),
            "width": 2 * blocks}  # the first sweep, and the parts of first.npy


def fan(groups, members):
    copies = groups * members
    return {"tasks": (3 * copies + groups + 1, groups + 2, 0, 2),
            "depth": 3 + members + groups + 2,
            "width": copies}


def chain(rounds):
    return {"tasks": (rounds, 1, 0, 1), "depth": rounds + 2, "width": 1}


def independent(rounds):
    return {"tasks": (rounds, 2, 0, 1), "depth": 3, "width": rounds}


def increments(rounds, arrays):
    return {"tasks": (rounds * arrays, arrays, 0, math.ceil(arrays / 333)), "depth": rounds + 2, "width": arrays}


def failures(matrices):
    good = sum(i % 3 != 2 for i in range(matrices))
    return {"tasks": (2 * matrices + good, 2 * matrices, 0, matrices), "depth": 5, "width": 2 * matrices}


def matmul(count):
    return {"tasks": (count, count + 1, 0, count), "depth": 3, "width": count + 1}


# By job: the formula, the sizes in the file, and other ones with the values that make them. Tasks are those of
# [[task]], those that make data, the parts of saves, and the files saved.
JOBS_BY_SIZE = {
    "blocked-matmul": (blocked_matmul, {"tiles": 4}, {"tiles": 7}, {"n": 650, "tile": 100}),
    "chain": (chain, {"rounds": 1000}, {"rounds": 7}, {"rounds": 7}),
    "cholesky": (cholesky, {"tiles": 8}, {"tiles": 4}, {"n": 301, "tile": 100}),
    "failures": (failures, {"matrices": 9}, {"matrices": 5}, {"matrices": 5}),
    "fan": (fan, {"groups": 8, "members": 16}, {"groups": 5, "members": 3}, {"groups": 5, "members": 3}),
    "increments": (increments, {"rounds": 100, "arrays": 1000}, {"rounds": 3, "arrays": 334},
                   {"rounds": 3, "arrays": 334}),
    "independent": (independent, {"rounds": 1000}, {"rounds": 7}, {"rounds": 7}),
    "jacobi": (jacobi, {"blocks": 16, "pairs": 50}, {"blocks": 25, "pairs": 2}, {"blocks": 25, "pairs": 2}),
    "matmul": (matmul, {"count": 64}, {"count": 64}, {}),
    "matmul-large": (matmul, {"count": 64}, {"count": 3}, {"n": 10, "count": 3}),
}


class CountsTest(ProgramTest):
    def test_are_those_of_the_formulas(self):
        for job, (formula, in_file, other, values) in JOBS_BY_SIZE.items():
            for sizes, options in ((in_file, []), (other, self.options_of(values))):
                with self.subTest(job=job, **sizes):
                    self.assertEqual(self.counts(job, options), formula(**sizes))

    def test_are_known_of_every_job(self):
        self.assertEqual({path.stem for path in JOBS.glob("*.toml")}, set(JOBS_BY_SIZE))

    @staticmethod
    def options_of(values):
        return [part for name, value in values.items() for part in ("--set", f"{name}={value}")]

    def counts(self, job, options):
        report = json.loads(self.penstock("check", "--json", *options, JOBS / f"{job}.toml").stdout())
        tasks, graph = report["tasks"], report["graph"]
        parts = sum(kernel["tasks"] for kernel in report["kernels"]) - sum(tasks.values())
        return {"tasks": (tasks["tasks"], tasks["origins"], parts, tasks["saves"]),
                "depth": graph["depth"],
                "width": graph["width"]}


if __name__ == "__main__":
    unittest.main()
