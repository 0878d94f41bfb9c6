"""Raw outputs of networks in the Hailo Model Zoo, by the shapes that its pages state: each is read under its own name."""

import numpy as np
import pytest
from families import realistic
from families.asking import asked, families_in, read

from hailo_decode import decode

# input, (channels by role) of strides 8, 16, 32, prototypes, spelling, family, classes
HEADS = [
    (640, {"box": 64, "cls": 80}, None, "yolov8", "yolov8", 80),
    (640, {"box": 64, "cls": 80}, None, "yolov10", "yolov8", 80),
    (640, {"cls": 80, "box": 64}, None, "yolov11", "yolov8", 80),
    (640, {"box": 4, "cls": 80}, None, "yolov6", "yolov6", 80),
    (640, {"box": 68, "cls": 80}, None, "yolov6", None, 80),
    (640, {"box": 4, "obj": 1, "cls": 80}, None, "yolox", "yolox", 80),
    (640, {"box": 68, "cls": 81}, None, "damoyolo", "damoyolo", 80),
    (640, {"box": 68, "cls": 81}, None, "nanodet_split", "damoyolo", 80),
    (416, {"joint": 124}, None, "nanodet", "nanodet_joined", 80),
    (640, {"cells": 255}, None, "yolov5", "yolov5", 80),
    (640, {"cells": 21}, None, "yolov7", "yolov7", 2),
    (608, {"cells": 255}, None, "yolov3", "yolov3", 80),
    (416, {"cells": 255}, None, "yolov3_gluon", "yolov3", 80),
    (640, {"cells": 351}, 32, "yolov5_seg", "yolov5_seg", 80),
    (640, {"box": 64, "cls": 80, "mask": 32}, 32, "yolov8", "yolov8_seg", 80),
    (640, {"box": 64, "cls": 1, "mask": 32}, 32, "yolov8", "yolov8_seg", 1),
    (640, {"box": 64, "cls": 1, "kpt": 51}, None, "yolov8", "yolov8_pose", 1),
]


def zoo_names(outputs):
    """Name outputs as compiled networks do: numbers of layers that say little."""
    return {f"net/conv{40 + k}": array for k, array in enumerate(outputs.values())}


@pytest.mark.parametrize(
    ("size", "channels", "proto", "spelling", "family", "classes"),
    HEADS,
    ids=[f"{spelling}-{'-'.join(map(str, channels.values()))}" for _, channels, _, spelling, _, _ in HEADS],
)
def test_each_is_read_under_the_name_that_its_pages_use(size, channels, proto, spelling, family, classes):
    outputs = zoo_names(realistic.head(channels, grids=(size // 8, size // 16, size // 32), proto=proto))
    found, sizes = read(outputs, size, family=spelling)
    assert sizes.classes == classes
    assert found == family or family is None


@pytest.mark.parametrize("spelling", ["tiny_yolov3", "tiny_yolov4"])
@pytest.mark.parametrize(("channels", "classes"), [(255, 80), (18, 1)])
def test_two_levels_of_the_tiny_nets_take_the_anchors_of_their_pages(spelling, channels, classes):
    outputs = realistic.head({"cells": channels}, grids=(26, 13))
    outputs["net/p26"][3, 4, 2:4] = 0
    outputs["net/p26"][3, 4, 4:6] = 6
    dets = decode(zoo_names(outputs), 416, family=spelling)
    assert f"{classes} class" in dets.meta["head"]
    np.testing.assert_allclose(dets.xyxy[:, 2:] - dets.xyxy[:, :2], [[23, 27]], rtol=1e-5)


@pytest.mark.parametrize(("spelling", "first"), [("yolov5", (19, 27)), ("yolov7e6", (19, 27))])
def test_four_levels_of_the_p6_nets_take_their_own_anchors(spelling, first):
    outputs = realistic.head({"cells": 255}, grids=(160, 80, 40, 20))
    outputs["net/p160"][3, 4, 2:4] = 0
    outputs["net/p160"][3, 4, 4:6] = 6
    dets = decode(zoo_names(outputs), 1280, family=spelling)
    assert "strides 8/16/32/64" in dets.meta["head"]
    np.testing.assert_allclose(dets.xyxy[:, 2:] - dets.xyxy[:, :2], [first], rtol=1e-5)


def test_one_level_of_tiny_yolov2_is_five_anchors():
    outputs = {"net/conv9": realistic.numbers("cls", (13, 13, 125))}
    assert read(outputs, 416, family="tiny_yolov2")[1].classes == 20
    one_class = {"net/conv9": realistic.numbers("cls", (13, 13, 25))}
    assert read(one_class, 416, family="tiny_yolov2")[1].bare


def test_without_a_name_damo_and_nas_are_asked_about_and_80_names_settle_it():
    outputs = zoo_names(realistic.head({"box": 68, "cls": 81}, grids=(80, 40, 20)))
    assert {"damoyolo", "yolo_nas"} <= families_in(asked(outputs, 640))
    assert read(outputs, 640, names=[f"c{k}" for k in range(80)])[0] == "damoyolo"
