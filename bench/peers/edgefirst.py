"""EdgeFirst's decoder in Rust, by its public interface.

The wheel is edgefirst-decoder on PyPI, Apache-2.0.
"""

from __future__ import annotations

import importlib.metadata
import json
from typing import Any

import numpy as np

from bench.frames import Scene
from bench.peers._peer import Boxes, Choice, Way, missing

NAME = "EdgeFirst (Rust)"
_ROLES = {"box": ("boxes", "num_features"), "cls": ("scores", "num_classes")}


def available() -> str | None:
    """Tell whether the wheel is there."""
    return None if missing("edgefirst.decoder") is None else "edgefirst-decoder is not installed"


def version() -> str:
    """Return the version of the wheel."""
    return importlib.metadata.version("edgefirst-decoder")


def detect(scene: Scene, choice: Choice) -> list[Way]:
    """Decode u1 tensors: with its tensors filled before, and with the copy into them."""
    if scene.frames[0][scene.names("cls")[0]].dtype != np.uint8:
        return []
    decoder = _decoder(scene, choice)
    loaded = [_tensors(scene, k) for k in range(len(scene.frames))]
    fresh = _tensors(scene, 0)
    names = [name for role in ("box", "cls") for name in scene.names(role)]

    def copy_in(k: int) -> Any:
        for tensor, name in zip(fresh, names, strict=True):
            tensor.from_numpy(scene.frames[k][name][None])
        return decoder.decode(fresh, choice.max_det)

    def as_boxes(result: Any) -> Boxes:
        size = scene.network.input_size or (1, 1)
        xyxy = result[0] * np.array([size[1], size[0]] * 2, np.float32)
        order = np.argsort(-result[1], kind="stable")
        return Boxes(xyxy[order], result[1][order], result[2][order].astype(np.int64))

    return [
        Way(f"{NAME}, tensors loaded", lambda k: decoder.decode(loaded[k], choice.max_det), as_boxes),
        Way(f"{NAME}, copied in", copy_in, as_boxes),
    ]


def _decoder(scene: Scene, choice: Choice) -> Any:
    from edgefirst.decoder import Decoder

    decoder = Decoder.new_from_json_str(
        json.dumps(_schema(scene)), choice.conf, choice.iou, multi_label=choice.multi_label
    )
    decoder.max_det = choice.max_det
    decoder.pre_nms_top_k = 30_000
    return decoder


def _schema(scene: Scene) -> dict[str, Any]:
    """Describe the outputs in its schema of version 2: one child a scale."""
    height, width = scene.network.input_size or (0, 0)
    first = scene.frames[0]
    anchors = sum(first[name].shape[0] * first[name].shape[1] for name in scene.names("cls"))
    outputs = []
    for role, (kind, channel) in _ROLES.items():
        children = []
        for i, (stride, roles) in enumerate(scene.levels):
            rows, columns, count = first[roles[role]].shape
            scale, zero = scene.quant(roles[role]) or (1.0, 0.0)
            child = {
                "name": roles[role],
                "type": kind,
                "stride": stride,
                "scale_index": i,
                "shape": [1, rows, columns, count],
                "dshape": [{"batch": 1}, {"height": rows}, {"width": columns}, {channel: count}],
                "dtype": "uint8",
                "quantization": {"scale": scale, "zero_point": int(zero), "dtype": "uint8"},
            }
            if role == "cls" and scene.logits:
                child["activation_required"] = "sigmoid"
            children.append(child)
        whole = 4 if role == "box" else first[scene.names(role)[0]].shape[2]
        name = "box_coords" if role == "box" else channel
        outputs.append(
            {
                "name": kind,
                "type": kind,
                "shape": [1, whole, anchors],
                "dshape": [{"batch": 1}, {name: whole}, {"num_boxes": anchors}],
                "decoder": "ultralytics",
                "outputs": children,
                **(
                    {"encoding": "dfl", "normalized": True}
                    if role == "box"
                    else {"score_format": "per_class"}
                ),
            }
        )
    return {
        "schema_version": 2,
        "decoder_version": "yolov8",
        "nms": "class_aware",
        "input": {
            "shape": [1, height, width, 3],
            "dshape": [{"batch": 1}, {"height": height}, {"width": width}, {"num_features": 3}],
            "cameraadaptor": "rgb",
        },
        "outputs": outputs,
    }


def _tensors(scene: Scene, k: int) -> list[Any]:
    from edgefirst.decoder import Tensor, TensorMemory

    made = []
    for role in ("box", "cls"):
        for name in scene.names(role):
            array = scene.frames[k][name][None]
            tensor = Tensor(list(array.shape), "uint8", TensorMemory.MEM)
            tensor.from_numpy(np.ascontiguousarray(array))
            scale, zero = scene.quant(name) or (1.0, 0.0)
            tensor.set_quantization_per_tensor(scale, int(zero))
            made.append(tensor)
    return made
