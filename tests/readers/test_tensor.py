"""Every order, on the host and on the device: what is read is what was laid out."""

import math

import layouts
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.errors import AmbiguousError, OptionError, SizeError
from hailo_decode.readers import reader_of, tensor_readers
from hailo_decode.readers.tensor import read_tensor
from hailo_decode.values.network import OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

QUANT = Quant.of(0.1, 100)
SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 7), st.integers(1, 20))


def info(order=None, **told):
    return OutputInfo("net/conv41", order=order and FormatOrder.parse(order), quant=QUANT, **told)


def numbers(shape, dtype="uint8"):
    """Return an array in which no two neighbours are alike."""
    return (np.arange(math.prod(shape)) * 7 % 251).astype(dtype).reshape(shape)


@pytest.mark.parametrize("order", layouts.HOST)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@given(shape=SHAPES, flat=st.booleans())
def test_a_dense_host_buffer_is_read_back(order, dtype, shape, flat):
    source = numbers(shape, dtype)
    buffer = layouts.host(source, order)
    tensor = read_tensor(buffer.reshape(-1) if flat else buffer, info(order, shape=shape, layout="host"))
    assert tensor.stored().tolist() == source.tolist()
    assert tensor.shape == shape


@pytest.mark.parametrize("order", layouts.DEVICE)
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@given(shape=SHAPES, extra=st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 9)))
def test_a_device_buffer_is_read_back_and_its_padding_left_out(order, dtype, shape, extra):
    source = numbers(shape, dtype)
    padded = [n + more for n, more in zip(shape, extra, strict=True)]
    if order == "F8CR":
        padded[2] = -(-padded[2] // 8) * 8
    flat = layouts.device(source, order, tuple(padded), np.random.default_rng(0))
    told = info(order, shape=shape, hw_shape=tuple(padded), layout="device", dtype=dtype)
    tensor = read_tensor(flat, told)
    assert flat.nbytes % 8 == 0
    assert tensor.data.dtype == dtype
    assert tensor.stored().tolist() == source.tolist()
    assert tensor.real().tolist() == ((source.astype(float) - 100) * 0.1).tolist()


@pytest.mark.parametrize("order", ["FCR", "NHCW", "F8CR"])
def test_a_buffer_without_the_rounding_up_is_read_as_well(order):
    source = numbers((3, 5, 8))
    flat = layouts.device(source, order, (3, 7, 8), np.random.default_rng(0))[: 3 * 7 * 8]
    tensor = read_tensor(flat, info(order, shape=(3, 5, 8), hw_shape=(3, 7, 8), layout="device"))
    assert tensor.stored().tolist() == source.tolist()


@pytest.mark.parametrize("shape", [(4, 6, 3), (4, 6, 16)])
@pytest.mark.parametrize("order", ["NHWC", "FCR", "NHCW", "F8CR", "NCHW"])
def test_nothing_is_moved_in_reading(order, shape):
    source = numbers(shape)
    if order == "NCHW":
        buffer, told = layouts.host(source, order).reshape(-1), info(order, shape=shape)
    else:
        buffer = layouts.device(source, order, (4, 8, 16), np.random.default_rng(0))
        told = info(order, shape=shape, hw_shape=(4, 8, 16), layout="device")
    assert np.shares_memory(read_tensor(buffer, told).data, buffer)


def test_fcr_of_a_vstream_is_height_width_channels():
    source = numbers((8, 8, 5))
    tensor = read_tensor(source, info("FCR"))
    assert tensor.layout == "host"
    assert tensor.stored()[3, 4, 2] == source[3, 4, 2]


def test_nchw_is_read_by_its_label_though_the_shape_says_otherwise():
    # pyhailort hands the bytes of (C, H, W) over in an array whose shape reads (H, W, C).
    source = numbers((6, 4, 3))
    pyshape = layouts.host(source, "NCHW").reshape(6, 4, 3)
    assert read_tensor(pyshape, info("NCHW", shape=(6, 4, 3))).stored().tolist() == source.tolist()


def test_one_channel_may_come_as_height_and_width():
    source = numbers((5, 4, 1))
    for told in (info(), info("NHW"), info(shape=(5, 4, 1))):
        assert read_tensor(source[:, :, 0], told).stored().tolist() == source.tolist()


def test_a_batch_of_one_is_one_frame():
    source = numbers((5, 4, 3))
    assert read_tensor(source[None], info()).stored().tolist() == source.tolist()


def test_bytes_of_sixteen_bit_numbers_are_little_endian():
    flat = np.array([1, 0, 0, 1, 255, 255, 9, 9], np.uint8)
    tensor = read_tensor(flat, info("FCR", shape=(1, 1, 3), dtype="uint16"))
    assert tensor.data.tolist() == [1, 256, 65535]


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview])
def test_bytes_are_read_like_an_array_of_them(form):
    source = numbers((2, 3, 8))
    assert read_tensor(form(source.tobytes()), info(shape=(2, 3, 8))).stored().tolist() == source.tolist()


def test_size_tells_a_padded_device_buffer_from_a_dense_one():
    source = numbers((5, 5, 8))
    told = info("FCR", shape=(5, 5, 8), hw_shape=(5, 8, 8))
    raw = layouts.device(source, "FCR", (5, 8, 8), np.random.default_rng(0))
    assert [read_tensor(b, told).layout for b in (raw, source.reshape(-1), source)] == [
        "device",
        "host",
        "host",
    ]
    assert read_tensor(raw, told).stored().tolist() == source.tolist()


def test_floats_have_been_through_the_host_transform_so_their_layout_is_the_hosts():
    source = numbers((4, 4, 16), "float32")
    tensor = read_tensor(source.reshape(-1), info("F8CR", shape=(4, 4, 16), hw_shape=(4, 4, 16)))
    assert tensor.layout == "host"
    assert tensor.quant is None
    assert tensor.stored().tolist() == source.tolist()


def test_nhcw_without_padding_is_the_devices_for_only_stream_infos_carry_that_label():
    source = numbers((4, 8, 3))
    flat = layouts.device(source, "NHCW", (4, 8, 3), np.random.default_rng(0))
    assert read_tensor(flat, info("NHCW", shape=(4, 8, 3))).stored().tolist() == source.tolist()


def test_f8cr_of_more_than_eight_channels_without_padding_is_asked_about():
    flat = numbers((4, 4, 16)).reshape(-1)
    with pytest.raises(AmbiguousError) as caught:
        read_tensor(flat, info("F8CR", shape=(4, 4, 16)))
    error = caught.value
    assert "net/conv41" in str(error)
    assert "256 elements" in error.message
    assert any("host F8CR" in reading for reading in error.readings)
    assert any("device F8CR (4 rows x 2 groups" in reading for reading in error.readings)
    assert "layout" in error.hint


def test_f8cr_of_eight_channels_is_the_same_either_way():
    source = numbers((4, 4, 8))
    assert read_tensor(source.reshape(-1), info("F8CR", shape=(4, 4, 8))).stored().tolist() == source.tolist()


def test_a_label_nhwc_with_padding_may_be_nhcw_on_the_device():
    flat = numbers((4, 8, 3)).reshape(-1)
    with pytest.raises(AmbiguousError) as caught:
        read_tensor(flat, info("NHWC", shape=(4, 6, 3), hw_shape=(4, 8, 3)))
    assert sorted(reading.split(" (")[0] for reading in caught.value.readings) == [
        "device NHCW",
        "device NHWC",
    ]


def test_a_size_that_fits_no_layout_names_those_that_would():
    flat = np.zeros(1000, np.uint8)
    with pytest.raises(SizeError) as caught:
        read_tensor(flat, info("FCR", shape=(20, 20, 64), hw_shape=(20, 24, 64)))
    text = str(caught.value)
    for part in ("net/conv41", "20x20x64", "FCR", "1000 elements", "25600", "30720"):
        assert part in text


@pytest.mark.parametrize(
    ("count", "word"), [(4, "float32"), (8, "float64"), (2, "uint16")], ids=["float32", "float64", "uint16"]
)
def test_a_size_that_is_another_dtypes_names_it(count, word):
    with pytest.raises(SizeError) as caught:
        read_tensor(np.zeros(6 * 6 * 3 * count, np.uint8), info(shape=(6, 6, 3)))
    assert word in caught.value.hint
    assert str(6 * 6 * 3 * count) in caught.value.hint


def test_several_frames_at_once_are_counted():
    with pytest.raises(SizeError, match="holds 5 frames"):
        read_tensor(np.zeros((5, 4, 4, 3), np.uint8), info())
    with pytest.raises(SizeError) as caught:
        read_tensor(np.zeros((5, 4, 4, 3), np.uint8), info(shape=(4, 4, 3)))
    assert "5 frames" in caught.value.hint


def test_nms_orders_hold_no_tensor():
    with pytest.raises(OptionError, match="HAILO NMS BY CLASS") as caught:
        read_tensor(np.zeros(8, np.uint8), info("HAILO NMS BY CLASS", shape=(1, 1, 8)))
    assert "decode_nms" in caught.value.hint


@pytest.mark.parametrize("order", sorted(tensor_readers(), key=str), ids=lambda order: order.value)
def test_every_reader_places_every_element_once(order):
    for layout in ("host", "device"):
        geometry = reader_of(order).geometry(layout, (3, 5, 20), (3, 8, 24))
        if geometry is None:
            continue
        assert geometry.elements == math.prod((3, 5, 20) if layout == "host" else (3, 8, 24))
        eight = geometry.pitch("c8")
        places = {
            h * geometry.pitch("h")
            + w * geometry.pitch("w")
            + ((c // 8) * geometry.pitch("c") + (c % 8) * eight if eight else c * geometry.pitch("c"))
            for h in range(3)
            for w in range(5)
            for c in range(20)
        }
        assert len(places) == 3 * 5 * 20
        assert max(places) < geometry.elements


def test_reading_says_how_it_read_what_is_not_dense():
    flat = layouts.device(numbers((2, 2, 3)), "NHCW", (2, 8, 3), np.random.default_rng(0))
    (note,) = read_tensor(flat, info("NHCW", shape=(2, 2, 3), hw_shape=(2, 8, 3))).notes
    assert note == "net/conv41: read in place as device NHCW (2 rows x 3 channels x 8 columns)"
    (note,) = read_tensor(np.asfortranarray(numbers((2, 2, 3))), info()).notes
    assert note == "net/conv41: not contiguous, copied"
    assert read_tensor(numbers((2, 2, 3)), info()).notes == ()
