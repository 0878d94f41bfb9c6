"""Broken and hostile HEF bytes: an error with its place, soon, and without eating memory."""

import struct
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks.build_hef import hef, layer, mux, wrap, yolov5, yolov8

from hailo_decode.errors import FormatError
from hailo_decode.networks.hef import network_of

OUTS = [
    layer("net/reg8", (8, 8, 64)),
    layer("net/cls8", (8, 8, 5)),
    mux("m", [layer("net/c", (4, 4, 30))], pad=40),
]
OPS = [yolov8([(8, "net/reg8", "net/cls8")]), yolov5([(8, "net/reg8", [(10, 13)])], name="second")]
WHOLE = {version: hef(OUTS, ops=OPS, version=version, weights=b"w" * 64) for version in (0, 1, "4.17", 2, 3)}
METADATA_BYTES = WHOLE[3][56 : 56 + struct.unpack(">I", WHOLE[3][8:12])[0]]


def read(data):
    return network_of(memoryview(data))


def attempt(metadata):
    """Read metadata in a file whose checksum fits; return the place of the error, or None."""
    try:
        network_of(memoryview(wrap(metadata)))
    except FormatError as error:
        return error.offset
    return None


@pytest.mark.parametrize("version", WHOLE)
def test_a_file_cut_anywhere_is_refused_with_the_place(version):
    data = WHOLE[version]
    for size in range(len(data)):
        with pytest.raises(FormatError) as caught:
            read(data[:size])
        assert 0 <= caught.value.offset <= size


def test_metadata_cut_anywhere_is_refused_with_the_place_unless_a_field_ends_there():
    places = {size: attempt(METADATA_BYTES[:size]) for size in range(len(METADATA_BYTES))}
    refused = {size: place for size, place in places.items() if place is not None}
    assert len(refused) > 0.95 * len(places)
    assert all(place <= 56 + size for size, place in refused.items())


@settings(max_examples=400)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=8))
def test_changed_bytes_are_read_or_refused_with_their_place(changes):
    metadata = bytearray(METADATA_BYTES)
    for place, value in changes:
        metadata[place % len(metadata)] = value
    assert 0 <= (attempt(bytes(metadata)) or 0) <= 56 + len(metadata)


@given(st.binary(max_size=300))
def test_any_metadata_is_read_or_refused_with_its_place(metadata):
    assert 0 <= (attempt(metadata) or 0) <= 56 + len(metadata)


def length(size):
    out = b""
    while size > 0x7F:
        out += bytes([size & 0x7F | 0x80])
        size >>= 7
    return out + bytes([size])


def inside(*tags, core=b""):
    """A message in a message in a message: the first tag is the outermost."""
    for tag in reversed(tags):
        core = bytes([tag]) + length(len(core)) + core
    return core


# Tags of fields of bytes: the top's header, extensions and groups, and what a group holds.
HEADER, EXTENSIONS, GROUP = 0x0A, 0x2A, 0x12
METADATA, CONTEXTS, NETWORKS, PARTIAL, OPS, INNER = 0x0A, 0x1A, 0x32, 0x3A, 0x42, 0x0A
CONTEXT_METADATA, EDGES, MUX, PREDECESSORS, PREDECESSOR_MUX = 0x1A, 0x12, 0x22, 0x2A, 0x12
CORE, NMS, YOLOV5, DECODERS, ANCHORS = 0x22, 0x2A, 0x3A, 0x22, 0x12
FLOW = inside(HEADER, core=b"\x20\x05") + inside(EXTENSIONS, core=b"\x08\x0d")
ARCH_8L = inside(HEADER, core=b"\x08\x03\x20\x05")
MANY = 600_000

HOSTILE = {
    "nothing at all": (b"", "0 network groups"),
    "an empty group": (inside(GROUP), "nothing enters or leaves"),
    "65 groups": (inside(GROUP) * 65, "65 network groups"),
    "partial groups in partial groups": (
        ARCH_8L + inside(GROUP, *(PARTIAL, INNER) * 5000),
        "nothing enters or leaves",
    ),
    "muxes in muxes": (
        inside(GROUP, CONTEXTS, CONTEXT_METADATA, EDGES, MUX, *(PREDECESSORS, PREDECESSOR_MUX) * 5000),
        "more than 64 deep",
    ),
    "an endless varint": (b"\x80" * 100_000, "does not fit 64 bits"),
    "a length of 2**62": (b"\x1a" + length(2**62) + b"abc", "wants 4611686018427387904 bytes, 3 are left"),
    "many empty contexts": (inside(GROUP, core=inside(CONTEXTS) * MANY), "more fields than any real one"),
    "many empty edges": (inside(GROUP, CONTEXTS, CONTEXT_METADATA, core=inside(EDGES) * MANY), "more fields"),
    "many names": (inside(GROUP, core=inside(NETWORKS) * MANY), "more fields"),
    "one name of a megabyte": (inside(GROUP, METADATA, 0x0A, core=b"a" * 1_000_000), "is 1000000 bytes long"),
    "many packed numbers": (
        FLOW
        + inside(
            GROUP,
            core=inside(CONTEXTS)
            + inside(OPS, CORE)
            + inside(OPS, NMS, YOLOV5, DECODERS, ANCHORS, core=b"\x01" * MANY),
        ),
        "more fields",
    ),
}


@pytest.mark.parametrize(("metadata", "said"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_metadata_is_refused_within_two_seconds(metadata, said):
    data, start = wrap(metadata), time.process_time()
    with pytest.raises(FormatError, match=said) as caught:
        read(data)
    assert time.process_time() - start < 2
    assert 0 <= caught.value.offset <= len(data)


def test_the_hungriest_of_them_stays_under_200_megabytes():
    data = wrap(HOSTILE["many empty contexts"][0])
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="more fields"):
            read(data)
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
    finally:
        tracemalloc.stop()


def test_a_hundred_megabytes_of_weights_cost_nothing():
    data = memoryview(hef(OUTS, version=2, weights=bytes(100 << 20)))
    tracemalloc.start()
    try:
        network_of(data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [0x7FFFFFFF, 0xFFFFFFFF])
def test_a_lying_header_does_not_make_the_reader_allocate(size):
    data = bytearray(WHOLE[3])
    struct.pack_into(">I", data, 8, size)
    with pytest.raises(FormatError, match="too short"):
        read(bytes(data))
