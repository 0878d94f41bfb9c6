"""NMS with byte masks, as a cube: TensorFlow's form of it, a picture of the whole input for each place.

HailoRT 5.2, pyhailort.py with ``tf_nms_format=True``: (1, 6 + H*W, boxes), of float32; in each column y_min, x_min,
y_max, x_max, score, class, then the mask of the whole input, row by row. Nothing says how many columns are filled: the
others hold whatever the memory held before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import SizeError
from hailo_decode.readers._nms_form import FAR, PLAUSIBLE, SCORE_SLACK, Hints, NmsForm, Rows
from hailo_decode.readers._nms_mask import windows
from hailo_decode.values.arrays import F4, U1, AnyArray
from hailo_decode.values.order import FormatOrder

_HEAD = 6  # numbers before the mask
_CLASSES = 1 << 16  # class ids have 16 bits


def takes(frame: Any) -> bool:
    """Tell whether a frame is an array of one "class" with long columns."""
    return (
        isinstance(frame, np.ndarray)
        and frame.ndim == 3
        and frame.shape[0] == 1
        and frame.shape[1] > _HEAD
        and frame.dtype.kind == "f"
    )


def read(frame: Any, hints: Hints) -> Rows:
    """Read the columns up to the first that cannot be a detection.

    Raises
    ------
    SizeError
        When the columns are not as long as the image asks for.
    """
    height, width = hints.image_size
    if frame.shape[1] != _HEAD + height * width:
        raise SizeError(
            f"an array of shape {frame.shape} holds no masks of a {height}x{width} image",
            wanted=f"(1, {_HEAD} + {height} * {width}, boxes): {_HEAD + height * width} numbers for each box",
            hint="image_size=(height, width) of the network's input",
        )
    columns = frame[0]
    n = _filled(columns, hints)
    head = columns[:_HEAD, :n].T
    boxes = np.array(head[:, :5], np.float32, order="C")
    masks = tuple(_cut(columns[_HEAD:, i].reshape(height, width), boxes[i], hints) for i in range(n))
    most = columns.shape[1]
    told = f"by score with masks, a cube: {n} of {most} places, to the first that holds no detection"
    return Rows(
        boxes, head[:, 5].astype(np.int32), told, hints.classes, None, most, masks, evidence=PLAUSIBLE
    )


def _filled(columns: AnyArray, hints: Hints) -> int:
    """Count columns until one cannot be a detection: no score, a rising one, an odd class, a grey mask."""
    before = np.inf
    for i in range(columns.shape[1]):
        *box, score, class_id = columns[:_HEAD, i].astype(np.float64).tolist()
        if not 0 < score <= min(before, 1 + SCORE_SLACK) or not all(abs(edge) <= FAR for edge in box):
            return i
        if not 0 <= class_id < (hints.classes or _CLASSES) or class_id != int(class_id):
            return i
        mask = columns[_HEAD:, i]
        if not ((mask == 0) | (mask == 1)).all():
            return i
        before = score
    return int(columns.shape[1])


def _cut(picture: AnyArray, box: F4, hints: Hints) -> U1:
    """Return the bytes of a picture's mask in the window of its box, as a packed buffer has them."""
    down, across = windows(box.tolist(), hints.image_size)
    stored = np.zeros((down.stored, across.stored), np.uint8)
    seen = picture[down.first : down.behind, across.first : across.behind]
    stored[: seen.shape[0], : seen.shape[1]] = seen
    return stored.reshape(-1)


FORM = NmsForm("mask_cube", "NMS with masks, a cube", (FormatOrder.NMS_BYTE_MASK,), takes, read)
