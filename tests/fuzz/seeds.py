"""Sound files of every format, for the fuzzer to start from; by the name of the format's module."""

from __future__ import annotations

import json
from collections.abc import Callable

from networks.build_archives import qparams
from networks.build_har import har, modifications, nms_json, yolov8_hn
from networks.build_hef import hef, layer, yolov8
from networks.build_onnx import network
from networks.parse_hef_texts import BOLTS, DEMO, SNAIL, TWO


def _har() -> list[bytes]:
    graph = yolov8_hn("net", 64, classes=2, nms=True, split=("conv53",))
    records = {"modifications": modifications(graph), "nms_json": nms_json(graph)}
    quant = qparams("net", {"conv41": (0.1, 3.0)})
    whole = har(graph, **records, script="a = 1", state="quantized_model", quant=quant)
    return [whole, har(graph, compress=True), json.dumps(graph).encode()]


def _hef() -> list[bytes]:
    heads = [layer("net/conv1", (8, 8, 64)), layer("net/conv2", (8, 8, 3))]
    inputs = [layer("net/input_layer1", (64, 64, 3))]
    step = yolov8([(8, "net/conv1", "net/conv2")], (64, 64), classes=3)
    return [hef(heads, inputs=inputs, ops=[step], version=v) for v in (0, 1, 2, 3)]


def _onnx() -> list[bytes]:
    ends = [(f"/model.22/cv{b}.0/cv{b}.0.2/Conv", c, 8) for b, c in ((2, 64), (3, 3))]
    metadata = {"names": "{0: 'a'}", "imgsz": "[64, 64]", "kpt_shape": "[17, 3]", "task": "pose"}
    return [network(ends, (64, 64), metadata=metadata), network(ends, (64, 64), labels=False, free=True)]


def _description() -> list[bytes]:
    output = {
        "name": "a",
        "shape": [8, 8, 64],
        "order": "NHCW",
        "dtype": "uint8",
        "scale": 0.5,
        "zero_point": 3,
    }
    return [json.dumps({"name": "net", "input": [64, 64, 3], "outputs": [output]}).encode()]


def _ultralytics() -> list[bytes]:
    text = (
        "task: pose\nimgsz:\n- 64\n- 64\nnames:\n  0: 'it''s'\n  1: b c\nkpt_shape: [17, 3]\nend2end: false\n"
    )
    return [text.encode()]


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "description": _description,
    "har": _har,
    "hef": _hef,
    "onnx": _onnx,
    "parse_hef": lambda: [text.encode() for text in (BOLTS, DEMO, SNAIL, TWO)],
    "ultralytics": _ultralytics,
}
