"""Overlap and the three ways to search kept boxes: against each other and against the plain twin."""

import naive
import numpy as np
import pytest
from compiled import compiled
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.kernels.crowd import LEAST_IOU, crowd_scratch, join_crowd
from hailo_decode.kernels.suppress import hit_in_lanes, hit_in_list, keep_in_lanes, overlaps

hit_in_lanes, hit_in_list, keep_in_lanes = map(compiled, (hit_in_lanes, hit_in_list, keep_in_lanes))

# Corners on a coarse grid: boxes touch, coincide, hold each other, turn inside out, and their overlaps fall on thresholds.
CORNERS = st.tuples(*[st.integers(-1, 4)] * 4).map(lambda c: np.array(c, np.float32))
FINE = st.tuples(*[st.floats(-50, 50, width=32)] * 4).map(lambda c: np.array(c, np.float32))
IOU = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.6, 1.0]) | st.floats(0, 1)


def area(box):
    return np.float32((box[2] - box[0]) * (box[3] - box[1]))


@pytest.mark.parametrize("form", [compiled(overlaps), overlaps], ids=["compiled", "plain"])
@given(CORNERS | FINE, CORNERS | FINE, IOU)
def test_two_boxes_overlap_when_their_quotient_reaches_the_threshold(form, a, b, iou):
    limit = np.float32(iou)
    assert form(limit, *a, area(a), *b, area(b)) == (naive.ious(a, b[None])[0] >= limit)


def test_boxes_that_share_an_edge_do_not_meet():
    a, b = np.array([0, 0, 2, 2], np.float32), np.array([2, 0, 4, 2], np.float32)
    assert not overlaps(np.float32(1e-9), *a, area(a), *b, area(b))
    assert overlaps(np.float32(0), *a, area(a), *b, area(b))


def test_an_overlap_equal_to_the_threshold_counts():
    a, b = np.array([0, 0, 2, 1], np.float32), np.array([1, 0, 2, 1], np.float32)
    assert overlaps(np.float32(0.5), *a, area(a), *b, area(b))
    assert not overlaps(np.nextafter(np.float32(0.5), np.float32(1)), *a, area(a), *b, area(b))


def listed(kept, label):
    """Return the head, links and boxes of one label's list, as `select` builds it."""
    head, following, boxes = (
        -1,
        np.full(max(len(kept), 1), -1, np.int32),
        np.zeros((max(len(kept), 1), 5), np.float32),
    )
    for j, (box, own) in enumerate(kept):
        boxes[j, :4], boxes[j, 4] = box, area(box)
        if own == label:
            following[j], head = head, j
    return head, following, boxes


def laned(kept):
    lanes = np.full((len(kept) // 32 + 1, 6, 32), np.nan, np.float32)  # memory that nobody has filled
    for j, (box, label) in enumerate(kept):
        keep_in_lanes(lanes, j, np.float32(label), *box, area(box))
    return lanes


@given(st.lists(st.tuples(CORNERS, st.integers(0, 2)), max_size=70), CORNERS, st.integers(0, 2), IOU)
def test_lanes_lists_and_the_twin_find_the_same(kept, box, label, iou):
    limit = np.float32(iou)
    rivals = np.array([other for other, own in kept if own == label], np.float32).reshape(-1, 4)
    wanted = bool((naive.ious(box, rivals) >= limit).any())
    head, following, boxes = listed(kept, label)
    assert hit_in_list(head, following, boxes, limit, *box, area(box)) == wanted
    assert hit_in_lanes(laned(kept), len(kept), np.float32(label), limit, *box, area(box)) == wanted


@pytest.mark.parametrize("count", [1, 31, 32, 33, 64, 65])
def test_the_last_kept_box_is_found_wherever_it_stands_in_its_block(count):
    far = [(np.array([100 + 3 * j, 0, 101 + 3 * j, 1], np.float32), 0) for j in range(count - 1)]
    here = np.array([0, 0, 1, 1], np.float32)
    lanes = laned([*far, (here, 0)])
    assert hit_in_lanes(lanes, count, np.float32(0), np.float32(0.9), *here, area(here))
    assert not hit_in_lanes(lanes, count - 1, np.float32(0), np.float32(0.9), *here, area(here))


# What a crowd is drawn from: ties and touching edges, any place and size, one object seen again and again.
SIZES = st.sampled_from([0.0, 1e-30, 1e-19, 1e-15, 1e-14, 1e-13, 1.0, 3.0, 64.0, 1e19, 3e38])
SPREAD = st.tuples(*[st.floats(-80, 80, width=32)] * 2, SIZES, SIZES).map(
    lambda c: np.array([c[0], c[1], c[0] + c[2], c[1] + c[3]], np.float64).astype(np.float32)
)
TINY = st.tuples(SIZES, SIZES).map(lambda c: np.array([0, 0, *c], np.float64).astype(np.float32))
SIMILAR = st.tuples(*[st.integers(0, 40)] * 4).map(
    lambda c: np.array([c[0], c[1], c[0] + 20 + c[2] / 8, c[1] + 30 + c[3] / 8], np.float32)
)
NESTED = st.tuples(*[st.integers(0, 8)] * 4).map(lambda c: np.array(c, np.float32) * 8 + np.float32(0.5))
CROWDS = st.one_of(
    *[
        st.lists(st.tuples(one, st.integers(0, 2)), max_size=most)
        for one, most in ((CORNERS, 60), (FINE, 60), (SPREAD, 60), (TINY, 20), (NESTED, 60), (SIMILAR, 200))
    ]
)


def joined(form, crowd, limit, late=0, input_size=(64, 48)):
    """Return which boxes of a crowd are kept; the first `late` of them come from a list."""
    kept, following = np.zeros((len(crowd) + 1, 6), np.float32), np.zeros(len(crowd) + 1, np.int32)
    cells, grain = crowd_scratch(3, input_size, limit)
    cells[:] = 7  # memory that nobody has emptied
    stay, fresh = [], True
    for i, (box, label) in enumerate(crowd):
        k = len(stay)
        kept[k] = *box, area(box), label
        if k + 1 < late:
            rivals = np.array([kept[j, :4] for j in range(k) if kept[j, 5] == label], np.float32).reshape(
                -1, 4
            )
            stays = not (naive.ious(box, rivals) >= limit).any()
        else:
            stays = form(np.int64(0 if fresh else k), np.int64(k), limit, kept, following, cells, grain)
            fresh = False
        if stays:
            stay.append(i)
    return stay


@pytest.mark.parametrize("form", [compiled(join_crowd), join_crowd], ids=["compiled", "plain"])
@given(CROWDS, IOU.filter(lambda iou: iou >= LEAST_IOU), st.integers(0, 12))
def test_a_crowd_keeps_what_the_plain_greedy_keeps(form, crowd, iou, late):
    limit = np.float32(iou)
    candidates = [(i, label, None, box) for i, (box, label) in enumerate(crowd)]
    with np.errstate(all="ignore"):
        wanted = [one[0] for one in naive.greedy(candidates, limit, agnostic=False)[0]]
        assert joined(form, crowd, limit, late) == wanted


@pytest.mark.parametrize("iou", [LEAST_IOU, 0.05, 0.3, 0.5, 0.7, 1.0])
def test_a_large_crowd_keeps_what_the_plain_greedy_keeps(iou, rng):
    middles, sizes = rng.uniform(-20, 660, (1500, 2)), np.exp(rng.normal(3.5, 0.8, (1500, 2)))
    boxes = np.concatenate([middles - sizes / 2, middles + sizes / 2], 1).astype(np.float32)
    boxes[rng.random(1500) < 0.2] = boxes[rng.integers(0, 40, 1)]  # some are equal
    crowd = [(box, 0) for box in boxes]
    kept, _ = naive.greedy([(i, 0, None, box) for i, box in enumerate(boxes)], iou, agnostic=False)
    assert joined(compiled(join_crowd), crowd, np.float32(iou), 5) == [one[0] for one in kept]


@pytest.mark.parametrize("iou", [0.125, 0.25, 0.5, 0.75, 0.9375])
@pytest.mark.parametrize("axis", [0, 1])
def test_boxes_find_each_other_as_far_apart_as_their_overlap_allows(iou, axis):
    for start in np.arange(0, 24, 0.375):
        for shift in (0, 16 * (1 - iou)):
            one, other = np.zeros((2, 4), np.float32)
            one[[axis, axis + 2]] = start, start + 16
            other[[axis, axis + 2]] = start + shift, start + shift + 16 * iou
            one[3 - axis] = other[3 - axis] = 1
            for crowd in ([(one, 0), (other, 0)], [(other, 0), (one, 0)]):
                assert joined(compiled(join_crowd), crowd, np.float32(iou)) == [0]


def test_boxes_whose_areas_have_lost_their_digits_find_each_other():
    low = np.float32(1e-45)  # 0.6 and 1.4 times that are 1 times that: an overlap of 0.27 comes out as 1
    crowd = [(np.array([x, 0, x + 1.4, low], np.float32), 0) for x in (0, 0.8)]
    assert joined(compiled(join_crowd), crowd, np.float32(0.7), input_size=(2, 2)) == [0]
