"""Masks painted by NumPy, for the interpreter: it would take seconds for what has a million pixels.

The same sums in the same order as in `paint`, so that the masks are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels.memory import bytes_at, halves_at, reals_at

_SUMS = 8  # that `paint` has running at once where the channels of a cell lie side by side
_VIEWS = {1: bytes_at, 2: halves_at, 4: reals_at}


def between(places: Any, last: int) -> tuple[Any, Any]:
    """Return (lower neighbours, shares of the upper ones) of places between samples, clamped at the edges."""
    inside = np.clip(places, 0.0, float(last))
    lower = np.minimum(inside.astype(np.int64), max(last - 1, 0))
    return lower, (inside - lower).astype(np.float32)


def _window(addresses: Any, field: Any, rows: Any, columns: Any) -> Any:
    """Return the prototypes (rows, columns, channels) f4 that some samples are made of."""
    view = _VIEWS[int(field[at.ITEM])](addresses[field[at.TENSOR]], field[at.ELEMENTS])
    y, x = np.arange(rows[0], rows[1] + 1), np.arange(columns[0], columns[1] + 1)
    k = np.arange(field[at.COUNT])
    down, across = y * field[at.ROW], x * field[at.COLUMN]
    channels = (k >> 3) * field[at.GROUP] + (k & 7) * field[at.CHANNEL]
    return view[down[:, None, None] + across[:, None] + channels].astype(np.float32)


def _logits(window: Any, field: Any, weights: Any, bias: Any) -> Any:
    channels = window.shape[2]
    if field[at.CHANNEL] != 1 or field[at.EIGHTS] != 0:
        total = np.full(window.shape[:2], bias, np.float32)
        for k in range(channels):
            total += weights[k] * window[:, :, k]
        return total
    s = [np.zeros(window.shape[:2], np.float32) for _ in range(_SUMS)]
    for k in range(channels):
        s[k % _SUMS if k < channels // _SUMS * _SUMS else 0] += weights[k] * window[:, :, k]
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])) + bias


def paint_plain(
    addresses: Any,
    field: Any,
    samples: Any,
    box: Any,
    weights: Any,
    bias: Any,
    rates: Any,
    scratch: Any,
    target: Any,
) -> None:
    """Set the pixels of one mask (H, W) whose interpolated logit is above 0, inside its box.

    Parameters
    ----------
    samples : (rows, columns)
        First and last of each, as `paint` has them.
    box : 4 of int
        Left, top, right, bottom.
    rates : (across, down) of (2,) f8
    scratch
        For the compiled one.
    """
    logits = _logits(_window(addresses, field, *samples), field, weights, bias)
    (first_row, last_row), (first, _) = samples
    across, down = rates
    lower, share = between((np.arange(box[1], box[3]) + 0.5) * down[0] + down[1], int(field[at.HEIGHT]) - 1)
    here, below = logits[lower - first_row], logits[np.minimum(lower + 1, last_row) - first_row]
    blend = here + (below - here) * share[:, None]
    last = int(field[at.WIDTH]) - 1
    lower, share = between((np.arange(box[0], box[2]) + 0.5) * across[0] + across[1], last)
    a, b = blend[:, lower - first], blend[:, np.minimum(lower + 1, last) - first]
    some, both = (a > 0) | (b > 0), (a > 0) & (b > 0)
    target[box[1] : box[3], box[0] : box[2]] = both | (some & (a + (b - a) * share > 0))
