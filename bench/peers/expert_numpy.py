"""Expert NumPy with OpenCV's suppression: bytes first, survivors dequantised."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.frames import Scene
from bench.objects import Array
from bench.peers._peer import Choice, Way, anchor_points, as_boxes, missing

NAME = "expert NumPy + OpenCV NMS"


def available() -> str | None:
    """Tell whether OpenCV is there, with its batched suppression."""
    reason = missing("cv2")
    if reason is None:
        import cv2

        if not hasattr(cv2, "dnn") or not hasattr(cv2.dnn, "NMSBoxesBatched"):
            return "this OpenCV has no dnn.NMSBoxesBatched"
    return reason


def detect(scene: Scene, choice: Choice) -> list[Way]:
    """Decode bytes with their own scale; other element types have no byte to compare."""
    first = scene.frames[0][scene.names("cls")[0]]
    return [Way(NAME, ExpertDecode(scene, choice), as_boxes)] if first.dtype == np.uint8 else []


class ExpertDecode:
    """Decodes frame k of a scene of u1 tensors."""

    def __init__(self, scene: Scene, choice: Choice) -> None:
        self._scene, self._choice = scene, choice
        self._levels = []
        for stride, roles in scene.levels:
            shape = scene.frames[0][roles["cls"]].shape
            scale, zero = scene.quant(roles["cls"]) or (1.0, 0.0)
            real = (np.arange(256) - zero) * scale
            scores = (1 / (1 + np.exp(-real)) if scene.logits else real).astype(np.float32)
            floor = int(np.searchsorted(scores, np.float32(choice.conf)))
            box_scale, _ = scene.quant(roles["box"]) or (1.0, 0.0)
            shares = np.exp(box_scale * (np.arange(256) - 255)).astype(np.float32)
            points, _ = anchor_points([(shape[0], shape[1], stride)])
            self._levels.append(
                (roles, np.uint8(min(floor, 255)), scores, shares, points, np.float32(stride))
            )

    def __call__(self, k: int) -> tuple[Array, Array, Array]:
        """Return boxes (n, 4), scores (n,) and classes (n,)."""
        import cv2

        columns = [self._level(self._scene.frames[k], *level) for level in self._levels]
        xyxy, score, class_id = (np.concatenate(column) for column in zip(*columns, strict=True))
        if not len(score):
            return xyxy, score, class_id
        sizes = np.concatenate([xyxy[:, :2], xyxy[:, 2:] - xyxy[:, :2]], 1)
        suppress: Any = cv2.dnn.NMSBoxesBatched  # its stub knows lists alone
        kept = suppress(sizes, score, class_id, self._choice.conf, self._choice.iou)
        kept = np.asarray(kept, np.int64)[: self._choice.max_det]
        return xyxy[kept], score[kept], class_id[kept]

    def _level(
        self,
        frame: dict[str, Array],
        roles: dict[str, str],
        floor: np.uint8,
        scores: Array,
        shares: Array,
        points: Array,
        stride: np.float32,
    ) -> tuple[Array, Array, Array]:
        cls, box = frame[roles["cls"]], frame[roles["box"]]
        classes = cls.shape[2]
        anchor, class_id = np.divmod(np.flatnonzero(cls.reshape(-1) >= floor), classes)
        if not self._choice.multi_label:
            anchor = np.unique(anchor)
            class_id = cls.reshape(-1, classes)[anchor].argmax(1)
        score = scores[cls.reshape(-1, classes)[anchor, class_id]]
        share = shares[box.reshape(-1, 4, box.shape[2] // 4)[anchor]]
        sides = (share @ np.arange(share.shape[2], dtype=np.float32)) / share.sum(2)
        middle = points[anchor]
        xyxy = np.concatenate([middle - sides[:, :2], middle + sides[:, 2:]], 1) * stride
        return xyxy, score, class_id.astype(np.int32)
