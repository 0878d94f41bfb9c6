"""NMS by class, packed: for each class a count and its boxes, the next class right behind them.

HailoRT 5.2, nms_post_process.cpp and hailort_common.hpp: ``float32 count``, then ``count`` times y_min, x_min, y_max,
x_max, score as float32. Classes stand close together, and behind the last one the buffer keeps whatever it held
before. Up to 4.14 the same could be had as uint16, undequantised (transform.cpp); up to 4.19 the order is called
HAILO_NMS.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import AmbiguousError, DtypeError, SizeError, ValuesError
from hailo_decode.kernels.nms_buffer import FAULTS, walk_by_class
from hailo_decode.readers._nms_form import (
    FAR,
    PROOF,
    SCORE_SLACK,
    WEAK,
    Hints,
    NmsForm,
    Rows,
    as_bytes,
    is_bytes,
    real_boxes,
)
from hailo_decode.readers.sizes import by_class_sizes
from hailo_decode.values.arrays import F4, AnyArray
from hailo_decode.values.order import FormatOrder

_VALUES = 5  # of a box


def read(frame: Any, hints: Hints) -> Rows:
    """Read a packed by-class buffer.

    Raises
    ------
    SizeError
        When the size goes with no number of classes.
    AmbiguousError
        When it goes with several, and nothing says which.
    ValuesError
        When a count is no whole number, or larger than a class can hold.
    DtypeError, QuantError
    """
    stored = _numbers(frame)
    classes, most = _sizes(stored.size, hints)
    # To the compiler a read-only array is another type, for which it would compile anew: such a one is copied.
    values = (
        stored if stored.dtype.type is np.float32 and stored.flags.carray else np.array(stored, np.float32)
    )
    room = values.size // _VALUES
    boxes, class_id = np.empty((room, _VALUES), np.float32), np.empty(room, np.int32)
    told, faults = np.empty(3, np.int64), np.empty((FAULTS, 2), np.int64)
    n = walk_by_class(values, classes, most, SCORE_SLACK, FAR, boxes, class_id, told, faults)
    at_class, offset, faulty = told.tolist()
    if n < 0:
        raise _stopped(values, classes, most, at_class, offset)
    boxes = boxes[:n]
    whole = stored.dtype.kind == "u"
    if whole:
        boxes = real_boxes(boxes.astype(np.uint16), hints)
    return Rows(
        boxes,
        class_id[:n],
        f"by class, packed: {classes} classes of at most {most} boxes",
        classes,
        most,
        evidence=PROOF if n or getattr(frame, "itemsize", 1) > 1 else WEAK,
        sound=not faulty and not whole,
    )


def _numbers(frame: Any) -> AnyArray:
    """View a frame as float32, or as the uint16 of old versions."""
    kind = frame.dtype.type if isinstance(frame, np.ndarray) else np.uint8
    if kind is np.float32 or kind is np.uint16:
        return frame  # type: ignore[no-any-return]
    if kind is np.float64:
        return frame.astype(np.float32)  # type: ignore[no-any-return]
    if kind is not np.uint8:
        raise DtypeError(f"a by-class buffer of {frame.dtype}", wanted="float32, uint16, or bytes")
    held = as_bytes(frame)
    if held.size % 4:
        raise SizeError(f"{held.size} bytes are no float32 values", wanted="a multiple of 4 bytes")
    return held.view(np.float32)


def _sizes(elements: int, hints: Hints) -> tuple[int, int]:
    """Return classes and most boxes of a class: as the size says, where it can.

    A program may have set another limit than its model has, so a size that fits exactly counts more than a limit
    that was said.
    """
    classes, most = hints.classes, hints.max_per_class
    if classes is not None:
        each, rest = divmod(elements, classes)
        if not rest and each % _VALUES == 1 and each > 1:
            return classes, each // _VALUES
        if most is not None and elements > classes * (1 + _VALUES * most):
            return classes, most
        raise _no_fit(elements, f"{classes} classes", most and classes * (1 + _VALUES * most))
    fits = [(c, m) for c, m in by_class_sizes(elements) if most in (None, m)]
    if len(fits) > 1 and hints.named is not None:
        fits = [(c, m) for c, m in fits if c == hints.named] or fits
    if not fits:
        raise _no_fit(elements, f"classes of at most {most} boxes" if most else "any classes", None)
    if len(fits) > 1:
        raise AmbiguousError(
            f"a by-class buffer of {elements} numbers does not tell its number of classes",
            [f"{c} classes of at most {m} boxes" for c, m in fits[:4]] + ["..."] * (len(fits) > 4),
            "classes=, or network=read_network(...)",
        )
    return fits[0]


def _no_fit(elements: int, said: str, wanted: int | None) -> SizeError:
    pairs = " or ".join(f"{c} classes of {m} boxes" for c, m in by_class_sizes(elements)[:3])
    return SizeError(
        f"{elements} numbers are no by-class buffer of {said}",
        got=f"{elements} numbers ({4 * elements} bytes as float32)",
        wanted="classes * (1 + 5 * boxes)" + (f" = {wanted}" if wanted else ""),
        hint=f"this size would be {pairs}" if pairs else "the buffer may be cut short, or of another form",
    )


def _stopped(values: F4, classes: int, most: int, at_class: int, offset: int) -> ValuesError:
    return ValuesError(
        f"the count of class {at_class} of {classes}, at number {offset} of {values.size}, cannot be true",
        got=f"{values[offset]:g}",
        wanted=f"a whole number, 0 to {most}",
        hint="another number of classes, a buffer of another form, or one that was never filled",
    )


FORM = NmsForm("by_class", "NMS by class, packed", (FormatOrder.NMS_BY_CLASS,), is_bytes, read)
