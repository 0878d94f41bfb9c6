"""Outputs that are decoded already: rows of a box and its scores, told apart by size, unit and class names."""

import contextlib

import numpy as np
import pytest
from families import realistic
from families.asking import asked, families_in, read

from hailo_decode import decode
from hailo_decode.errors import HailoDecodeError


@pytest.mark.parametrize("first", [True, False], ids=["channels first", "rows first"])
@pytest.mark.parametrize(
    ("count", "classes", "objectness", "pixels", "family"),
    [
        (8400, 80, False, 640.0, "rows_xywh"),
        (8400, 80, True, 640.0, "rows_xywh_obj"),
        (25_200, 80, True, 640.0, "rows_xywh_obj"),
        (8400, 3, False, 640.0, "rows_xywh"),
        (8400, 80, False, 1.0, "rows_yxyx"),
        (25_200, 80, True, 1.0, "rows_yxyx_obj"),
    ],
)
def test_decoded_rows_are_read_by_the_names_of_their_classes(
    count, classes, objectness, pixels, family, first
):
    array = realistic.rows(count, classes, pixels, objectness, first)
    names = [f"c{k}" for k in range(classes)]
    found, sizes = read([array], 640, names=names)
    assert (found, sizes.classes) == (family, classes)
    dets = decode([array], 640, names=names, conf=0.5)
    assert len(dets) == 1
    box = realistic.rows(count, classes, pixels, objectness)[0, 7, :4].astype(np.float64)
    x, y, w, h = box
    wanted = (
        [x - w / 2, y - h / 2, x + w / 2, y + h / 2] if pixels > 1 else [640 * y, 640 * x, 640 * h, 640 * w]
    )
    np.testing.assert_allclose(dets.xyxy[0], wanted, rtol=1e-5, atol=1e-3)
    assert dets.confidence[0] == pytest.approx(0.81 if objectness else 0.9, rel=1e-6)


@pytest.mark.parametrize(("columns", "obj", "plain"), [(84, 79, 80), (85, 80, 81)])
def test_decoded_rows_without_names_are_asked_about(columns, obj, plain):
    error = asked([realistic.rows(8400, columns - 4)], 640)
    assert families_in(error) == {"rows_xywh", "rows_xywh_obj"}
    assert any(f"with {obj} classes" in reading for reading in error.readings)
    assert any(f"with {plain} classes" in reading for reading in error.readings)


def test_as_many_rows_as_numbers_are_not_taken_one_way_without_a_word():
    # An input of 64 has 64 + 16 + 4 = 84 anchors, and 84 = 4 + 80 numbers each.
    array = realistic.rows(84, 80, 64.0)
    with pytest.raises(HailoDecodeError) as caught:
        decode([array], 64, family="rows_xywh")
    assert "84" in str(caught.value)
    told = decode(
        [array],
        64,
        family="rows_xywh",
        formats={"output0": {"order": "NHWC", "shape": (1, 84, 84)}},
        conf=0.5,
    )
    assert len(told) >= 1


def test_fewer_rows_than_numbers_are_read_by_the_names_of_their_classes():
    # An input of 32 has 16 + 4 + 1 = 21 anchors of 84 numbers.
    for first in (False, True):
        array = realistic.rows(21, 80, 32.0, channels_first=first)
        found, sizes = read([array], 32, family="rows_xywh", names=[f"c{k}" for k in range(80)])
        assert (found, sizes.classes) == ("rows_xywh", 80)


@pytest.mark.parametrize("width", [6, 7, 38, 57])
def test_end_to_end_rows_are_never_taken_for_rows_of_another_kind(width):
    # x1, y1, x2, y2, score, class, and an angle, 32 coefficients or 51 keypoint numbers: best first.
    rng = np.random.default_rng(5)
    array = np.zeros((1, 300, width), np.float32)
    array[0, :, :2] = rng.uniform(0, 300, (300, 2))
    array[0, :, 2:4] = array[0, :, :2] + rng.uniform(10, 300, (300, 2))
    array[0, :, 4] = np.sort(rng.uniform(0, 0.95, 300))[::-1]
    array[0, :, 5] = rng.integers(0, 2, 300)
    array[0, :, 6:] = rng.normal(size=(300, width - 6))
    kept = array[0][array[0, :, 4] >= 0.5]
    for names in (None, [f"c{k}" for k in range(width - 4)], [f"c{k}" for k in range(width - 5)]):
        with contextlib.suppress(HailoDecodeError):
            dets = decode([array], 640, conf=0.5, names=names)
            np.testing.assert_allclose(dets.confidence, kept[:, 4])
            if width != 7:  # an angle turns a box of centre and size
                np.testing.assert_allclose(dets.xyxy, kept[:, :4], rtol=1e-6)
            assert dets.class_id.tolist() == kept[:, 5].astype(int).tolist()
