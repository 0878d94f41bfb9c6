"""Candidates of classes under a softmax: a score takes all the channels of its anchor."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, inner
from hailo_decode.kernels.boxes import offset_of
from hailo_decode.kernels.memory import bytes_at, halves_at, reals_at
from hailo_decode.kernels.pick import score_key


@inner
def _raw_at(addresses, field, offset):
    """Return the stored number at an offset, f8, whatever its dtype."""
    address, size = addresses[field[at.TENSOR]], field[at.ELEMENTS]
    if field[at.ITEM] == 1:
        return np.float64(bytes_at(address, size)[offset])
    if field[at.ITEM] == 2:
        return np.float64(halves_at(address, size)[offset])
    return np.float64(reals_at(address, size)[offset])


@inner
def _real_at(addresses, field, cell, first, row, k, quants):
    """Return the real value of an anchor's channel `k`, f8; `row` is that of its first channel's scale."""
    q = row + k * field[at.QUANT_STEP]
    return (_raw_at(addresses, field, offset_of(field, cell, first + k)) - quants[q, 1]) * quants[q, 0]


@inner
def write_key(rank, c, anchor, settings, keys, n):
    """Append the key of one class of one anchor; return the number of keys."""
    anchor_bits = settings[at.ANCHOR_BITS]
    keys[n] = np.uint64((rank << (anchor_bits + settings[at.CLASS_BITS])) | (c << anchor_bits) | anchor)
    return n + 1


@apart
def classes_by_softmax(
    addresses, field, cell, first, row, objectness, conf, quants, settings, anchor, values, keys, n, report
):
    """Append each class of one anchor whose share of the softmax, times the objectness, reaches the threshold."""
    top = -math.inf
    for c in range(field[at.COUNT]):
        value = _real_at(addresses, field, cell, first, row, c, quants)
        report[at.BAD_VALUES] += np.int64(not math.isfinite(value))
        values[c] = value
        top = max(top, value)
    total = 0.0
    for c in range(field[at.COUNT]):
        values[c] = math.exp(values[c] - top)
        total += values[c]
    for c in range(field[at.COUNT]):
        score = objectness * values[c] / total
        if score >= conf:
            n = write_key(score_key(score), c, anchor, settings, keys, n)
    return n
