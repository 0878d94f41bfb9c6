"""A head without a name: recognised where one reading fits, else all readings are named and what settles them."""

import numpy as np
import pytest
from families import realistic
from families.asking import asked, families_in, plan_of, read

from hailo_decode import decode
from hailo_decode.errors import AmbiguousError, HailoDecodeError, PairingError

ANCHORS = {
    8: [(10, 13), (16, 30), (33, 23)],
    16: [(30, 61), (62, 45), (59, 119)],
    32: [(116, 90), (156, 198), (373, 326)],
}


@pytest.mark.parametrize(
    ("channels", "proto", "family", "classes"),
    [
        ({"box": 64, "cls": 80}, None, "yolov8", 80),
        ({"cls": 80, "box": 64}, None, "yolov8", 80),
        ({"box": 64, "cls": 2}, None, "yolov8", 2),
        ({"box": 64, "cls": 1011}, None, "yolov8", 1011),
        ({"box": 4, "cls": 80}, None, "yolo26", 80),
        ({"box": 4, "cls": 1}, None, "yolo26", 1),
        ({"box": 32, "cls": 80}, None, "picodet", 80),
        ({"box": 44, "cls": 80}, None, "picodet", 80),
        ({"box": 4, "cls": 80, "obj": 1}, None, "yolox", 80),
        ({"box": 64, "cls": 80, "mask": 32}, 32, "yolov8_seg", 80),
        ({"box": 4, "cls": 80, "mask": 32}, 32, "yolo26_seg", 80),
        ({"cells": 351}, 32, "yolov5_seg", 80),
        ({"cells": 255}, 32, "yolov5_seg", 48),
        ({"cells": 117}, 32, "yolov5_seg", 2),
        ({"box": 64, "cls": 1, "kpt": 51}, None, "yolov8_pose", 1),
        ({"box": 4, "cls": 1, "kpt": 51}, None, "yolo26_pose", 1),
        ({"box": 64, "cls": 80, "kpt": 51}, None, "yolov8_pose", 80),
        ({"box": 64, "cls": 15, "angle": 1}, None, "yolov8_obb", 15),
        ({"box": 4, "cls": 15, "angle": 1}, None, "yolo26_obb", 15),
    ],
    ids=lambda v: "-".join(f"{k}{n}" for k, n in v.items()) if isinstance(v, dict) else str(v),
)
def test_one_reading_alone_is_taken(channels, proto, family, classes):
    found, sizes = read(realistic.head(channels, proto=proto))
    assert (found, sizes.classes) == (family, classes)


def test_a_missing_choice_is_said_in_meta_with_the_readings_that_channels_would_allow():
    outputs = realistic.head({"box": 64, "cls": 80})
    meta = decode(outputs, 64).meta
    assert "yolov8 with 80 classes, 16 bins" in meta["roles"]
    assert "80 classes, 16 bins" in meta["head"]


@pytest.mark.parametrize("channels", [255, 18, 21])
def test_three_anchors_alone_may_be_any_anchor_head_and_all_are_named(channels):
    outputs = realistic.head({"cells": channels})
    error = asked(outputs)
    assert {"yolov3", "yolov4", "yolov5", "yolov7"} <= families_in(error)
    classes = channels // 3 - 5
    assert sum(f"with {classes} class" in reading for reading in error.readings) >= 4
    for word in ('"yolov5"', '"yolov7"', '"yolov3"', '"yolov4"', "family=", "anchors="):
        assert word in error.hint
    for family in ("yolov3", "yolov4", "yolov5", "yolov7"):
        assert read(outputs, family=family) == (family, read(outputs, family=family)[1])
        assert read(outputs, family=family)[1].classes == classes


def test_told_anchors_leave_heads_that_have_anchors():
    left = families_in(asked(realistic.head({"cells": 255}), anchors=ANCHORS))
    assert {"yolov3", "yolov4", "yolov5", "yolov7"} <= left
    assert not left & {"nanodet_joined", "picodet_joined"}


def test_every_reading_is_named_however_many_there_are():
    error = asked(realistic.head({"cells": 255}))
    assert len(error.readings) == len(set(error.readings))
    assert f"in {len(error.readings)} ways" in error.message
    assert all(f'"{name}"' in error.hint for name in families_in(error))


@pytest.mark.parametrize(
    ("channels", "readings"),
    [
        ({"box": 68, "cls": 81}, {"damoyolo": 80, "picodet": 81, "yolo_nas": 81}),
        ({"joint": 112}, {"picodet_joined": 80, "nanodet_joined": 68}),
        ({"joint": 124}, {"picodet_joined": 92, "nanodet_joined": 80}),
    ],
    ids=str,
)
def test_class_counts_that_differ_between_readings_are_settled_by_the_names(channels, readings):
    outputs = realistic.head(channels)
    error = asked(outputs)
    assert families_in(error) >= set(readings)
    for family, classes in readings.items():
        assert any(r.startswith(f"{family} with {classes} classes") for r in error.readings)
        if list(readings.values()).count(classes) == 1:
            assert read(outputs, names=[f"c{k}" for k in range(classes)])[0] == family


@pytest.mark.parametrize("order", [["box", "cls", "angle"], ["angle", "cls", "box"]])
def test_one_class_and_an_angle_of_the_same_shape_are_told_apart_by_their_values(order):
    outputs = realistic.head({role: {"box": 64, "cls": 1, "angle": 1}[role] for role in order})
    plan = plan_of(outputs, family="yolov8")
    assert plan.family.name == "yolov8_obb"
    for level in plan.reading.levels:
        assert level.outputs["cls"].name[4] == "pqr"[order.index("cls")]


def test_one_class_and_an_angle_that_nothing_tells_apart_are_asked_about_once():
    outputs = {
        n: np.zeros_like(a) if a.shape[2] == 1 else a
        for n, a in realistic.head({"box": 64, "cls": 1, "angle": 1}).items()
    }
    error = asked(outputs, family="yolov8_obb")
    assert "roles=" in error.hint
    assert len(set(error.readings)) == len(error.readings) == 2


EQUAL = [
    ("yolov8_pose", {"box": 64, "cls": 51, "kpt": 51}, None),
    ("yolov8_pose", {"box": 64, "cls": 64, "kpt": 51}, None),
    ("yolov8_seg", {"box": 64, "cls": 32, "mask": 32}, 32),
    ("yolov8_seg", {"box": 64, "cls": 64, "mask": 32}, 32),
    ("yolov8_obb", {"box": 64, "cls": 64, "angle": 1}, None),
    ("yolo26_pose", {"box": 4, "cls": 4, "kpt": 51}, None),
    ("yolo26_seg", {"box": 4, "cls": 4, "mask": 32}, 32),
    ("yolox", {"box": 4, "cls": 4, "obj": 1}, None),
    ("yolox", {"box": 4, "cls": 1, "obj": 1}, None),
]
each_equal = pytest.mark.parametrize(
    ("family", "channels", "proto"), EQUAL, ids=[f"{f}-{'-'.join(map(str, c.values()))}" for f, c, _ in EQUAL]
)
WORDS = {"box": "cv2", "cls": "cv3", "kpt": "cv4", "mask": "cv4", "angle": "cv4"}
YOLOX_WORDS = {"box": "reg_preds", "cls": "cls_preds", "obj": "obj_preds"}


def roles_of(outputs, **told):
    plan = plan_of(outputs, **told)
    return {o.name: role for level in plan.reading.levels for role, o in level.outputs.items()}, plan.meta


def uniform(outputs):
    """Return bytes that tell nothing, and one quantisation for all."""
    return {
        n: np.full(a.shape, 100 + (k % 2), np.uint8) for k, (n, a) in enumerate(sorted(outputs.items()))
    }, (0.1, 150.0)


@each_equal
def test_equal_shapes_are_told_apart_by_the_range_of_the_scores(family, channels, proto):
    outputs = realistic.head(channels, proto=proto)
    squashed = {n[4]: role in ("cls", "obj") for n, role in zip(outputs, list(channels) * 3, strict=False)}
    stored, quant = {}, {}
    for name, array in outputs.items():
        scores = squashed.get(name[4], False)
        quant[name] = (1 / 255, 0.0) if scores else (0.05, 128.0)
        real = 1 / (1 + np.exp(-array)) if scores else array
        stored[name] = np.clip(np.round(real / quant[name][0] + quant[name][1]), 0, 255).astype(np.uint8)
    if list(channels.values()).count(1) == 2:  # one class and its objectness multiply, whichever is which
        return
    roles, meta = roles_of(stored, quant=quant, family=family)
    wanted = {n: role for n, role in zip(outputs, list(channels) * 3, strict=False) if n != "net/z"}
    assert roles == wanted
    assert "roles" in meta


@each_equal
def test_equal_shapes_are_told_apart_by_names(family, channels, proto):
    plain = realistic.head(channels, proto=proto, name="net/{letter}{grid}")
    words = YOLOX_WORDS if family == "yolox" else WORDS
    played = {n: role for n, role in zip(plain, list(channels) * 3, strict=False) if n != "net/z"}
    named = {n: f"{words[role]}.{n[5:]}" for n, role in played.items()}
    stored, quant = uniform({named.get(n, "proto"): a for n, a in plain.items()})
    roles, meta = roles_of(stored, quant=quant, family=family)
    wanted = {named[n]: role for n, role in played.items()}
    assert roles == wanted
    assert "names" in meta["roles"]


@each_equal
def test_equal_shapes_that_nothing_tells_apart_are_asked_about_and_roles_settle_it(family, channels, proto):
    stored, quant = uniform(realistic.head(channels, proto=proto))
    error = asked(stored, quant=quant, family=family)
    assert "roles=" in error.hint
    assert len(set(error.readings)) == len(error.readings) >= 2
    letters = dict(zip("pqr", channels, strict=False))
    wanted = {n: letters.get(n[4], "proto") for n in stored}
    roles, _ = roles_of(stored, quant=quant, family=family, roles=wanted)
    assert roles == {n: role for n, role in wanted.items() if role != "proto"}


def test_an_ssd_asks_for_its_anchors_by_name_of_the_argument():
    outputs = {}
    for side, count in ((19, 3), (10, 6), (5, 6), (3, 6), (2, 6), (1, 6)):
        outputs[f"net/box{side}"] = realistic.numbers("box", (side, side, 4 * count))
        outputs[f"net/cls{side}"] = realistic.numbers("cls", (side, side, 91 * count))
    with pytest.raises(HailoDecodeError) as caught:
        decode(outputs, 300)
    assert "anchors=" in str(caught.value)
    assert "ssd" in str(caught.value)
    anchors = {n: [(20.0, 30.0)] * (a.shape[2] // 4) for n, a in outputs.items() if "box" in n}
    assert families_in(asked(outputs, 300, anchors=anchors)) == {"ssd", "efficientdet"}
    assert read(outputs, 300, anchors=anchors, family="ssd")[1].classes == 90


def test_coefficients_without_prototypes_are_not_taken_for_keypoints():
    outputs = realistic.head({"box": 64, "cls": 80, "mask": 32})
    with pytest.raises((AmbiguousError, PairingError)) as caught:
        decode(outputs, 64)
    assert "proto" in str(caught.value)
