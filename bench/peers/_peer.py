"""What a peer is: somebody else's way to do one of the jobs, on the same frames."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.objects import Array
from hailo_decode import Letterbox


@dataclass(frozen=True)
class Choice:
    """How candidates are chosen; every peer is told the same."""

    conf: float = 0.25
    iou: float = 0.7
    max_det: int = 300
    multi_label: bool = False

    def options(self) -> dict[str, Any]:
        """Return them as a decoder's options."""
        return vars(self).copy()


@dataclass(frozen=True)
class Boxes:
    """A result in the form in which results are compared: input pixels, best first."""

    xyxy: Array
    score: Array
    class_id: Array


@dataclass(frozen=True)
class Way:
    """One way to do a job.

    Attributes
    ----------
    name : str
    run : callable
        Number of the frame to the result, in the peer's own form; this is what is timed.
    boxes : callable or None
        That result as `Boxes`; None where there is nothing to compare.
    """

    name: str
    run: Callable[[int], Any]
    boxes: Callable[[Any], Boxes] | None = None


def missing(*modules: str) -> str | None:
    """Return why a peer cannot run: its first module that is not installed, or None."""
    for module in modules:
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            found = None
        if found is None:
            return f"{module} is not installed"
    return None


def anchor_points(grids: list[tuple[int, int, int]]) -> tuple[Array, Array]:
    """Return each cell's middle, (n, 2) f4 in cells, and its stride, (n, 1) f4."""
    points, strides = [], []
    for height, width, stride in grids:
        rows, columns = np.mgrid[0:height, 0:width]
        points.append(np.stack([columns.ravel(), rows.ravel()], 1) + 0.5)
        strides.append(np.full((height * width, 1), stride))
    return np.concatenate(points).astype(np.float32), np.concatenate(strides).astype(np.float32)


def as_boxes(result: tuple[Array, Array, Array]) -> Boxes:
    """Take a tuple of boxes, scores and classes as it is."""
    return Boxes(*(np.asarray(column) for column in result))


def inside(letterbox: Letterbox, side: int) -> tuple[int, int, int, int]:
    """Return what of a map of the input the photo covers: top, left, bottom, right."""
    share = side / letterbox.input_size[0]
    left, top = letterbox.pad[0] * share, letterbox.pad[1] * share
    high, wide = (
        letterbox.image_size[0] * letterbox.scale[1] * share,
        letterbox.image_size[1] * letterbox.scale[0] * share,
    )
    return round(top), round(left), round(top + high), round(left + wide)


def on_photo(xyxy: Array, letterbox: Letterbox) -> Array:
    """Return boxes in pixels of the photo, clipped to it."""
    pad, scale = np.array(letterbox.pad * 2, np.float32), np.array(letterbox.scale * 2, np.float32)
    height, width = letterbox.image_size
    placed: Array = np.clip((xyxy - pad) / scale, 0, np.array([width, height] * 2, np.float32))
    return placed
