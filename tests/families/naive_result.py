"""The slow plain twin of a whole frame of any head: every anchor becomes a row, only then is anything thrown away."""

from dataclasses import dataclass

import naive
import numpy as np
from families.naive_heads import Cell, Counts
from families.naive_table import HEADS
from families.naive_turned import exact_iou, likeness


@dataclass(frozen=True)
class Level:
    """One grid of a head.

    Attributes
    ----------
    stride : (float, float)
        Input pixels from cell to cell, across and down.
    stored : dict of str to (H, W, C) u1 | u2 | f4
        By role, before any layout.
    quant : dict of str to (scale, zero_point) or None
    counts : Counts
    priors : tuple of (float, float)
        Width and height of each anchor, input pixels.
    """

    stride: tuple[float, float]
    stored: dict[str, np.ndarray]
    quant: dict[str, tuple | None]
    counts: Counts
    priors: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Result:
    """What a decode gives; `closest_call` as in `naive.Found`."""

    xyxy: np.ndarray
    confidence: np.ndarray
    class_id: np.ndarray
    rows: list
    closest_call: float


def every_row(family, levels, logits):
    """Yield each anchor's row in the documented order: strides rising, rows, columns, anchors."""
    head = HEADS[family]
    strides = frozenset(level.stride[0] for level in levels)
    for level in sorted(levels, key=lambda one: one.stride[0] * one.stride[1]):
        real = {role: naive.dequantise(a, level.quant[role]) for role, a in level.stored.items()}
        height, width = next(iter(real.values())).shape[:2]
        priors = level.priors or ((0.0, 0.0),) * level.counts.anchors
        for y in range(height):
            for x in range(width):
                values = {role: a[y, x] for role, a in real.items()}
                for anchor, prior in enumerate(priors):
                    yield head.row(
                        Cell(x, y, level.stride, values, level.counts, anchor, prior, logits, strides)
                    )


def candidates_of(rows, conf, multi_label):
    """Return (score f4, class, anchor, box f4) of all that reach the threshold, in the documented order."""
    floor = float(np.float32(conf))
    found = []
    for anchor, row in enumerate(rows):
        reported = row.scores.astype(np.float32)
        classes = np.flatnonzero(row.scores >= floor).tolist()
        if classes and not multi_label:
            classes = [max(classes, key=lambda c, reported=reported: (reported[c], -c))]
        found += [(reported[c], c, anchor, np.array(row.box).astype(np.float32)) for c in classes]
    return sorted(found, key=lambda one: (-one[0], one[1], one[2]))


def greedy_turned(candidates, rows, iou_max, agnostic, overlap):
    """Do as `naive.greedy` does, for turned boxes."""
    limit = float(np.float32(iou_max))
    kept, closest = [], np.inf
    for one in candidates:
        rivals = [rows[better[2]].turned for better in kept if agnostic or better[1] == one[1]]
        overlaps = np.array([overlap(rows[one[2]].turned, rival) for rival in rivals])
        closest = min(closest, np.abs(overlaps - limit).min(initial=np.inf))
        if not (overlaps >= limit).any():
            kept.append(one)
    return kept, closest


def decode(
    family,
    rows,
    conf=0.25,
    iou=0.7,
    max_det=300,
    max_per_class=None,
    max_nms=30_000,
    agnostic=False,
    multi_label=False,
    suppress=None,
    turned_iou="exact",
):
    """Decode one frame, given `every_row` of it; options are those of `hailo_decode.options.Options`."""
    kept, closest = candidates_of(rows, conf, multi_label)[:max_nms], np.inf
    if suppress is not False and HEADS[family].grid != "whole":
        if HEADS[family].extra == "angle":
            overlap = exact_iou if turned_iou == "exact" else likeness
            kept, closest = greedy_turned(kept, rows, iou, agnostic, overlap)
        else:
            kept, closest = naive.greedy(kept, iou, agnostic)
    kept = naive.limited(kept, max_per_class, max_det)
    return Result(
        np.array([one[3] for one in kept], np.float32).reshape(-1, 4),
        np.array([one[0] for one in kept], np.float32),
        np.array([one[1] for one in kept], np.int32),
        [rows[one[2]] for one in kept],
        closest,
    )
