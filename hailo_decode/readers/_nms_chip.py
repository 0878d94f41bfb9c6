"""Boxes of the chip's own NMS core: 64 bits each, five numbers and a scale for all of them.

HailoRT 5.2, nms_post_process.hpp: from the highest bit, score 16 bits, then y_min, x_min, y_max, x_max of 12
bits each, little-endian.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.readers._nms_form import Hints, Rows, is_bytes, real_boxes
from hailo_decode.values.arrays import I4, U8, AnyArray

_SHIFTS = np.array((36, 24, 12, 0, 48), np.uint64)
_BITS = np.array((0xFFF, 0xFFF, 0xFFF, 0xFFF, 0xFFFF), np.uint64)


def takes_words(frame: Any) -> bool:
    """Tell whether a frame is a flat run of bytes, or of words of 64 bits."""
    dtype = getattr(frame, "dtype", None)
    return is_bytes(frame) and (dtype is None or (dtype.kind == "u" and dtype.itemsize in (1, 8)))


def unpacked(words: U8) -> AnyArray:
    """Return (n, 5) u2: y_min, x_min, y_max, x_max, score of each word."""
    return ((words[:, None] >> _SHIFTS) & _BITS).astype(np.uint16)


def wanted_classes(hints: Hints, what: str) -> int:
    """Return the number of classes.

    Raises
    ------
    OptionError
        When nothing says it.
    """
    classes = hints.classes or hints.named
    if classes is None:
        raise OptionError(
            f"{what} does not tell its number of classes", hint="classes=, or network=read_network(...)"
        )
    return classes


def merged(words: U8, place: I4, classes: int, hints: Hints, told: str, evidence: int) -> Rows:
    """Put the chunks of each class behind each other, as HailoRT's transform does, and make the numbers real.

    Parameters
    ----------
    words : (n,) u8
    place : (n,) i4
        Which run of boxes each stands in: class by class, chunk by chunk.
    """
    class_id = place % classes
    order = np.argsort(class_id, kind="stable")
    boxes = real_boxes(unpacked(words[order]), hints)
    return Rows(boxes, class_id[order], told, classes, hints.max_per_class, evidence=evidence)
