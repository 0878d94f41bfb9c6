"""torch and torchvision on the CPU, in the order that Ultralytics has; our code.

Dequantise, permute to (channels, anchors), softmax over bins, sigmoid, boxes as centre and size, the candidates above the
threshold, their classes moved apart by 7,680 pixels, and `torchvision.ops.nms` over all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.frames import Scene
from bench.objects import Array
from bench.peers._peer import Boxes, Choice, Way, anchor_points, inside, missing, on_photo
from hailo_decode import Letterbox

NAME = "torch + torchvision, as Ultralytics"
_APART = 7680
_MOST = 30_000  # candidates that suppression looks at


def available() -> str | None:
    """Tell whether both are there."""
    return missing("torch", "torchvision")


def detect(scene: Scene, choice: Choice) -> list[Way]:
    """Decode with torch on one thread."""
    return [Way(NAME, TorchDecode(scene, choice), _as_boxes)]


def masks(scene: Scene, choice: Choice, letterbox: Letterbox) -> list[Way]:
    """Decode and make masks of the photo's size; and make the masks alone."""
    decode = TorchDecode(scene, choice)
    ready = [(decode(k), decode.proto(k)) for k in range(len(scene.frames))]

    def whole(k: int) -> tuple[Any, Any]:
        rows = decode(k)
        return rows, _painted(decode.proto(k), rows, letterbox)

    return [
        Way(f"{NAME}, decode and process_mask", whole, lambda result: _as_boxes(result[0])),
        Way(f"{NAME}, process_mask alone", lambda k: _painted(ready[k][1], ready[k][0], letterbox)),
    ]


def _painted(proto: Any, rows: Any, letterbox: Letterbox) -> Any:
    """Return (n, H, W) bool: product, stretched to the photo, cut to the boxes."""
    import torch
    from torch.nn.functional import interpolate

    with torch.inference_mode():
        channels, side = proto.shape[0], proto.shape[1]
        sums = (rows[:, 6:] @ proto.view(channels, -1)).view(-1, side, side)
        top, left, bottom, right = inside(letterbox, side)
        part = sums[None, :, top:bottom, left:right]
        stretched = interpolate(part, letterbox.image_size, mode="bilinear", align_corners=False)[0]
        boxes = torch.from_numpy(on_photo(rows[:, :4].numpy(), letterbox))[:, :, None, None]
        x = torch.arange(stretched.shape[2])[None, None, :]
        y = torch.arange(stretched.shape[1])[None, :, None]
        x1, y1, x2, y2 = boxes.unbind(1)
        return (stretched * ((x >= x1) & (x < x2) & (y >= y1) & (y < y2))).gt_(0.0).bool()


def _as_boxes(rows: Any) -> Boxes:
    array = rows.numpy()
    return Boxes(array[:, :4], array[:, 4], array[:, 5].astype(np.int64))


class TorchDecode:
    """Decodes frame k of a scene."""

    def __init__(self, scene: Scene, choice: Choice) -> None:
        import torch

        torch.set_num_threads(1)
        self._scene, self._choice = scene, choice
        shapes = [(*scene.frames[0][roles["cls"]].shape[:2], stride) for stride, roles in scene.levels]
        points, strides = anchor_points(shapes)
        self._points, self._strides = torch.from_numpy(points.T.copy()), torch.from_numpy(strides.T.copy())
        bins = scene.frames[0][scene.names("box")[0]].shape[2] // 4
        self._bins = torch.arange(bins, dtype=torch.float32).view(1, bins, 1, 1)

    def __call__(self, k: int) -> Any:
        """Return (n, 6 + coefficients) f4: box, score, class, a mask's coefficients."""
        import torch

        with torch.inference_mode():
            return self._decode(self._scene.frames[k])

    def proto(self, k: int) -> Any:
        """Return the prototypes of frame k, (channels, H, W) f4."""
        height, width, channels = self._scene.frames[k]["net/proto"].shape
        return self._real(self._scene.frames[k], "net/proto").reshape(channels, height, width)

    def _decode(self, frame: dict[str, Array]) -> Any:
        import torch
        import torchvision

        box, cls = (
            torch.cat([self._real(frame, name) for name in self._scene.names(role)], 2)
            for role in ("box", "cls")
        )
        bins = self._bins.shape[1]
        share = box.view(1, 4, bins, -1).transpose(1, 2).softmax(1)
        sides = (share * self._bins).sum(1)
        low, high = self._points - sides[:, :2], self._points + sides[:, 2:]
        sized = torch.cat([(low + high) / 2, high - low], 1) * self._strides
        scores = cls.sigmoid() if self._scene.logits else cls
        last = 4 + scores.shape[1]
        weights = [self._real(frame, roles["mask"]) for _, roles in self._scene.levels if "mask" in roles]
        parts = [sized, scores, *([torch.cat(weights, 2)] if weights else [])]
        found = torch.cat(parts, 1)[0].transpose(0, 1)
        found = found[found[:, 4:last].amax(1) >= self._choice.conf]
        half = found[:, 2:4] / 2
        xyxy = torch.cat([found[:, :2] - half, found[:, :2] + half], 1)
        if self._choice.multi_label:
            anchor, class_id = torch.where(found[:, 4:last] >= self._choice.conf)
            score, xyxy, rest = found[anchor, 4 + class_id], xyxy[anchor], found[anchor, last:]
        else:
            score, class_id = found[:, 4:last].max(1)
            rest = found[:, last:]
        rows = torch.cat([xyxy, score[:, None], class_id[:, None].float(), rest], 1)
        rows = rows[rows[:, 4].argsort(descending=True)[:_MOST]]
        kept = torchvision.ops.nms(rows[:, :4] + rows[:, 5:6] * _APART, rows[:, 4], self._choice.iou)
        return rows[kept[: self._choice.max_det]]

    def _real(self, frame: dict[str, Array], name: str) -> Any:
        import torch

        array = frame[name]
        scale, zero = self._scene.quant(name) or (1.0, 0.0)
        # torch adds u2 late and in part: through numpy, as people do.
        raw = torch.from_numpy(array.astype(np.float32) if array.dtype == np.uint16 else array)
        real = (raw.float() - zero) * scale if self._scene.quant(name) else raw.float()
        return real.permute(2, 0, 1).reshape(1, array.shape[2], -1)
