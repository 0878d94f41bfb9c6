"""The header of a HEF: every version, sizes, checksums, and what is checked unasked."""

import struct
import sys

import pytest
from networks.build_hef import MAGIC, hef, layer

from hailo_decode.errors import FormatError, MissingPackage
from hailo_decode.networks import read_network
from hailo_decode.networks.hef import network_of

HEADS = [layer("net/conv1", (8, 8, 4))]
VERSIONS = [0, 1, "4.17", 2, 3]


def network(data, **rest):
    return network_of(memoryview(data), **rest)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_header_version_reads_alike_and_its_checksum_is_right(version):
    data = hef(HEADS, version=version)
    read = network(data, verify=True)
    assert [one.name for one in read.outputs] == ["net/conv1"]
    assert read.facts["file_bytes"] == len(data)
    assert read.facts["weight_bytes"] == (0 if version == 0 else 256)
    sums = {0: "md5", 1: "crc32", "4.17": "md5", 2: "xxh3-64", 3: "xxh3-64"}
    covers = "metadata" if version == 3 else "whole file"
    assert read.facts["integrity"] == {"checksum": sums[version], "covers": covers, "checked": True}


def test_version_3_may_carry_the_checksum_of_everything():
    data = hef(HEADS, whole=True, padding=b"\0" * 16, extra=b"more")
    assert network(data, verify=True).facts["integrity"]["covers"] == "whole file"
    assert network(data).facts["weight_bytes"] == 256


@pytest.mark.parametrize("version", VERSIONS)
def test_a_flipped_bit_under_the_checksum_is_found(version):
    data = bytearray(hef(HEADS, version=version))
    data[-270 if version == 3 else -1] ^= 1
    with pytest.raises(FormatError, match=r"checksum of the .* is wrong") as caught:
        network(bytes(data), verify=True)
    assert caught.value.got != caught.value.wanted


def test_a_flipped_bit_in_the_weights_of_version_3_is_not_covered_and_so_not_found():
    data = bytearray(hef(HEADS))
    data[-1] ^= 1
    assert network(bytes(data), verify=True).facts["integrity"]["covers"] == "metadata"


@pytest.mark.parametrize("version", [1, "4.17", 2])
def test_a_checksum_over_much_is_checked_only_when_asked_for(version):
    data = bytearray(hef(HEADS, version=version, weights=b"w" * 2_000_000))
    data[-1] ^= 1
    told = network(bytes(data)).facts["integrity"]
    assert told["checked"] is False
    assert "it covers 2000" in told["why_not"]
    with pytest.raises(FormatError, match="checksum"):
        network(bytes(data), verify=True)


def test_without_xxhash_the_file_reads_and_says_that_it_was_not_checked(monkeypatch):
    monkeypatch.setitem(sys.modules, "xxhash", None)
    told = network(hef(HEADS)).facts["integrity"]
    assert told["checked"] is False
    assert told["why_not"] == "the package xxhash is not installed"
    with pytest.raises(MissingPackage, match="xxhash"):
        network(hef(HEADS), verify=True)


def test_read_network_passes_verify_on(tmp_path):
    path = tmp_path / "net.hef"
    data = bytearray(hef(HEADS, version=2, weights=b"w" * 2_000_000))
    path.write_bytes(data)
    assert read_network(path, verify=True).facts["integrity"]["checked"] is True
    data[-1] ^= 1
    path.write_bytes(data)
    assert read_network(path).facts["integrity"]["checked"] is False
    with pytest.raises(FormatError, match="xxh3-64 checksum of the whole file is wrong"):
        read_network(path, verify=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_cut_short_is_refused_with_the_missing_bytes(version):
    data = hef(HEADS, version=version)
    with pytest.raises(FormatError, match="10 bytes too short") as caught:
        network(data[:-10])
    assert caught.value.offset == len(data) - 10
    assert caught.value.wanted == str(len(data))


@pytest.mark.parametrize("version", [0, 1, "4.17", 2])
def test_bytes_behind_the_end_are_refused(version):
    with pytest.raises(FormatError, match="3 bytes follow") as caught:
        network(hef(HEADS, version=version) + b"abc")
    assert caught.value.offset == len(hef(HEADS, version=version))


def test_bytes_behind_version_3_are_told_where_hailort_leaves_the_length_alone():
    assert network(hef(HEADS) + b"abc").facts["trailing_bytes"] == 3
    with pytest.raises(FormatError, match="3 bytes follow"):
        network(hef(HEADS, whole=True) + b"abc")


def test_padding_beyond_the_weights_is_refused():
    data = bytearray(hef(HEADS))
    struct.pack_into(">I", data, 28, 1 << 20)
    with pytest.raises(FormatError, match="bytes of padding do not fit"):
        network(bytes(data))


@pytest.mark.parametrize("version", [4, 7, 0xFFFFFFFF])
def test_an_unknown_version_is_refused_by_its_number(version):
    with pytest.raises(FormatError, match=f"version {version} is not known"):
        network(MAGIC + struct.pack(">II", version, 0) + b"\0" * 64)


@pytest.mark.parametrize("data", [b"", b"\x01HE", b"HEF\x01" + b"\0" * 60, b"\0" * 100])
def test_other_bytes_are_no_hef(data):
    with pytest.raises(FormatError, match="this is no HEF"):
        network(data)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_a_header_alone_is_refused(version):
    for size in range(4, 12):
        with pytest.raises(FormatError, match="inside its header"):
            network((MAGIC + struct.pack(">II", version, 5))[:size])
    with pytest.raises(FormatError, match=r"inside its header|too short"):
        network(MAGIC + struct.pack(">II", version, 5) + b"\0" * 12)


def test_external_resources_count_from_behind_the_padding():
    resource = {"offset": 10, "size": 20, "name": "lora", "xxhash": 255}
    data = hef(HEADS, padding=b"\0" * 16, resources=[resource])
    read = network(data)
    start = 56 + read.facts["metadata_bytes"] + 16 + 10
    wanted = {"name": "lora", "start": start, "bytes": 20, "xxhash": "00000000000000ff"}
    assert read.facts["external_resources"] == [wanted]
