"""Heads whose fields share a tensor, in every device order: the same boxes as from the dense array."""

import layouts
import numpy as np
import pytest
from families.naive_heads import Counts
from families.naive_table import HEADS

from hailo_decode import decode

# Fields of these begin at channels that are no multiple of eight; F8CR keeps eight channels together.
SHARED = {
    "yolov5": Counts(classes=7, anchors=3),
    "yolov7": Counts(classes=80, anchors=3),
    "yolov3": Counts(classes=2, anchors=3),
    "yolov4": Counts(classes=20, anchors=2),
    "yolov2": Counts(classes=20, anchors=5),
    "ssd": Counts(classes=2, anchors=3),
    "efficientdet": Counts(classes=4, anchors=3),
    "picodet_joined": Counts(classes=10, bins=8),
    "nanodet_joined": Counts(classes=3, bins=11),
    "damoyolo": Counts(classes=4, bins=17),
    "yolov5_seg": Counts(classes=7, anchors=3, extra=12),
    "yolov8_pose": Counts(classes=1, bins=16, extra=51),
}
GRID, STRIDE = (5, 6), 8


def frame(family, dtype, rng):
    """Return outputs with some objects of every anchor and class, and what is said of them."""
    counts, top = SHARED[family], np.iinfo(dtype).max
    outputs, quant = {}, {}
    for role, channels in HEADS[family].channels(counts).items():
        outputs[role] = rng.integers(0, top + 1, (*GRID, channels), dtype)
        quant[role] = (6.0 / top, float(round(top / 2)))
    told = {"family": family, "roles": {role: role for role in outputs}, "quant": quant}
    if HEADS[family].extra == "masks":
        told["roles"]["proto"] = "proto"
        outputs["proto"] = rng.integers(0, top + 1, (20, 24, counts.extra), dtype)
        quant["proto"] = (1 / top, float(top // 2))
    if HEADS[family].priors:
        told["anchors"] = {STRIDE: [(5.0 + 7 * a, 9.0 + 4 * a) for a in range(counts.anchors)]}
    return outputs, told


@pytest.mark.parametrize("family", SHARED)
@pytest.mark.parametrize("order", layouts.DEVICE)
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_fields_that_share_a_tensor_are_found_in_every_device_order(family, order, dtype, rng):
    outputs, told = frame(family, dtype, rng)
    size = (GRID[0] * STRIDE, GRID[1] * STRIDE)
    choose = {"conf": 0.2, "multi_label": True, "suppress": False, "max_det": 2000}
    wanted = decode(outputs, size, **told, **choose)
    raw, formats = {}, {}
    for name, array in outputs.items():
        h, w, c = array.shape
        padded = (h, w + 2, -(-c // 8) * 8)
        raw[name] = layouts.device(array, order, padded, rng)
        shape = {"shape": (h, w, c), "hw_shape": padded}
        formats[name] = {"order": order, "layout": "device", "dtype": dtype, **shape}
    found = decode(raw, size, formats=formats, **told, **choose)
    assert len(found) == len(wanted) > 10
    for column in ("confidence", "class_id", "xyxy", "keypoints", "mask"):
        one, other = getattr(found, column), getattr(wanted, column)
        assert (one is None) == (other is None)
        assert one is None or (one == other).mean() > 0.9999, column
