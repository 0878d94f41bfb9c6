"""Classifiers: a vector of scores for the whole picture, softmax or not, best classes first."""

import naive
import numpy as np
import pytest
from families.naive_heads import shares
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode import Letterbox, decode
from hailo_decode.errors import HailoDecodeError, OptionError, ValuesError

SIZE = (224, 160)
SHAPES = [(7,), (1, 7), (1, 1, 7), (1, 1, 1, 7)]
LOGITS = np.array([-3.0, 0.5, 4.0, 2.0, -1.0, 3.5, -8.0], np.float32)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("softmaxed", [False, True])
def test_the_five_best_classes_come_first_each_with_the_whole_picture(shape, softmaxed):
    values = shares(LOGITS.astype(np.float64)).astype(np.float32) if softmaxed else LOGITS
    dets = decode({"net/fc": values.reshape(shape)}, SIZE, family="classify")
    assert dets.class_id.tolist() == [2, 5, 3, 1, 4]
    np.testing.assert_allclose(dets.confidence, shares(LOGITS.astype(np.float64))[[2, 5, 3, 1, 4]], rtol=1e-6)
    assert dets.xyxy.tolist() == [[0, 0, 160, 224]] * 5
    what = "probabilities, no softmax applied" if softmaxed else "logits, softmax applied here"
    assert dets.meta["activation"].startswith(f"net/fc: {what} (values from ")


def test_all_shares_add_up_to_1_and_all_classes_come_when_asked_for():
    dets = decode([LOGITS], SIZE, family="classify", max_det=100)
    assert sorted(dets.class_id.tolist()) == list(range(7))
    assert dets.confidence.sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("count", [1, 3, 6])
def test_max_det_is_the_number_of_classes_told_and_the_cut_is_told(count):
    dets = decode([LOGITS], SIZE, family="classify", max_det=count)
    assert dets.class_id.tolist() == [2, 5, 3, 1, 4, 0][:count]
    assert f"max_det={count}" in dets.meta["cut"]


def test_a_threshold_leaves_the_classes_that_reach_it():
    dets = decode([LOGITS], SIZE, family="classify", conf=0.2)
    assert dets.class_id.tolist() == [2, 5]
    assert len(decode([LOGITS], SIZE, family="classify", conf=0.99)) == 0


def test_one_label_leaves_the_best_class():
    assert decode([LOGITS], SIZE, family="classify", multi_label=False).class_id.tolist() == [2]


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_stored_logits_get_their_softmax_behind_dequantisation(dtype, shape):
    top = np.iinfo(dtype).max
    quant = (16 / top, float(top // 2))
    stored = np.clip(np.round(LOGITS / quant[0] + quant[1]), 0, top).astype(dtype)
    dets = decode({"net/fc": stored.reshape(shape)}, SIZE, family="classify", quant=quant)
    real = naive.dequantise(stored, quant)
    np.testing.assert_allclose(dets.confidence, np.sort(shares(real))[::-1][:5], rtol=1e-6)


def test_stored_probabilities_are_taken_as_they_are():
    stored = np.array([0, 255, 51, 102, 0, 1, 0], np.uint8)
    dets = decode({"net/softmax1": stored[None]}, SIZE, family="classify", quant=(1 / 255, 0.0))
    assert dets.class_id.tolist()[:4] == [1, 3, 2, 5]
    np.testing.assert_allclose(dets.confidence[:4], [1, 0.4, 0.2, 1 / 255], rtol=1e-6)


@given(
    st.lists(st.sampled_from([-2.0, 0.0, 0.5, 1.0, 3.0, 30.0]), min_size=2, max_size=40), st.integers(1, 45)
)
def test_any_vector_gives_its_softmax_in_falling_order_ties_by_lower_class(values, count):
    values = np.array([*values, -9.0], np.float32)
    dets = decode([values], SIZE, family="classify", logits=True, max_det=count)
    wanted = shares(values.astype(np.float64)).astype(np.float32)
    order = sorted(range(len(values)), key=lambda c: (-wanted[c], c))[:count]
    assert dets.class_id.tolist() == order
    np.testing.assert_allclose(dets.confidence, wanted[order], rtol=2e-7)


@pytest.mark.parametrize(
    "values", [[1e30, -1e30, 0], [3e38, 3e38, -3e38], [-1e30, -2e30, -3e30], [88, 89, 90]]
)
def test_logits_that_overflow_exp_still_make_a_softmax(values):
    dets = decode([np.array(values, np.float32)], SIZE, family="classify", logits=True)
    assert dets.confidence.sum() == pytest.approx(1, abs=1e-6)
    assert dets.class_id[0] == int(np.argmax(values))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_vector_with_values_that_are_no_numbers_is_refused(bad):
    values = LOGITS.copy()
    values[3] = bad
    with pytest.raises(ValuesError, match="net/fc") as caught:
        decode({"net/fc": values}, SIZE, family="classify")
    assert "channel 3" in caught.value.got


def test_class_names_go_with_the_vector():
    names = [f"class {c}" for c in range(7)]
    dets = decode([LOGITS], SIZE, family="classify", names=names)
    assert dets.name_of(int(dets.class_id[0])) == "class 2"
    with pytest.raises(OptionError, match="6 class names do not go with 7 classes"):
        decode([LOGITS], SIZE, family="classify", names=names[:6])


def test_one_number_is_no_choice():
    with pytest.raises(HailoDecodeError):
        decode([np.zeros(1, np.float32)], SIZE, family="classify")


def test_a_map_is_no_classifier():
    with pytest.raises(HailoDecodeError) as caught:
        decode([np.zeros((7, 5, 10), np.float32)], SIZE, family="classify")
    assert "7x5" in str(caught.value)


def test_the_whole_picture_is_the_whole_photo():
    letterbox = Letterbox.stretch((480, 640), SIZE)
    dets = decode([LOGITS], SIZE, family="classify", letterbox=letterbox, max_det=1)
    assert dets.xyxy.tolist() == [[0, 0, 640, 480]]


@pytest.mark.parametrize("shape", [(1000,), (1, 1000), (1, 1, 1000), (1, 1, 1, 1000)], ids=str)
@pytest.mark.parametrize("softmaxed", [False, True])
def test_a_vector_alone_is_recognised_as_a_classifiers(shape, softmaxed):
    values = np.random.default_rng(1).normal(0, 3, 1000)
    values = shares(values) if softmaxed else values
    dets = decode([values.astype(np.float32).reshape(shape)], 224)
    assert "classifier" in dets.meta["head"]
    assert dets.class_id[0] == int(values.argmax())
