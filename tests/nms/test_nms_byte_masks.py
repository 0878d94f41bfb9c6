"""Boxes with byte masks: headers of every version, exact windows, counts that are one too large."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nms import write_nms as write
from nms.boxes import boxes
from nms.write_nms import f4, found, mask_of

from hailo_decode import Letterbox, decode_nms, decode_nms_batch
from hailo_decode.errors import OptionError, SizeError, ValuesError

SIZE = (24, 40)
HEADERS = (46, 38, 34, 30)
ONE = (f4(0.1), f4(0.2), f4(0.55), f4(0.7), f4(0.9), 5)
TWO = (f4(0.3), f4(0.05), f4(0.9), f4(0.6), f4(0.5), 2)


def picture(seed=3):
    return np.random.default_rng(seed).random(SIZE) < 0.6


def masks_of(drawn, shown=None):
    shown = picture() if shown is None else shown
    return [mask_of(box, shown, SIZE) for box in write.best_first(drawn)]


def hold(dets, drawn, shown=None):
    """Hold a result to the boxes and masks that were written."""
    ordered = write.best_first(drawn)
    assert dets.class_id.tolist() == [box[5] for box in ordered]
    assert dets.confidence.tolist() == [box[4] for box in ordered]
    assert dets.mask.dtype == np.bool_
    assert dets.mask.shape == (len(drawn), *SIZE)
    for got, wanted in zip(dets.mask, masks_of(drawn, shown), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("drawn", [[ONE], [TWO, ONE], []], ids=["one", "two", "none"])
def test_the_header_shows_in_the_masks_that_follow_from_their_boxes(header, drawn):
    dets = decode_nms(write.byte_mask(drawn, picture(), SIZE, header), image_size=SIZE)
    hold(dets, drawn)
    assert (f"headers of {header} bytes" in dets.meta["nms"]) == bool(drawn)


@pytest.mark.parametrize("header", HEADERS)
@given(drawn=boxes(7, 6), old=st.sampled_from([0, 1, 0x5A, 0xFF]))
def test_masks_come_out_as_the_writer_filled_them(header, drawn, old):
    buffer = write.byte_mask(drawn, picture(), SIZE, header, old=old)
    hold(decode_nms(buffer, image_size=SIZE, form="byte_mask"), drawn)


def test_bytes_that_the_writer_never_filled_are_no_mask():
    box = (f4(-0.3), f4(-0.25), f4(0.4), f4(0.5), f4(0.9), 0)  # over the upper left corner
    buffer = write.byte_mask([box], np.zeros(SIZE, bool), SIZE, old=1)
    assert not decode_nms(buffer, image_size=SIZE).mask.any()


def test_a_box_over_the_lower_right_corner_stays_in_the_picture():
    box = (f4(0.5), f4(0.6), f4(1.2), f4(1.3), f4(0.9), 0)
    shown = np.ones(SIZE, bool)
    dets = decode_nms(write.byte_mask([box], shown, SIZE), image_size=SIZE)
    assert dets.mask[0].sum() == 12 * 16
    assert dets.mask[0, 12:, 24:].all()


@pytest.mark.parametrize("header", HEADERS)
def test_a_count_one_over_the_limit_is_told(header):
    buffer = write.byte_mask([ONE, TWO], picture(), SIZE, header, total=1)
    assert buffer[0] == 2
    dets = decode_nms(buffer, image_size=SIZE, max_total=1)
    hold(dets, [ONE])
    assert "the buffer counts 2 boxes and holds 1: 1 is the limit" in dets.meta["cut"]
    assert "the last was not written" in decode_nms(buffer, image_size=SIZE).meta["cut"]


@pytest.mark.parametrize("header", HEADERS)
def test_a_mask_that_found_no_room_is_told(header):
    buffer = write.byte_mask([ONE, TWO], picture(), SIZE, header, room=300)
    assert buffer[0] == 2
    dets = decode_nms(buffer, image_size=SIZE)
    hold(dets, [ONE])
    assert dets.meta["cut"].startswith("the buffer counts 2 boxes and holds 1: the last was not written")


def test_an_old_record_behind_the_last_is_left_out_when_it_scores_higher():
    old = write.byte_mask([ONE, (*ONE[:4], f4(0.85), 5)], picture(), SIZE)
    new = write.byte_mask([TWO], picture(), SIZE)
    used = (
        2
        + 46
        + sum(
            1 for _ in range(write.side(TWO[0], TWO[2], SIZE[0])[0] * write.side(TWO[1], TWO[3], SIZE[1])[0])
        )
    )
    buffer = np.concatenate([new[:used], old[2:]])
    buffer[0] = 2
    dets = decode_nms(buffer, image_size=SIZE)
    assert dets.class_id.tolist() == [2]
    assert "its score 0.9 is above the one before it" in dets.meta["cut"]


def test_an_image_of_another_size_is_told_by_the_masks():
    buffer = write.byte_mask([ONE, TWO], picture(), SIZE)
    with pytest.raises(ValuesError, match="no header makes sense") as caught:
        decode_nms(buffer, image_size=(40, 24), form="byte_mask")
    assert "bytes, and its box asks for" in caught.value.got
    assert "image_size=(height, width)" in caught.value.hint


def test_masks_follow_their_boxes_through_threshold_and_limit():
    buffer = write.byte_mask([ONE, TWO], picture(), SIZE)
    hold(decode_nms(buffer, image_size=SIZE, conf=0.6), [ONE])
    hold(decode_nms(buffer, image_size=SIZE, max_det=1), [ONE])
    assert decode_nms(buffer, image_size=SIZE, conf=0.95).mask.shape == (0, *SIZE)


@pytest.mark.parametrize("place", ["centre", "topleft"])
def test_masks_come_back_at_the_size_of_the_photo(place):
    letterbox = Letterbox.fit((60, 50), SIZE, place)
    dets = decode_nms(write.byte_mask([ONE, TWO], picture(), SIZE), letterbox=letterbox)
    assert dets.mask.shape == (2, 60, 50)
    rows = np.floor((np.arange(60) + 0.5) * letterbox.scale[1] + letterbox.pad[1]).astype(int)
    columns = np.floor((np.arange(50) + 0.5) * letterbox.scale[0] + letterbox.pad[0]).astype(int)
    for got, wanted in zip(dets.mask, masks_of([ONE, TWO]), strict=True):
        np.testing.assert_array_equal(got, wanted[np.ix_(rows, columns)])


def test_masks_are_bounded():
    buffer = write.byte_mask([ONE], picture(), SIZE)
    letterbox = Letterbox.stretch((70_000, 70_000), SIZE)
    with pytest.raises(OptionError, match="would take 4900000000 bytes"):
        decode_nms(buffer, letterbox=letterbox)


def stored_mask(box):
    """The bytes of a mask as the buffer has them."""
    h, w = write.side(box[0], box[2], SIZE[0])[0], write.side(box[1], box[3], SIZE[1])[0]
    return write.byte_mask([box], picture(), SIZE)[48 : 48 + h * w]


def detection(box, mask):
    keys = ("y_min", "x_min", "y_max", "x_max", "score", "class_id")
    return SimpleNamespace(**dict(zip(keys, box, strict=True)), mask=mask)


def bound(box, mask):
    """A detection as the binding itself has it: edges in `box`, the mask behind a call."""
    edges = SimpleNamespace(**dict(zip(("y_min", "x_min", "y_max", "x_max"), box, strict=False)))
    return SimpleNamespace(box=edges, score=box[4], class_id=box[5], mask=lambda: mask)


@pytest.mark.parametrize("make", [detection, bound])
def test_detection_objects_with_masks_give_the_same(make):
    objects = [make(box, stored_mask(box)) for box in (ONE, TWO)]
    for held in (objects, [objects], {"net/nms": [objects]}):
        hold(decode_nms(held, image_size=SIZE), [ONE, TWO])
    both = decode_nms_batch([objects, []], image_size=SIZE)
    assert [len(one) for one in both] == [2, 0]


def test_objects_whose_masks_do_not_fit_are_told():
    with pytest.raises(SizeError, match="the mask of detection 0 has 7 bytes") as caught:
        decode_nms([detection(ONE, np.zeros(7, np.uint8))], image_size=SIZE)
    assert caught.value.wanted == "20 x 11, as its box asks for"
    with pytest.raises(SizeError, match="1 of 2 detections have a mask"):
        decode_nms([detection(ONE, stored_mask(ONE)), detection(TWO, None)], image_size=SIZE)
    with pytest.raises(ValuesError, match="cannot be read"):
        decode_nms([SimpleNamespace(score=0.5)], image_size=SIZE)
    with pytest.raises(ValuesError, match="1 of 1 detections have an impossible class_id"):
        decode_nms([detection((*ONE[:5], 1.5), None)], image_size=SIZE)


def tensorflow(drawn, most, fill):
    """The cube that pyhailort makes: a picture of the whole input for each place; the rest is old memory."""
    made = np.full((1, 6 + SIZE[0] * SIZE[1], most), fill, np.float32)
    for i, (box, mask) in enumerate(zip(write.best_first(drawn), masks_of(drawn), strict=True)):
        made[0, :6, i] = box
        made[0, 6:, i] = mask.reshape(-1)
    return made


@pytest.mark.parametrize("fill", [0, np.nan, 0.3, 77])
@pytest.mark.parametrize("drawn", [[TWO, ONE], [ONE], []], ids=["two", "one", "none"])
def test_the_cube_of_masks_is_read_to_its_first_empty_place(drawn, fill):
    dets = decode_nms(tensorflow(drawn, 4, fill), image_size=SIZE)
    hold(dets, drawn)
    hold(decode_nms(tensorflow(drawn, 4, fill)[None], image_size=SIZE), drawn)


def test_a_cube_of_masks_of_another_image_is_told():
    with pytest.raises(SizeError, match="holds no masks of a 24x41 image"):
        decode_nms(tensorflow([ONE], 4, 0), image_size=(24, 41))


def test_a_by_score_buffer_is_not_taken_for_masks_nor_the_other_way_round():
    for count in (1, 2, 3):
        drawn = [ONE, TWO, (*TWO[:4], f4(0.4), 3)][:count]
        assert decode_nms(write.by_score(drawn, 8), image_size=SIZE).mask is None
        assert decode_nms(write.byte_mask(drawn, picture(), SIZE, 38), image_size=SIZE).mask is not None


def test_float32_arrays_whose_bytes_are_records_are_read_as_such():
    records = write.byte_mask([ONE, TWO], picture(), SIZE, 38, room=2000)
    padded = np.concatenate([records, np.zeros(-records.size % 4, np.uint8)]).view(np.float32)
    hold(decode_nms(padded, image_size=SIZE, form="byte_mask"), [ONE, TWO])
    by_score = np.concatenate([write.by_score([ONE, TWO], 5), np.zeros(1000, np.uint8)])[:1100].view(
        np.float32
    )
    dets = decode_nms(by_score, image_size=SIZE, form="HAILO NMS BY SCORE")
    assert dets.class_id.tolist() == [5, 2]


def test_one_record_that_fits_no_header_is_an_error():
    cut = struct.pack("<H5fHQQ", 1, *ONE, 9999, 0)
    with pytest.raises(ValuesError, match="counts 1 boxes with masks"):
        decode_nms(cut, image_size=SIZE, form="byte_mask")
    with pytest.raises(SizeError, match="1 bytes hold no count"):
        decode_nms(b"\1", image_size=SIZE, form="byte_mask")


def test_the_result_of_masks_is_in_the_order_of_scores():
    drawn = [TWO, ONE, (*ONE[:4], f4(0.7), 1)]
    assert found(decode_nms(write.byte_mask(drawn, picture(), SIZE), image_size=SIZE))[1][2] == 1
