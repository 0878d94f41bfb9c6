"""Numbers worked out once for a plan: thresholds in raw units, ranks of bytes, tables of exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hailo_decode.values.arrays import F4, F8, I4
from hailo_decode.values.quant import Quant

BYTES = 256


def real_values(quant: Quant, raw: F8) -> F8:
    """Return (channels, len(raw)) f8: the real value of each raw number."""
    scale = np.asarray(quant.scale)[:, None]
    zero = np.asarray(quant.zero_point)[:, None]
    real: F8 = (raw[None, :] - zero) * scale
    return real


def scores_of(real: F8, logits: bool) -> F8:
    """Return scores, f8, as a plain float64 decode has them."""
    if not logits:
        return real
    with np.errstate(over="ignore"):
        scores: F8 = 1.0 / (1.0 + np.exp(-real))
    return scores


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Bytes of class tensors in the order of their scores.

    Attributes
    ----------
    ranks : (tables, 256) i4
        Place of each byte's score among all distinct ones that reach the threshold, 0 the highest;
        `count` for bytes below it.
    cuts : (levels, count + 1) i4
        Smallest byte whose rank is below r, over all channels of a level; 256 where there is none.
    scores : (count,) f4
        The score of each rank.
    """

    ranks: I4
    cuts: I4
    scores: F4

    @property
    def count(self) -> int:
        """Number of distinct scores that reach the threshold."""
        return len(self.scores)


def rank_bytes(levels: Sequence[tuple[Quant, bool]], conf: float) -> Ranks:
    """Rank every byte of every level's class tensor.

    A byte is kept if and only if its float64 score is >= the threshold as float32. Scores that are equal as float32,
    which is how they are reported, share a rank.

    Parameters
    ----------
    levels : sequence of (Quant, bool)
        Quantisation, and whether the tensor holds logits.
    conf : float
    """
    floor = float(np.float32(conf))
    raw = np.arange(BYTES, dtype=np.float64)
    per_level = [scores_of(real_values(quant, raw), logits) for quant, logits in levels]
    scores = np.concatenate(per_level)
    kept = scores >= floor
    reported = scores.astype(np.float32)
    best_first = np.unique(reported[kept], return_index=True)[0][
        ::-1
    ]  # without indices it loads numpy.ma: 12 ms
    ranks = np.searchsorted(-best_first, -reported).astype(np.int32)
    ranks[~kept] = len(best_first)
    cuts = np.full((len(levels), len(best_first) + 1), BYTES, np.int32)
    row = 0
    for level, table in enumerate(per_level):
        best = ranks[row : row + len(table)].min(axis=0)  # of each byte, over the channels
        row += len(table)
        # Scores rise with the byte, so the smallest byte below a rank bounds them all.
        for byte in range(BYTES - 1, -1, -1):
            cuts[level, best[byte] + 1 :] = byte
    return Ranks(np.ascontiguousarray(ranks), cuts, np.ascontiguousarray(best_first))


def raw_floor(quant: Quant | None, logits: bool, conf: float, top: int | None) -> F8:
    """Return (channels,) f8: the smallest raw value whose float64 score is >= the threshold as float32.

    Parameters
    ----------
    quant : Quant or None
        None for float data, which holds real values.
    logits : bool
    conf : float
    top : int or None
        Largest integer of the dtype; None for float32. An integer field that nothing of can reach gets top + 1, a float one
        infinity.
    """
    floor = float(np.float32(conf))
    if quant is None or top is None:
        return np.asarray([_smallest_float(logits, floor)])
    raw = np.arange(top + 1, dtype=np.float64)
    reached = scores_of(real_values(quant, raw), logits) >= floor
    return np.where(reached.any(axis=1), reached.argmax(axis=1), top + 1).astype(np.float64)


def _smallest_float(logits: bool, floor: float) -> float:
    """Bisect over all finite float32, in the order of their values, for the first whose score reaches a floor."""
    low, high = -0x7F7FFFFF, 0x7F7FFFFF  # bit patterns of the outermost finite numbers, sign and magnitude
    if not scores_of(np.asarray([_float_at(high)]), logits)[0] >= floor:
        return float("inf")
    while low < high:
        middle = (low + high) // 2
        if scores_of(np.asarray([_float_at(middle)]), logits)[0] >= floor:
            high = middle
        else:
            low = middle + 1
    return _float_at(low)


def _float_at(place: int) -> float:
    bits = np.array([abs(place) | (0x80000000 if place < 0 else 0)], np.uint32)
    return float(bits.view(np.float32)[0])


def exponentials(quant: Quant, wide: bool = False) -> F8 | None:
    """Return the exponentials of real values, shifted so that none is above 1.

    A softmax does not change when a constant is added to all its inputs, so one shift for the whole tensor will do.

    Parameters
    ----------
    quant : Quant
        One scale for the whole tensor.
    wide : bool
        For u2, and not for bytes.

    Returns
    -------
    (tables, 256) f8 or None
        By byte; for u2 by high and by low byte, whose product is meant. None where the range is so wide that all
        numbers of a cell might come out as 0.
    """
    steps = (BYTES * quant.scale[0], quant.scale[0]) if wide else quant.scale
    real = np.outer(steps, np.arange(1 - BYTES, 1, dtype=np.float64))
    return None if real[:, 0].sum() < -700.0 else np.exp(real)
