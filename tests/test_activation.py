"""Logits or probabilities: decided from limits or values, said in meta; a sigmoid applied twice is an error."""

import heads
import naive
import numpy as np
import pytest

from hailo_decode import Decoder, decode_yolov8
from hailo_decode.errors import AmbiguousError, ValuesError
from hailo_decode.values.network import NetworkInfo, OutputInfo
from hailo_decode.values.quant import Quant

BOX = np.ones((4, 4, 4), np.float32)


def frame(cls):
    return {"net/box": BOX, "net/conv42": np.asarray(cls)}


def floats(low, high, classes=3):
    """Return a class map whose values run from low to high, the highest at row 2, column 1, class 2."""
    cls = np.full((4, 4, classes), low, np.float32)
    cls[0, 0] = (low + high) / 2
    cls[2, 1, classes - 1] = high
    return cls


def bytes_with(value):
    """Return a class map of zeros with one other byte."""
    cls = np.zeros((4, 4, 3), np.uint8)
    cls[1, 1, 1] = value
    return cls


def told(cls, quant, **options):
    """Decode a class map of integers."""
    return decode_yolov8(frame(cls), 32, quant={"net/conv42": quant}, **options)


def test_float_values_from_below_zero_are_logits_and_get_one_sigmoid():
    dets = decode_yolov8(frame(floats(-12.4, 3.1)), 32)
    assert dets.confidence.tolist() == [np.float32(naive.sigmoid(np.float32(3.1)))]
    assert "net/conv42: logits, sigmoid applied here (values from -12.4 to 3.1)" in dets.meta["activation"]


def test_float_values_in_0_to_1_are_probabilities_and_stay_as_they_are():
    dets = decode_yolov8(frame(floats(0.001, 0.914)), 32, conf=0.5)
    assert dets.confidence.tolist() == [np.float32(0.914)]
    assert (
        "net/conv42: probabilities, no sigmoid applied (values from 0.001 to 0.914)"
        in dets.meta["activation"]
    )


@pytest.mark.parametrize(
    ("quant", "word", "score"),
    [
        ((1 / 255, 0.0), "probabilities, no sigmoid applied (quantisation limits 0 to 1)", 1.0),
        ((0.003921568859368563, 0.0), "probabilities", 1.0),
        ((0.1, 200.0), "logits, sigmoid applied here (quantisation limits -20 to 5.5)", naive.sigmoid(5.5)),
    ],
)
def test_quantisation_limits_decide_for_integers(quant, word, score):
    dets = told(bytes_with(255), quant)
    assert word in dets.meta["activation"]
    assert dets.confidence[0] == pytest.approx(float(score), abs=1e-5)
    assert len(dets) == 1


def test_limits_decide_even_where_all_values_of_the_frame_lie_in_0_to_1():
    dets = told(np.full((4, 4, 3), 201, np.uint8), (0.1, 200.0), conf=0.5, suppress=False)
    assert np.allclose(dets.confidence, naive.sigmoid(0.1))


def test_limits_that_fit_both_are_asked_about():
    cls = bytes_with(20)
    with pytest.raises(AmbiguousError, match="'net/conv42' holds logits or probabilities") as caught:
        told(cls, (0.1, 0.0))
    assert any("25.5" in reading for reading in caught.value.readings)
    assert caught.value.hint == "logits=True or logits=False"
    assert told(cls, (0.1, 0.0), logits=True, conf=0.6).confidence.tolist() == [
        np.float32(naive.sigmoid(2.0))
    ]


def test_scores_above_1_that_are_said_to_be_probabilities_name_the_layer_and_the_missing_sigmoid():
    with pytest.raises(ValuesError, match="'net/conv42'") as caught:
        decode_yolov8(frame(floats(-7, 2.2)), 32, logits=False)
    assert "-7 to 2.2" in caught.value.got
    assert "model script lacks the sigmoid" in caught.value.hint


def test_float_probabilities_said_to_be_logits_are_refused():
    with pytest.raises(ValuesError, match="'net/conv42'") as caught:
        decode_yolov8(frame(floats(0.001, 0.914)), 32, logits=True)
    assert "0.001 to 0.914" in caught.value.got
    assert "logits=False" in caught.value.hint


def test_integer_probabilities_that_the_caller_calls_logits_are_refused():
    with pytest.raises(ValuesError, match="'net/conv42'"):
        told(bytes_with(233), (1 / 255, 0.0), logits=True)


def test_integer_probabilities_that_the_description_calls_linear_are_refused():
    info = OutputInfo("net/conv42", quant=Quant.of(1 / 255), activation="linear")
    decoder = Decoder.from_network(NetworkInfo("net", "json", input_size=(32, 32), outputs=(info,)))
    with pytest.raises(ValuesError, match="'net/conv42'"):
        decoder(frame(bytes_with(233)))


def test_a_sigmoid_applied_twice_to_floats_is_refused():
    twice = naive.sigmoid(floats(0.001, 0.914)).astype(np.float32)
    assert twice.max() == pytest.approx(0.714, abs=0.0005)
    with pytest.raises(ValuesError, match=r"every score of 'net/conv42' lies in 0\.5\.\.0\.7311") as caught:
        decode_yolov8(frame(twice), 32)
    assert "sigmoid was applied twice" in caught.value.message
    assert "0.5" in caught.value.got


def test_a_sigmoid_applied_twice_and_then_quantised_is_refused():
    twice = np.round(naive.sigmoid(floats(0.001, 0.914)) * 255).astype(np.uint8)
    with pytest.raises(ValuesError, match=r"every score of 'net/conv42' lies in 0\.5\.\.0\.7311"):
        told(twice, (1 / 255, 0.0))


@pytest.mark.parametrize("options", [{"conf": 0.25}, {"conf": 0.6}, {"conf": 0.25, "max_nms": 5}], ids=str)
@pytest.mark.parametrize("name", ["net/conv42", "net/cls_logits"])
def test_a_sigmoid_applied_twice_is_refused_in_a_later_frame_too(options, name):
    good, twice = floats(0.001, 0.914), naive.sigmoid(floats(0.001, 0.914)).astype(np.float32)
    decoder = Decoder.from_outputs({"net/box": BOX, name: good}, 32, **options)
    if options["conf"] > 0.5:
        twice[:] = np.maximum(twice, 0.61)
    with pytest.raises(ValuesError, match="applied twice"):
        decoder({"net/box": BOX, name: twice})


def test_a_constant_map_of_one_half_is_not_a_sigmoid_applied_twice():
    dets = decode_yolov8(frame(np.full((4, 4, 3), 0.5, np.float32)), 32, conf=0.6)
    assert len(dets) == 0
    dets = told(np.full((4, 4, 3), 128, np.uint8), (1 / 256, 0.0), conf=0.6)
    assert len(dets) == 0


def test_each_class_tensor_is_decided_by_itself_and_said():
    outputs, quant = heads.dfl_frame(objects=[(8, 1, 1, 0, 0.8), (16, 1, 1, 1, 0.9)])
    quant["net/cls16"] = (0.1, 200.0)
    outputs["net/cls16"][1, 1, 1] = 220
    dets = decode_yolov8(outputs, 64, quant=quant)
    assert dets.confidence.tolist() == [np.float32(naive.sigmoid(2.0)), np.float32(0.8)]
    assert dets.meta["activation"] == (
        "net/cls8: probabilities, no sigmoid applied (quantisation limits 0 to 1); "
        "net/cls16: logits, sigmoid applied here (quantisation limits -20 to 5.5); "
        "net/cls32: probabilities, no sigmoid applied (quantisation limits 0 to 1)"
    )


def test_class_tensors_that_agree_are_told_of_in_one_sentence_with_what_differs():
    outputs, quant = heads.dfl_frame(objects=[(8, 1, 1, 0, 0.8)])
    dets = decode_yolov8(outputs, 64, quant=quant)
    assert (
        dets.meta["activation"]
        == "all 3 class outputs: probabilities, no sigmoid applied (quantisation limits 0 to 1)"
    )
    quant |= {"net/cls8": (0.1, 200.0), "net/cls16": (0.1, 200.0), "net/cls32": (0.2, 200.0)}
    dets = decode_yolov8(outputs, 64, quant=quant)
    assert dets.meta["activation"] == (
        "all 3 class outputs: logits, sigmoid applied here (quantisation limits -20 to 5.5 at net/cls8 and net/cls16, "
        "-40 to 11 at net/cls32)"
    )


def test_each_role_has_its_own_sentence():
    outputs = {"cls8": np.full((8, 8, 3), -5.0, np.float32), "obj8": np.full((8, 8, 1), 0.1, np.float32)}
    outputs |= {"cls16": np.full((4, 4, 3), -4.0, np.float32), "obj16": np.full((4, 4, 1), 0.2, np.float32)}
    outputs |= {f"box{s}": np.ones((64 // s, 64 // s, 4), np.float32) for s in (8, 16)}
    for name, array in outputs.items():
        array[0, 0, 0] += 0.5 if name[:3] != "box" else 0
    roles = {name: name[:3] for name in outputs}
    dets = Decoder.from_outputs(outputs, 64, family="yolox", roles=roles)(outputs)
    assert dets.meta["activation"] == (
        "all 2 class outputs: logits, sigmoid applied here (values from -5 to -4.5 at cls8, -4 to -3.5 at cls16); "
        "all 2 objectness outputs: probabilities, no sigmoid applied (values from 0.1 to 0.6 at obj8, 0.2 to 0.7 at obj16)"
    )


def test_what_the_description_says_counts_before_values():
    info = OutputInfo("net/conv42", quant=Quant.of(0.1, 0), activation="sigmoid")
    decoder = Decoder.from_network(NetworkInfo("net", "json", input_size=(32, 32), outputs=(info,)))
    dets = decoder(frame(bytes_with(9)))
    assert dets.confidence.tolist() == [np.float32(0.9)]
    assert "its description says sigmoid" in dets.meta["activation"]


@pytest.mark.parametrize("value", [0.0, 0.25, 1.0])
def test_a_constant_first_map_settles_nothing_for_the_frames_that_follow(value):
    # A warm-up with zeros is usual, and zeros are neither logits nor probabilities.
    decoder = Decoder.from_network(NetworkInfo("net", "x", input_size=(32, 32)), conf=0.3)
    decoder(frame(np.full((4, 4, 3), value, np.float32)))
    assert decoder(frame(floats(-8, 2))).confidence.tolist() == [np.float32(naive.sigmoid(2.0))]
    decoder = Decoder.from_network(NetworkInfo("net", "x", input_size=(32, 32)), conf=0.5)
    decoder(frame(np.full((4, 4, 3), value, np.float32)))
    assert decoder(frame(floats(0.01, 0.9))).confidence.tolist() == [np.float32(0.9)]


@pytest.mark.parametrize("logits", [True, False])
def test_a_level_in_which_nothing_differs_follows_the_levels_that_tell(logits):
    low, high = (-8.0, 2.0) if logits else (0.01, 0.9)
    outputs = {"box8": np.ones((8, 8, 4), np.float32), "cls8": np.full((8, 8, 2), low, np.float32)}
    outputs |= {"box16": np.ones((4, 4, 4), np.float32), "cls16": np.zeros((4, 4, 2), np.float32)}
    outputs["cls8"][1, 1, 1] = high
    dets = decode_yolov8(outputs, 64, conf=0.4)
    what = "logits, sigmoid applied here" if logits else "probabilities, no sigmoid applied"
    assert dets.meta["activation"] == (
        f"all 2 class outputs: {what} (values from {low:g} to {high:g} at cls8, "
        "as at the other levels, for its values are all one at cls16)"
    )
    assert len(dets) == (1 + 16 if logits else 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_first_frame_of_bad_numbers_settles_nothing_for_the_frames_that_follow(bad):
    decoder = Decoder.from_network(NetworkInfo("net", "x", input_size=(32, 32)), conf=0.5)
    broken = floats(0.01, 0.9)
    broken[3, 3, 0] = bad
    with pytest.raises(ValuesError, match="'net/conv42'"):
        decoder(frame(broken))
    assert decoder(frame(floats(0.01, 0.9))).confidence.tolist() == [np.float32(0.9)]


def test_scores_that_leave_0_to_1_in_a_later_frame_are_refused():
    decoder = Decoder.from_outputs(frame(floats(0.01, 0.9)), 32)
    with pytest.raises(ValuesError, match=r"6\.3") as caught:
        decoder(frame(floats(0.07, 6.3)))
    assert "net/conv42" in str(caught.value)
    assert "logits=True" in caught.value.hint
