"""Plain Python over a by-class NMS result, as in Hailo's examples; written anew."""

from __future__ import annotations

import numpy as np

from bench.objects import Array
from bench.peers._peer import Way, as_boxes

NAME = "Python loop over the classes"


def available() -> str | None:
    """Python is always there."""
    return None


def by_class(buffers: list[Array], lists: list[list[Array]], classes: int, size: int) -> list[Way]:
    """Walk the packed buffer, and the list of arrays that pyhailort makes of it."""

    def packed(k: int) -> tuple[Array, Array, Array]:
        buffer, at = buffers[k], 0
        found: list[tuple[float, ...]] = []
        for class_id in range(classes):
            count = int(buffer[at])
            at += 1
            for _ in range(count):
                top, left, bottom, right, score = buffer[at : at + 5]
                found.append((left * size, top * size, right * size, bottom * size, score, class_id))
                at += 5
        return _sorted(found)

    def listed(k: int) -> tuple[Array, Array, Array]:
        found: list[tuple[float, ...]] = []
        for class_id, rows in enumerate(lists[k]):
            for top, left, bottom, right, score in rows:
                found.append((left * size, top * size, right * size, bottom * size, score, class_id))
        return _sorted(found)

    return [Way(f"{NAME}, packed", packed, as_boxes), Way(f"{NAME}, lists", listed, as_boxes)]


def _sorted(found: list[tuple[float, ...]]) -> tuple[Array, Array, Array]:
    rows = np.array(sorted(found, key=lambda row: -row[4]), np.float32).reshape(-1, 6)
    return rows[:, :4], rows[:, 4], rows[:, 5].astype(np.int64)
