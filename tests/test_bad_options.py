"""Options that cannot be meant: each gets an error of ours that names it, and the nearest that could."""

import heads
import pytest
from refusals import refused

from hailo_decode import decode_yolov8
from hailo_decode.errors import HailoDecodeError, OptionError, QuantError, UnknownName


@pytest.fixture
def frame():
    outputs, quant = heads.dfl_frame()
    return outputs, {"quant": quant}


@pytest.fixture
def floats():
    return heads.float_frame()


@pytest.mark.parametrize("count", [1, 2, 4, 80])
def test_class_names_that_do_not_match_are_told_with_both_counts(frame, count):
    outputs, told = frame
    error = refused(OptionError, outputs, names=[f"c{k}" for k in range(count)], **told)
    assert error.message == f"{count} class names do not go with 3 classes"
    assert "3 names" in error.wanted


@pytest.mark.parametrize("names", ["coco.names", 80, {"a": 1}, {0: "a", 2: "c"}, [1.5, 2]], ids=str)
def test_names_that_are_no_list_of_names_are_told(frame, names):
    outputs, told = frame
    assert "names" in str(refused(OptionError, outputs, names=names, **told))


@pytest.mark.parametrize(
    "option",
    [
        {"conf": -0.1}, {"conf": 1.01}, {"conf": float("nan")}, {"conf": "0.5"}, {"conf": None}, {"conf": True},
        {"conf": 1j},
        {"iou": -1}, {"iou": float("inf")}, {"iou": [0.5]},
        {"max_det": 0}, {"max_det": -5}, {"max_det": 2.5}, {"max_det": None}, {"max_det": True},
        {"max_nms": 0}, {"max_nms": "10"}, {"max_per_class": 0}, {"max_per_class": 1.0},
        {"agnostic": "yes"}, {"multi_label": "no"}, {"suppress": "no"}, {"logits": "no"},
        {"family": 5}, {"quant": 5}, {"formats": 5}, {"roles": 5}, {"letterbox": "x"},
    ],
    ids=str,
)  # fmt: skip
def test_absurd_options_are_told_by_name(floats, option):
    error = refused(HailoDecodeError, floats, 32, **option)
    (name,) = option
    assert name in str(error) or isinstance(error, QuantError)


@pytest.mark.parametrize("name", ["max_det", "max_nms", "max_per_class"])
def test_limits_beyond_all_numbers_are_no_limits(floats, name):
    assert len(decode_yolov8(floats, 32, **{name: 10**30})) == 1


def test_a_percentage_is_told_with_the_fraction(floats):
    assert refused(OptionError, floats, 32, conf=25).hint == "25 per cent is 0.25"


def test_an_unknown_option_is_told_with_the_nearest(floats):
    error = refused(UnknownName, floats, 32, max_dets=5)
    assert "max_dets" in error.message
    assert "max_det" in error.hint


@pytest.mark.parametrize(
    "size", [0, -32, 32.0, "32", None, True, (32,), (32, 0), (32, 32, 3, 1), [[32]], {}], ids=str
)
def test_sizes_that_are_none_are_told(floats, size):
    assert repr(size) in refused(OptionError, floats, size).message


def test_an_unknown_family_is_told_with_the_nearest(floats):
    error = refused(UnknownName, floats, 32, family="yolo8")
    assert "yolov8" in error.hint
