"""The fixed header of a HEF: where its parts lie, whether sizes fit, and its checksum.

All integers are big-endian (HailoRT 5.2, ``hef_internal.hpp`` and ``hef.cpp``). The metadata, a protobuf
message, starts right behind the header; weights follow it. HailoRT 4.17 wrote version 1 in another way, with
an MD5 sum; its size tells the two apart.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hailo_decode.errors import (
    CutShort,
    FormatError,
    MissingPackage,
    UnknownFormat,
    UnknownVersion,
    WrongChecksum,
)
from hailo_decode.networks._wire import CUT_HINT, DAMAGE_HINT

MAGIC = b"\x01HEF"
_COMMON = 12

# Over how many bytes a checksum is computed without being asked for; more costs more than reading does.
CHECKED_UNASKED = 1 << 20


@dataclass(frozen=True, slots=True)
class Header:
    """What the header says.

    Attributes
    ----------
    version : int
    size : int
        Bytes of the header itself; the metadata starts there.
    metadata, padding, weights, extra : int
        Bytes of the parts behind the header, in their order.
    trailing : int
        Bytes of the file that belong to no part; below zero, bytes that are missing.
    checksum : str
        ``"md5"``, ``"crc32"`` or ``"xxh3-64"``.
    wanted : str
        The checksum as the header has it, hexadecimal.
    covers : (int, int)
        Start and end of the bytes that it is computed from.
    """

    version: int
    size: int
    metadata: int
    padding: int
    weights: int
    extra: int
    trailing: int
    checksum: str
    wanted: str
    covers: tuple[int, int]

    @property
    def metadata_end(self) -> int:
        """The byte behind the metadata."""
        return self.size + self.metadata

    @property
    def resources_start(self) -> int:
        """The byte from which offsets of weights and external resources count."""
        return self.metadata_end + self.padding


def read_header(buffer: memoryview) -> Header:
    """Read the header of a HEF.

    Raises
    ------
    UnknownFormat, UnknownVersion, CutShort
        When the bytes are no HEF, its version is not known, or the file ends inside the header.
    """
    if bytes(buffer[: len(MAGIC)]) != MAGIC:
        raise UnknownFormat("this is no HEF", offset=0, got=bytes(buffer[:4]).hex(" "), wanted=MAGIC.hex(" "))
    if len(buffer) < _COMMON:
        raise CutShort("the file ends inside its header", offset=len(buffer), hint=CUT_HINT)
    version, metadata = struct.unpack_from(">II", buffer, 4)
    layouts = _LAYOUTS.get(version)
    if layouts is None:
        raise UnknownVersion(
            f"HEF version {version} is not known",
            offset=4,
            wanted=", ".join(map(str, _LAYOUTS)),
            hint="a newer compiler may have written it; look for a newer release of this package",
        )
    tried = [layout(buffer, metadata) for layout in layouts if len(buffer) >= _SIZES[layout]]
    if not tried:
        raise CutShort("the file ends inside its header", offset=len(buffer), hint=CUT_HINT)
    return min(tried, key=lambda header: abs(header.trailing))


def check_length(buffer: memoryview, header: Header) -> None:
    """Compare the length of the file with what its header says.

    Raises
    ------
    CutShort
        When bytes are missing.
    FormatError
        When there are more than there should be.
    """
    if header.trailing < 0:
        raise CutShort(
            f"the file is {-header.trailing} bytes too short for what its header says",
            offset=len(buffer),
            got=f"{len(buffer)} bytes",
            wanted=f"{len(buffer) - header.trailing}",
            hint=CUT_HINT,
        )
    if header.trailing and not _may_trail(header):
        raise FormatError(
            f"{header.trailing} bytes follow what the header says the file holds",
            offset=len(buffer) - header.trailing,
            hint=DAMAGE_HINT,
        )


def _may_trail(header: Header) -> bool:
    """Tell whether HailoRT leaves the length unchecked: version 3 with a sum of the metadata alone."""
    return header.version == 3 and header.covers[1] == header.metadata_end


def _version_0(buffer: memoryview, metadata: int) -> Header:
    digest = bytes(buffer[16:32]).hex()
    return _header(buffer, 0, 32, metadata, "md5", digest)


def _version_1(buffer: memoryview, metadata: int) -> Header:
    crc, weights = struct.unpack_from(">IQ", buffer, _COMMON)
    return _header(buffer, 1, 28, metadata, "crc32", f"{crc:08x}", weights=weights)


def _version_1_of_4_17(buffer: memoryview, metadata: int) -> Header:
    (weights,) = struct.unpack_from(">I", buffer, _COMMON)
    return _header(buffer, 1, 32, metadata, "md5", bytes(buffer[16:32]).hex(), weights=weights)


def _version_2(buffer: memoryview, metadata: int) -> Header:
    xxh3, weights = struct.unpack_from(">QQ", buffer, _COMMON)
    return _header(buffer, 2, 44, metadata, "xxh3-64", f"{xxh3:016x}", weights=weights)


def _version_3(buffer: memoryview, metadata: int) -> Header:
    xxh3, weights, padding, extra, metadata_xxh3 = struct.unpack_from(">QQIQQ", buffer, _COMMON)
    if padding > weights:
        raise FormatError(
            f"{padding} bytes of padding do not fit into {weights} bytes of weights",
            offset=28,
            hint=DAMAGE_HINT,
        )
    parts = {"weights": weights - padding, "padding": padding, "extra": extra}
    if metadata_xxh3:
        return _header(
            buffer, 3, 56, metadata, "xxh3-64", f"{metadata_xxh3:016x}", metadata_only=True, **parts
        )
    return _header(buffer, 3, 56, metadata, "xxh3-64", f"{xxh3:016x}", **parts)


def _header(
    buffer: memoryview,
    version: int,
    size: int,
    metadata: int,
    checksum: str,
    wanted: str,
    *,
    weights: int = 0,
    padding: int = 0,
    extra: int = 0,
    metadata_only: bool = False,
) -> Header:
    end = size + metadata + padding + weights + extra
    return Header(
        version=version,
        size=size,
        metadata=metadata,
        padding=padding,
        weights=weights,
        extra=extra,
        trailing=len(buffer) - end,
        checksum=checksum,
        wanted=wanted,
        covers=(size, size + metadata if metadata_only else end),
    )


_Layout = Callable[[memoryview, int], Header]
_SIZES: dict[_Layout, int] = {
    _version_0: 32,
    _version_1: 28,
    _version_1_of_4_17: 32,
    _version_2: 44,
    _version_3: 56,
}
_LAYOUTS: dict[int, tuple[_Layout, ...]] = {
    0: (_version_0,),
    1: (_version_1, _version_1_of_4_17),
    2: (_version_2,),
    3: (_version_3,),
}


def check_integrity(buffer: memoryview, header: Header, *, asked: bool) -> dict[str, Any]:
    """Compare the checksum with the file's bytes, where that was asked for or costs little.

    Returns
    -------
    dict
        ``checksum``, ``covers`` (``"metadata"`` or ``"whole file"``), ``checked``, and ``why_not``.

    Raises
    ------
    WrongChecksum
        When the sums differ; HailoRT refuses such a file as well (HAILO_HEF_FILE_CORRUPTED).
    MissingPackage
        When the check was asked for and needs ``xxhash``, which is not installed.
    """
    start, end = header.covers
    covers = "metadata" if end == header.metadata_end and header.weights else "whole file"
    told = {"checksum": header.checksum, "covers": covers}
    if not asked and end - start > CHECKED_UNASKED:
        return {
            **told,
            "checked": False,
            "why_not": f"it covers {end - start} bytes; --verify reads them all",
        }
    try:
        got = _SUMS[header.checksum](buffer[start:end])
    except ImportError as error:
        if asked:
            raise MissingPackage("xxhash", "checking the sum of this HEF", "'hailo-decode[hash]'") from error
        return {**told, "checked": False, "why_not": "the package xxhash is not installed"}
    if got != header.wanted:
        raise WrongChecksum(
            f"the {header.checksum} checksum of the {covers} is wrong",
            offset=start,
            got=got,
            wanted=header.wanted,
            hint="the file was damaged on its way, or changed by hand; HailoRT refuses it too; copy it again",
        )
    return {**told, "checked": True}


def _md5(data: memoryview) -> str:
    import hashlib

    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _crc32(data: memoryview) -> str:
    import zlib

    return f"{zlib.crc32(data):08x}"


def _xxh3(data: memoryview) -> str:
    import xxhash

    return f"{xxhash.xxh3_64_intdigest(data):016x}"


_SUMS: dict[str, Callable[[memoryview], str]] = {"md5": _md5, "crc32": _crc32, "xxh3-64": _xxh3}
