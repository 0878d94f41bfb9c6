"""Rows of networks that end in their own selection: left, top, right, bottom, score, class; finished, nothing to decode.

YOLOv10 and YOLO26 exports without a separate NMS give (1, 300, 6) float32: boxes in pixels of the input, best score first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.options import Options
from hailo_decode.values.boxes import Detections

_NUMBERS = 6
_CLASSES = 65536  # more than any network tells apart


def is_finished(outputs: Mapping[str, Any]) -> bool:
    """Tell whether a frame is one list of finished rows: falling scores in 0..1, and whole numbers for classes."""
    if len(outputs) != 1:
        return False
    array = next(iter(outputs.values()))
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.shape[-1:] != (_NUMBERS,):
        return False
    rows = array.reshape(-1, _NUMBERS)
    if rows.shape[0] < 2 or array.size != array.shape[-2] * _NUMBERS or not np.isfinite(rows).all():
        return False
    score, class_id = rows[:, 4], rows[:, 5]
    falling = bool((np.diff(score) <= 0).all()) and score[0] <= 1 and score[-1] >= 0
    return bool(falling and class_id.min() >= 0 and class_id.max() < _CLASSES and (class_id % 1 == 0).all())


def read_finished(outputs: Mapping[str, Any], options: Options, names: tuple[str, ...]) -> Detections:
    """Return the rows whose score reaches the threshold.

    Parameters
    ----------
    outputs : mapping with one (1, n, 6) f4
    options : Options
        ``conf`` and ``max_det`` count.
    names : tuple of str

    Raises
    ------
    OptionError
        When a class has no name though others have.
    """
    rows = next(iter(outputs.values())).reshape(-1, _NUMBERS)
    rows = rows[rows[:, 4] >= np.float32(options.conf)]
    meta = {
        "head": "finished rows: left, top, right, bottom in input pixels, score, class; nothing is suppressed again"
    }
    if len(rows) > options.max_det:
        meta["cut"] = f"max_det={options.max_det} was reached: weaker boxes were left out"
    rows = rows[: options.max_det]
    class_id = rows[:, 5].astype(np.int32)
    if names and len(class_id) and class_id.max() >= len(names):
        raise OptionError(
            f"{len(names)} class names do not go with class {class_id.max()}",
            wanted=f"at least {class_id.max() + 1} names",
            hint="the label file is that of another model",
        )
    return Detections(rows[:, :4].copy(), rows[:, 4].copy(), class_id, names=names, meta=meta)
