"""Finished rows with more than boxes: mask coefficients and prototypes, keypoints, angles; one reading or a question."""

import numpy as np
import pytest
from families import naive_masks
from families.naive_heads import corners

from hailo_decode import Decoder, Letterbox, decode, decode_yolov8
from hailo_decode.errors import AmbiguousError, PairingError, ValuesError
from hailo_decode.values.network import NetworkInfo

SIZE = (96, 128)
FOUND = 9


def rows(extra, count=300, found=FOUND, seed=0):
    """Rows (1, count, 6 + extra), of which `found` have a score above 0.3; the rest are nothing at all."""
    rng = np.random.default_rng(seed)
    out = np.zeros((1, count, 6 + extra), np.float32)
    out[0, :found, :2] = rng.uniform(-5, 60, (found, 2))
    out[0, :found, 2:4] = out[0, :found, :2] + rng.uniform(5, 60, (found, 2))
    out[0, :found, 4] = np.sort(rng.uniform(0.3, 0.99, found))[::-1]
    out[0, :found, 5] = rng.integers(0, 80, found)
    out[0, :found, 6:] = rng.normal(size=(found, extra))
    return out


def posed(points=17, numbers=3, **more):
    made = rows(points * numbers, **more)
    places = made[0, :, 6:].reshape(-1, points, numbers)
    places[..., :2] = 50 + 20 * places[..., :2]
    if numbers == 3:
        places[..., 2] = 1 / (1 + np.exp(-places[..., 2]))
    return made


def prototypes(channels=32, seed=1):
    return np.random.default_rng(seed).normal(size=(channels, SIZE[0] // 4, SIZE[1] // 4)).astype(np.float32)


def boxes_as_they_are(dets, array):
    assert dets.xyxy.tolist() == array[0, :FOUND, :4].tolist()
    assert dets.confidence.tolist() == array[0, :FOUND, 4].tolist()
    assert dets.class_id.tolist() == array[0, :FOUND, 5].tolist()


def test_keypoints_come_back_as_they_are():
    array = posed()
    dets = decode([array], SIZE)
    boxes_as_they_are(dets, array)
    assert dets.keypoints.dtype == np.float32
    assert dets.keypoints.tolist() == array[0, :FOUND, 6:].reshape(FOUND, 17, 3).tolist()
    assert dets.meta["head"] == (
        "finished rows: left, top, right, bottom in input pixels, score, class, 17 keypoints of x, y and visibility; "
        "nothing is suppressed again"
    )


def test_keypoints_without_visibility_are_all_seen():
    array = posed(5, 2)
    dets = decode([array], SIZE, keypoints=(5, 2))
    assert dets.keypoints[..., :2].tolist() == array[0, :FOUND, 6:].reshape(FOUND, 5, 2).tolist()
    assert (dets.keypoints[..., 2] == 1).all()
    told = NetworkInfo("net", "onnx", input_size=SIZE, task="pose")
    assert Decoder.from_network(told)([array]).keypoints.tolist() == dets.keypoints.tolist()


def test_keypoints_go_into_the_photo():
    array, letterbox = posed(), Letterbox.fit((200, 300), SIZE)
    dets = decode([array], SIZE, letterbox=letterbox)
    places = array[0, :FOUND, 6:].reshape(FOUND, 17, 3)
    np.testing.assert_allclose(
        dets.keypoints[..., :2], (places[..., :2] - letterbox.pad) / letterbox.scale, atol=1e-3
    )
    assert dets.keypoints[..., 2].tolist() == places[..., 2].tolist()


@pytest.mark.parametrize(
    ("extra", "settles"),
    [
        (32, ["keypoints=(16, 2)", "the prototypes among the outputs"]),
        (42, ["keypoints=(14, 3)", "keypoints=(21, 2)"]),
    ],
)
def test_numbers_that_may_be_several_things_are_asked_about(extra, settles):
    with pytest.raises(AmbiguousError) as caught:
        decode([rows(extra)], SIZE)
    assert len(caught.value.readings) == 2
    assert all(word in caught.value.hint for word in settles)


def test_visibilities_that_are_none_are_refused():
    array = posed()
    array[0, 3, 8] = 1.25
    with pytest.raises(ValuesError, match="visibility of 17 keypoints") as caught:
        decode([array], SIZE)
    assert "1.25" in caught.value.got


@pytest.mark.parametrize("shape", [(32, 24, 32), (1, 32, 24, 32), (24, 32, 32), (1, 24, 32, 32)], ids=str)
def test_masks_are_those_of_the_slow_twin(shape):
    array, proto = rows(32), prototypes()
    held = proto.reshape(shape) if shape[-3] == 32 else proto.transpose(1, 2, 0).reshape(shape)
    dets = decode({"output0": array, "output1": np.ascontiguousarray(held)}, SIZE)
    boxes_as_they_are(dets, array)
    assert dets.mask.shape == (FOUND, *SIZE)
    logits = naive_masks.logits_of(array[0, :FOUND, 6:].astype(float), proto.transpose(1, 2, 0), SIZE)
    assert not naive_masks.compared(dets.mask, logits, dets.xyxy, 1e-4).any()
    assert dets.mask.any()
    assert dets.meta["head"].endswith("score, class, mask coefficients; nothing is suppressed again")


def test_masks_come_at_the_size_of_the_photo():
    array, proto, letterbox = rows(32), prototypes(), Letterbox.fit((150, 120), SIZE)
    dets = decode([array, proto], SIZE, letterbox=letterbox)
    assert dets.mask.shape == (FOUND, 150, 120)
    logits = naive_masks.logits_of(
        array[0, :FOUND, 6:].astype(float), proto.transpose(1, 2, 0), SIZE, letterbox
    )
    assert not naive_masks.compared(dets.mask, logits, dets.xyxy, 1e-4).any()


def test_prototypes_that_are_stored_as_bytes_are_dequantised():
    array, proto = rows(32), prototypes()
    stored = np.clip(np.round(proto / 0.05 + 128), 0, 255).astype(np.uint8).transpose(1, 2, 0).copy()
    stored.setflags(write=False)
    dets = decode({"rows": array, "proto": stored}, SIZE, quant={"proto": (0.05, 128.0)})
    logits = naive_masks.logits_of(array[0, :FOUND, 6:].astype(float), (stored - 128.0) * 0.05, SIZE)
    assert not naive_masks.compared(dets.mask, logits, dets.xyxy, 1e-4).any()


def test_prototypes_that_are_missing_or_others_are_told():
    told = NetworkInfo("net", "onnx", input_size=SIZE, task="segment")
    with pytest.raises(PairingError, match="32 mask coefficients have no prototypes beside them"):
        Decoder.from_network(told)([rows(32)])
    with pytest.raises(PairingError, match="no set of prototypes for finished rows with 32 mask") as caught:
        decode({"output0": rows(32), "output1": prototypes(31)[:, :, 1:]}, SIZE)
    assert "output1 (31, 24, 31)" in caught.value.got
    with pytest.raises(PairingError, match="'output1' has 16 channels, and finished rows have 32 mask"):
        decode({"output0": rows(32), "output1": prototypes(16)}, SIZE)  # as wide as there are coefficients
    with pytest.raises(PairingError, match="no set of prototypes for finished rows with 0 mask"):
        decode({"output0": rows(0), "output1": prototypes()}, SIZE)
    proto = prototypes()
    proto[3, 4, 5] = np.nan
    with pytest.raises(ValuesError, match="'output1' holds 1 values that are no numbers"):
        decode([rows(32), proto], SIZE)


def turned(seed=2):
    array = rows(1, seed=seed)
    array[0, :FOUND, 6] = np.random.default_rng(seed).uniform(-np.pi / 4, 3 * np.pi / 4, FOUND)
    return array


def test_angles_turn_a_box_of_centre_and_size():
    array = turned()
    dets = decode([array], SIZE)
    wanted = np.array([corners(row[[0, 1, 2, 3, 6]].astype(float)) for row in array[0, :FOUND]])
    np.testing.assert_allclose(dets.corners, wanted, atol=1e-4)
    np.testing.assert_allclose(dets.xyxy[:, :2], wanted.min(axis=1), atol=1e-4)
    np.testing.assert_allclose(dets.xyxy[:, 2:], wanted.max(axis=1), atol=1e-4)
    assert dets.confidence.tolist() == array[0, :FOUND, 4].tolist()
    assert dets.meta["head"].startswith(
        "finished rows: centre x, y, width, height in input pixels, score, class, angle"
    )


def test_turned_boxes_go_into_the_photo():
    array, letterbox = turned(), Letterbox.fit((200, 300), SIZE)
    inside, photo = decode([array], SIZE), decode([array], SIZE, letterbox=letterbox)
    back = (inside.corners - np.array(letterbox.pad)) / letterbox.scale
    np.testing.assert_allclose(photo.corners, back, atol=1e-3)


@pytest.mark.parametrize(
    "make", [lambda n: turned()[:, :n], lambda n: posed()[:, :n]], ids=["angle", "points"]
)
def test_a_frame_without_rows_above_the_threshold_is_an_empty_result(make):
    array = make(300)
    dets = decode([array], SIZE, conf=0.999)
    assert (len(dets), dets.xyxy.shape) == (0, (0, 4))
    shapes = (
        dets.keypoints is not None and dets.keypoints.shape,
        dets.corners is not None and dets.corners.shape,
    )
    assert shapes in (((0, 17, 3), False), (False, (0, 4, 2)))
    assert decode([rows(32), prototypes()], SIZE, conf=0.999).mask.shape == (0, *SIZE)


def test_a_warm_up_frame_of_zeros_is_an_empty_result():
    for array in (turned(), posed()):
        decoder = Decoder.from_outputs([np.zeros_like(array)], SIZE)
        assert len(decoder([np.zeros_like(array)])) == 0
        assert len(decoder([array])) == FOUND
    decoder = Decoder.from_outputs([np.zeros((1, 300, 38), np.float32), prototypes()], SIZE)
    assert len(decoder([rows(32), prototypes()])) == FOUND


def test_a_long_list_of_zeros_is_not_taken_for_finished_rows():
    zeros = np.zeros((1, 8400, 84), np.float32)
    assert decode([zeros], 640, family="rows_xywh").meta["head"].startswith("decoded rows")
    with pytest.raises(AmbiguousError, match="can be read in"):
        decode([zeros], 640)


@pytest.mark.parametrize("task", ["detect", "pose", "segment"])
def test_another_task_than_the_rows_show_is_told(task):
    told = NetworkInfo("net", "onnx", input_size=SIZE, task=task)
    with pytest.raises((PairingError, AmbiguousError)) as caught:
        Decoder.from_network(told)([turned()])
    assert caught.value.got


def test_a_family_of_the_heads_inside_does_not_hide_finished_rows():
    array = posed()
    boxes_as_they_are(decode_yolov8([array], SIZE), array)
    boxes_as_they_are(decode([array], SIZE, family="yolo26"), array)
    told = NetworkInfo("net", "onnx", input_size=SIZE, family="yolo26", task="pose")
    boxes_as_they_are(Decoder.from_network(told)([array]), array)


def test_options_that_finished_rows_have_no_use_for_are_told():
    dets = decode([posed()], SIZE, iou=0.5, multi_label=True)
    assert dets.meta["ignored"] == (
        "iou=: finished rows have no use for it; multi_label=: finished rows have no use for it"
    )
