"""NMS by class, as lists: one array of boxes for each class, as pyhailort's vstreams and InferModel give it.

HailoRT 5.2, pyhailort.py: float32 arrays of shape (n, 5), rows y_min, x_min, y_max, x_max, score; an empty class is
float64 of shape (0, 5). Whoever passes them on may make lists of the rows, and anything empty of an empty class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import SizeError, ValuesError
from hailo_decode.readers._nms_form import Hints, NmsForm, Rows, joined
from hailo_decode.values.arrays import AnyArray
from hailo_decode.values.order import FormatOrder

_VALUES = 5  # of a box


def takes(frame: Any) -> bool:
    """Tell whether a frame is a list of things that hold numbers; one without any is a list of detections."""
    return isinstance(frame, (list, tuple)) and len(frame) > 0 and not hasattr(frame[0], "score")


def read(frame: Any, hints: Hints) -> Rows:
    """Read a list with the boxes of each class.

    Raises
    ------
    SizeError
        When there are more or fewer classes than were said, or a class holds no (n, 5) numbers.
    ValuesError
        When a class holds something that is no number.
    DtypeError, QuantError
    """
    if hints.classes is not None and len(frame) != hints.classes:
        raise SizeError(
            f"a list for {len(frame)} classes",
            wanted=f"{hints.classes} classes",
            hint="a list of frames goes to decode_nms_batch; else see which network this is",
        )
    parts: list[AnyArray] = []
    classes: list[int] = []
    for c, held in enumerate(frame):
        rows = held if isinstance(held, np.ndarray) and held.dtype != object else _array(held, c)
        if rows.size == 0:
            continue
        if rows.ndim != 2 or rows.shape[1] != _VALUES:
            raise SizeError(
                f"class {c} of a by-class list has the shape {rows.shape}",
                wanted="(n, 5): y_min, x_min, y_max, x_max, score for each of n boxes",
                hint=_cure(rows),
            )
        parts.append(rows)
        classes.append(c)
    boxes, class_id = joined(parts, classes, hints)
    told = f"by class, a list of {len(frame)} classes"
    return Rows(boxes, class_id, told, len(frame), hints.max_per_class)


def _cure(rows: AnyArray) -> str | None:
    if rows.ndim == 2 and len(rows) == _VALUES:
        return "transpose it: it has a column for each box"
    if rows.ndim == 1 and rows.size == 1:
        return "a flat buffer is an array: np.asarray(buffer, np.float32)"
    return None


def _array(held: Any, c: int) -> AnyArray:
    """Make an array of one class whose rows are lists."""
    try:
        return np.array(held, np.float32, ndmin=1)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValuesError(
            f"class {c} of a by-class list does not hold rows of numbers",
            got=repr(held)[:80],
            wanted="rows of 5 numbers: y_min, x_min, y_max, x_max, score",
        ) from error


FORM = NmsForm("list", "NMS by class, a list", (FormatOrder.NMS_BY_CLASS,), takes, read)
