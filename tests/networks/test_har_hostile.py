"""HAR files that lie, are cut short or try to break out: refused soon, with the place, in little memory."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import struct
import tarfile
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks.build_archives import npy, npz, pack, qparams
from networks.build_har import har, modifications, nms_json, yolov8_hn

from hailo_decode.errors import FormatError
from hailo_decode.networks.har import FORMAT

GRAPH = yolov8_hn("net", 64, classes=2)
WHOLE = har(
    GRAPH,
    modifications=modifications(GRAPH),
    nms_json=nms_json(GRAPH),
    script="a = 1",
    state="quantized_model",
    quant=qparams("net", {"conv41": (0.1, 3.0)}),
)


@pytest.fixture
def refused(tmp_path: Path):
    """Read bytes that have to be refused, and return the error; in 2 s and 200 MB at most."""

    def refused(data: bytes, match: str = ".") -> FormatError:
        path = tmp_path / "net.har"
        path.write_bytes(data)
        began = time.process_time()
        with pytest.raises(FormatError, match=match) as caught:
            FORMAT.read(path)
        assert time.process_time() - began < 2
        tracemalloc.start()  # apart from the clock, which it slows
        with contextlib.suppress(FormatError):
            FORMAT.read(path)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 200_000_000
        assert list(tmp_path.iterdir()) == [path]
        return caught.value

    return refused


def _tar(*entries: tarfile.TarInfo, data: bytes = b"") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for entry in entries:
            entry.size = len(data) if entry.isreg() else 0
            archive.addfile(entry, io.BytesIO(data) if entry.isreg() else None)
    return out.getvalue()


def _entry(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry


@pytest.mark.parametrize("name", ["../net.hn", "a/../../net.hn", "/etc/net.hn", "..\\net.hn", "\\net.hn"])
def test_a_name_that_leads_out_of_the_archive_is_refused(refused, name):
    error = refused(_tar(_entry("ok.txt"), _entry(name)), "leads out of the archive")
    assert error.offset == 512
    assert repr(name) in error.message


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a pipe"),
        (b"S", "of the unknown type"),
    ],
)
def test_only_files_belong_into_an_archive(refused, kind, what):
    assert refused(_tar(_entry("net.hn", kind, "/etc/passwd")), what).offset == 0


def test_a_member_that_comes_twice_is_refused(refused):
    assert refused(_tar(_entry("net.hn"), _entry("net.hn")), "'net.hn' comes twice").offset == 512


def test_five_thousand_members_are_too_many(refused):
    refused(_tar(*(_entry(f"{i}.txt") for i in range(5000))), "one of more than 4096")


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("packed", [False, True], ids=["tar", "gzip"])
def test_a_cut_archive_is_refused_with_the_place(refused, ratio, packed):
    data = gzip.compress(WHOLE) if packed else WHOLE.rstrip(b"\0")
    error = refused(data[: int(len(data) * ratio)])
    assert error.offset is not None
    assert "cut short" in str(error)


def test_an_archive_without_its_end_mark_is_refused(refused):
    body = WHOLE.rstrip(b"\0")
    refused(body + bytes(-len(body) % 512), "a header wants 512 bytes, 0 are left")


def test_a_size_beyond_the_file_takes_no_memory(refused):
    data = bytearray(pack({"net.hn": b"{}"}))
    data[124:136] = b"\x80" + (1 << 60).to_bytes(11, "big")
    data[148:156] = b" " * 8
    data[148:156] = f"{sum(data[:512]):06o}\0 ".encode()
    refused(bytes(data), rf"the member 'net.hn' is {1 << 60} bytes long")


def test_a_header_with_a_wrong_checksum_is_refused(refused):
    data = bytearray(WHOLE)
    data[0] ^= 1
    assert refused(bytes(data), "checksum is wrong").offset == 0


def test_a_gzip_bomb_is_found_out_while_it_grows(refused):
    big = _tar(_entry("w.npz"), data=bytes(1 << 20))
    header = bytearray(big[:512])
    header[124:136] = b"\x80" + (40 << 30).to_bytes(11, "big")
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    bomb = io.BytesIO()
    with gzip.GzipFile(fileobj=bomb, mode="wb", compresslevel=9) as out:
        out.write(bytes(header))
        for _ in range(150):
            out.write(bytes(1 << 20))
    refused(bomb.getvalue(), "the archive grows from")


def test_a_graph_of_ten_megabytes_is_refused(refused):
    text = json.dumps({"net_params": {}, "layers": {"a": {"type": "x" * 10_000_000}}}).encode()
    refused(pack({"net.hn": text}), "the member 'net.hn' is 10000")
    refused(gzip.compress(pack({"net.hn": text})), "the member 'net.hn' is 10000")


@pytest.mark.parametrize(
    "text",
    ["[" * 3_000_000, "[" + "[]," * 1_900_000 + "[]]", '{"a":' * 250_000, "[" + "[]," * 90_000 + "[]]"],
)
def test_json_that_is_nested_or_wide_beyond_use_is_refused(refused, text):
    refused(pack({"net.hn": text.encode()}))


@pytest.mark.parametrize("name", ["net.hn", "net.nms.json", "net.metadata.json"])
def test_a_key_that_stands_twice_is_refused(refused, name):
    data = har(GRAPH, nms_json=nms_json(GRAPH), more={name: b'{"layers": {}, "state": "x", "state": "y"}'})
    refused(data, f"'state' stands twice in one object of the {name}")


@pytest.mark.parametrize(
    "name", ["net.hn", "net.nms.json", "net.metadata.json", "net.modifications_meta_data.json"]
)
@pytest.mark.parametrize("text", [b"", b"\xff\xfe", b"[1]", b'{"a": NaN}', b"{'a': 1}"])
def test_a_record_that_is_no_json_object_is_refused_by_name(refused, name, text):
    refused(har(GRAPH, more={name: text}), name.replace(".", r"\."))


def _pickled() -> bytes:
    head = b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + b"\x80\x04cos\nsystem\n."


@pytest.mark.parametrize("packed", [False, True], ids=["tar", "gzip"])
def test_an_array_that_would_be_unpickled_is_refused(refused, packed):
    quant = npz({"net/conv41/qp_out:0": _pickled()})
    data = har(GRAPH, state="quantized_model", quant=quant, compress=packed)
    error = refused(data, "would have to be unpickled, which is never done")
    assert (error.got, error.offset) == ("|O", 0)
    assert "'net/conv41/qp_out:0.npy' in net.q.npz" in error.message


def test_a_pickle_that_nobody_asks_for_does_no_harm(tmp_path):
    quant = npz({"net/conv1/qp_out:0": _pickled(), "net/conv41/qp_out:0": npy((3.0, 0.5))})
    path = tmp_path / "net.har"
    path.write_bytes(har(GRAPH, state="quantized_model", quant=quant))
    assert FORMAT.read(path).outputs[0].quant is not None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"nothing", "is no .npy"),
        (npy((1.0, 2.0), shape=(3,)), "does not hold the 3 values of its shape"),
        (npy((1.0, 2.0), shape=(1 << 40, 1 << 40)), "does not hold"),
        (npy((1.0, 2.0)).replace(b"'shape'", b"'shqpe'"), "the header of"),
        (npy((1.0, 2.0)).replace(b"<f4", b"<c8"), "is of a type not read here"),
        (npy((0.0,) * 200_000), "too much for what it should hold"),
    ],
)
def test_an_array_of_another_form_is_refused_with_its_name(refused, body, message):
    refused(har(GRAPH, state="quantized_model", quant=npz({"net/conv41/qp_out:0": body})), message)


def test_a_zip_bomb_inside_is_refused(refused):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("net/conv41/qp_out:0.npy", bytes(100 << 20))
    refused(har(GRAPH, state="quantized_model", quant=out.getvalue()), "too much for what it should hold")
    lying = out.getvalue().replace(struct.pack("<I", 100 << 20), struct.pack("<I", 200))
    refused(har(GRAPH, state="quantized_model", quant=lying), "unpacks to other than its 200 bytes")


@pytest.mark.parametrize("data", [b"x", b"PK\5\6" + bytes(10), b"PK\5\6" + bytes(6) + b"\xff" * 12])
def test_an_npz_without_a_directory_is_refused(refused, data):
    refused(har(GRAPH, state="quantized_model", quant=data), "director")


def test_an_archive_without_a_graph_says_what_it_holds(refused):
    error = refused(pack({"readme.txt": b"hello"}), "holds no HN graph")
    assert error.got == "readme.txt"


@settings(deadline=None, max_examples=250)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_flipped_and_cut_bytes_are_read_or_refused(tmp_path_factory, seed, packed, cut):
    source = random.Random(seed)
    data = bytearray(gzip.compress(WHOLE, mtime=0) if packed else WHOLE)
    for _ in range(source.randint(1, 4)):
        data[source.randrange(len(data))] ^= 1 << source.randrange(8)
    path = tmp_path_factory.getbasetemp() / "mutated.har"
    path.write_bytes(data[: source.randrange(len(data))] if cut else data)
    try:
        network = FORMAT.read(path)
    except FormatError:
        return
    assert network.source == "har"


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.builds(lambda: [[1, []]])
)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_graphs_with_values_of_any_kind_are_read_or_refused(tmp_path_factory, data):
    graph = json.loads(json.dumps(yolov8_hn("net", 64, nms=True)))
    for _ in range(data.draw(st.integers(1, 3))):
        place = graph
        while isinstance(place, (dict, list)) and place:
            keys = sorted(place) if isinstance(place, dict) else range(len(place))
            key = data.draw(st.sampled_from(list(keys)))
            if (
                not isinstance(place[key], (dict, list))
                or not place[key]
                or data.draw(st.integers(0, 3)) == 0
            ):
                place[key] = data.draw(ODD)
                break
            place = place[key]
    path = tmp_path_factory.getbasetemp() / "odd.hn"
    path.write_text(json.dumps(graph))
    try:
        assert FORMAT.read(path).source == "har"
    except FormatError:
        return
