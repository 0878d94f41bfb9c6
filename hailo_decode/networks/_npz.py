"""Small arrays out of an ``.npz``, without numpy and without pickle."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from hailo_decode.errors import FormatError

_MOST_ENTRIES = 65_536
_MOST_DIRECTORY = 8 << 20
_MOST_VALUES = 65_536

_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z]\d*)', 'fortran_order': (?:True|False), 'shape': \(([\d, ]*)\),? *\}\s*"
)
_CODES = {
    "f2": "e", "f4": "f", "f8": "d", "u1": "B", "u2": "H", "u4": "I", "u8": "Q",
    "i1": "b", "i2": "h", "i4": "i", "i8": "q", "b1": "?",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Array:
    """A small array: its shape and its values in storage order."""

    shape: tuple[int, ...]
    values: tuple[float, ...]


def small_arrays(data: memoryview, wanted: Callable[[str], bool], what: str) -> dict[str, Array]:
    """Return the arrays with a wanted name.

    Parameters
    ----------
    data : memoryview of bytes
        A zip, such as a view of a mapped file: only its directory and the wanted entries are looked at.
    wanted : callable
        ``wanted(name) -> bool``, with the name as numpy gives it, without ``.npy``.
    what : str
        Name of the file, for errors.

    Raises
    ------
    FormatError
        With the offset from the zip's start: when the directory or a wanted entry cannot be read, is too
        large, or would have to be unpickled.
    """
    found: dict[str, Array] = {}
    for name, method, packed, size, at in _directory(data, what):
        if name.endswith(".npy") and wanted(name[:-4]):
            where = f"{name!r} in {what}"
            found[name[:-4]] = _array(_entry(data, method, packed, size, at, where), at, where)
    return found


def _directory(data: memoryview, what: str) -> list[tuple[str, int, int, int, int]]:
    """Return name, method, packed size, size and offset of every entry (PKWARE APPNOTE 6.3.10, 4.3.12)."""
    tail = bytes(data[-66_000:])
    mark = tail.rfind(b"PK\5\6")
    if mark < 0 or mark + 22 > len(tail):
        raise FormatError(f"{what} has no zip directory", offset=len(data), hint=_CUT)
    count, size, start = struct.unpack_from("<HII", tail, mark + 10)
    if count > _MOST_ENTRIES or size > _MOST_DIRECTORY or start + size > len(data):
        raise FormatError(f"the directory of {what} cannot be: {count} entries in {size} bytes", offset=start)
    entries, at = [], start
    for _ in range(count):
        if at + 46 > start + size or bytes(data[at : at + 4]) != b"PK\1\2":
            raise FormatError(f"the directory of {what} breaks off", offset=at, hint=_CUT)
        method, packed, full = struct.unpack_from("<H8xII", data, at + 10)
        name_size, extra, comment = struct.unpack_from("<HHH", data, at + 28)
        (place,) = struct.unpack_from("<I", data, at + 42)
        name = bytes(data[at + 46 : at + 46 + name_size]).decode("utf-8", "replace")
        entries.append((name, method, packed, full, place))
        at += 46 + name_size + extra + comment
    return entries


def _entry(data: memoryview, method: int, packed: int, size: int, at: int, where: str) -> bytes:
    if size > 8 * _MOST_VALUES:
        raise FormatError(f"{where} is {size} bytes long, too much for what it should hold", offset=at)
    if at + 30 > len(data) or bytes(data[at : at + 4]) != b"PK\3\4":
        raise FormatError(f"{where} is not where the directory says", offset=at, hint=_CUT)
    start = at + 30 + sum(struct.unpack_from("<HH", data, at + 26))
    if start + packed > len(data):
        raise FormatError(f"{where} wants {packed} bytes, {max(len(data) - start, 0)} are left", offset=start)
    body = bytes(data[start : start + packed])
    if method == 8:
        try:
            body = zlib.decompressobj(wbits=-15).decompress(body, size + 1)
        except zlib.error as error:
            raise FormatError(f"{where} cannot be unpacked", offset=start, hint=_CUT) from error
    elif method != 0:
        raise FormatError(f"{where} is packed by the method {method}", offset=at, wanted="0 or 8")
    if len(body) != size:
        raise FormatError(f"{where} unpacks to other than its {size} bytes", offset=start, hint=_CUT)
    return body


def _array(body: bytes, at: int, where: str) -> Array:
    """Read an ``.npy`` (numpy.lib.format, versions 1 to 3)."""
    if body[:6] != b"\x93NUMPY" or len(body) < 12:
        raise FormatError(f"{where} is no .npy", offset=at)
    start = 10 if body[6] == 1 else 12
    end = start + int.from_bytes(body[8:start], "little")
    header = _HEADER.fullmatch(body[start:end])
    if header is None:
        raise FormatError(f"the header of {where} cannot be read", offset=at, got=repr(body[start:end])[:80])
    descr = header[1].decode()
    code = _CODES.get(descr.lstrip("<>|="))
    if code is None:
        why = (
            "would have to be unpickled, which is never done"
            if "O" in descr
            else "is of a type not read here"
        )
        raise FormatError(f"{where} {why}", offset=at, got=descr)
    shape = tuple(int(n) for n in header[2].decode().split(",") if n.strip() and len(n) < 12)
    count = 1
    for n in shape:
        count *= n
    if count > _MOST_VALUES or end + count * struct.calcsize(code) != len(body):
        raise FormatError(f"{where} does not hold the {count} values of its shape", offset=at, hint=_CUT)
    values = struct.unpack_from(f"{'>' if descr[0] == '>' else '<'}{count}{code}", body, end)
    return Array(shape, tuple(map(float, values)))


_CUT = "the archive looks cut short or damaged; compare its size with the original"
