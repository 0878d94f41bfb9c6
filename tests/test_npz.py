"""Arrays in and out of .npz: what numpy writes is read, and no bytes do harm."""

import io
import pickle
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hailo_decode.errors import DtypeError, FormatError
from hailo_decode.npz import MOST_BYTES, read_npz, write_npz

ARRAYS = hnp.arrays(
    st.sampled_from([np.uint8, np.uint16, np.float32, np.float64, np.int8, np.bool_, ">u2", "<f2"]),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


def packed(arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


WHOLE = packed(
    {"net/conv1": np.arange(60, dtype=np.uint8).reshape(3, 4, 5), "b": np.ones((2, 2), np.float32)}
)


@given(st.dictionaries(NAMES, ARRAYS, max_size=4))
def test_what_is_written_is_read(tmp_path_factory, arrays):
    path = tmp_path_factory.mktemp("npz") / "a.npz"
    write_npz(path, arrays)
    read = read_npz(path)
    assert list(read) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(read[name], array)
        assert read[name].shape == array.shape
        assert read[name].dtype == array.dtype.newbyteorder("=")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_what_numpy_writes_is_read(tmp_path, save):
    turned = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    save(tmp_path / "a.npz", **{"net/conv1": np.arange(6, dtype=np.uint16), "turned": turned})
    read = read_npz(tmp_path / "a.npz")
    assert read["net/conv1"].tolist() == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(read["turned"], turned)
    assert read["turned"].flags.writeable


def test_numpy_reads_what_is_written(tmp_path):
    write_npz(tmp_path / "a.npz", {"net/conv1": np.arange(6, dtype=np.uint16), "network": np.array("{}")})
    with np.load(tmp_path / "a.npz", allow_pickle=False) as read:
        assert read["net/conv1"].tolist() == [0, 1, 2, 3, 4, 5]
        assert read["network"].item() == "{}"


def test_equal_arrays_give_equal_files(tmp_path):
    for name in "ab":
        write_npz(tmp_path / name, {"x": np.arange(9)})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.npz"
    write_npz(path, {"x": np.arange(3)})
    with pytest.raises(DtypeError, match="'y' cannot be kept without pickle"):
        write_npz(path, {"x": np.arange(4), "y": np.array([{}])})
    assert read_npz(path)["x"].tolist() == [0, 1, 2]
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "an empty file"),
        (b"\xff\xd8\xff\xe0", "first bytes ff d8 ff e0"),
        (npy(np.arange(3)), "one array without a name"),
        (pickle.dumps({"x": 1}), "a pickle, which is never loaded"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"PK\3\4 and nothing more", "is no whole zip"),
        (
            packed({"x": np.array([{"a": 1}, None], object)}),
            "would have to be unpickled, which is never done",
        ),
        (packed({"x": np.array([(1, 2.0)], "i4,f4")}), "an array of numbers"),
        (packed({"x": np.array([b"text"])}), "an array of numbers"),
    ],
)
def test_what_is_no_npz_of_numbers_is_named(tmp_path, data, words):
    path = tmp_path / "dump.npz"
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        read_npz(path)
    assert words in str(caught.value)
    assert "dump.npz" in str(caught.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(FormatError, match=r"there is no file .*none\.npz"):
        read_npz(tmp_path / "none.npz")
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        read_npz(tmp_path)


@given(st.integers(0, len(WHOLE) - 1))
def test_a_file_cut_anywhere_is_refused(tmp_path_factory, length):
    path = tmp_path_factory.mktemp("npz") / "cut.npz"
    path.write_bytes(WHOLE[:length])
    with pytest.raises(FormatError):
        read_npz(path)


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=6))
def test_changed_bytes_are_refused_or_do_not_matter(tmp_path_factory, changes):
    data = bytearray(WHOLE)
    for at, byte in changes:
        data[at] = byte
    path = tmp_path_factory.mktemp("npz") / "changed.npz"
    path.write_bytes(data)
    try:
        read = read_npz(path)
    except FormatError:
        return
    assert sum(array.nbytes for array in read.values()) <= 60 + 16  # never more than was there


def zipped(body, method=zipfile.ZIP_DEFLATED, names=("x.npy",)):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name in names:
            archive.writestr(name, body)
    return bytearray(buffer.getvalue())


def said_size(data, size):
    """Let both headers of a one-member zip say another unpacked size (PKWARE APPNOTE, 4.3.7 and 4.3.12)."""
    struct.pack_into("<I", data, data.index(b"PK\3\4") + 22, size)
    struct.pack_into("<I", data, data.index(b"PK\1\2") + 24, size)
    return data


def test_a_zip_that_says_it_unpacks_to_gigabytes_is_refused(tmp_path):
    path = tmp_path / "bomb.npz"
    path.write_bytes(said_size(zipped(npy(np.zeros(9))), 0xFFFFFFF0))
    with pytest.raises(FormatError, match="would unpack to 4294967280 bytes") as caught:
        read_npz(path)
    assert caught.value.wanted == f"at most {MOST_BYTES}"


def test_a_zip_that_hides_what_it_unpacks_to_costs_no_memory(tmp_path):
    path = tmp_path / "bomb.npz"
    path.write_bytes(said_size(zipped(npy(np.zeros(64 << 20, np.uint8))), 200))
    tracemalloc.start()
    with pytest.raises(FormatError):
        read_npz(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_shape_that_promises_more_than_is_there_costs_no_memory(tmp_path):
    body = npy(np.zeros(9, np.uint8))
    promised = b"(9999999999999,), }"
    at = body.index(b"(9,), }")
    body = body[:at] + promised + body[at + len(promised) :]
    path = tmp_path / "shape.npz"
    path.write_bytes(zipped(body))
    with pytest.raises(FormatError, match="does not hold the 9999999999999 elements"):
        read_npz(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped(npy(np.zeros(9)), names=("x.npy", "y.npy")).replace(b"y.npy", b"x.npy"), "'x' stands twice"),
        (zipped(b"hello", names=("readme.txt",)), "'readme.txt' in .* is no array"),
        (zipped(npy(np.zeros(9)), zipfile.ZIP_LZMA), "is packed by method 14"),
        (zipped(b"hello"), r"is no \.npy of 5 bytes"),
        (zipped(npy(np.zeros(9, np.uint8))[:-3]), "does not hold the 9 elements"),
    ],
)
def test_members_that_numpy_never_wrote_are_refused(tmp_path, data, words):
    path = tmp_path / "odd.npz"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=words):
        read_npz(path)


def test_a_member_with_a_password_is_refused(tmp_path):
    data = zipped(npy(np.zeros(9)))
    data[data.index(b"PK\1\2") + 8] |= 1
    path = tmp_path / "locked.npz"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="encrypted"):
        read_npz(path)
