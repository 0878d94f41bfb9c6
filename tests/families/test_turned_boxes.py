"""Turned boxes: where their corners are, how much they overlap, and which of them stay."""

import math

import numpy as np
import pytest
from families.naive_heads import corners
from families.naive_turned import exact_iou, likeness, sampled_iou
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from hailo_decode import Letterbox, decode
from hailo_decode.errors import OptionError
from hailo_decode.kernels import turned as kernels

STRIDE, GRID = 8, (40, 40)
SIZE = (GRID[0] * STRIDE, GRID[1] * STRIDE)


def _shape(turned):
    """Return centre, size, angle, and the angle's cosine and sine, as the kernels keep a turned box."""
    return np.array([*turned, math.cos(turned[4]), math.sin(turned[4])])


def scene(boxes, classes=2):
    """Return outputs of a plain-distance head with these boxes: (x, y, width, height, angle, score, class).

    The cell is the one in which the middle lies.
    """
    outputs = {
        "box": np.zeros((*GRID, 4), np.float32),
        "angle": np.zeros((*GRID, 1), np.float32),
        "cls": np.full((*GRID, classes), -9, np.float32),
    }
    for x, y, wide, high, angle, score, c in boxes:
        column, row = int(x // STRIDE), int(y // STRIDE)
        away = np.array([x - (column + 0.5) * STRIDE, y - (row + 0.5) * STRIDE])
        across = away @ (np.cos(angle), np.sin(angle))
        down = away @ (-np.sin(angle), np.cos(angle))
        sides = wide / 2 - across, high / 2 - down, wide / 2 + across, high / 2 + down
        outputs["box"][row, column] = np.array(sides) / STRIDE
        outputs["angle"][row, column] = angle
        outputs["cls"][row, column, c] = math.log(score / (1 - score))
    return outputs


def found(boxes, **options):
    return decode(scene(boxes), SIZE, family="yolo26_obb", **options)


angles = st.floats(-4, 4) | st.sampled_from([0.0, math.pi / 2, -math.pi / 2, math.pi, math.pi / 4, 1e-9])
sides = st.floats(0.5, 80) | st.sampled_from([1.0, 8.0, 20.0])
places = st.floats(0, 60) | st.sampled_from([0.0, 10.0, 20.0])
shapes = st.tuples(places, places, sides, sides, angles)


@settings(max_examples=120)
@given(shapes, shapes)
@example((10, 10, 20, 8, 0.5), (10, 10, 20, 8, 0.5))
@example((10, 10, 20, 8, 0.5), (10, 10, 20, 8, 0.5 + math.pi))
@example((10, 10, 20, 8, 0.5), (10, 10, 8, 20, 0.5 + math.pi / 2))
@example((10, 10, 20, 20, 0.0), (20, 20, 20, 20, 0.0))
@example((10, 10, 20, 20, 0.0), (30, 10, 20, 20, 0.0))
@example((10, 10, 20, 20, 0.0), (10, 10, 20, 20, math.pi / 4))
@example((10, 10, 80, 0.5, 0.0), (10, 10, 80, 0.5, math.pi / 2))
@example((10, 10, 20, 20, 0.0), (12, 11, 4, 4, 1.0))
def test_the_common_area_is_that_of_the_common_shapes_corners(a, b):
    scratch = np.empty((2, 12, 2))
    shared = kernels.shared_area(_shape(a), _shape(b), scratch)
    joined = a[2] * a[3] + b[2] * b[3] - shared
    assert shared / joined == pytest.approx(exact_iou(a, b), abs=1e-7)
    assert kernels.shared_area(_shape(b), _shape(a), scratch) == pytest.approx(shared, rel=1e-7, abs=1e-7)


def _near(shape, off):
    return tuple(float(value + by) for value, by in zip(shape, off, strict=True))


@settings(max_examples=300)
@given(shapes, st.tuples(*[st.floats(-4, 4)] * 4, st.floats(-2, 2)), st.floats(0.01, 1.0))
@example((30, 30, 20, 10, 0.3), (0.0,) * 5, 1.0)
@example((30, 30, 20, 10, 0.3), (20.0, 0.0, 0.0, 0.0, 0.0), 0.01)
@example((30, 30, 20, 10, 0.0), (0.0, 0.0, 0.0, 0.0, math.pi / 2), 1 / 3)
def test_what_is_said_without_the_common_area_is_what_it_says(a, off, iou_max):
    b = _near(a, off)
    assume(min(b[2], b[3]) > 0)
    told = kernels._surely(_shape(a), _shape(b), iou_max)
    shared = kernels.shared_area(_shape(a), _shape(b), np.empty((2, 12, 2)))
    reached = bool(shared > 0 and shared >= iou_max * (a[2] * a[3] + b[2] * b[3] - shared))
    assert told in (-1, int(reached))


def test_boxes_that_are_nearly_one_or_far_apart_need_no_common_area():
    box = (30.0, 30.0, 20.0, 10.0, 0.3)
    for off, told in (((0.5, 0.2, 1, 0, 0.05), 1), ((30, 0, 0, 0, 1), 0), ((0, 0, 0, 0, 0.7), -1)):
        assert kernels._surely(_shape(box), _shape(_near(box, off)), 0.5) == told


@pytest.mark.parametrize(
    ("a", "b", "iou"),
    [
        (
            (10, 10, 20, 20, 0.0),
            (10, 10, 20, 20, math.pi / 4),
            (2 * math.sqrt(2) - 2) / (4 - 2 * math.sqrt(2)),
        ),
        ((0, 0, 30, 10, 0.7), (0, 0, 10, 30, 0.7), 100 / 500),
        ((0, 0, 20, 20, 0.3), (0, 0, 10, 10, 1.3), 0.25),
        ((0, 0, 20, 20, 0.0), (20, 0, 20, 20, 0.0), 0.0),
        ((0, 0, 20, 20, 0.0), (10, 0, 20, 20, 0.0), 1 / 3),
    ],
)
def test_overlaps_that_are_known_by_hand(a, b, iou):
    shared = kernels.shared_area(_shape(a), _shape(b), np.empty((2, 12, 2)))
    assert shared / (a[2] * a[3] + b[2] * b[3] - shared) == pytest.approx(iou, abs=1e-12)
    assert exact_iou(a, b) == pytest.approx(iou, abs=1e-9)
    assert sampled_iou(a, b) == pytest.approx(iou, abs=0.01)


@settings(max_examples=20)
@given(shapes, shapes)
def test_counting_points_agrees_with_the_twin(a, b):
    assume(min(a[2], a[3], b[2], b[3]) > 5)
    assert exact_iou(a, b) == pytest.approx(sampled_iou(a, b, 500), abs=0.02)


@settings(max_examples=80)
@given(shapes, shapes)
def test_likeness_is_one_minus_the_hellinger_distance_of_the_gaussians(a, b):
    assume(min(a[2], a[3], b[2], b[3]) > 2)
    wanted = likeness(a, b)
    assume(wanted < 0.97)  # above, the package's small constants, which are Ultralytics', show
    assert kernels.likeness(_shape(a), _shape(b)) == pytest.approx(wanted, abs=2e-3)


def test_likeness_of_a_box_with_itself_is_1_but_for_the_small_constants():
    box = _shape([40.0, 30.0, 20.0, 8.0, 0.4])
    assert 0.999 < kernels.likeness(box, box) <= 1
    assert kernels.likeness(box, box + [500, 0, 0, 0, 0, 0, 0]) < 0.001


@settings(max_examples=60)
@given(st.floats(8, 300), st.floats(8, 300), st.floats(1, 200), st.floats(1, 200), st.floats(-3.2, 3.2))
def test_corners_begin_right_below_and_go_against_the_clock_of_the_box_before_it_is_turned(
    x, y, wide, high, angle
):
    dets = found([(x, y, wide, high, angle, 0.9, 0)])
    wanted = corners((x, y, wide, high, angle))
    np.testing.assert_allclose(dets.corners[0], wanted, atol=0.01)
    np.testing.assert_allclose(dets.xyxy[0], [*wanted.min(axis=0), *wanted.max(axis=0)], atol=0.01)


def test_corners_of_a_box_that_is_not_turned_stand_in_their_fixed_order():
    dets = found([(100, 60, 40, 20, 0.0, 0.9, 0)])
    np.testing.assert_allclose(dets.corners[0], [[120, 70], [120, 50], [80, 50], [80, 70]], atol=1e-4)
    turned = found([(100, 60, 40, 20, math.pi / 2, 0.9, 0)])
    np.testing.assert_allclose(turned.corners[0], [[90, 80], [110, 80], [110, 40], [90, 40]], atol=1e-4)


def test_a_box_is_not_hidden_by_one_whose_bounds_cover_it_and_whose_area_does_not():
    long = (100, 100, 160, 10, math.pi / 4, 0.9, 0)
    beside = (130, 70, 30, 30, math.pi / 4, 0.8, 0)
    assert exact_iou(long[:5], beside[:5]) == 0
    assert len(found([long, beside], iou=0.01)) == 2


def test_boxes_turned_alike_suppress_and_crossed_ones_do_not():
    one = (100, 100, 60, 12, 0.5, 0.9, 0)
    alike = (104, 104, 60, 12, 0.5, 0.8, 0)
    crossed = (112, 100, 60, 12, 0.5 + math.pi / 2, 0.7, 0)
    dets = found([one, alike, crossed], iou=0.4)
    np.testing.assert_allclose(dets.confidence, [0.9, 0.7], atol=1e-6)


@pytest.mark.parametrize("overlap", ["exact", "gaussian"])
@pytest.mark.parametrize("agnostic", [False, True])
def test_classes_suppress_each_other_only_when_told(overlap, agnostic):
    boxes = [(100, 100, 60, 30, 0.5, 0.9, 0), (108, 104, 60, 30, 0.5, 0.8, 1)]
    dets = found(boxes, iou=0.3, agnostic=agnostic, turned_iou=overlap)
    assert dets.class_id.tolist() == ([0] if agnostic else [0, 1])


def test_the_likeness_of_gaussians_and_the_exact_overlap_can_decide_differently():
    # A long box and one turned by 20 degrees about the same centre: little common area, much of the same spread.
    boxes = [(100, 100, 100, 20, 0.0, 0.9, 0), (105, 100, 100, 20, 0.35, 0.8, 0)]
    exact, alike = exact_iou(boxes[0][:5], boxes[1][:5]), likeness(boxes[0][:5], boxes[1][:5])
    middle = (exact + alike) / 2
    assert abs(exact - alike) > 0.05
    kept = {way: len(found(boxes, iou=middle, turned_iou=way)) for way in ("exact", "gaussian")}
    assert kept == ({"exact": 2, "gaussian": 1} if exact < alike else {"exact": 1, "gaussian": 2})


def test_another_word_for_the_overlap_is_refused_with_the_known_ones():
    with pytest.raises(OptionError, match="probiou") as caught:
        found([(100, 100, 60, 30, 0.5, 0.9, 0)], turned_iou="probiou")
    assert '"exact" or "gaussian"' in caught.value.wanted


FAR_APART = [(50, 50, 20, 10, 0.4, 0.9, 0), (250, 250, 20, 10, 0.9, 0.8, 0), (50, 250, 20, 10, 0.1, 0.7, 1)]


def test_an_overlap_of_0_leaves_the_best_box_of_each_class():
    assert found(FAR_APART, iou=0.0).confidence.round(4).tolist() == pytest.approx([0.9, 0.7])
    assert len(found(FAR_APART, iou=0.0, agnostic=True)) == 1
    assert len(found(FAR_APART, iou=1e-6)) == 3


def test_an_overlap_of_1_drops_doubles_alone():
    near = [(100, 100, 60, 30, 0.5, 0.9, 0), (108, 100, 60, 30, 0.5, 0.8, 0)]
    assert len(found(near, iou=1.0)) == 2
    assert len(found(near, iou=0.5)) == 1


@pytest.mark.parametrize("size", [(0, 0), (30, 0), (0, 30), (-10, 20), (-10, -20)], ids=str)
@pytest.mark.parametrize("overlap", ["exact", "gaussian"])
def test_boxes_without_an_area_or_inside_out_neither_crash_nor_vanish(size, overlap):
    boxes = [(100, 100, *size, 0.5, 0.9, 0), (100, 116, 40, 40, 0.5, 0.8, 0), (116, 116, *size, 1.5, 0.7, 0)]
    dets = found(boxes, turned_iou=overlap)
    assert np.isfinite(dets.corners).all()
    assert np.isfinite(dets.xyxy).all()
    assert (dets.xyxy[:, 2:] >= dets.xyxy[:, :2]).all()
    np.testing.assert_allclose(dets.confidence[:2], [0.9, 0.8], atol=1e-6)


def test_corners_go_into_the_photo_unclipped_and_bounds_clipped():
    letterbox = Letterbox.fit((100, 200), SIZE)
    boxes = [(20, 100, 80, 40, 0.5, 0.9, 0)]
    plain, placed = found(boxes), found(boxes, letterbox=letterbox)
    back = (plain.corners[0] - letterbox.pad) / letterbox.scale
    np.testing.assert_allclose(placed.corners[0], back, atol=1e-3)
    assert placed.corners[0].min() < 0
    assert placed.xyxy[0, 0] == 0


def test_a_hundred_boxes_give_what_the_slow_twin_gives():
    rng = np.random.default_rng(11)
    cells = rng.permutation(GRID[0] * GRID[1])[:120]
    boxes = [
        (
            (cell % GRID[1] + rng.uniform(0.1, 0.9)) * STRIDE,
            (cell // GRID[1] + rng.uniform(0.1, 0.9)) * STRIDE,
            rng.uniform(5, 90),
            rng.uniform(5, 60),
            rng.uniform(-2, 2),
            rng.uniform(0.3, 0.99),
            int(rng.integers(0, 2)),
        )
        for cell in cells
    ]
    dets = found(boxes, iou=0.3)
    kept = []
    for box in sorted(boxes, key=lambda box: -box[5]):
        if all(box[6] != other[6] or exact_iou(box[:5], other[:5]) < 0.3 for other in kept):
            kept.append(box)
    np.testing.assert_allclose(dets.confidence, [box[5] for box in kept], atol=1e-5)


@pytest.mark.parametrize("flat", [(30, 0, 0.5), (0, 30, 1.2), (30, 1e-30, 0.5)], ids=str)
def test_boxes_without_an_area_overlap_nothing_and_all_stay(flat):
    wide, high, angle = flat
    boxes = [
        (100, 100, wide, high, angle, 0.9, 0),
        (108, 100, wide, high, angle, 0.8, 0),
        (100, 108, 20, 20, 0.1, 0.7, 0),
    ]
    np.testing.assert_allclose(found(boxes, iou=0.3).confidence, [0.9, 0.8, 0.7], atol=1e-6)


def test_a_box_that_is_inside_out_hides_no_sound_one():
    boxes = [(100, 100, -60, 40, 0.5, 0.9, 0), (108, 100, 20, 20, 0.5, 0.8, 0)]
    np.testing.assert_allclose(found(boxes, iou=0.3).confidence, [0.9, 0.8], atol=1e-6)


def test_a_box_that_is_inside_out_is_hidden_by_no_sound_one():
    boxes = [(100, 100, 60, 40, 0.5, 0.9, 0), (108, 100, -30, 30, 0.5, 0.8, 0)]
    np.testing.assert_allclose(found(boxes, iou=0.1).confidence, [0.9, 0.8], atol=1e-6)
