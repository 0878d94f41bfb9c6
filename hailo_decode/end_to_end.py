"""Rows of networks that end in their own selection: finished, nothing to decode and nothing to suppress.

YOLOv10 and YOLO26 exports without a separate NMS give (1, 300, 6 + extra) float32, best score first: left, top, right,
bottom in pixels of the input, score, class, and what the task has beside them (Ultralytics 8.4, nn/modules/head.py):

* segmentation: mask coefficients; the prototypes are an output of their own;
* pose: keypoints, decoded: x, y in pixels of the input, and mostly visibility 0..1;
* turned boxes: the angle in radians; and here the first four numbers are centre x, y, width and height.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hailo_decode.activation import check_finite, value_range
from hailo_decode.describe import described, oriented
from hailo_decode.errors import HailoDecodeError, OptionError, PairingError, ValuesError
from hailo_decode.families import ANCHOR_FREE, families_named
from hailo_decode.families._rows import ROWS
from hailo_decode.keypoints import divide
from hailo_decode.options import Options
from hailo_decode.plan import Known
from hailo_decode.readers.tensor import read_tensor
from hailo_decode.values.arrays import F4, AnyArray, Bool
from hailo_decode.values.boxes import Detections
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.order import FormatOrder

if TYPE_CHECKING:
    from hailo_decode.values.tensor import Tensor

_NUMBERS = 6
_CLASSES = 65536  # more than any network tells apart
_EXPORTED = 300  # rows of an export by default
_TASKS = {"": "detect", "masks": "segment", "keypoints": "pose", "angle": "obb"}
_IGNORED = ("iou", "max_per_class", "max_nms", "agnostic", "multi_label", "suppress", "logits", "anchors")


@dataclass(frozen=True, slots=True)
class _Extra:
    """What stands behind the class of each row.

    Attributes
    ----------
    kind : {"", "masks", "keypoints", "angle"}
    points : (int, int)
        Keypoints, and numbers for each.
    """

    kind: str = ""
    points: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        if self.kind == "keypoints":
            count, numbers = self.points
            return f", {count} keypoints of x, y{' and visibility' * (numbers == 3)}"
        return {"": "", "masks": ", mask coefficients", "angle": ", angle in radians"}[self.kind]


def is_finished(outputs: Mapping[str, Any], known: Known) -> bool:
    """Tell whether a frame is one list of finished rows: falling scores in 0..1, and whole numbers for classes.

    Prototypes may stand beside it. Rows without any score are taken for finished ones only where that raises no question:
    a list of other rows may be as empty.
    """
    if not _may_be(known):
        return False
    name = _rows_among(outputs)
    if name is None:
        return False
    rows = _rows(outputs[name])
    if rows.shape[1] == _NUMBERS or rows[0, 4] > 0:
        return True
    try:
        _extra_of(rows.shape[1] - _NUMBERS, outputs, name, known)
    except HailoDecodeError:
        return False
    return len(rows) <= _EXPORTED


def _may_be(known: Known) -> bool:
    """Tell whether the caller asks for no other kind of rows; a model file's word is about the heads inside it."""
    if "family" not in known.given or known.family in ((), ANCHOR_FREE):
        return True
    return all(f.roles != ROWS for name in known.family for f in families_named(name))


def _rows_among(outputs: Mapping[str, Any]) -> str | None:
    """Return the name of the one output that is a list of finished rows."""
    found = [name for name, array in outputs.items() if _finished(array)] if len(outputs) <= 2 else []
    return found[0] if len(found) == 1 else None


def _rows(array: AnyArray) -> AnyArray:
    return array.reshape(-1, array.shape[-1])


def _finished(array: Any) -> bool:
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.ndim < 2:
        return False
    if array.shape[-1] < _NUMBERS or array.shape[-2] < 2 or array.size != array.shape[-2] * array.shape[-1]:
        return False
    rows = _rows(array)
    score, class_id = rows[:, 4], rows[:, 5]
    falling = bool((np.diff(score) <= 0).all()) and score[0] <= 1 and score[-1] >= 0
    classes = falling and class_id.min() >= 0 and class_id.max() < _CLASSES and (class_id % 1 == 0).all()
    return bool(classes and np.isfinite(rows).all())


def _extra_of(width: int, outputs: Mapping[str, Any], name: str, known: Known) -> _Extra:
    """Tell what the numbers behind the class are.

    Raises
    ------
    AmbiguousError
        When they may be several things, or divide two ways.
    PairingError
        When prototypes are missing or others, or the task is another one.
    """
    task = known.network.task
    others = [other for other in outputs if other != name]
    told = known.keypoints or known.network.keypoints
    extra = _Extra()
    if others:
        _check_prototypes(width, others[0], outputs[others[0]])
        extra = _Extra("masks")
    elif task == "segment":
        raise PairingError(
            f"finished rows with {width} mask coefficients have no prototypes beside them",
            got=name,
            wanted=f"also the prototypes, such as ({width}, 160, 160)",
            hint="pass both outputs of the export",
        )
    elif width == 1 and told is None:
        extra = _Extra("angle")
    elif width:
        extra = _Extra("keypoints", divide(width, told, task == "pose")[0])
    if task is not None and task != _TASKS[extra.kind]:
        raise PairingError(
            f"finished rows of {_NUMBERS + width} numbers are not those of the task {task!r}",
            got=f"left, top, right, bottom, score, class{extra}",
            hint=f'task="{_TASKS[extra.kind]}", or the outputs of the other network',
        )
    return extra


def _check_prototypes(width: int, name: str, array: Any) -> None:
    shape = [n for n in getattr(array, "shape", ()) if n != 1]
    if width == 0 or len(shape) != 3 or width not in (shape[0], shape[2]):
        raise PairingError(
            f"{name!r} is no set of prototypes for finished rows with {width} mask coefficients",
            got=f"{name} {getattr(array, 'shape', '')}",
            wanted=f"({width}, height, width) or (height, width, {width})" if width else "the rows alone",
        )


def read_finished(
    outputs: Mapping[str, Any], known: Known, options: Options, letterbox: Letterbox | None = None
) -> Detections:
    """Return the rows whose score reaches the threshold.

    Parameters
    ----------
    outputs : mapping with one (1, n, 6 + extra) f4, and prototypes for mask coefficients
    known : Known
    options : Options
        ``conf`` and ``max_det`` count.
    letterbox : Letterbox, optional
        Boxes come back in pixels of the photo, clipped to it, and masks at its size.

    Raises
    ------
    OptionError
        When a class has no name though others have.
    AmbiguousError, PairingError
        When the numbers behind the class may be several things, or lack what they go with.
    ValuesError
        When visibilities or prototypes cannot be what they are.
    """
    name = _rows_among(outputs)
    if name is None:
        raise PairingError("there are no finished rows among these outputs", got=", ".join(outputs))
    every = _rows(outputs[name])
    extra = _extra_of(every.shape[1] - _NUMBERS, outputs, name, known)
    rows = every[every[:, 4] >= np.float32(options.conf)]
    box = "centre x, y, width, height" if extra.kind == "angle" else "left, top, right, bottom"
    meta = {"head": f"finished rows: {box} in input pixels, score, class{extra}; nothing is suppressed again"}
    ignored = [option for option in _IGNORED if option in known.given]
    if ignored:
        meta["ignored"] = "; ".join(f"{option}=: finished rows have no use for it" for option in ignored)
    if len(rows) > options.max_det:
        meta["cut"] = f"max_det={options.max_det} was reached: weaker boxes were left out"
    rows = rows[: options.max_det]
    class_id, names = rows[:, 5].astype(np.int32), known.network.classes
    _check_names(class_id, names)
    xyxy, corners = _turned(rows) if extra.kind == "angle" else (rows[:, :4].copy(), None)
    points = _points(rows[:, _NUMBERS:], *extra.points) if extra.kind == "keypoints" else None
    found = Detections(xyxy, rows[:, 4].copy(), class_id, None, points, corners, names, meta)
    if letterbox is not None:
        found = found.in_photo(letterbox)
    if extra.kind != "masks":
        return found
    return replace(found, mask=_masks(rows, found.xyxy, outputs, name, known, letterbox))


def _check_names(class_id: AnyArray, names: tuple[str, ...]) -> None:
    if names and len(class_id) and class_id.max() >= len(names):
        raise OptionError(
            f"{len(names)} class names do not go with class {class_id.max()}",
            wanted=f"at least {class_id.max() + 1} names",
            hint="the label file is that of another model",
        )


def _turned(rows: AnyArray) -> tuple[F4, F4]:
    """Return upright bounds (n, 4) and corners (n, 4, 2): right bottom, right top, left top, left bottom before the turn."""
    x, y, wide, high = rows[:, :4].astype(np.float64).T[:, :, None]
    angle = rows[:, _NUMBERS, None].astype(np.float64)
    c, s = np.cos(angle), np.sin(angle)
    across, down = wide * np.array([0.5, 0.5, -0.5, -0.5]), high * np.array([0.5, -0.5, -0.5, 0.5])
    corners = np.stack([x + across * c - down * s, y + across * s + down * c], axis=-1)
    bounds = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    return bounds.astype(np.float32), corners.astype(np.float32)


def _points(values: AnyArray, count: int, numbers: int) -> F4:
    """Return (n, points, 3): x, y and visibility, 1 where the rows tell none."""
    points = np.ones((len(values), count, 3), np.float32)
    points[:, :, :numbers] = values.reshape(len(values), count, numbers)
    seen = points[:, :, 2]
    if seen.size and not (seen.min() >= 0 and seen.max() <= 1):
        raise ValuesError(
            f"the visibility of {count} keypoints does not lie in 0..1",
            got=f"{seen.min():.4g} to {seen.max():.4g}",
            hint="such rows have keypoints=(points, 2), or hold something else than keypoints",
        )
    return points


def _masks(
    rows: AnyArray,
    xyxy: F4,
    outputs: Mapping[str, Any],
    name: str,
    known: Known,
    letterbox: Letterbox | None,
) -> Bool:
    from hailo_decode.painting import Painter

    size = known.network.input_size
    if size is None:
        raise OptionError(
            "masks want the size of the network's input", hint="input_size=640, or (height, width)"
        )
    proto = _prototypes(outputs, next(n for n in outputs if n != name), rows.shape[1] - _NUMBERS, known, size)
    flat = np.require(proto.data, requirements=["C", "W"]).view(np.uint8)
    addresses = np.array([flat.ctypes.data], np.int64)
    coefficients = np.ascontiguousarray(rows[:, _NUMBERS:])
    return Painter(proto, 0, size)(addresses, coefficients, np.ascontiguousarray(xyxy), letterbox)


def _prototypes(
    outputs: Mapping[str, Any], name: str, channels: int, known: Known, size: tuple[int, int]
) -> Tensor:
    """Read the prototypes, channel first or last: as they are described, or as the rows' coefficients tell."""
    array = outputs[name]
    info = described(outputs, known.network.outputs, known.quant, known.formats, known.roles)[name]
    first, *_, last = [n for n in array.shape if n != 1]
    if info.shape is None and info.order is None and first == channels != last:
        info = replace(info, order=FormatOrder.NCHW, layout="host")
    infos, _ = oriented({name: array}, {name: info}, size, None)
    tensor = read_tensor(array, infos[name])
    if tensor.shape[2] != channels:
        raise PairingError(
            f"{name!r} has {tensor.shape[2]} channels, and finished rows have {channels} mask coefficients",
            got=str(tensor.shape),
            wanted=f"(height, width, {channels})",
        )
    check_finite(tensor, *value_range(tensor))
    return tensor
