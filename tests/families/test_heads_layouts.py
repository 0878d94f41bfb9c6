"""Heads whose fields share a tensor, in every device order: the same boxes as from the dense array."""

import layouts
import pytest
from families.random_frames import SIZE, frame

from hailo_decode import decode

# Fields of these begin at channels that are no multiple of eight; F8CR keeps eight channels together.
SHARED = [
    "yolov5", "yolov7", "yolov3", "yolov4", "yolov2", "ssd", "efficientdet", "picodet_joined", "nanodet_joined",
    "damoyolo", "yolov5_seg", "yolov8_pose",
]  # fmt: skip


@pytest.mark.parametrize("family", SHARED)
@pytest.mark.parametrize("order", layouts.DEVICE)
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_fields_that_share_a_tensor_are_found_in_every_device_order(family, order, dtype, rng):
    outputs, told = frame(family, dtype, rng)
    choose = {"conf": 0.2, "multi_label": True, "suppress": False, "max_det": 2000}
    wanted = decode(outputs, SIZE, **told, **choose)
    raw, formats = {}, {}
    for name, array in outputs.items():
        h, w, c = array.shape
        padded = (h, w + 2, -(-c // 8) * 8)
        raw[name] = layouts.device(array, order, padded, rng)
        shape = {"shape": (h, w, c), "hw_shape": padded}
        formats[name] = {"order": order, "layout": "device", "dtype": dtype, **shape}
    found = decode(raw, SIZE, formats=formats, **told, **choose)
    assert len(found) == len(wanted) > 10
    for column in ("confidence", "class_id", "xyxy", "keypoints", "mask"):
        one, other = getattr(found, column), getattr(wanted, column)
        assert (one is None) == (other is None)
        assert one is None or (one == other).mean() > 0.9999, column
