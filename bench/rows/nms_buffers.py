"""Finished NMS results as HailoRT hands them out."""

from __future__ import annotations

import numpy as np

from bench.objects import Array
from bench.peers import list_reading, ways
from bench.peers._peer import Way
from bench.rows._decoding import as_found, own_row
from bench.rows._row import OURS, Claim, Row, faster

_CLASSES, _MOST, _SIZE = 80, 100, 640


def rows() -> list[Row]:
    """Return the rows of this file."""
    return [
        own_row(
            "by-class",
            "packed by-class buffer, 80 classes, 20 boxes",
            lambda count, notes: (_ways(count, 20, notes), None),
            Claim("microseconds", OURS, at_most=30),
            faster(f"{list_reading.NAME}, packed", 2),
        ),
        own_row(
            "by-class-full",
            "packed by-class buffer, 80 classes, 300 boxes",
            lambda count, notes: (_ways(count, 300, notes), None),
            faster(f"{list_reading.NAME}, packed", 5),
        ),
    ]


def _ways(count: int, boxes: int, notes: list[str]) -> list[Way]:
    from hailo_decode.nms import decode_nms

    lists = [_boxes_by_class(np.random.default_rng(k), boxes) for k in range(count)]
    buffers = [_packed(one) for one in lists]

    def packed(k: int) -> object:
        return decode_nms(buffers[k], classes=_CLASSES, image_size=_SIZE)

    def listed(k: int) -> object:
        return decode_nms(lists[k], classes=_CLASSES, image_size=_SIZE)

    own = [Way(OURS, packed, as_found), Way(f"{OURS}, lists", listed, as_found)]
    return [*own, *ways("by_class", buffers, lists, _CLASSES, _SIZE, notes=notes)]


def _boxes_by_class(rng: np.random.Generator, count: int) -> list[Array]:
    """Return an (n, 5) array for each class: y, x, y, x, score, best first."""
    classes = rng.integers(_CLASSES, size=count)
    low = rng.uniform(0, 0.7, (count, 2))
    rows = np.concatenate([low, low + rng.uniform(0.05, 0.3, (count, 2)), rng.uniform(0.3, 1, (count, 1))], 1)
    rows = rows[np.argsort(-rows[:, 4])].astype(np.float32)
    return [rows[classes == c] for c in range(_CLASSES)]


def _packed(lists: list[Array]) -> Array:
    """Return the flat buffer: for each class its count and boxes, garbage behind.

    HailoRT 5.2, hailort.h.
    """
    buffer = np.full(_CLASSES * (1 + 5 * _MOST), 0.5, np.float32)
    parts = np.concatenate([np.concatenate([[len(one)], one.reshape(-1)]) for one in lists])
    buffer[: len(parts)] = parts
    return buffer
