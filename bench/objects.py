"""What is in a made-up frame: objects, and the cells of a head that fire for them.

Nothing is read from disk and nothing is left to chance: the same arguments give the same frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Touch = tuple[int, int, int, float, Array, int]  # row, column, class, logit, sides, object

BINS = 16
_FIRED, _WEAK = 11, 8  # cells that fire for an object, and neighbours that nearly do
_CONFUSED = 0.12  # share of fired cells in which a second class scores too


@dataclass(frozen=True)
class Shape:
    """What a frame is of.

    Attributes
    ----------
    size : int
        Side of the network's input, pixels.
    classes, objects : int
    background : (float, float)
        Mean and spread of the logits of what is not there.
    strides : tuple of int
    """

    size: int = 640
    classes: int = 80
    objects: int = 20
    background: tuple[float, float] = (-9.0, 1.5)
    strides: tuple[int, ...] = (8, 16, 32)


@dataclass(frozen=True)
class Objects:
    """What is in a frame: (n, 4) f8 boxes in input pixels, (n,) i8 classes."""

    boxes: Array
    class_id: Array


@dataclass(frozen=True)
class Cells:
    """Cells of one level that an object has touched.

    Attributes
    ----------
    row, column, class_id : (n,) i8
    logit : (n,) f8
        Of the class.
    sides : (n, 4) f8
        Left, top, right, bottom from the middle of the cell, in cells.
    thing : (n,) i8
        Number of the object.
    """

    row: Array
    column: Array
    class_id: Array
    logit: Array
    sides: Array
    thing: Array


def objects_of(shape: Shape, rng: np.random.Generator) -> Objects:
    """Return what is in a frame.

    Sizes are evenly spread over their logarithm, and smaller in a crowd.
    """
    smallest, largest = (16, 160) if shape.objects > 100 else (24, 320)
    sizes = np.exp(rng.uniform(np.log(smallest), np.log(largest), (shape.objects, 2))) * shape.size / 640
    middles = rng.uniform(0.05, 0.95, (shape.objects, 2)) * shape.size
    boxes = np.concatenate([middles - sizes / 2, middles + sizes / 2], 1)
    return Objects(boxes, rng.integers(shape.classes, size=shape.objects))


def cells_of(shape: Shape, found: Objects, rng: np.random.Generator) -> list[Cells]:
    """Return the cells that objects touch, each on the level of its size."""
    rows: list[list[Touch]] = [[] for _ in shape.strides]
    bounds = np.array(shape.strides[1:]) * 8 * shape.size / 640
    for thing, (box, class_id) in enumerate(zip(found.boxes, found.class_id.tolist(), strict=True)):
        level = int(np.searchsorted(bounds, (box[2:] - box[:2]).max()))
        rows[level] += _touched(shape, shape.strides[level], box, class_id, thing, rng)
    return [_columns(one) for one in rows]


def _touched(
    shape: Shape, stride: int, box: Array, class_id: int, thing: int, rng: np.random.Generator
) -> Iterator[Touch]:
    grid = shape.size // stride
    x, y = (box[0] + box[2]) / 2 / stride, (box[1] + box[3]) / 2 / stride
    rows, columns = np.mgrid[0:grid, 0:grid]
    near = np.argsort(((columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2).ravel(), kind="stable")
    for rank, cell in enumerate(near[: _FIRED + _WEAK].tolist()):
        row, column = divmod(cell, grid)
        middle = np.array([column, row, column, row]) + 0.5
        sides = (box / stride - middle) * (-1, -1, 1, 1) + rng.normal(0, 0.08, 4)
        logit = max(2.4 - 0.28 * rank + rng.normal(0, 0.4), -1.0) if rank < _FIRED else rng.normal(-3.5, 0.8)
        sides = np.clip(sides, 0.1, BINS - 1.2)
        yield row, column, class_id, logit, sides, thing
        if rank < _FIRED and shape.classes > 1 and rng.random() < _CONFUSED:
            other = (class_id + 1 + int(rng.integers(shape.classes - 1))) % shape.classes
            yield row, column, other, logit - 0.9, sides, thing


def _columns(rows: list[Touch]) -> Cells:
    row, column, class_id, logit, sides, thing = zip(*rows, strict=True) if rows else ([], [], [], [], [], [])
    return Cells(
        np.array(row, np.int64),
        np.array(column, np.int64),
        np.array(class_id, np.int64),
        np.array(logit, np.float64),
        np.array(sides, np.float64).reshape(-1, 4),
        np.array(thing, np.int64),
    )
