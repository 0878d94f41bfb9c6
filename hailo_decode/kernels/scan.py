"""First pass over the class scores: which blocks hold anything that reaches the threshold."""

from __future__ import annotations

import numpy as np

from hailo_decode.kernels._jit import inner, kernel
from hailo_decode.kernels.memory import reals_at

# Elements in a block. The reduction across a vector register is paid once a block: 640 bytes read at
# 91 GB/s, one row of 80 classes at a time at 28 GB/s; 320 to 1280 are within 5 % of each other.
BLOCK = 640


@inner
def blocks_of(elements):
    """Return how many blocks a buffer has; the last one may be short."""
    return (elements + BLOCK - 1) // BLOCK


@inner
def largest(v):
    """Return the largest of some u1 or u2, 0 of none.

    A contiguous slice, an accumulator of the same dtype and a select: this shape, and no other that was
    tried, becomes one `vpmaxub` or `vpmaxuw` (`umax` on ARM) for 64 (16) bytes. An accumulator `m = 0` is 2.4 times, an
    index with an offset instead of a slice 26 times, `v.max()` 6 times slower.
    """
    m = v.dtype.type(0)
    for k in range(v.shape[0]):
        x = v[k]
        m = x if x > m else m
    return m


@inner
def any_reaches(v, floor):
    """Tell whether any element is at least `floor`, of the same dtype; nan never is.

    Integers by their largest: 35 us for 672,000 u2, 72 by comparisons. Of f4 an OR of comparisons: LLVM leaves their
    maximum scalar, 6 times slower. The cast keeps the sum of 32 bits: numba would widen it to 64, and half as many lanes
    take 2.5 times as long.
    """
    if v.itemsize < 4:
        return v.shape[0] > 0 and largest(v) >= floor
    hit = np.int32(0)
    for k in range(v.shape[0]):
        hit = np.int32(hit | np.int32(v[k] >= floor))
    return hit != 0


@inner
def reaches_or_bad(v, floor):
    """Return 1 where any f4 is at least `floor`, plus 2 where any is nan or infinite."""
    hit = np.int32(0)
    bad = np.int32(0)
    for k in range(v.shape[0]):
        hit = np.int32(hit | np.int32(v[k] >= floor))
        bad = np.int32(bad | np.int32((v[k] - v[k]) != np.float32(0)))
    return hit + np.int32(2) * bad


@kernel("i8 i8 -> i8")
def holds_bad(address, count):
    """Tell whether any of `count` f4 at an address is nan or infinite."""
    x = reals_at(address, count)
    for start in range(0, count, BLOCK):
        if reaches_or_bad(x[start : min(start + BLOCK, count)], np.float32(np.inf)) >= 2:
            return True
    return False
