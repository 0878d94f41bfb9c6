"""Overlap and the two ways to search kept boxes: against each other and against the plain twin."""

import naive
import numpy as np
import pytest
from compiled import compiled
from hypothesis import given
from hypothesis import strategies as st

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
