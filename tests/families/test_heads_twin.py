"""Frames of every head against the slow twin: the same boxes, in the same order, with the same scores and extras."""

import naive
import numpy as np
import pytest
from families import head_strategies
from families.naive_heads import corners
from families.naive_masks import compared, logits_of
from families.naive_result import decode as twin
from families.naive_table import HEADS
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hailo_decode import decode
from hailo_decode.families import families

CLOSE = 1e-5  # an overlap this near to the threshold may fall on either side
CLOSE_TURNED = 1e-4  # and of turned boxes, whose Gaussians are regularised

each_head = pytest.mark.parametrize("family", sorted(HEADS))


def near_ties(rows, conf):
    """Tell whether a score lies at the threshold but for the last bits, which exp() leaves open."""
    floor = float(np.float32(conf))
    scores = np.concatenate([row.scores for row in rows]) if rows else np.zeros(0)
    apart = np.abs(scores - floor)
    return bool(((apart > 0) & (apart < 1e-12)).any())


def agrees(frame, options):
    """Decode with both and compare all of it."""
    assume(not near_ties(frame.rows, options["conf"]))
    wanted = twin(frame.family, frame.rows, **options)
    close = CLOSE_TURNED if frame.rows[0].turned else CLOSE
    assume(options["suppress"] is False or wanted.closest_call > close)
    found = decode(frame.outputs, frame.input_size, **frame.told, **options)
    assert found.class_id.tolist() == wanted.class_id.tolist()
    np.testing.assert_allclose(found.confidence, wanted.confidence, rtol=2e-7)
    np.testing.assert_allclose(found.xyxy, wanted.xyxy, rtol=1e-6, atol=1e-3)
    extra = HEADS[frame.family].extra
    n = len(wanted.rows)
    if extra == "keypoints":
        points = np.array([row.extra for row in wanted.rows]).reshape(found.keypoints.shape)
        np.testing.assert_allclose(found.keypoints, points, rtol=1e-6, atol=1e-3)
    elif extra == "angle":
        points = np.array([corners(row.turned) for row in wanted.rows]).reshape(n, 4, 2)
        np.testing.assert_allclose(found.corners, points, rtol=1e-5, atol=1e-3)
    elif extra == "masks":
        coefficients = np.array([row.extra for row in wanted.rows]).reshape(n, frame.levels[0].counts.extra)
        proto = naive.dequantise(*frame.proto)
        slack = 1e-5 * (np.abs(proto).max() + 1) * (np.abs(coefficients).sum(axis=1).max(initial=0) + 1)
        logits = logits_of(coefficients, proto, frame.input_size)
        assert not compared(found.mask, logits, found.xyxy, slack).any()
    return found


def test_every_family_has_a_twin():
    assert set(HEADS) == set(families())


@each_head
@settings(max_examples=10)
@given(data=st.data())
def test_any_frame_of_any_head_in_any_layout_decodes_as_the_twin_does(family, data):
    frame = data.draw(head_strategies.frames((family,)))
    agrees(frame, data.draw(head_strategies.options(frame)))


@each_head
@settings(max_examples=8)
@given(data=st.data())
def test_channels_with_scales_of_their_own_per_channel_are_each_read_by_theirs(family, data):
    frame = data.draw(head_strategies.frames((family,), ("uint8", "uint16"), per_channel=True))
    agrees(frame, data.draw(head_strategies.options(frame)))


@each_head
@settings(max_examples=6)
@given(data=st.data())
def test_every_anchor_of_any_head_gives_its_box(family, data):
    frame = data.draw(head_strategies.frames((family,)))
    conf = min((score for score in frame.scores if 1e-6 < score < 1), default=1.0)
    agrees(frame, {"conf": conf * 0.999, "suppress": False, "max_det": 10_000, "multi_label": True})


@pytest.mark.parametrize("family", ["yolov8_obb", "yolo26_obb"])
@settings(max_examples=10)
@given(data=st.data())
def test_turned_boxes_taken_for_gaussians_are_suppressed_as_the_twin_does(family, data):
    frame = data.draw(head_strategies.frames((family,)))
    assume(all(min(row.turned[2:4]) > 0.5 for row in frame.rows))  # flat boxes have no Gaussian
    options = data.draw(head_strategies.options(frame)) | {"turned_iou": "gaussian", "suppress": True}
    options["iou"] = data.draw(st.sampled_from([0.2, 0.45, 0.7]))
    agrees(frame, options)
