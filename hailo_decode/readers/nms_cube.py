"""NMS by class, as a cube padded with zeros: TensorFlow's form, and that of the emulator.

HailoRT 5.2, pyhailort.py with ``tf_nms_format=True``: (classes, 5, boxes), rows y_min, x_min, y_max, x_max, score.
Places without a box hold five zeros, or five times what a stored zero stands for. Others keep (classes, boxes, 5).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import AmbiguousError, SizeError
from hailo_decode.readers._nms_form import PLAUSIBLE, WEAK, Hints, NmsForm, Rows, real_boxes
from hailo_decode.values.order import FormatOrder

_VALUES = 5  # of a box


def takes(frame: Any) -> bool:
    """Tell whether a frame is an array with an axis of five behind the first."""
    return (
        isinstance(frame, np.ndarray)
        and frame.ndim == 3
        and _VALUES in frame.shape[1:]
        and frame.dtype.kind in "fu"
        and frame.dtype.itemsize > 1
    )


def read(frame: Any, hints: Hints) -> Rows:
    """Read a cube.

    Raises
    ------
    AmbiguousError
        When two axes are five long, and `box_axis` is not given.
    SizeError
        When the cube has other sizes than were said.
    DtypeError, QuantError
    """
    planes = np.moveaxis(frame, _box_axis(frame.shape, hints), 0)
    _, classes, most = planes.shape
    if hints.classes not in (None, classes):
        raise SizeError(
            f"a cube of shape {frame.shape} has {classes} classes", wanted=f"{hints.classes} classes"
        )
    there = planes[0] != planes[4]  # where all five are the same number there is no box
    for plane in planes[1:4]:
        there |= plane != planes[4]
    class_id, place = np.nonzero(there)
    boxes = real_boxes(planes[:, class_id, place].T, hints)
    told = f"by class, a cube: {classes} classes of {most} places"
    evidence = PLAUSIBLE if len(boxes) else WEAK
    return Rows(boxes, class_id.astype(np.int32), told, classes, most, evidence=evidence)


def _box_axis(shape: tuple[int, ...], hints: Hints) -> int:
    """Return the axis of the five numbers."""
    axes = [axis for axis in (1, 2) if shape[axis] == _VALUES]
    if hints.box_axis is not None and hints.box_axis not in axes:
        raise SizeError(
            f"axis {hints.box_axis} of a cube of shape {shape} is {shape[hints.box_axis]} long",
            wanted="the axis of the five numbers of a box",
        )
    if hints.box_axis is not None:
        return hints.box_axis
    if len(axes) == 2 and hints.max_per_class in (None, _VALUES):
        raise AmbiguousError(
            f"a cube of shape {shape} can be read two ways",
            ["(classes, 5, boxes), as pyhailort makes it", "(classes, boxes, 5)"],
            "box_axis=1 or box_axis=2",
        )
    return axes[0]


FORM = NmsForm("cube", "NMS by class, a cube", (FormatOrder.NMS_BY_CLASS,), takes, read)
