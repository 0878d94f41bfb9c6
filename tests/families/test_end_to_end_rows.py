"""Finished rows of networks that select by themselves: left, top, right, bottom, score, class, best first."""

import numpy as np
import pytest

from hailo_decode import Decoder, Letterbox, decode
from hailo_decode.errors import HailoDecodeError, OptionError

SIZE = (640, 640)


def rows(count=300, found=12, classes=80, seed=0):
    """Return (1, count, 6) f4 rows of which `found` have a score above 0.3; the rest fade away, as exports pad them."""
    rng = np.random.default_rng(seed)
    out = np.zeros((1, count, 6), np.float32)
    out[0, :, :2] = rng.uniform(-5, 400, (count, 2))
    out[0, :, 2:4] = out[0, :, :2] + rng.uniform(5, 300, (count, 2))
    out[0, :found, 4] = np.sort(rng.uniform(0.3, 0.99, found))[::-1]
    out[0, found:, 4] = np.sort(rng.uniform(0, 0.1, count - found))[::-1]
    out[0, :, 5] = rng.integers(0, classes, count)
    return out


@pytest.mark.parametrize("shape", [(1, 300, 6), (300, 6), (1, 1, 300, 6)], ids=str)
@pytest.mark.parametrize("names", [None, 80])
def test_rows_come_back_as_they_are(shape, names):
    array = rows()
    told = {} if names is None else {"names": [f"c{k}" for k in range(names)]}
    dets = decode({"output0": array.reshape(shape)}, SIZE, **told)
    wanted = array[0, :12]
    assert dets.xyxy.tolist() == wanted[:, :4].tolist()
    assert dets.confidence.tolist() == wanted[:, 4].tolist()
    assert dets.class_id.tolist() == wanted[:, 5].tolist()
    assert (dets.xyxy.dtype, dets.confidence.dtype, dets.class_id.dtype) == (np.float32, np.float32, np.int32)
    assert "finished" in dets.meta["head"]


def test_boxes_that_overlap_all_stay_for_they_were_selected_before():
    array = rows()
    array[0, :, :4], array[0, :, 5] = [10, 10, 50, 50], 3
    assert len(decode([array], SIZE)) == 12


def test_a_score_equal_to_the_threshold_stays():
    array = rows()
    array[0, 3:6, 4] = array[0, 3, 4]
    assert len(decode([array], SIZE, conf=float(array[0, 3, 4]))) == 6


def test_the_limit_of_boxes_is_told():
    dets = decode([rows()], SIZE, max_det=5)
    assert len(dets) == 5
    assert "max_det=5" in dets.meta["cut"]


def test_nothing_found_is_an_empty_result():
    for array in (rows(found=0), np.zeros((1, 300, 6), np.float32)):
        dets = decode([array], SIZE)
        assert len(dets) == 0
        assert dets.xyxy.shape == (0, 4)


def test_rows_go_into_the_photo_and_are_clipped_to_it():
    array = rows()
    letterbox = Letterbox.fit((300, 500), SIZE)
    dets = decode([array], SIZE, letterbox=letterbox)
    back = (array[0, :12, :4].reshape(-1, 2) - letterbox.pad) / letterbox.scale
    np.testing.assert_allclose(dets.xyxy, np.clip(back.reshape(-1, 4), 0, [500, 300, 500, 300]), atol=1e-3)


def test_every_frame_of_a_stream_is_read_alike():
    decoder = Decoder.from_outputs([rows()], SIZE)
    for seed in range(4):
        array = rows(seed=seed, found=seed)
        assert decoder([array]).confidence.tolist() == array[0, :seed, 4].tolist()
    found = list(decoder.batch([[rows(seed=k)] for k in range(5)], workers=2))
    assert [d.confidence.tolist() for d in found] == [rows(seed=k)[0, :12, 4].tolist() for k in range(5)]


def test_an_empty_warm_up_frame_settles_nothing():
    decoder = Decoder.from_outputs([np.zeros((1, 300, 6), np.float32)], SIZE)
    assert len(decoder([np.zeros((1, 300, 6), np.float32)])) == 0
    assert len(decoder([rows()])) == 12


def test_a_class_beyond_the_names_is_told():
    array = rows(classes=2)
    array[0, 4, 5] = 7
    with pytest.raises(OptionError) as caught:
        decode([array], SIZE, names=["a", "b"])
    assert "7" in str(caught.value)
    assert "2" in str(caught.value)


@pytest.mark.parametrize("bad", [1e20, -1.0, 0.5, np.nan, np.inf])
def test_classes_that_are_no_numbers_of_a_class_are_no_finished_rows(bad):
    array = rows()
    array[0, 2, 5] = bad
    with pytest.raises(HailoDecodeError):
        decode([array], SIZE)


@pytest.mark.parametrize("bad", [1.5, -0.2, np.nan, np.inf])
def test_scores_outside_0_to_1_are_no_finished_rows(bad):
    array = rows()
    array[0, 0, 4] = bad
    with pytest.raises(HailoDecodeError):
        decode([array], SIZE)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_boxes_that_are_no_numbers_are_no_finished_rows(bad):
    array = rows()
    array[0, 5, 1] = bad
    with pytest.raises(HailoDecodeError):
        decode([array], SIZE)


def test_rows_out_of_order_are_not_taken_for_finished_ones():
    array = rows()
    array[0, [2, 9]] = array[0, [9, 2]]
    with pytest.raises(HailoDecodeError):
        decode([array], SIZE)


def test_rows_of_one_class_with_objectness_are_not_taken_for_finished_ones():
    # (1, 8400, 6) is a box, an objectness and one class, or a box and two classes: scores in no order.
    rng = np.random.default_rng(1)
    array = np.concatenate([rng.uniform(50, 500, (8400, 4)), rng.uniform(0, 0.1, (8400, 2))], axis=1)[None]
    array[0, 77, 4:] = 0.9
    array = array.astype(np.float32)
    assert decode([array], SIZE, names=["one"]).class_id.tolist() == [0]
    assert decode([array], SIZE, names=["one", "two"], multi_label=True).class_id.tolist() == [0, 1]
    with pytest.raises(HailoDecodeError):
        decode([array], SIZE)
