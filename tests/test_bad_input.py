"""Bad input to the public calls: each gets an error of ours with the caller's own numbers; nothing is guessed."""

import heads
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from hailo_decode import Decoder, decode_yolov8
from hailo_decode.errors import (
    AmbiguousError,
    DtypeError,
    HailoDecodeError,
    OptionError,
    PairingError,
    QuantError,
    SizeError,
    UnknownName,
    ValuesError,
)


@pytest.fixture
def frame():
    outputs, quant = heads.dfl_frame()
    return outputs, {"quant": quant}


@pytest.fixture
def floats():
    return heads.float_frame()


@pytest.mark.parametrize("outputs", [{}, [], ()], ids=str)
def test_no_outputs_are_told(outputs):
    error = refused(PairingError, outputs)
    assert error.message == "there are no outputs"
    assert "six tensors" in error.wanted


@pytest.mark.parametrize(
    "outputs", [None, 3, "net/conv41", np.zeros((4, 4, 3), np.uint8), {1, 2}], ids=lambda o: type(o).__name__
)
def test_what_is_neither_dict_nor_list_is_told(outputs):
    error = refused(PairingError, outputs)
    assert error.got == type(outputs).__name__
    assert "{name: array}" in error.wanted


def test_outputs_whose_names_are_no_strings_are_told(floats):
    error = refused(HailoDecodeError, dict(enumerate(floats.values())), 32)
    assert "0" in str(error)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "int16", "int64", "object", "bool"])
def test_other_element_types_are_told_with_the_output(frame, dtype):
    outputs, told = frame
    outputs["net/cls16"] = outputs["net/cls16"].astype(dtype)
    error = refused(DtypeError, outputs, **told)
    assert "'net/cls16'" in error.message
    assert error.got == dtype
    assert error.wanted == "uint8, uint16 or float32"


@pytest.mark.parametrize("role", ["box", "cls"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("bins", [1, 4])
def test_nan_and_infinity_never_become_a_box(bad, role, bins):
    box, cls = np.ones((4, 4, 4 * bins), np.float32), np.full((4, 4, 3), -8, np.float32)
    cls[1, 2, 0] = 2
    (box if role == "box" else cls)[1, 2, 1] = bad
    outputs = {"net/box": box, "net/cls": cls}
    error = refused(ValuesError, outputs, 32)
    assert f"'net/{role}' holds 1 values" in error.message
    assert error.got == f"{bad} at row 1, column 2, channel 1"
    good = {"net/box": np.ones_like(box), "net/cls": np.where(np.isfinite(cls), cls, np.float32(-8))}
    decoder = Decoder.from_outputs(good, 32, family=("yolov8", "yolo26"))
    with pytest.raises(ValuesError, match=f"'net/{role}'"):
        decoder(outputs)


def test_distances_that_leave_float32_are_told(floats):
    floats["net/box"][:] = 3e38
    assert "infinite" in refused(ValuesError, floats, 32).message


def test_integers_without_quantisation_are_told_with_the_argument(frame):
    outputs, _ = frame
    error = refused(QuantError, outputs)
    assert "'net/box8'" in error.message
    assert 'quant={"net/box8": (scale, zero_point)}' in error.hint


@pytest.mark.parametrize(
    "entry",
    [
        (0, 0),
        (-0.1, 0),
        (float("nan"), 0),
        (0.1, float("inf")),
        "x",
        (1,),
        (1, 2, 3),
        ("a", "b"),
        {"scale": 1},
        0.1,
        ([0.1, 0.2], [1, 2, 3]),
        ([], []),
    ],
    ids=str,
)
def test_impossible_quantisations_are_told(frame, entry):
    outputs, told = frame
    told["quant"]["net/box8"] = entry
    refused(QuantError, outputs, **told)


def test_a_zero_point_outside_the_dtype_is_told_with_the_likely_cause(frame):
    outputs, told = frame
    told["quant"]["net/box8"] = (0.1, 18_000)
    error = refused(QuantError, outputs, **told)
    assert "'net/box8' is uint8, but its zero point is 18000" in error.message
    assert "16 bits" in error.hint


@pytest.mark.parametrize("role", ["box", "cls"])
def test_scales_of_another_number_of_channels_are_told(frame, role):
    outputs, told = frame
    told["quant"][f"net/{role}8"] = ([0.1, 0.2], [100, 100])
    error = refused(QuantError, outputs, **told)
    assert f"'net/{role}8'" in error.message
    assert "2" in str(error)


def test_a_size_that_fits_no_layout_is_told_with_those_that_would(frame):
    outputs, told = frame
    outputs["net/box8"] = np.zeros(4000, np.uint8)
    formats = {"net/box8": {"order": "FCR", "shape": (8, 8, 64), "hw_shape": (8, 16, 64)}}
    error = refused(SizeError, outputs, formats=formats, **told)
    assert "8x8x64" in error.message
    assert "4000 elements" in error.got
    assert "4096" in error.wanted
    assert "8192" in error.wanted


def test_flat_bytes_of_unknown_shape_are_told_with_the_argument(frame):
    outputs, told = frame
    outputs["net/box8"] = outputs["net/box8"].reshape(-1)
    assert "hw_shape" in refused(SizeError, outputs, **told).hint


def test_frames_in_a_stack_are_told(frame):
    outputs, told = frame
    error = refused(SizeError, {n: np.stack([a, a]) for n, a in outputs.items()}, **told)
    assert "holds 2 frames" in error.message
    assert "batch" in error.hint


@pytest.mark.parametrize("order", ["FRC", "nope", "", 77])
def test_an_unknown_order_is_told_with_the_known_ones(frame, order):
    outputs, told = frame
    error = refused(UnknownName, outputs, formats={"net/box8": order}, **told)
    assert repr(str(order)) in error.message
    assert "FCR" in error.wanted


@pytest.mark.parametrize("what", ["quant", "formats", "roles"])
def test_an_argument_that_speaks_of_an_output_that_is_not_there_is_told(frame, what):
    outputs, told = frame
    entry = {"quant": (0.1, 0), "formats": "FCR", "roles": "box"}[what]
    told[what] = told.get(what, {}) | {"net/bux8": entry}
    error = refused(UnknownName, outputs, **told)
    assert "'net/bux8'" in error.message
    assert f"{what}=" in str(error)
    assert "net/box8" in error.hint


@pytest.mark.parametrize(
    "entry",
    [
        {"odrer": "FCR"},
        {"shape": "abc"},
        {"shape": (4, 4, -3)},
        {"shape": (1, 2, 3, 4)},
        {"layout": "chip"},
        {"dtype": "int3"},
        {"dtype": "float64"},
        {"dtype": 7},
        3.5,
    ],
    ids=str,
)
def test_formats_that_cannot_be_read_are_told(frame, entry):
    outputs, told = frame
    refused(OptionError, outputs, formats={"net/box8": entry}, **told)


@pytest.mark.parametrize("change", ["more", "fewer", "renamed"])
@pytest.mark.parametrize("form", [dict, list])
def test_a_later_frame_with_other_outputs_is_not_forced_into_the_plan(floats, change, form):
    decoder = Decoder.from_outputs(form(floats) if form is dict else list(floats.values()), 32)
    cls = floats["net/cls"]
    if change == "more":
        later = floats | {"net/cls_again": cls}
    elif change == "fewer":
        later = {"net/cls": cls}
    else:
        later = {"net/box": floats["net/box"], "other": np.zeros((2, 2, 3), np.float32)}
    with pytest.raises(PairingError):
        decoder(later if form is dict else list(later.values()))


@settings(max_examples=150)
@given(st.data())
def test_whatever_is_broken_in_a_frame_the_error_is_ours(data):
    network = data.draw(strategies.networks())
    told = dict(network.told)
    outputs = dict(network.outputs)
    name = data.draw(st.sampled_from(sorted(outputs)))
    array = outputs[name]
    broken = data.draw(
        st.sampled_from(
            [
                array[..., :0],
                array.reshape(-1),
                array.reshape(-1)[:-1],
                np.concatenate([array.reshape(-1)] * 2),
                array.astype(np.float64),
                array.astype(object),
                np.stack([array, array]),
                array.T,
                np.zeros((3, 5, 7), array.dtype),
                np.full_like(array, np.nan if array.dtype == np.float32 else 0),
                None,
                array.tolist(),
                array.tobytes(),
            ]
        )
    )
    outputs[name] = broken
    try:
        dets = decode_yolov8(outputs, network.input_size, **told)
    except HailoDecodeError:
        return
    assert np.isfinite(dets.xyxy).all()
    assert np.isfinite(dets.confidence).all()


def test_the_two_readings_of_an_ambiguous_output_are_both_named(frame):
    outputs, told = frame
    outputs["net/box8"] = outputs["net/box8"].reshape(-1)
    formats = {"net/box8": {"order": "F8CR", "shape": (8, 8, 64)}}
    error = refused(AmbiguousError, outputs, formats=formats, **told)
    assert len(error.readings) == 2
    assert "host F8CR" in str(error)
    assert "device F8CR" in str(error)
    assert '"net/box8"' in error.hint
