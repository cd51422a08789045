#!/usr/bin/env python3
"""Makes the matrices of matmul.toml: a_*.npy and b.npy, and NumPy's own products c_*.npy to compare with; and those of
jacobi.toml: half of the neighbours of each row, those inside its block and those in the blocks on its two sides.

The elements of matmul.toml's are small whole numbers, so every product is exact in float32 whatever the order of the
sums.
"""
import pathlib

import numpy

folder = pathlib.Path(__file__).resolve().parent
random = numpy.random.default_rng(20240229)


def small_numbers(shape):
    return random.integers(-8, 9, size=shape).astype("<f4")


b = small_numbers((80, 64))
numpy.save(folder / "b.npy", b)
for i in range(64):
    a = small_numbers((96, 80))
    numpy.save(folder / f"a_{i:02}.npy", a)
    numpy.save(folder / f"c_{i:02}.npy", a @ b)

block = 32
numpy.save(folder / "jacobi_inside.npy", 0.5 * (numpy.eye(block, k=1) + numpy.eye(block, k=-1)))
numpy.save(folder / "jacobi_left.npy", 0.5 * numpy.eye(block, k=block - 1))
numpy.save(folder / "jacobi_right.npy", 0.5 * numpy.eye(block, k=1 - block))
