#!/usr/bin/env python3
"""Makes the matrices of matmul.toml: a_*.npy and b.npy, and NumPy's own products c_*.npy to compare with.

The elements are small whole numbers, so every product is exact in float32 whatever the order of the sums.
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
