"""Masks: prototypes weighed by a box's coefficients, resized, cut to the box, at the size that is asked for."""

import tracemalloc

import naive
import numpy as np
import pytest
from families import head_strategies
from families.naive_masks import compared, inside, logits_of
from families.naive_result import decode as twin
from hypothesis import given, settings
from hypothesis import strategies as st

from hailo_decode import Decoder, Letterbox, decode
from hailo_decode.errors import HailoDecodeError

SEGMENTING = ("yolov8_seg", "yolo26_seg", "yolov5_seg")
SIZE = (64, 96)


def scene(boxes, proto, coefficients, size=SIZE, stride=8):
    """Return outputs of a plain-distance head with these boxes (whole pixels), each with its coefficients.

    A box belongs to the cell whose middle is nearest to its own; scores fall from box to box.
    """
    grid = size[0] // stride, size[1] // stride
    outputs = {
        "box": np.zeros((*grid, 4), np.float32),
        "cls": np.full((*grid, 1), -9, np.float32),
        "mask": np.zeros((*grid, proto.shape[2]), np.float32),
        "proto": np.asarray(proto, np.float32),
    }
    for k, (left, top, right, bottom) in enumerate(boxes):
        column = int(np.clip((left + right) / 2 / stride, 0, grid[1] - 1))
        row = int(np.clip((top + bottom) / 2 / stride, 0, grid[0] - 1))
        x, y = (column + 0.5) * stride, (row + 0.5) * stride
        outputs["box"][row, column] = np.array([x - left, y - top, right - x, bottom - y]) / stride
        outputs["cls"][row, column] = 4 - k * 0.1
        outputs["mask"][row, column] = coefficients[k] if np.ndim(coefficients) == 2 else coefficients
    return outputs


def everywhere(channels=8, grid=(16, 24)):
    """Return prototypes and coefficients whose sum is above 0 at every pixel."""
    return np.ones((*grid, channels)), np.ones(channels)


@st.composite
def letterboxes(draw, input_size):
    """Draw how a photo may have been placed in the input."""
    image = draw(st.tuples(st.integers(1, 90), st.integers(1, 90)))
    way = draw(st.sampled_from([Letterbox.fit, Letterbox.crop, Letterbox.stretch]))
    if way == Letterbox.stretch:
        return way(image, input_size)
    return way(
        image, input_size, draw(st.sampled_from(["centre", "topleft", "bottomright"])), draw(st.booleans())
    )


@pytest.mark.parametrize("family", SEGMENTING)
@settings(max_examples=30)
@given(data=st.data())
def test_masks_in_a_photo_are_those_of_the_slow_twin_whatever_its_placement(family, data):
    frame = data.draw(head_strategies.frames((family,)))
    letterbox = data.draw(letterboxes(frame.input_size))
    conf = min((score for score in frame.scores if 0.01 < score < 1), default=1.0) * 0.999
    told = frame.told | {"conf": conf, "suppress": False, "max_det": 40}
    found = decode(frame.outputs, frame.input_size, letterbox=letterbox, **told)
    wanted = twin(family, frame.rows, conf=conf, suppress=False, max_det=40)
    assert found.mask.shape == (len(wanted.rows), *letterbox.image_size)
    coefficients = np.array([row.extra for row in wanted.rows]).reshape(
        len(found), frame.levels[0].counts.extra
    )
    proto = naive.dequantise(*frame.proto)
    slack = 1e-5 * (np.abs(proto).max() + 1) * (np.abs(coefficients).sum(axis=1).max(initial=0) + 1)
    logits = logits_of(coefficients, proto, frame.input_size, letterbox)
    assert not compared(found.mask, logits, found.xyxy, slack).any()


@pytest.mark.parametrize("grid", [(64, 96), (32, 48), (16, 24), (8, 12), (2, 3)], ids=str)
def test_prototypes_of_any_stride_that_divides_the_input_cover_all_of_it(grid):
    proto, ones = everywhere(grid=grid)
    boxes = [(8, 16, 40, 48), (50, 3, 96, 64)]
    dets = decode(scene(boxes, proto, ones), SIZE, family="yolo26_seg")
    assert (dets.mask == inside(boxes, SIZE)).all()


def test_a_mask_holds_the_pixels_from_its_box_on_the_left_up_to_but_without_those_on_the_right():
    proto, ones = everywhere()
    boxes = [
        (8.0, 16.0, 9.0, 17.0),
        (20.5, 8.25, 30.5, 12.75),
        (40.0, 40.0, 40.5, 60.0),
        (70.2, 30.0, 70.8, 31.0),
    ]
    dets = decode(scene(boxes, proto, ones), SIZE, family="yolo26_seg")
    assert [mask.sum() for mask in dets.mask] == [1, 10 * 4, 1 * 20, 0]
    assert dets.mask[0, 16, 8]
    assert dets.mask[1, 9, 21]
    assert dets.mask[1, 12, 30]


@pytest.mark.parametrize(
    "box",
    [(-40, -40, -8, -8), (100, 10, 130, 30), (10, 64, 30, 90), (-30, 10, 0, 30), (30, 20, 30, 40)],
    ids=str,
)
def test_a_box_outside_the_picture_or_without_an_area_has_an_empty_mask(box):
    proto, ones = everywhere()
    for letterbox in (None, Letterbox.stretch((128, 96), SIZE), Letterbox.fit((30, 500), SIZE)):
        dets = decode(scene([box], proto, ones), SIZE, family="yolo26_seg", letterbox=letterbox)
        assert len(dets) == 1
        assert not dets.mask.any()


def test_a_box_far_larger_than_the_picture_has_a_mask_of_all_of_it():
    proto, ones = everywhere()
    for reach in (100.0, 1e6, 1e30):
        outputs = scene([(0, 0, 96, 64)], proto, ones)
        outputs["box"][4, 6] = reach
        assert decode(outputs, SIZE, family="yolo26_seg").mask.all()


def test_a_mask_follows_the_sign_of_the_sum_where_prototypes_are_as_fine_as_the_input():
    signs = np.random.default_rng(4).choice([-1.0, 1.0], (*SIZE, 3))
    box = (10, 12, 50, 60)
    dets = decode(scene([box], signs, [[0.5, 2.0, -0.25]]), SIZE, family="yolo26_seg")
    assert (dets.mask[0] == (signs[:, :, 1] > 0) & inside([box], SIZE)[0]).all()


def test_a_sum_of_zero_is_no_mask():
    dets = decode(scene([(10, 12, 50, 60)], np.zeros((16, 24, 4)), [[1, 2, 3, 4]]), SIZE, family="yolo26_seg")
    assert len(dets) == 1
    assert not dets.mask.any()


def test_an_edge_between_two_samples_is_put_where_the_line_between_them_is_zero():
    # Samples of a stride of 32 lie at 16, 48, 80; values 3, -1, -1 meet zero at 16 + 32 * 3 / 4 = 40.
    proto = np.array([3.0, -1.0, -1.0])[None, :, None].repeat(2, axis=0)
    dets = decode(scene([(0, 0, 96, 64)], proto, [[1.0]]), SIZE, family="yolo26_seg")
    assert (dets.mask[0] == (np.arange(96) + 0.5 < 40)).all()
    twice = Letterbox.stretch((128, 192), SIZE)
    larger = decode(scene([(0, 0, 96, 64)], proto, [[1.0]]), SIZE, family="yolo26_seg", letterbox=twice)
    assert (larger.mask[0] == (np.arange(192) + 0.5 < 80)).all()


@pytest.mark.parametrize(
    ("letterbox", "rows"),
    [
        (Letterbox.fit((100, 300), SIZE), slice(0, 100)),
        (Letterbox.fit((100, 300), SIZE, "topleft"), slice(0, 100)),
        (Letterbox.crop((640, 240), SIZE), slice(240, 400)),
        (Letterbox.stretch((10, 10), SIZE), slice(0, 10)),
    ],
    ids=["fit", "topleft", "crop", "stretch"],
)
def test_masks_have_the_photos_size_and_reach_as_far_as_the_input_does(letterbox, rows):
    proto, ones = everywhere()
    dets = decode(
        scene([(-500, -500, 500, 500)], proto, ones), SIZE, family="yolo26_seg", letterbox=letterbox
    )
    assert dets.mask.shape == (1, *letterbox.image_size)
    assert dets.mask[0, rows].all()
    assert "photo" in dets.meta["frame"]


def test_rows_and_masks_stay_in_step():
    proto, ones = everywhere()
    boxes = [(8, 16, 40, 48), (50, 3, 96, 64), (0, 0, 5, 64)]
    dets = decode(scene(boxes, proto, ones), SIZE, family="yolo26_seg")
    wanted = inside(boxes, SIZE)
    assert (dets[1].mask == wanted[1:2]).all()
    assert (dets[[2, 0]].mask == wanted[[2, 0]]).all()


def test_only_survivors_get_a_mask():
    proto, ones = everywhere()
    outputs = scene([(8, 16, 40, 48), (16, 16, 48, 48)], proto, ones)
    assert decode(outputs, SIZE, family="yolo26_seg", iou=0.5).mask.shape == (1, *SIZE)
    assert decode(outputs, SIZE, family="yolo26_seg", iou=1.0).mask.shape == (2, *SIZE)
    assert decode(outputs, SIZE, family="yolo26_seg", max_det=1, iou=1.0).mask.shape == (1, *SIZE)
    assert decode(outputs, SIZE, family="yolo26_seg", conf=1.0).mask.shape == (0, *SIZE)


def test_objectness_scales_the_coefficients_of_v5_and_moves_no_edge():
    rng = np.random.default_rng(2)
    masks = []
    for thing in (0.6, 3.0, 9.0):
        outputs = {"cells": np.full((8, 12, 3 * 16), -9, np.float32), "proto": rng.normal(size=(16, 24, 8))}
        rng = np.random.default_rng(2)
        outputs["proto"] = rng.normal(size=(16, 24, 8)).astype(np.float32)
        cell = outputs["cells"][4, 5, 16:32]
        cell[:8] = [0, 0, 2, 2, thing, -9, -9, 9]
        cell[8:] = rng.normal(size=8)
        anchors = {8: [(20, 20), (30, 40), (50, 50)]}
        masks.append(decode(outputs, SIZE, family="yolov5_seg", anchors=anchors).mask)
    assert masks[0].any()
    assert (masks[0] == masks[1]).all()
    assert (masks[0] == masks[2]).all()


@pytest.mark.parametrize("image", [(1080, 1920), (64, 96)], ids=str)
def test_painting_masks_takes_the_result_and_next_to_nothing_beside_it(image):
    proto, ones = everywhere(channels=32, grid=(160, 160))
    boxes = [(20 * k, 25 * k, 20 * k + 300, 25 * k + 100) for k in range(20)]
    outputs = scene(boxes, proto, ones, size=(640, 640))
    decoder = Decoder.from_outputs(outputs, 640, family="yolo26_seg", iou=1.0)
    letterbox = Letterbox.fit(image, (640, 640))
    decoder(outputs, letterbox=letterbox)
    tracemalloc.start()
    dets = decoder(outputs, letterbox=letterbox)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(dets) == 20
    assert dets.mask.nbytes == 20 * image[0] * image[1]
    assert peak < dets.mask.nbytes + 200_000


def test_masks_of_an_absurd_photo_are_refused_with_its_size():
    proto, ones = everywhere()
    letterbox = Letterbox.fit((10**6, 10**6), SIZE)
    with pytest.raises(HailoDecodeError) as caught:
        decode(scene([(8, 8, 40, 40)], proto, ones), SIZE, family="yolo26_seg", letterbox=letterbox)
    assert "1000000x1000000" in str(caught.value)
