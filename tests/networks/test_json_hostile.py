"""JSON that is made to cost: read or refused within 2 seconds and 200 MB, whatever it repeats."""

import contextlib
import time
import tracemalloc

import pytest

from hailo_decode.errors import FormatError
from hailo_decode.networks import read_network
from hailo_decode.networks._document import MAX_BYTES, MAX_ENTRIES, MAX_LISTS, MAX_NODES

SECONDS, BYTES = 2, 200_000_000
MANY = 2_000_000


def repeated(piece, count, begin=b'{"outputs": [], "odd": [', end=b"0]}"):
    return begin + piece * count + end


def numbered(piece, count, begin, end):
    return begin + b",".join(piece % i for i in range(count)) + end


COSTLY = {
    "empty lists": repeated(b"[],", MANY),
    "empty objects": repeated(b"{},", MANY),
    "lists inside lists": repeated(b"[[[[[[1]]]]]],", 300_000),
    "numbers": repeated(b"1,", 3_000_000),
    "texts": repeated(b'"",', MANY),
    "keys": numbered(b'"%d":0', 700_000, b'{"outputs": [], ', b"}"),
    "a key again and again": repeated(b'"a":0,', 1_000_000, b'{"outputs": [], ', b'"a":0}'),
    "outputs": numbered(b'{"name":"%d"}', 140_000, b'{"outputs": [', b"]}"),
    "layers": numbered(b'{"name":"%d"}', 140_000, b'{"outputs": [], "layers": [', b"]}"),
    "more bytes than any description": b'{"outputs": [], "a": "' + b"x" * (MAX_BYTES + 1) + b'"}',
}
# The most that is read of each kind.
MOST = {
    "lists": repeated(b"[],", MAX_LISTS - 3),
    "objects": repeated(b"{},", MAX_LISTS - 3),
    "numbers": repeated(b"1,", MAX_ENTRIES - 2),
    "keys": numbered(b'"%d":0', MAX_ENTRIES - 1, b'{"outputs": [], ', b"}"),
    "outputs": numbered(b'{"name":"%d"}', MAX_NODES, b'{"outputs": [', b"]}"),
    "scales": numbered(b"1.%d", MAX_ENTRIES - 9, b'{"outputs": [{"name": "a", "scale": [', b"]}]}"),
    "a long name": b'{"outputs": [{"name": "' + b"x" * (MAX_BYTES - 40) + b'"}]}',
    "class names": repeated(b'"a",', MAX_ENTRIES - 2, b'{"outputs": [], "classes": [', b'"a"]}'),
}


def costs(path):
    """Read a file, and hold it to its time and, apart from the clock, to its memory."""
    began = time.process_time()
    with contextlib.suppress(FormatError):
        read_network(path)
    assert time.process_time() - began < SECONDS
    tracemalloc.start()
    with contextlib.suppress(FormatError):
        read_network(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < BYTES


@pytest.mark.parametrize("data", COSTLY.values(), ids=COSTLY)
def test_what_no_description_holds_is_refused_at_once(tmp_path, data):
    path = tmp_path / "net.json"
    path.write_bytes(data)
    with pytest.raises(FormatError):
        read_network(path)
    costs(path)


@pytest.mark.parametrize("data", MOST.values(), ids=MOST)
def test_the_most_that_is_read_stays_within_bounds(tmp_path, data):
    path = tmp_path / "net.json"
    path.write_bytes(data)
    assert read_network(path).source == "json"
    costs(path)


def test_a_file_that_goes_on_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "net.json"
    with path.open("wb") as file:
        file.write(b'{"outputs": [')
        file.truncate(1 << 34)  # a hole: 16 GiB that take no room
    costs(path)
    with pytest.raises(FormatError, match="is longer than 8388608 bytes"):
        read_network(path)
