"""NMS by score, as objects: pyhailort's ``Detection`` and ``DetectionWithByteMask``, told by attributes.

HailoRT 4.21 to 5.2, pyhailort.py: ``y_min``, ``x_min``, ``y_max``, ``x_max``, ``score``, ``class_id``, and for masks
``mask``, a flat uint8 array. Up to 4.20 the class with a mask is called ``HailoDetection``. The binding's own objects
keep the edges in ``box``, and the mask behind a call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import SizeError, ValuesError
from hailo_decode.readers._nms_form import FAR, Hints, NmsForm, Rows, no_rows
from hailo_decode.readers._nms_mask import windows
from hailo_decode.values.arrays import F4, F8, I4, U1
from hailo_decode.values.order import FormatOrder

_CLASSES = 1 << 16  # class ids have 16 bits
_EDGES = ("y_min", "x_min", "y_max", "x_max")


def takes(frame: Any) -> bool:
    """Tell whether a frame is a list of detections; one without any is a list too."""
    return isinstance(frame, (list, tuple)) and all(hasattr(one, "score") for one in frame)


def read(frame: Any, hints: Hints) -> Rows:
    """Read a list of detections.

    Raises
    ------
    SizeError
        When a mask has another size than its box asks for, or only some detections have one.
    ValuesError
        When a detection lacks an edge, or holds something that is no number.
    """
    if not frame:
        boxes, class_id = no_rows()
        return Rows(boxes, class_id, "by score, objects: none", hints.classes, None, hints.max_total)
    try:
        numbers = [_numbers(one) for one in frame]
        table = np.array(numbers, np.float64)
        masks = [_mask(one) for one in frame]
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise ValuesError(
            "a list of detections cannot be read",
            got=str(error),
            wanted="objects with y_min, x_min, y_max, x_max, score and class_id",
        ) from error
    boxes, class_id = table[:, :5].astype(np.float32), _whole(table[:, 5])
    told = f"by score, {len(frame)} objects"
    kept = tuple(mask for mask in masks if mask is not None)
    if kept:
        if len(kept) != len(masks):
            raise SizeError(f"{len(kept)} of {len(masks)} detections have a mask", wanted="all, or none")
        _check_masks(kept, boxes, hints)
        told += " with masks"
    return Rows(boxes, class_id.astype(np.int32), told, hints.classes, None, hints.max_total, kept or None)


def _numbers(one: Any) -> tuple[float, ...]:
    box = getattr(one, "box", one)
    return (*(float(getattr(box, edge)) for edge in _EDGES), float(one.score), float(one.class_id))


def _whole(ids: F8) -> I4:
    """Return class ids as integers, where they are whole."""
    odd = ids[~((ids >= 0) & (ids < _CLASSES) & (ids == np.round(ids)))]
    if len(odd):
        raise ValuesError(
            f"{len(odd)} of {len(ids)} detections have an impossible class_id", got=f"{odd[0]:g}"
        )
    return ids.astype(np.int32)


def _mask(one: Any) -> U1 | None:
    mask = getattr(one, "mask", None)
    mask = mask() if callable(mask) else mask
    return None if mask is None else np.asarray(mask, np.uint8).reshape(-1)


def _check_masks(masks: tuple[U1, ...], boxes: F4, hints: Hints) -> None:
    for i, (mask, box) in enumerate(zip(masks, boxes.tolist(), strict=True)):
        if not np.isfinite(box).all() or np.abs(box).max() > FAR:
            continue  # told where all boxes are checked
        down, across = windows(box, hints.image_size)
        if mask.size != down.stored * across.stored:
            raise SizeError(
                f"the mask of detection {i} has {mask.size} bytes",
                wanted=f"{across.stored} x {down.stored}, as its box asks for",
                hint="is the image that the boxes are fractions of {}x{}? image_size=(height, width)".format(
                    *hints.image_size
                ),
            )


FORM = NmsForm(
    "objects", "NMS by score, objects", (FormatOrder.NMS_BY_SCORE, FormatOrder.NMS_BYTE_MASK), takes, read
)
