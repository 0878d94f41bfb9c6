"""How NMS results are nested: batches of frames, frames of classes, classes of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hailo_decode.errors import DtypeError, SizeError

_BOX = 5  # numbers of a box


def frames_of(held: Any) -> list[Any]:
    """Return the frames that something holds; a single one where it is one frame.

    Raises
    ------
    SizeError
        When it is an array that holds neither.
    """
    held = plain(held)
    if isinstance(held, np.ndarray):
        return _frames_of_array(held)
    if isinstance(held, (list, tuple)) and held and not _is_frame(held):
        return list(map(plain, held))
    return [held]


def plain(held: Any) -> Any:
    """Return an array of objects as lists, a memoryview as an array; everything else as it is.

    Raises
    ------
    DtypeError
        For a memoryview of things that no array holds.
    """
    if isinstance(held, memoryview):
        try:
            return np.asarray(held)
        except (TypeError, ValueError, NotImplementedError, RuntimeError) as error:
            raise DtypeError("a memoryview cannot be read as an array", got=str(error)) from error
    return held.tolist() if isinstance(held, np.ndarray) and held.dtype.kind == "O" else held


def _frames_of_array(held: np.ndarray[Any, Any]) -> list[Any]:
    if held.ndim in (1, 3):
        return [held]
    if held.ndim == 2 and held.shape[1] in (_BOX, _BOX + 1) and len(held) > 1:
        raise SizeError(
            f"an array of shape {held.shape} does not tell the classes of its boxes",
            wanted="one array of (n, 5) for each class, in a list",
            hint="[array] is the result of a network with one class"
            if held.shape[1] == _BOX
            else "rows with a class come from no NMS step of HailoRT: decode them as raw outputs",
        )
    if held.ndim in (2, 4):
        return list(held)
    raise SizeError(
        f"an array of shape {held.shape} is no NMS result",
        wanted="a flat buffer, a cube (classes, 5, boxes), or a batch of them",
    )


def _is_frame(held: Sequence[Any]) -> bool:
    """Tell whether a list holds the classes or detections of one frame: the first that is not empty decides."""
    for one in map(plain, held):
        if isinstance(one, np.ndarray):
            if one.size:
                return one.ndim == 2
        elif isinstance(one, (list, tuple)):
            if one:
                return _is_class(one)
        else:  # a detection; or nothing that nests: whoever reads it says what it is
            return not isinstance(one, (bytes, bytearray))
    return True


def _is_class(held: Sequence[Any]) -> bool:
    """Tell whether a list holds boxes that are lists of numbers, or flat arrays."""
    one = plain(held[0])
    if isinstance(one, np.ndarray):
        return one.ndim == 1 and one.size == _BOX
    return (
        isinstance(one, (list, tuple))
        and len(one) > 0
        and not hasattr(plain(one[0]), "__len__")
        and not hasattr(one[0], "score")
    )
