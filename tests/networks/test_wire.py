"""The wire walk and Message, against protobuf and against hostile bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks.hef_oracle import MESSAGES

from hailo_decode.errors import FormatError
from hailo_decode.networks._message import MAX_DEPTH, Message
from hailo_decode.networks._wire import varint, walk


def encoded(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def message(data, **rest):
    return Message(memoryview(data), **rest)


@given(st.integers(0, 2**64 - 1))
def test_a_varint_comes_back(value):
    data = encoded(value)
    assert varint(memoryview(data), 0, len(data)) == (value, len(data))


@pytest.mark.parametrize("data", [b"\xff" * 9 + b"\x02", b"\xff" * 11, b"\x80" * 20])
def test_a_varint_beyond_64_bits_is_refused(data):
    with pytest.raises(FormatError, match="does not fit 64 bits") as caught:
        varint(memoryview(data), 0, len(data))
    assert caught.value.offset == 0


@pytest.mark.parametrize("size", range(1, 10))
def test_a_varint_that_runs_out_is_refused(size):
    with pytest.raises(FormatError, match="past the end"):
        varint(memoryview(b"\x80" * size), 0, size)


def test_walk_gives_offsets_from_the_start_of_the_file():
    data = b"head" + b"\x08\x96\x01" + b"\x12\x03abc" + b"\x1d\0\0\x80?" + b"\x21" + b"\0" * 8
    assert list(walk(memoryview(data), 4, len(data))) == [
        (1, 0, 150, 5),
        (2, 2, 12, 9),
        (3, 5, 17, 13),
        (4, 1, 26, 18),
    ]


numeric = MESSAGES["Numeric"]
doubles = st.lists(st.floats(allow_nan=False), max_size=5)


@given(st.floats(width=32, allow_nan=False), doubles, doubles)
def test_floats_and_packed_doubles_are_protobufs(scale, zeros, scales):
    made = numeric(scale=scale, zero_points=zeros, scales=scales)
    read = message(made.SerializeToString())
    assert (read.single(2), read.single(1)) == (made.scale, 0.0)
    assert (list(read.doubles(5)), list(read.doubles(6))) == (zeros, scales)


@given(
    st.lists(st.integers(0, 2**32 - 1), max_size=6),
    st.integers(0, 2**32 - 1),
    st.text(max_size=9),
    st.booleans(),
)
def test_numbers_texts_and_flags_are_protobufs(ratios, height, name, transposed):
    anchors = message(MESSAGES["AnchorDecoder"](h=ratios, stride=height).SerializeToString())
    assert (list(anchors.u64s(2)), anchors.u32(4), anchors.u32(5)) == (ratios, height, 0)
    layer = message(
        MESSAGES["Layer"](name=name, transposed=transposed, original_names=[name, ""]).SerializeToString()
    )
    assert (layer.text(1), layer.flag(6), layer.texts(5)) == (name, transposed, (name, ""))


def test_repeated_numbers_may_be_packed_or_not_or_both():
    data = b"\x10\x01" + b"\x12\x03\x02\x96\x01" + b"\x10\x03"
    assert message(data).u64s(2) == (1, 2, 150, 3)


def test_repeated_doubles_may_be_packed_or_not():
    one, two = b"\0\0\0\0\0\0\xf0?", b"\0\0\0\0\0\0\0@"
    assert message(b"\x29" + one + b"\x2a\x10" + one + two).doubles(5) == (1.0, 1.0, 2.0)


def test_the_last_of_two_counts():
    assert message(b"\x08\x01\x08\x02").u64(1) == 2


def test_an_empty_message_is_present_and_an_absent_one_reads_as_defaults():
    read = message(b"\x52\x00")
    assert 10 in read
    assert 11 not in read
    inside = read.message(11)
    assert (inside.u64(1), inside.text(2), inside.messages(3), inside.span(4)) == (0, "", [], None)


def test_negative_numbers_are_read_as_signed():
    assert message(b"\x48" + b"\xff" * 9 + b"\x01").i64(9) == -1


def test_bytes_are_a_view_and_not_a_copy():
    data = memoryview(b"\x12\x03abc")
    assert Message(data).data(2).obj is data.obj
    assert Message(data).span(2) == (2, 5)


WRONG = {
    "field 0": (b"\x00\x01", "number 0", 0),
    "a group": (b"\x0b", "wire type 3", 0),
    "a length past the end": (b"\x0a\x05abc", "wants 5 bytes, 3 are left", 2),
    "a length of 2**63": (b"\x0a" + encoded(2**63) + b"abc", "are left", 11),
    "half a float": (b"\x0d\x00\x00", "wants 4 bytes, 2 are left", 1),
    "half a double": (b"\x09\x00", "wants 8 bytes, 1 are left", 1),
    "a tag without end": (b"\xff\xff\xff", "past the end", 0),
    "a huge field number": (encoded(1 << 40) + b"\x00", "no field can have the number", 0),
}


@pytest.mark.parametrize(("data", "said", "offset"), WRONG.values(), ids=WRONG)
def test_bytes_that_are_no_field_are_refused_with_their_place(data, said, offset):
    with pytest.raises(FormatError, match=said) as caught:
        message(data).u64(1)
    assert caught.value.offset == offset


READS = {
    "text for a number": (b"\x0a\x01a", lambda m: m.u64(1)),
    "a number for text": (b"\x08\x01", lambda m: m.text(1)),
    "a number for a message": (b"\x08\x01", lambda m: m.messages(1)),
    "a number for a float": (b"\x08\x01", lambda m: m.single(1)),
    "packed doubles of 9 bytes": (b"\x0a\x09" + b"\0" * 9, lambda m: m.doubles(1)),
    "a float among doubles": (b"\x0d\0\0\0\0", lambda m: m.doubles(1)),
    "a double among numbers": (b"\x09" + b"\0" * 8, lambda m: m.u64s(1)),
    "33 bits": (b"\x08" + encoded(1 << 32), lambda m: m.u32(1)),
    "text that is not UTF-8": (b"\x0a\x02a\xff", lambda m: m.text(1)),
    "a long text": (b"\x0a\x05hello", lambda m: m.text(1, limit=4)),
    "a packed varint past the field": (b"\x0a\x01\x80\x08\x01", lambda m: m.u64s(1)),
}


@pytest.mark.parametrize(("data", "read"), READS.values(), ids=READS)
def test_a_field_of_another_kind_is_refused_with_its_place(data, read):
    with pytest.raises(FormatError) as caught:
        read(message(data))
    assert isinstance(caught.value.offset, int)


def test_nesting_is_bounded():
    data = b""
    for _ in range(200):
        data = b"\x0a" + encoded(len(data)) + data
    read = message(data)
    for _ in range(MAX_DEPTH):
        read = read.message(1)
    with pytest.raises(FormatError, match=f"more than {MAX_DEPTH} deep"):
        read.message(1)


def test_the_number_of_fields_is_bounded_over_all_messages_inside():
    data = b"".join(b"\x0a\x02\x08\x01" for _ in range(10))
    read = message(data, max_fields=15)
    inside = read.messages(1)
    assert sum(one.u64(1) for one in inside[:5]) == 5
    with pytest.raises(FormatError, match="more fields than any real one"):
        inside[5].u64(1)


def test_packed_numbers_count_as_fields():
    with pytest.raises(FormatError, match="more fields"):
        message(b"\x0a\x7f" + b"\x01" * 127, max_fields=100).u64s(1)


@given(st.binary(max_size=60))
def test_any_bytes_walk_or_are_refused_inside_the_buffer(data):
    places = []
    try:
        places += [offset for _, _, _, offset in walk(memoryview(data), 0, len(data))]
    except FormatError as error:
        places.append(error.offset)
    assert all(0 <= place <= len(data) for place in places)
