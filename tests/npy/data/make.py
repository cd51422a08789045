#!/usr/bin/env python3
"""Makes the .npy files of the tests: what NumPy writes in each format that is read, and what is to be refused."""
import pathlib

import numpy
from numpy.lib import format as npy

folder = pathlib.Path(__file__).resolve().parent


def save(name, array, version=(1, 0)):
    with open(folder / f"{name}.npy", "wb") as file:
        npy.write_array(file, array, version=version)


def counted(dtype, shape=(2, 3, 4)):
    """0, 1, 2, ... in C order."""
    return numpy.arange(numpy.prod(shape, dtype=int)).astype(dtype).reshape(shape)


for name in ["f4", "f8", "i4", "i8"]:
    save(name, counted("<" + name))
save("version2", counted("<f4"), (2, 0))
save("version3", counted("<f4"), (3, 0))
save("fortran", numpy.asfortranarray(counted("<f4")))
save("fortran_matrix", numpy.asfortranarray(counted("<f8", (70, 45))))
save("fortran_four", numpy.asfortranarray(counted("<i8", (3, 4, 5, 6))))
save("scalar", numpy.array(2.5, "<f8"))
save("empty", numpy.zeros((0, 3), "<i4"))
save("vector", counted("<i4", (5,)))

save("big_endian", counted(">f4"))
save("bool", numpy.array([True, False]))
save("half", counted("<f2", (4,)))
save("complex", counted("<c8", (4,)))
save("structured", numpy.zeros(2, [("x", "<f4"), ("y", "<i4")]))
save("objects", numpy.array([None, "text"], dtype=object))
save("text", numpy.array(["abc", "d"]))
save("nine_dimensions", numpy.zeros((1,) * 9, "<f4"))
whole = (folder / "f4.npy").read_bytes()
(folder / "truncated_data.npy").write_bytes(whole[:-3])
(folder / "truncated_header.npy").write_bytes(whole[:60])
(folder / "trailing.npy").write_bytes(whole + b"\0")
