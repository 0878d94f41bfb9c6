"""Plain NumPy: dequantise everything, make every box, then throw away.

How most people's first version looks.
"""

from __future__ import annotations

import numpy as np

from bench.frames import Scene
from bench.objects import Array
from bench.peers._peer import Choice, Way, anchor_points, as_boxes

NAME = "plain NumPy"


def available() -> str | None:
    """NumPy is always there."""
    return None


def detect(scene: Scene, choice: Choice) -> list[Way]:
    """Decode with NumPy alone."""
    decode = PlainDecode(scene, choice)
    return [Way(NAME, decode, as_boxes)]


class PlainDecode:
    """Decodes frame k of a scene.

    Parameters
    ----------
    scene : Scene
        Dense, of a head with bins.
    choice : Choice
    dtype : type
        Of all arithmetic: f4 as people do it.
    """

    def __init__(self, scene: Scene, choice: Choice, dtype: type = np.float32) -> None:
        self._scene, self._choice, self._dtype = scene, choice, dtype
        self._box, self._cls = scene.names("box"), scene.names("cls")
        grids = [(*scene.frames[0][roles["box"]].shape[:2], stride) for stride, roles in scene.levels]
        points, strides = anchor_points(grids)
        self._points: Array = points.astype(dtype)
        self._strides: Array = strides.astype(dtype)

    def __call__(self, k: int) -> tuple[Array, Array, Array]:
        """Return boxes (n, 4), scores (n,) and classes (n,)."""
        frame = self._scene.frames[k]
        cls = np.concatenate([self._real(frame, name) for name in self._cls])
        box = np.concatenate([self._real(frame, name) for name in self._box])
        scores = 1 / (1 + np.exp(-cls)) if self._scene.logits else cls
        xyxy = self._boxes(box)
        floor = np.float32(self._choice.conf)
        if self._choice.multi_label:
            anchor, class_id = np.nonzero(scores >= floor)
            score = scores[anchor, class_id]
        else:
            best = scores.argmax(1)
            top = scores[np.arange(len(scores)), best]
            anchor = np.nonzero(top >= floor)[0]
            class_id, score = best[anchor], top[anchor]
        order = self._order(score, class_id)
        kept = greedy(xyxy[anchor], order, class_id, self._choice.iou, self._choice.max_det)
        return xyxy[anchor][kept], score[kept], class_id[kept]

    def _order(self, score: Array, class_id: Array) -> Array:
        return np.argsort(-score, kind="stable")

    def _real(self, frame: dict[str, Array], name: str) -> Array:
        scale, zero = self._scene.quant(name) or (1.0, 0.0)
        array = frame[name]
        real: Array = (array.astype(self._dtype) - self._dtype(zero)) * self._dtype(scale)
        return real.reshape(-1, array.shape[2])

    def _boxes(self, box: Array) -> Array:
        bins = box.reshape(len(box), 4, -1)
        share = np.exp(bins - bins.max(2, keepdims=True))
        share /= share.sum(2, keepdims=True)
        sides = share @ np.arange(bins.shape[2], dtype=self._dtype)
        low, high = self._points - sides[:, :2], self._points + sides[:, 2:]
        return np.concatenate([low, high], 1) * self._strides


def greedy(xyxy: Array, left: Array, class_id: Array, iou: float, most: int) -> Array:
    """Return the places of boxes that stay: greedy suppression inside each class.

    Parameters
    ----------
    xyxy : (n, 4)
    left : (n,) int
        Places in the order in which boxes are tried.
    class_id : (n,) int
    iou : float
    most : int
    """
    areas = (xyxy[:, 2] - xyxy[:, 0]) * (xyxy[:, 3] - xyxy[:, 1])
    kept: list[int] = []
    while len(left) and len(kept) < most:
        best, left = left[0], left[1:]
        kept.append(int(best))
        low = np.maximum(xyxy[best, :2], xyxy[left, :2])
        high = np.minimum(xyxy[best, 2:], xyxy[left, 2:])
        shared = np.clip(high - low, 0, None).prod(1)
        overlap = shared / (areas[best] + areas[left] - shared)
        left = left[(overlap < iou) | (class_id[left] != class_id[best])]
    return np.array(kept, np.int64)
