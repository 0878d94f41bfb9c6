"""The files that pages speak of: the demo's recording, and model files of its network in every format."""

import shutil

from docs.pages import ROOT
from networks.build_har import har, modifications, yolov8_hn
from networks.build_hef import hef, layer, yolov8
from networks.build_onnx import network
from networks.parse_hef_texts import BOLTS

from hailo_decode import Recording

DEMO = ROOT / "hailo_decode" / "demo"
METADATA = """\
description: Ultralytics YOLO11n model
stride: 32
task: detect
imgsz:
- 640
- 640
names:
  0: cat
  1: dog
end2end: false
hailo_arch: hailo8l
nms: false
"""


def demo():
    """Return the recording that ships with the package."""
    return Recording.load(DEMO / "coffee.npz")


def lay_out(folder):
    """Write all files into a folder."""
    for place in (folder, folder / "demo-out"):
        place.mkdir(exist_ok=True)
        for name in ("coffee.npz", "coffee.jpg"):
            shutil.copy(DEMO / name, place)
    for name in ("yolo11n.hef", "model.hef"):
        (folder / name).write_bytes(raw_heads())
    (folder / "yolov8s.hef").write_bytes(with_nms_step())
    (folder / "yolov8s.txt").write_text(BOLTS, encoding="utf-8")
    (folder / "yolo11n.onnx").write_bytes(export())
    graph = yolov8_hn("drone", classes=3, sigmoid=True)
    (folder / "drone_quantized.har").write_bytes(har(graph, modifications=modifications(graph, nms=False)))
    exported = folder / "yolo11n_hailo_model"
    exported.mkdir()
    (exported / "metadata.yaml").write_text(METADATA, encoding="utf-8")
    (exported / "yolo11n.hef").write_bytes(raw_heads())


def raw_heads():
    """Return a HEF of the network that the demo's recording comes from."""
    outputs = []
    for info in demo().network.outputs:
        scale, zero_point = info.quant.scale[0], info.quant.zero_point[0]
        told = {"order": info.order.value, "scale": scale, "zero_point": zero_point}
        outputs.append(layer(info.name, info.shape, **told))
    return hef(outputs, name="yolov11n")


def with_nms_step():
    """Return a HEF that ends in HailoRT's NMS step."""
    levels = [(8, 80, 41), (16, 40, 52), (32, 20, 62)]
    outputs = [
        layer(f"yolov8s/conv{number + k}", (grid, grid, (64, 80)[k]), scale=(0.1, 1 / 255)[k], zero_point=0.0)
        for _, grid, number in levels
        for k in (0, 1)
    ]
    steps = [(stride, f"yolov8s/conv{n}", f"yolov8s/conv{n + 1}") for stride, _, n in levels]
    return hef(outputs, op=yolov8(steps, output="yolov8s/yolov8_nms_postprocess"), name="yolov8s")


def export():
    """Return an ONNX file as Ultralytics exports it."""
    ends = [
        (f"/model.23/{branch}.{i}/{branch}.{i}.2/Conv", channels, stride)
        for i, stride in enumerate((8, 16, 32))
        for branch, channels in (("cv2", 64), ("cv3", 80))
    ]
    return network(ends)
