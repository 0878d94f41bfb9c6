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
    (512, {"cells": 255}, None, "yolo_v4", "yolov4", 80),
    (512, {"centre": 6, "size": 6, "obj": 3, "cls": 240}, None, "yolov4_leaky", "yolov4_split", 80),
    (416, {"centre": 6, "size": 6, "obj": 3, "cls": 3}, None, "yolo_v4", "yolov4_split", 1),
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


YOLOV4 = {  # as darknet's configurations have them: stride to scale_x_y
    (8, 16, 32): {8: 1.2, 16: 1.1, 32: 1.05},
    (16, 32): {16: 1.05, 32: 1.05},
}


def one_object(stride, size, split, centre, logits):
    """Outputs of a head for an input of 512 with one object at row 3, column 4, second anchor, class 7."""

    def row(channels):
        lowest = -9.0 if logits else 0.001
        return np.full((size // stride, size // stride, channels), lowest, np.float32)

    if not split:
        cells = row(255)
        for a in range(3):
            cells[:, :, 85 * a : 85 * a + 4] = 0.25
        cells[3, 4, 85:90], cells[3, 4, 90 + 7] = [*centre, 0.5, -0.25, 4.0], 6.0
        return {"cells": cells}
    made = {"centre": row(6), "size": np.full(row(6).shape, -0.5, np.float32), "obj": row(3), "cls": row(240)}
    made["centre"][3, 4, 2:4], made["size"][3, 4, 2:4] = centre, (0.5, -0.25)
    made["obj"][3, 4, 1], made["cls"][3, 4, 87] = (4.0, 6.0) if logits else (0.875, 0.75)
    return made


@pytest.mark.parametrize("strides", YOLOV4, ids=["full", "tiny"])
@pytest.mark.parametrize("split", [False, True], ids=["one tensor", "four tensors"])
def test_centres_of_yolov4_reach_as_far_as_its_configuration_says(strides, split):
    for at in strides:
        outputs = {}
        for stride in strides:
            outputs |= {
                f"net/{role}{stride}": array
                for role, array in one_object(stride, 512, split, (-1.0, 2.0), True).items()
            }
            if stride != at:
                for name, array in outputs.items():
                    if name.endswith(str(stride)):
                        array[3, 4] = array[0, 0]
        dets = decode(outputs, 512, family="yolov4")
        reach, x, y = YOLOV4[strides][at], 1 / (1 + np.exp(1.0)), 1 / (1 + np.exp(-2.0))
        middle = [(reach * s - (reach - 1) / 2 + k) * at for s, k in ((x, 4), (y, 3))]
        assert dets.class_id.tolist() == [7]
        np.testing.assert_allclose((dets.xyxy[:, :2] + dets.xyxy[:, 2:]) / 2, [middle], atol=1e-3)


def test_four_tensors_a_level_are_told_apart_by_their_ranges_where_the_sigmoid_is_on_the_chip():
    outputs = {}
    for k, stride in enumerate((32, 16, 8)):  # as the zoo lists them, and shuffled
        made = one_object(stride, 512, True, (0.125, 0.75), False)
        order = ("size", "cls", "centre", "obj") if k == 1 else ("centre", "size", "obj", "cls")
        outputs |= {f"net/x{4 * k + i}y": made[role] for i, role in enumerate(order)}
    dets = decode(outputs, 512)
    assert dets.meta["head"].startswith(
        "anchor head in four tensors a level (YOLOv4 of the Hailo Model Zoo): 80 classes"
    )
    assert dets.class_id.tolist() == [7, 7, 7]
    assert dets.confidence.tolist() == [np.float32(0.875 * 0.75)] * 3
    middles, sizes = (dets.xyxy[:, :2] + dets.xyxy[:, 2:]) / 2, dets.xyxy[:, 2:] - dets.xyxy[:, :2]
    wanted = {
        s: [(r * c - (r - 1) / 2 + k) * s for c, k in ((0.125, 4), (0.75, 3))]
        for s, r in ((8, 1.2), (16, 1.1), (32, 1.05))
    }
    np.testing.assert_allclose(middles, [wanted[8], wanted[16], wanted[32]], atol=1e-3)
    priors = np.array([(19, 36), (76, 55), (192, 243)])
    np.testing.assert_allclose(sizes, priors * np.exp([0.5, -0.25]), rtol=1e-5)


def test_centres_and_sizes_that_nothing_tells_apart_are_asked_about():
    made = one_object(16, 512, True, (-1.0, 2.0), True)
    outputs = {f"x{letter}": array for letter, array in zip("abcd", made.values(), strict=True)}
    error = asked(outputs, 512, family="yolov4_split", anchors={16: [(9, 9)] * 3})
    assert "roles={output: role}" in error.hint
    roles = dict(zip(outputs, made, strict=True))
    found, sizes = read(outputs, 512, family="yolov4_split", anchors={16: [(9, 9)] * 3}, roles=roles)
    assert (found, sizes.classes, sizes.anchors) == ("yolov4_split", 80, 3)


def test_one_level_of_tiny_yolov2_is_five_anchors():
    outputs = {"net/conv9": realistic.numbers("cls", (13, 13, 125))}
    assert read(outputs, 416, family="tiny_yolov2")[1].classes == 20
    one_class = {"net/conv9": realistic.numbers("cls", (13, 13, 25))}
    assert read(one_class, 416, family="tiny_yolov2")[1].bare


def test_without_a_name_damo_and_nas_are_asked_about_and_80_names_settle_it():
    outputs = zoo_names(realistic.head({"box": 68, "cls": 81}, grids=(80, 40, 20)))
    assert {"damoyolo", "yolo_nas"} <= families_in(asked(outputs, 640))
    assert read(outputs, 640, names=[f"c{k}" for k in range(80)])[0] == "damoyolo"
