"""The numbers of the origins `uniform` and `normal` once more, in NumPy: written from what their kernels promise."""
import numpy

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
LOW_HALF = numpy.uint64(0xFFFFFFFF)
HALF = numpy.uint64(32)


def philox(counters, seed, stream):
    """The four words of each counter by Philox 4x32-10 (Salmon et al., SC'11), as numbers of 64 bits."""
    counters = numpy.asarray(counters, dtype=numpy.uint64)
    words = [counters & LOW_HALF, counters >> HALF, numpy.full_like(counters, stream), numpy.zeros_like(counters)]
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(10):
        first, third = (words[2 * k] * numpy.uint64(MULTIPLIERS[k]) for k in (0, 1))
        words = [third >> HALF ^ words[1] ^ numpy.uint64(key[0]), third & LOW_HALF,
                 first >> HALF ^ words[3] ^ numpy.uint64(key[1]), first & LOW_HALF]
        key = [key[k] + WEYL[k] & 0xFFFFFFFF for k in (0, 1)]
    return words


def uniform(shape, seed, low=0.0, high=1.0, dtype="f8"):
    """Exactly what the origin makes, of f8 or f4."""
    dtype = numpy.dtype(dtype).type
    count = int(numpy.prod(shape))
    per_counter = 16 // numpy.dtype(dtype).itemsize
    words = philox(numpy.arange((count + per_counter - 1) // per_counter), seed, stream=0)
    if dtype is numpy.float64:
        fractions = [(words[k].astype("f8") * 2.0**21 + (words[k + 1] >> numpy.uint64(11)).astype("f8")) * 2.0**-53
                     for k in (0, 2)]
    else:
        fractions = [(word >> numpy.uint64(8)).astype("f4") * dtype(2.0**-24) for word in words]
    fractions = numpy.stack(fractions, axis=1).ravel()[:count].reshape(shape)
    values = dtype(low) + fractions * (dtype(high) - dtype(low))
    return numpy.minimum(values, numpy.nextafter(dtype(high), dtype(low)))


def normal(shape, seed, mean=0.0, deviation=1.0):
    """What the origin makes of f8, but for the last bits of NumPy's logarithm, sine and cosine."""
    count = int(numpy.prod(shape))
    words = philox(numpy.arange((count + 1) // 2), seed, stream=1)
    real = [word.astype("f8") for word in words]
    fine = [(words[k] >> numpy.uint64(11)).astype("f8") for k in (1, 3)]
    radius = numpy.sqrt(-2.0 * numpy.log((real[0] * 2.0**21 + fine[0] + 1.0) * 2.0**-53))
    angle = 2.0 * numpy.pi * ((real[2] + fine[1] * 2.0**-21) * 2.0**-32)
    numbers = numpy.stack([radius * numpy.cos(angle), radius * numpy.sin(angle)], axis=1)
    return mean + deviation * numbers.ravel()[:count].reshape(shape)
