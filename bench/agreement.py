"""Whether two decoders found the same: checked before anything is timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.objects import Array
from bench.peers._peer import Boxes

_PIXELS = 0.1  # by which corners may differ
_SCORE = 0.006  # by which scores may differ: classes stored as bytes of probability are rounded to 1/255
_TWIN = 0.6  # overlap of two boxes of one object


@dataclass(frozen=True)
class Agreement:
    """How much of a reference a result holds, and the other way round.

    Attributes
    ----------
    wanted, got, common : int
        Boxes of the reference, of the result, and of both.
    tied : int
        Those of the common ones that are another box of the same object with the same score: which of two equals stays
        is a matter of order, and decoders differ in it.
    """

    wanted: int
    got: int
    common: int
    tied: int = 0

    @property
    def share(self) -> float:
        """Common boxes over all that either has."""
        either = self.wanted + self.got - self.common
        return self.common / either if either else 1.0

    def __str__(self) -> str:
        tied = f", {self.tied} of them a tied twin" if self.tied else ""
        return f"{self.common} of {self.wanted} boxes found again{tied}, {self.got - self.common} others"


def compare(reference: Boxes, result: Boxes) -> Agreement:
    """Match boxes one to one: class, and what rounding leaves of corners and score."""
    free = np.ones(len(result.score), bool)
    pairs = list(zip(reference.xyxy, reference.score, reference.class_id, strict=True))
    left = [pair for pair in pairs if not _taken(free, result, *pair, _close)]
    tied = sum(_taken(free, result, *pair, _twin) for pair in left)
    return Agreement(len(pairs), len(result.score), len(pairs) - len(left) + tied, tied)


def _taken(
    free: Array,
    result: Boxes,
    box: Array,
    score: float,
    class_id: int,
    alike: Callable[[Array, Array], Array],
) -> bool:
    """Take the first free box that is alike; tell whether there was one."""
    fits = free & (result.class_id == class_id) & (np.abs(result.score - score) <= _SCORE)
    fits &= alike(result.xyxy, box)
    if fits.any():
        free[np.argmax(fits)] = False
    return bool(fits.any())


def _close(boxes: Array, box: Array) -> Array:
    close: Array = np.abs(boxes - box).max(1, initial=0) <= _PIXELS
    return close


def _twin(boxes: Array, box: Array) -> Array:
    sizes = np.minimum(boxes[:, 2:], box[2:]) - np.maximum(boxes[:, :2], box[:2])
    shared = np.clip(sizes, 0, None).prod(1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1) + (box[2:] - box[:2]).prod()
    twin: Array = shared >= _TWIN * (areas - shared)
    return twin


def recall(things: tuple[Array, Array], result: Boxes, middles: bool = False) -> float:
    """Return the share of a frame's objects that a result holds.

    For heads that no reference here decodes.

    Parameters
    ----------
    things : ((n, 4), (n,))
        Boxes and classes.
    result : Boxes
    middles : bool
        Compare middles in place of boxes: those of turned boxes are no boxes.
    """
    boxes, classes = things
    found = 0
    for box, class_id in zip(boxes, classes, strict=True):
        same = result.xyxy[result.class_id == class_id]
        if middles:
            off = np.abs((same[:, :2] + same[:, 2:] - box[:2] - box[2:]) / 2).max(1, initial=0)
            found += bool((off <= 0.25 * (box[2:] - box[:2]).min() + 4).any())
        else:
            found += bool(_twin(same, box).any())
    return found / max(len(boxes), 1)
