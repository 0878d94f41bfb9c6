"""Bad input to heads with anchors: sizes, numbers and keys that cannot be, each told with the caller's own numbers."""

import numpy as np
import pytest
from families import realistic
from families.asking import refused
from families.realistic import cells

from hailo_decode import decode
from hailo_decode.errors import HailoDecodeError, OptionError, PairingError, ValuesError

ANCHORS = {
    8: [(10, 13), (16, 30), (33, 23)],
    16: [(30, 61), (62, 45), (59, 119)],
    32: [(116, 90), (156, 198), (373, 326)],
}


def firing(outputs, score=6.0):
    """Return the same outputs with one object of a v5 or v3 head, at row 1, column 2 of the middle level."""
    outputs["net/p4"][1, 2, 4:6] = score
    return outputs


@pytest.mark.parametrize("family", ["yolov5", "yolov7", "yolov3", "yolov4"])
def test_channels_that_three_anchors_cannot_have_are_told_with_the_rule(family):
    error = refused(PairingError, cells(254), family=family)
    assert "net/p8 8x8x254" in error.got
    assert "254" in error.hint
    assert "anchors" in error.hint
    assert "5 + classes" in str(error)


@pytest.mark.parametrize("family", ["yolov5", "yolov7", "yolov3", "yolov4"])
def test_a_wrong_number_of_anchors_is_told_with_both_numbers(family):
    two = {stride: sizes[:2] for stride, sizes in ANCHORS.items()}
    error = refused(HailoDecodeError, cells(255), family=family, anchors=two)
    assert "255" in str(error)
    assert "2 anchors" in str(error)
    assert "anchors=" in str(error)


def test_an_ssd_with_another_number_of_anchors_is_told_with_both_numbers():
    outputs = {
        "net/box": realistic.numbers("box", (4, 4, 8)),
        "net/cls": realistic.numbers("cls", (4, 4, 42)),
    }
    three = {"net/box": [(8, 9), (10, 11), (12, 13)]}
    error = refused(HailoDecodeError, outputs, family="ssd", anchors=three)
    assert "3 anchors" in str(error)
    assert "8 channels" in str(error) or "8 of net/box" in str(error) or "4x4x8" in str(error)
    assert "does not divide" not in str(error)
    missing = refused(HailoDecodeError, outputs, family="ssd")
    assert "anchors=" in str(missing)
    assert "does not divide" not in str(missing)


def test_anchors_that_are_missing_for_a_level_are_told_with_its_stride():
    error = refused(OptionError, cells(), family="yolov5", anchors={8: ANCHORS[8], 32: ANCHORS[32]})
    assert "'net/p4' (stride 16) has 3 anchors in each cell" in error.message
    assert "anchors={16:" in error.hint


@pytest.mark.parametrize(
    "value",
    [
        [10, 13, 16], [(10, 13), (16, 30, 1), (33, 23)], "10,13,16,30,33,23", None, 7, [("a", "b")] * 3, [[]], [],
        [(10, 13), (16, -30), (33, 23)], [(10, 13), (0, 30), (33, 23)], [(10, 13), (float("nan"), 30), (33, 23)],
        [(10, 13), (float("inf"), 30), (33, 23)],
    ],
    ids=str,
)  # fmt: skip
def test_anchors_that_are_no_sizes_are_told_by_their_key(value):
    error = refused(OptionError, firing(cells()), family="yolov5", anchors=ANCHORS | {16: value})
    assert "anchors of 16" in error.message


@pytest.mark.parametrize(
    "value", [[[10, 13] * 3] * 3, "yolov5", 3, np.ones((3, 3, 2))], ids=["list", "word", "3", "array"]
)
def test_anchors_that_are_no_mapping_are_told(value):
    assert "anchors" in refused(OptionError, cells(), family="yolov5", anchors=value).message


@pytest.mark.parametrize("key", [64, "net/other", "p99"])
def test_anchors_for_what_is_not_there_are_told(key):
    error = refused(OptionError, firing(cells()), family="yolov5", anchors=ANCHORS | {key: ANCHORS[8]})
    assert str(key) in str(error)
    assert "8, 16, 32" in error.wanted


def test_anchors_that_are_fractions_of_the_input_are_told():
    fractions = {stride: [(w / 640, h / 640) for w, h in sizes] for stride, sizes in ANCHORS.items()}
    error = refused(OptionError, firing(cells()), family="yolov5", anchors=fractions)
    assert "pixel" in str(error)
    assert "fractions" in error.hint


def test_anchors_in_pairs_or_in_one_row_mean_the_same():
    flat = {stride: [n for size in sizes for n in size] for stride, sizes in ANCHORS.items()}
    by_name = {f"net/p{64 // stride}": np.array(sizes) for stride, sizes in ANCHORS.items()}
    wanted = decode(firing(cells()), 64, family="yolov5", anchors=ANCHORS).xyxy.tolist()
    assert len(wanted) == 1
    for told in (
        flat,
        by_name,
        {str(s): v for s, v in ANCHORS.items()},
        {float(s): v for s, v in ANCHORS.items()},
    ):
        assert decode(firing(cells()), 64, family="yolov5", anchors=told).xyxy.tolist() == wanted


def test_published_anchors_serve_published_strides_alone():
    outputs = {"net/p8": cells()["net/p8"]}
    error = refused(OptionError, outputs, family="yolov5")
    assert "anchors={8:" in error.hint
    assert "'net/p8'" in error.message


@pytest.mark.parametrize("family", ["yolov3", "yolov4"])
def test_values_that_all_lie_in_0_to_1_are_no_raw_sizes_and_that_is_said(family):
    squashed = {name: 1 / (1 + np.exp(-array)) for name, array in cells().items()}
    error = refused(HailoDecodeError, squashed, family=family)
    assert "0..1" in str(error)
    assert "are not anchors" not in str(error)


@pytest.mark.parametrize("family", ["yolov3", "yolov4", "yolov2", "yolov5"])
def test_a_first_frame_of_zeros_is_no_error_and_settles_nothing(family):
    zeros = {name: np.zeros_like(array) for name, array in cells().items()}
    dets = decode(zeros, 64, family=family, conf=0.9, anchors=ANCHORS)
    assert len(dets) == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("channel", [0, 4, 5])
@pytest.mark.parametrize("family", ["yolov5", "yolov7", "yolov3", "yolov2"])
def test_a_value_that_is_no_number_is_told_with_its_place(bad, channel, family):
    outputs = firing(cells())
    outputs["net/p4"][1, 2, channel] = bad
    error = refused(ValuesError, outputs, family=family, anchors=ANCHORS)
    assert "'net/p4' holds 1 values" in error.message
    assert f"row 1, column 2, channel {channel}" in error.got


@pytest.mark.parametrize("family", ["yolov3", "yolov4"])
def test_sizes_that_overflow_the_exponential_are_told_with_the_output_and_its_values(family):
    outputs = firing(cells())
    outputs["net/p4"][1, 2, 2] = 200
    error = refused(ValuesError, outputs, family=family)
    assert "net/p4" in str(error)
    assert "200" in str(error)
