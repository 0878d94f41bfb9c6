"""Bad input to heads of every kind: each gets an error of ours with the caller's own numbers; nothing is dropped."""

import numpy as np
import pytest
from families import head_strategies, realistic
from families.asking import refused
from families.naive_table import HEADS
from families.realistic import cells
from hypothesis import given, settings
from hypothesis import strategies as st

from hailo_decode import Decoder, NetworkInfo, decode
from hailo_decode.errors import (
    AmbiguousError,
    HailoDecodeError,
    OptionError,
    PairingError,
    QuantError,
    UnknownName,
    ValuesError,
)
from hailo_decode.values.network import OutputInfo


def seg(proto=32, mask=32):
    return realistic.head({"box": 64, "cls": 80, "mask": mask}, proto=proto)


def test_sizes_of_yolox_that_overflow_the_exponential_are_told_with_the_output_and_its_values():
    outputs = realistic.head({"box": 4, "cls": 3, "obj": 1}, grids=(4,))
    outputs["net/p4"][1, 2, 3] = 123
    outputs["net/q4"][1, 2], outputs["net/r4"][1, 2] = 5, 5
    error = refused(ValuesError, outputs, size=32, family="yolox")
    assert "net/p4" in str(error)
    assert "123" in str(error)


@pytest.mark.parametrize("family", ["yolov8_seg", "yolo26_seg", "yolov5_seg"])
def test_missing_prototypes_are_told(family):
    outputs = {
        "yolov8_seg": realistic.head({"box": 64, "cls": 80, "mask": 32}),
        "yolo26_seg": realistic.head({"box": 4, "cls": 80, "mask": 32}),
        "yolov5_seg": cells(351),
    }[family]
    error = refused(PairingError, outputs, family=family)
    assert "proto is missing" in str(error)


def test_prototypes_of_another_number_are_told_with_both_numbers():
    error = refused(PairingError, seg(proto=16), family="yolov8_seg")
    assert "16 prototypes" in str(error)
    assert "8x8x32" in error.got


@pytest.mark.parametrize("grid", [(7, 5), (16, 8), (15, 16), (63, 63)], ids=str)
@pytest.mark.parametrize("family", ["yolov8_seg", "yolov5_seg"])
def test_prototypes_whose_grid_no_stride_gives_are_told_with_both_sizes(grid, family):
    outputs = (
        seg() if family == "yolov8_seg" else cells(351) | {"net/z": realistic.numbers("proto", (16, 16, 32))}
    )
    outputs["net/z"] = realistic.numbers("proto", (*grid, 32))
    error = refused(HailoDecodeError, outputs, family=family)
    assert f"{grid[0]}x{grid[1]}" in str(error)
    assert "64x64" in str(error)
    assert "net/z" in str(error)


@pytest.mark.parametrize("family", ["yolov8_seg", "yolov5_seg"])
def test_two_sets_of_prototypes_are_told_with_their_names(family):
    outputs = (
        seg() if family == "yolov8_seg" else cells(351) | {"net/z": realistic.numbers("proto", (16, 16, 32))}
    )
    outputs["net/y"] = realistic.numbers("proto", (16, 16, 32), seed=1)
    error = refused(PairingError, outputs, family=family)
    assert "net/y 16x16x32" in error.got
    assert "net/z 16x16x32" in error.got


def test_a_level_without_coefficients_is_told_by_its_stride():
    outputs = seg()
    del outputs["net/r4"]
    error = refused(PairingError, outputs, family="yolov8_seg")
    assert "stride 16" in str(error)
    assert "net/q4 4x4x80" in error.got


@pytest.mark.parametrize("channels", [12, 6, 18, 24, 48])
def test_keypoint_channels_that_divide_two_ways_are_asked_about(channels):
    outputs = realistic.head({"box": 64, "cls": 1, "kpt": channels})
    error = refused(AmbiguousError, outputs, family="yolov8_pose")
    assert error.message == f"{channels} keypoint channels divide two ways"
    assert f"keypoints=({channels // 3}, 3) or keypoints=({channels // 2}, 2)" in error.hint


@pytest.mark.parametrize("told", [(5, 2), (4, 2), (3, 4), (17, 3), (12, 1), (1, 12), (2, 6)], ids=str)
def test_keypoints_that_do_not_make_up_the_channels_are_told_with_both_numbers(told):
    outputs = realistic.head({"box": 64, "cls": 1, "kpt": 12})
    error = refused(OptionError, outputs, family="yolov8_pose", keypoints=told)
    assert "12 channels" in error.message


@pytest.mark.parametrize(
    "told", [12, (4,), (4, 3, 1), "43", (4.0, 3.0), (-4, -3), (12, True), {4, 3}, [[4, 3]]], ids=str
)
def test_keypoints_that_are_no_two_counts_are_told(told):
    outputs = realistic.head({"box": 64, "cls": 1, "kpt": 12})
    assert "keypoints" in refused(OptionError, outputs, family="yolov8_pose", keypoints=told).message


@pytest.mark.parametrize("channels", [1, 2, 5, 7, 11, 13])
def test_channels_that_are_no_keypoints_are_told(channels):
    outputs = realistic.head({"box": 64, "cls": 3, "kpt": channels})
    error = refused(PairingError, outputs, family="yolov8_pose")
    assert f"8x8x{channels}" in error.got
    assert "kpt of points x 2 or 3" in error.wanted


def test_two_angle_channels_are_told():
    error = refused(PairingError, realistic.head({"box": 64, "cls": 15, "angle": 2}), family="yolov8_obb")
    assert "angle of 1 channel" in error.wanted
    assert "8x8x2" in error.got


@pytest.mark.parametrize("task", ["segmentation", "keypoints", "", "Segment"])
@pytest.mark.parametrize("family", [None, "yolov8"])
def test_a_task_that_is_none_is_told_with_the_known_ones(task, family):
    told = {} if family is None else {"family": family}
    error = refused(UnknownName, seg(), task=task, **told)
    assert repr(task) in error.message
    assert "segment" in error.wanted
    assert "pose" in error.wanted


def test_a_head_that_was_not_named_is_not_spoken_of():
    error = refused(PairingError, realistic.head({"box": 6, "cls": 3}), family="yolov8")
    assert "ssd" not in str(error)
    assert "8x8x6" in error.got


def test_tensors_of_one_level_may_differ_in_what_the_chip_has_applied():
    outputs = realistic.head({"box": 4, "cls": 3, "obj": 1}, grids=(4,))
    outputs["net/r4"] = np.clip(outputs["net/r4"], 0, 1)
    outputs["net/q4"][1, 2, 0], outputs["net/r4"][1, 2, 0] = 2, 0.5
    said = [("p", "box", "linear"), ("q", "cls", "linear"), ("r", "obj", "sigmoid")]
    infos = tuple(OutputInfo(f"net/{k}4", role=role, activation=what) for k, role, what in said)
    network = NetworkInfo("net", "json", input_size=(32, 32), outputs=infos)
    dets = Decoder.from_network(network, family="yolox")(outputs)
    np.testing.assert_allclose(dets.confidence, [0.5 / (1 + np.exp(-2))], rtol=1e-6)


@pytest.mark.parametrize("count", [1, 79, 81, 255])
@pytest.mark.parametrize("family", ["yolov5", "yolov3"])
def test_class_names_of_another_number_are_told_with_both_counts(count, family):
    error = refused(OptionError, cells(), family=family, names=[f"c{k}" for k in range(count)])
    assert f"{count} class name" in error.message
    assert "80 classes" in error.message


@pytest.mark.parametrize("count", [2, 84, 254])
def test_scales_of_another_number_of_channels_are_told_for_anchor_heads(count):
    stored = {name: np.zeros(array.shape, np.uint8) for name, array in cells().items()}
    quant = dict.fromkeys(stored, (0.1, 100.0)) | {
        "net/p4": ([0.1 + k / 1000 for k in range(count)], [100.0] * count)
    }
    error = refused(QuantError, stored, family="yolov5", quant=quant)
    assert "'net/p4' has 255 channels" in error.message
    assert str(count) in str(error)


@pytest.mark.parametrize("family", sorted(HEADS))
@settings(max_examples=20)
@given(data=st.data())
def test_whatever_is_broken_in_a_frame_of_any_head_the_error_is_ours(family, data):
    frame = data.draw(head_strategies.frames((family,)))
    outputs, told = dict(frame.outputs), dict(frame.told)
    name = data.draw(st.sampled_from(sorted(outputs)))
    array = outputs[name]
    way = data.draw(
        st.sampled_from(
            ["lost", "doubled", "channels", "flat", "cut", "nan", "wide", "zeros", "quant", "size", "roles"]
        )
    )
    size = frame.input_size
    if way == "lost":
        del outputs[name]
    elif way == "doubled":
        outputs[f"{name}_again"] = array
    elif way == "channels":
        outputs[name] = np.concatenate([array, array[..., :1]], axis=-1)
    elif way == "flat":
        outputs[name] = array.reshape(-1)
    elif way == "cut":
        outputs[name] = array.reshape(-1)[:-3]
    elif way == "nan" and array.dtype == np.float32:
        outputs[name] = np.where(
            np.arange(array.size).reshape(array.shape) % 3 == 0, np.float32(np.nan), array
        )
    elif way == "wide":
        outputs[name] = array.astype(np.float64)
    elif way == "zeros":
        outputs[name] = np.zeros_like(array)
    elif way == "quant":
        told["quant"] = told["quant"] | {name: (1e30, 0.0)}
    elif way == "size":
        size = (size[0] + 1, size[1])
    elif way == "roles":
        told["roles"] = {}
    try:
        dets = decode(outputs, size, **told)
    except HailoDecodeError as error:
        assert str(error)  # noqa: PT017
    else:
        assert np.isfinite(dets.xyxy).all()
        assert np.isfinite(dets.confidence).all()
        assert all(len(c) == len(dets) for c in (dets.keypoints, dets.corners, dets.mask) if c is not None)
