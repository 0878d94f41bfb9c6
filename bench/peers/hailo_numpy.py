"""NumPy after the plan of Hailo's published Python examples.

Written anew from what the examples do: dequantise, softmax over the bins of every cell, scale by scale; join the scales,
pick the best class, suppress greedily with inclusive pixel edges. The code is ours.
"""

from __future__ import annotations

import numpy as np

from bench.frames import Scene
from bench.heads import MASKS
from bench.objects import Array
from bench.peers._peer import Choice, Way, as_boxes, inside, missing, on_photo
from bench.stored_as import sigmoided
from hailo_decode import Letterbox

NAME = "NumPy as in Hailo's examples"


def available() -> str | None:
    """NumPy is always there."""
    return None


def detect(scene: Scene, choice: Choice) -> list[Way]:
    """Decode u1 tensors, classes as probabilities: the examples expect them so."""
    if scene.frames[0][scene.names("cls")[0]].dtype != np.uint8:
        return []
    ready = sigmoided(scene) if scene.logits else scene
    return [Way(NAME, lambda k: _decode(ready, choice, k), as_boxes)]


def masks(scene: Scene, choice: Choice, letterbox: Letterbox) -> list[Way]:
    """Decode, then make a mask of the photo's size for one box after the other."""
    if missing("cv2") is not None:
        return []
    ready = sigmoided(scene)

    def run(k: int) -> tuple[Array, Array, Array, Array]:
        xyxy, score, class_id, anchor = _found(ready, choice, k)
        frame = ready.frames[k]
        weights = np.concatenate(
            [_dequantised(ready, frame, name).reshape(-1, MASKS) for name in ready.names("mask")]
        )
        proto = _dequantised(ready, frame, "net/proto")
        return xyxy, score, class_id, _painted(proto, weights[anchor], xyxy, letterbox)

    return [Way(f"{NAME}, masks", run, lambda result: as_boxes(result[:3]))]


def _painted(proto: Array, weights: Array, xyxy: Array, letterbox: Letterbox) -> Array:
    """Return (n, H, W) bool: product, sigmoid, stretched to the photo, cut to boxes."""
    import cv2

    height, width = letterbox.image_size
    share = 1 / (1 + np.exp(-(proto @ weights.T)))
    top, left, bottom, right = inside(letterbox, proto.shape[0])
    boxes = np.rint(on_photo(xyxy, letterbox)).astype(np.int64)
    out = np.zeros((len(weights), height, width), bool)
    for i, (x1, y1, x2, y2) in enumerate(boxes.tolist()):
        part = np.ascontiguousarray(share[top:bottom, left:right, i])
        stretched = cv2.resize(part, (width, height), interpolation=cv2.INTER_LINEAR)
        out[i, y1:y2, x1:x2] = stretched[y1:y2, x1:x2] > 0.5
    return out


def _decode(scene: Scene, choice: Choice, k: int) -> tuple[Array, Array, Array]:
    xyxy, score, class_id, _ = _found(scene, choice, k)
    return xyxy, score, class_id


def _found(scene: Scene, choice: Choice, k: int) -> tuple[Array, Array, Array, Array]:
    frame = scene.frames[k]
    boxes, scores = [], []
    for stride, roles in scene.levels:
        box, cls = (_dequantised(scene, frame, roles[role]) for role in ("box", "cls"))
        height, width, channels = box.shape
        bins = box.reshape(-1, 4, channels // 4)
        share = np.exp(bins - np.max(bins, axis=-1, keepdims=True))
        share = share / np.sum(share, axis=-1, keepdims=True)
        sides = np.sum(share * np.arange(channels // 4, dtype=np.float32), axis=-1) * stride
        x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        middle = np.stack([x, y, x, y], axis=-1).reshape(-1, 4).astype(np.float32) * stride
        boxes.append(middle + sides * np.array([-1, -1, 1, 1], np.float32))
        scores.append(cls.reshape(-1, cls.shape[2]))
    all_boxes, all_scores = np.concatenate(boxes), np.concatenate(scores)
    if choice.multi_label:
        anchor, class_id = np.where(all_scores >= np.float32(choice.conf))
    else:
        anchor = np.where(np.max(all_scores, axis=1) >= np.float32(choice.conf))[0]
        class_id = np.argmax(all_scores[anchor], axis=1)
    score = all_scores[anchor, class_id]
    kept = _suppress(all_boxes[anchor], score, class_id, choice.iou)[: choice.max_det]
    return all_boxes[anchor][kept], score[kept], class_id[kept], anchor[kept]


def _dequantised(scene: Scene, frame: dict[str, Array], name: str) -> Array:
    scale, zero = scene.quant(name) or (1.0, 0.0)
    return (frame[name].astype(np.float32) - np.float32(zero)) * np.float32(scale)


def _suppress(boxes: Array, score: Array, class_id: Array, iou: float) -> Array:
    """Suppress inside each class by moving classes apart; areas count both edges."""
    moved = boxes + (class_id * np.float32(7680))[:, None].astype(np.float32)
    x1, y1, x2, y2 = moved.T
    areas = (x2 - x1 + 1) * (y2 - y1 + 1)
    order = score.argsort(kind="stable")[::-1]
    kept = []
    while order.size > 0:
        i = order[0]
        kept.append(i)
        rest = order[1:]
        wide = np.maximum(0.0, np.minimum(x2[i], x2[rest]) - np.maximum(x1[i], x1[rest]) + 1)
        high = np.maximum(0.0, np.minimum(y2[i], y2[rest]) - np.maximum(y1[i], y1[rest]) + 1)
        shared = wide * high
        order = rest[shared / (areas[i] + areas[rest] - shared) < iou]
    return np.array(kept, np.int64)
