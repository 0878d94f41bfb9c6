"""Suppression in a crowd: kept boxes are found by where their middles lie, so that a box meets only those near it."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels._jit import apart, inner
from hailo_decode.kernels.suppress import overlaps
from hailo_decode.values.arrays import F8, I4

LEAST_IOU = 0.001  # below, boxes overlap enough from so far away that no cell is out of reach
_MOST_SIDE = 24  # cells across and down: 16 to 32 are within 10 % of each other
_MOST_CELLS = 2**14  # of all labels: they stay in the second-level cache
_SLACK = 0.99999  # quotients of f4 are off by less
_TINY = np.float32(1e-28)  # areas below have lost digits
_ZERO = np.float32(0)


def crowd_scratch(labels: int, input_size: tuple[int, int], iou_max: np.float32) -> tuple[I4, F8]:
    """Return `cells` and `grain` for `join_crowd`.

    Middles of two boxes whose IoU is at least t are at most ``(1 / t - 1) / 2`` widths of either apart: they share
    ``t / (1 + t)`` of the sum of their areas or more, so as much of the sum of their widths, and neither is wider than
    ``1 / t`` times the other.
    """
    side = max(1, min(_MOST_SIDE, math.isqrt(_MOST_CELLS // labels)))
    widths = 0.5 / (max(float(iou_max), LEAST_IOU) * _SLACK) - 0.5
    grain = np.array([0.5 * side / input_size[1], 0.5 * side / input_size[0], 2.0 * widths, side - 1])
    return np.empty(labels * side * side, np.int32), grain


@inner
def _cell(x, last):
    """Return the cell of a coordinate; what lies outside belongs to the cells at the edge, and is looked for there."""
    return np.int64(min(max(x, 0.0), last))


@apart
def join_crowd(first, k, iou_max, kept, following, cells, grain):
    """Tell whether no kept box of its label overlaps the box in place `k`; if so it is compared with all that follow.

    It meets a few dozen others, however many there are: 100 to 180 ns a box, where 30,000 of 80 classes in lists took
    1,300 each, and 8,400 of one class in lanes 1,200.

    Parameters
    ----------
    first, k : int
        Number of the first box that stands in no cell yet: 0, and all cells are emptied; or `k`.
    iou_max : f4
        At least `LEAST_IOU`.
    kept : (m, 6) f4
        Corners, area and label of kept boxes, and of this one.
    following : (m,) i4
        The kept box before that has its middle in the same cell, -1 for none.
    cells : (labels * side * side,) i4
        The last kept box that has its middle there, -1 for none.
    grain : (4,) f8
        Half of what a pixel is of a cell, across and down; twice the widths that middles are apart at most; ``side - 1``.
    """
    if first == 0:
        for place in range(cells.shape[0]):
            cells[place] = -1
    bound = iou_max * np.float32(0.999999)
    last = grain[3]
    side = np.int64(last) + 1
    for i in range(first, k + 1):
        x1, y1, x2, y2, area = kept[i, 0], kept[i, 1], kept[i, 2], kept[i, 3], kept[i, 4]
        if x2 <= x1 or y2 <= y1:  # covers nothing, and nothing covers it
            continue
        top = np.int64(kept[i, 5]) * side  # row of cells
        x, y = np.float64(x1) + np.float64(x2), np.float64(y1) + np.float64(y2)
        reach = grain[2] if area >= _TINY else np.inf
        across, down = (np.float64(x2) - np.float64(x1)) * reach, (np.float64(y2) - np.float64(y1)) * reach
        left, right = _cell((x - across) * grain[0], last), _cell((x + across) * grain[0], last)
        upper, lower = _cell((y - down) * grain[1], last), _cell((y + down) * grain[1], last)
        middle = _cell(y * grain[1], last)
        # Its own row first, up from there, then down: what covers it is mostly near, and with an `iou_max` of 0.3 that
        # halves the time.
        for step in range(lower - upper + 1):
            row = (top + (middle - step if step <= middle - upper else upper + step)) * side
            for place in range(row + left, row + right + 1):
                j = cells[place]
                while j >= 0:
                    a1, b1, a2, b2, other = kept[j, 0], kept[j, 1], kept[j, 2], kept[j, 3], kept[j, 4]
                    # One branch that is hardly ever taken: those inside `overlaps` cost a fifth more when mispredicted.
                    shared = max(min(x2, a2) - max(x1, a1), _ZERO) * max(min(y2, b2) - max(y1, b1), _ZERO)
                    if shared >= bound * (area + other - shared) and overlaps(
                        iou_max, x1, y1, x2, y2, area, a1, b1, a2, b2, other
                    ):
                        return False
                    j = following[j]
        place = (top + middle) * side + _cell(x * grain[0], last)
        following[i] = cells[place]
        cells[place] = i
    return True
