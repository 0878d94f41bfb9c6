"""Slow plain twins of the decoder: float64 and one loop after the other, nothing clever.

Everything is dequantised, every cell becomes a box, and only then is anything thrown away.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Level:
    """One stride of a head as stored numbers, before any layout.

    Attributes
    ----------
    stride : int
        Input pixels from one cell to the next.
    box : (H, W, 4 * bins) u1 | u2 | f4, stored
    cls : (H, W, C) u1 | u2 | f4, stored
    box_quant, cls_quant : (scale, zero_point) or None
        Numbers, or one for each channel; None for floats.
    """

    stride: int
    box: np.ndarray
    cls: np.ndarray
    box_quant: tuple | None
    cls_quant: tuple | None


@dataclass(frozen=True)
class Found:
    """What a decode gives, and how close its closest comparison of an overlap with the threshold was."""

    xyxy: np.ndarray
    confidence: np.ndarray
    class_id: np.ndarray
    closest_call: float


def dequantise(stored, quant):
    """Return real values, f8."""
    real = stored.astype(np.float64)
    if quant is None:
        return real
    scale, zero_point = quant
    return (real - np.asarray(zero_point, np.float64)) * np.asarray(scale, np.float64)


def sigmoid(x):
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-np.asarray(x, np.float64)))


def mean_bins(logits):
    """Return the mean bin of a softmax over the last axis."""
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return (p * np.arange(logits.shape[-1])).sum(axis=-1) / p.sum(axis=-1)


def distances(box, bins):
    """Return (H, W, 4) f8, cells: the four channels themselves, or the mean of each side's bins."""
    h, w, _ = box.shape
    return box if bins == 1 else mean_bins(box.reshape(h, w, 4, bins))


def boxes_of(level):
    """Return every box of a level, (H, W, 4) f4, input pixels."""
    side = distances(dequantise(level.box, level.box_quant), level.box.shape[2] // 4)
    h, w, _ = side.shape
    xyxy = np.empty((h, w, 4))
    for row in range(h):
        for column in range(w):
            x, y = column + 0.5, row + 0.5
            left, top, right, bottom = side[row, column]
            xyxy[row, column] = (x - left, y - top, x + right, y + bottom)
    return (xyxy * level.stride).astype(np.float32)


def scores_of(level, logits):
    """Return every score of a level, (H, W, C) f8."""
    real = dequantise(level.cls, level.cls_quant)
    return sigmoid(real) if logits else real


def candidates_of(levels, logits, conf, multi_label):
    """Return (score f4, class, anchor, box) of all that reach the threshold, in the documented order.

    Best score first; among equal ones the lower class, then the earlier anchor: strides rising, rows, columns.
    """
    floor = float(np.float32(conf))
    found = []
    anchor = 0
    for level in sorted(levels, key=lambda one: one.stride):
        scores = scores_of(level, logits)
        for box, row in zip(boxes_of(level).reshape(-1, 4), scores.reshape(-1, scores.shape[2]), strict=True):
            classes = np.flatnonzero(row >= floor).tolist()
            reported = row.astype(np.float32)
            if classes and not multi_label:
                classes = [max(classes, key=lambda c, reported=reported: (reported[c], -c))]
            found += [(reported[c], c, anchor, box) for c in classes]
            anchor += 1
    return sorted(found, key=lambda one: (-one[0], one[1], one[2]))


def ious(box, others):
    """Return the overlap of a box with each of (n, 4) f4, f4 in every step, as HailoRT computes it.

    0 for boxes that do not meet.
    """
    with np.errstate(all="ignore"):
        wide = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
        high = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
        areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
        shared = wide * high
        joined = (box[2] - box[0]) * (box[3] - box[1]) + areas - shared
        return np.where((wide <= 0) | (high <= 0), np.float32(0), shared / joined)


def greedy(candidates, iou_max, agnostic):
    """Return the candidates that no better one covers, and the smallest distance of an overlap from the threshold."""
    limit = np.float32(iou_max)
    kept, closest = [], np.inf
    for one in candidates:
        rivals = [better[3] for better in kept if agnostic or better[1] == one[1]]
        overlaps = ious(one[3], np.array(rivals, np.float32).reshape(-1, 4))
        close = np.abs(overlaps.astype(np.float64) - float(limit))[(overlaps > 0) & (overlaps < 1)]
        closest = min(closest, close.min(initial=np.inf))
        if not (overlaps >= limit).any():
            kept.append(one)
    return kept, closest


def limited(kept, max_per_class, max_det):
    """Return the first of each class, and of all."""
    counts = {}
    out = []
    for one in kept:
        counts[one[1]] = counts.get(one[1], 0) + 1
        if max_per_class is None or counts[one[1]] <= max_per_class:
            out.append(one)
    return out[:max_det]


def decode(
    levels,
    logits,
    conf=0.25,
    iou=0.7,
    max_det=300,
    max_per_class=None,
    max_nms=30_000,
    agnostic=False,
    multi_label=False,
    suppress=None,
):
    """Decode one frame; options are those of `hailo_decode.options.Options`."""
    kept, closest = candidates_of(levels, logits, conf, multi_label)[:max_nms], np.inf
    if suppress is not False:
        kept, closest = greedy(kept, iou, agnostic)
    kept = limited(kept, max_per_class, max_det)
    return Found(
        np.array([one[3] for one in kept], np.float32).reshape(-1, 4),
        np.array([one[0] for one in kept], np.float32),
        np.array([one[1] for one in kept], np.int32),
        closest,
    )
