"""Greedy suppression: a box stays unless a better one of its class overlaps it too much."""

from __future__ import annotations

import numpy as np

from hailo_decode.kernels._jit import apart, inner

_ZERO = np.float32(0)
_LANES = 32  # kept boxes that are compared at once


@inner
def overlaps(iou_max, x1, y1, x2, y2, area, a1, b1, a2, b2, other):
    """Tell whether the IoU of two boxes is at least `iou_max`, in f4 as HailoRT computes it.

    A multiplication decides all but the closest calls (12 units in the last place); those are divided, as HailoRT
    does (5.2, nms_post_process.cpp). Boxes that do not meet have an IoU of 0.
    """
    wide = min(x2, a2) - max(x1, a1)
    high = min(y2, b2) - max(y1, b1)
    if wide <= _ZERO or high <= _ZERO:
        return iou_max <= _ZERO
    shared = wide * high
    joined = area + other - shared
    bound = iou_max * joined
    if shared < bound * np.float32(0.999999):
        return False
    if shared > bound * np.float32(1.000001):
        return True
    return shared / joined >= iou_max


@inner
def hit_in_list(first, following, kept, iou_max, x1, y1, x2, y2, area):
    """Tell whether any kept box of a linked list overlaps a box. `kept` is (n, 6) f4: corners, area, label."""
    j = first
    while j >= 0:
        k = kept[j]
        if overlaps(iou_max, x1, y1, x2, y2, area, k[0], k[1], k[2], k[3], k[4]):
            return True
        j = following[j]
    return False


@inner
def _may_hit(lanes, label, bound, x1, y1, x2, y2, area):
    """Tell whether any of 32 kept boxes may overlap: no branch inside, so that it becomes vector code."""
    a1, b1, a2, b2, areas, labels = lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5]
    hit = np.int32(0)
    for j in range(_LANES):
        wide = max(min(x2, a2[j]) - max(x1, a1[j]), _ZERO)
        high = max(min(y2, b2[j]) - max(y1, b1[j]), _ZERO)
        shared = wide * high
        near = np.int32(shared >= bound * (area + areas[j] - shared))
        hit = np.int32(hit | np.int32(near & np.int32(labels[j] == label)))
    return hit != 0


@apart
def hit_in_lanes(lanes, count, label, iou_max, x1, y1, x2, y2, area):
    """Tell whether any of `count` kept boxes of a label overlaps a box.

    With few classes the lists are long: 32 boxes at a time cost 42 us where the list costs 152 (1,000 boxes, 1 class).

    Parameters
    ----------
    lanes : (blocks, 6, 32) f4
        Kept boxes in blocks: left, top, right, bottom, area, label.
    """
    bound = iou_max * np.float32(0.999999)
    for g in range((count + _LANES - 1) // _LANES):
        block = lanes[g]
        if not _may_hit(block, label, bound, x1, y1, x2, y2, area):
            continue
        for j in range(min(_LANES, count - g * _LANES)):
            if block[5, j] == label and overlaps(
                iou_max, x1, y1, x2, y2, area, block[0, j], block[1, j], block[2, j], block[3, j], block[4, j]
            ):
                return True
    return False


@inner
def keep_in_lanes(lanes, count, label, x1, y1, x2, y2, area):
    """Add a kept box to the lanes; the rest of a fresh block gets boxes that overlap nothing."""
    block = lanes[count // _LANES]
    j = count % _LANES
    if j == 0:
        for k in range(_LANES):
            block[5, k] = np.float32(-1)
            block[4, k] = _ZERO
            block[0, k] = block[1, k] = block[2, k] = block[3, k] = _ZERO
    block[0, j], block[1, j], block[2, j], block[3, j], block[4, j] = x1, y1, x2, y2, area
    block[5, j] = label
