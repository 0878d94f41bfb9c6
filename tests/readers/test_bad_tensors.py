"""Arrays that cannot be what they are said to be: each gets an error of ours that says so."""

import numpy as np
import pytest

from hailo_decode.errors import DtypeError, HailoDecodeError, QuantError, SizeError
from hailo_decode.readers.tensor import read_tensor
from hailo_decode.values.network import OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

QUANT = Quant.of(0.1, 100)


def refused(kind, array, **told):
    """Return the error of that kind which reading an array raises."""
    told.setdefault("quant", QUANT)
    with pytest.raises(HailoDecodeError) as caught:
        read_tensor(array, OutputInfo("net/conv41", **told))
    assert type(caught.value) is kind, caught.value
    assert "'net/conv41'" in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("dtype", "hint"),
    [
        ("float16", "astype(numpy.float32)"),
        ("float64", "astype(numpy.float32)"),
        ("int8", "unsigned"),
        ("int16", "unsigned"),
        ("uint32", "8 and 16 bits"),
        ("object", "decode_nms"),
        (">u2", "8 and 16 bits"),
        (">f4", "astype(numpy.float32)"),
    ],
)
def test_element_types_that_no_output_has_are_refused_with_the_cure(dtype, hint):
    error = refused(DtypeError, np.zeros((4, 4, 3), dtype))
    assert np.dtype(dtype).name in error.got or str(np.dtype(dtype)) in error.got
    assert error.wanted == "uint8, uint16 or float32"
    assert hint in error.hint


@pytest.mark.parametrize("dtype", ["bool", "complex64", "U3", "M8[s]"])
def test_what_holds_no_numbers_is_refused(dtype):
    assert refused(DtypeError, np.zeros((4, 4, 3), dtype)).wanted == "uint8, uint16 or float32"


@pytest.mark.parametrize(
    "thing", [[1, 2, 3], "bytes", None, 3, {"a": 1}], ids=lambda thing: type(thing).__name__
)
def test_what_is_no_array_is_refused(thing):
    error = refused(DtypeError, thing)
    assert error.got == type(thing).__name__
    assert error.wanted == "a numpy array"


def test_a_list_of_arrays_is_an_nms_result():
    assert "decode_nms" in refused(DtypeError, [np.zeros((2, 5), np.float32)]).hint


@pytest.mark.parametrize("shape", [(0, 4, 3), (4, 0, 3), (4, 4, 0), (0,), (1, 0, 0, 0), ()])
def test_arrays_without_elements_are_refused(shape):
    error = refused(SizeError, np.zeros(shape, np.float32))
    assert str(shape) in error.got


@pytest.mark.parametrize("shape", [(7,), (1, 1, 4, 4, 3)])
def test_a_shape_that_names_no_grid_is_refused(shape):
    error = refused(SizeError, np.zeros(shape, np.uint8))
    assert str(shape) in error.got
    assert "(H, W, C)" in error.wanted
    assert "hw_shape" in error.hint


def test_integers_without_scale_and_zero_point_are_refused():
    error = refused(QuantError, np.zeros((4, 4, 3), np.uint16), quant=None)
    assert error.got == "uint16 without scale and zero point"
    assert 'quant={"net/conv41": (scale, zero_point)}' in error.hint


@pytest.mark.parametrize(("dtype", "zero", "top"), [("uint8", 18_000, 255), ("uint16", 70_000, 65_535)])
def test_a_zero_point_above_the_dtype_tells_of_a_stream_that_lost_its_bits(dtype, zero, top):
    error = refused(QuantError, np.zeros((4, 4, 3), dtype), quant=Quant.of(0.1, zero))
    assert f"is {dtype}, but its zero point is {zero}" in error.message
    assert error.wanted == f"0 to {top}"
    assert "16 bits" in error.hint or dtype == "uint16"


def test_a_zero_point_below_zero_is_refused():
    assert "-3" in refused(QuantError, np.zeros((4, 4, 3), np.uint8), quant=Quant.of(0.1, -3)).message


def test_a_zero_point_half_a_step_outside_is_kept_for_it_is_never_rounded():
    for zero in (-0.4, 255.4):
        tensor = read_tensor(np.zeros((1, 1, 1), np.uint8), OutputInfo("x", quant=Quant.of(1, zero)))
        assert tensor.real().item() == -zero


@pytest.mark.parametrize("count", [2, 4, 13])
def test_scales_for_another_number_of_channels_are_refused(count):
    error = refused(
        QuantError, np.zeros((4, 4, 12), np.uint8), quant=Quant.of([0.1 + k for k in range(count)], 100)
    )
    assert "12 channels" in str(error)
    assert str(count) in str(error)


@pytest.mark.parametrize("hw_shape", [(4, 4, 2), (2, 4, 3), (4, 3, 3)])
@pytest.mark.parametrize("order", ["FCR", "NHCW"])
def test_padding_that_takes_away_is_refused(order, hw_shape):
    error = refused(
        SizeError,
        np.zeros(int(np.prod(hw_shape)), np.uint8),
        order=FormatOrder.parse(order),
        shape=(4, 4, 3),
        hw_shape=hw_shape,
    )
    assert "x".join(map(str, hw_shape)) in str(error)
    assert "4x4x3" in str(error)


def test_wider_numbers_than_the_description_says_are_refused():
    error = refused(DtypeError, np.zeros((4, 4, 3), np.uint16), dtype="uint8")
    assert "uint16" in str(error)
    assert "uint8" in str(error)


def test_narrower_numbers_than_the_description_says_are_refused():
    error = refused(DtypeError, np.zeros((4, 4, 3), np.uint8), dtype="uint16", shape=(4, 4, 3))
    assert error.got == "uint8, 48 bytes"
    assert "uint16" in error.wanted


@pytest.mark.parametrize("shape", [(3, 4, 4), (2, 8, 3), (1, 2, 8, 3)])
def test_an_array_of_the_right_size_and_another_shape_is_not_taken_for_the_described_one(shape):
    error = refused(SizeError, np.zeros(shape, np.uint8), shape=(4, 4, 3))
    assert str(shape) in str(error)
    assert "4x4x3" in str(error)


@pytest.mark.parametrize("more", [1, 2, 3])
def test_bytes_behind_the_last_element_are_not_dropped_in_silence(more):
    error = refused(SizeError, np.zeros(2 * 48 + more, np.uint8), shape=(4, 4, 3), dtype="uint16")
    assert str(96 + more) in str(error)
