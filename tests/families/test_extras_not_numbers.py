"""Masks, keypoints and angles whose numbers are none: told with the output where a box depends on them, never passed on."""

import numpy as np
import pytest
from families import realistic
from families.asking import refused

from hailo_decode import Letterbox, decode
from hailo_decode.errors import ValuesError

HEADS = {
    "yolov8_seg": {"box": 64, "cls": 3, "mask": 8},
    "yolo26_seg": {"box": 4, "cls": 3, "mask": 8},
    "yolov8_pose": {"box": 64, "cls": 1, "kpt": 51},
    "yolo26_pose": {"box": 4, "cls": 1, "kpt": 51},
    "yolov8_obb": {"box": 64, "cls": 3, "angle": 1},
    "yolo26_obb": {"box": 4, "cls": 3, "angle": 1},
}
BAD = pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])


def frame(family):
    """Return outputs with one object, at row 1, column 2 of the middle level; the third tensor is the extra one."""
    outputs = realistic.head(HEADS[family], proto=8 if family.endswith("seg") else None)
    outputs["net/p4"][1, 2] = 1
    outputs["net/q4"][1, 2, 0] = 4
    return outputs


@BAD
@pytest.mark.parametrize("family", sorted(HEADS))
def test_an_extra_value_of_a_found_box_that_is_no_number_is_told_with_its_place(family, bad):
    outputs = frame(family)
    assert len(decode(outputs, 64, family=family)) == 1
    last = outputs["net/r4"].shape[2] - 1
    outputs["net/r4"][1, 2, last] = bad
    error = refused(ValuesError, outputs, family=family)
    assert "'net/r4' holds 1 values" in error.message
    assert f"row 1, column 2, channel {last}" in error.got


@BAD
@pytest.mark.parametrize("family", ["yolov8_seg", "yolo26_seg"])
def test_a_prototype_that_is_no_number_under_a_found_box_is_told_with_its_place(family, bad):
    outputs = frame(family)
    outputs["net/z"][6, 10, 3] = bad  # under the middle of the box
    for letterbox in (None, Letterbox.stretch((100, 80), (64, 64))):
        error = refused(ValuesError, outputs, family=family, letterbox=letterbox)
        assert "'net/z' holds 1 values" in error.message
        assert "row 6, column 10, channel 3" in error.got


@pytest.mark.parametrize("family", sorted(HEADS))
def test_a_frame_without_boxes_asks_nothing_of_extras(family):
    outputs = frame(family)
    outputs["net/r4"][:] = np.nan
    assert len(decode(outputs, 64, family=family, conf=0.999)) == 0


@pytest.mark.parametrize("family", ["yolov8_pose", "yolo26_pose"])
def test_keypoints_beyond_float32_are_told(family):
    outputs = frame(family)
    outputs["net/r4"][1, 2, 3] = 3e38
    assert "net/r4" in str(refused(ValuesError, outputs, family=family))


def test_keypoints_go_into_the_photo_unclipped_and_keep_their_visibility():
    outputs = frame("yolov8_pose")
    outputs["net/r4"][1, 2, :6] = [-5, 1, 20, 0.5, 0.25, -20]
    letterbox = Letterbox.fit((100, 200), (64, 64))
    plain = decode(outputs, 64, family="yolov8_pose").keypoints[0]
    placed = decode(outputs, 64, family="yolov8_pose", letterbox=letterbox).keypoints[0]
    np.testing.assert_allclose(placed[:, :2], (plain[:, :2] - letterbox.pad) / letterbox.scale, atol=1e-3)
    assert placed[0, 0] < 0
    assert placed[:, 2].tolist() == plain[:, 2].tolist()
    np.testing.assert_allclose(
        plain[:2], [[(-10 + 2) * 16, (2 + 1) * 16, 1], [(1 + 2) * 16, (0.5 + 1) * 16, 0]], atol=1e-4
    )
