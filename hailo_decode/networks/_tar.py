"""A tar, plain or through gzip, read in one pass: bounded, and never written to disk."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from hailo_decode.errors import CutShort, FormatError

_BLOCK = 512
_CHUNK = 1 << 16
_MOST_MEMBERS = 4_096
_LONGEST_NAME = 4_096
# Weights compress to a third at best; what grows more than this, past the first bytes, is a bomb.
_FREE_BYTES, _MOST_GROWTH = 64 << 20, 20

_FILE, _FOLDER = b"0\x007", b"5"
_LONG_NAME, _LONG_LINK, _PAX, _PAX_ALL = b"L", b"K", b"x", b"g"
_OTHER = {b"1": "a hard link", b"2": "a link", b"3": "a device", b"4": "a device", b"6": "a pipe"}


@dataclass(frozen=True, slots=True)
class Member:
    """One file of the archive.

    Attributes
    ----------
    name : str
    size : int
    offset : int
        Of its first byte, in the tar (not in the gzip around it).
    data : bytes or None
        Its bytes, where they were asked for.
    """

    name: str
    size: int
    offset: int
    data: bytes | None


def is_gzip(head: bytes) -> bool:
    """Tell whether a file starts as gzip does (RFC 1952)."""
    return head[:2] == b"\x1f\x8b"


def is_tar(head: bytes) -> bool:
    """Tell whether the first bytes are those of a tar, through gzip or not."""
    if is_gzip(head):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _BLOCK)
        except zlib.error:
            return False
    return head[257:262] == b"ustar"


def members(file: BinaryIO, keep: Callable[[str, int], int]) -> Iterator[Member]:
    """Yield the files of an archive.

    Parameters
    ----------
    file : binary file, seekable, at its start
    keep : callable
        ``keep(name, size) -> int``: how many bytes of a file may be kept in memory; 0 passes over it, and a
        file that is larger is refused.

    Raises
    ------
    FormatError
        With the member's name and the offset: when the archive is cut short, holds links, devices or names
        that lead out of it, has two members of one name, or is larger inside than any real one.
    """
    source = _Source(file)
    seen: set[str] = set()
    long_name: str | None = None
    size_said: int | None = None
    while True:
        at = source.at
        header = source.read(_BLOCK, "a header")
        if not any(header):
            return
        kind, size, name = _header(header, at)
        if kind == _LONG_NAME:
            long_name = _text(source.read(_bounded(size, at), "a long name"))
        elif kind == _PAX:
            said = _pax(source.read(_bounded(size, at), "an extended header"), at)
            long_name, size_said = said.get("path", long_name), _number(said.get("size"), at)
        elif kind in (_LONG_LINK, _PAX_ALL):
            source.skip(_bounded(size, at), "an extended header")
        else:
            name, size = long_name or name, size if size_said is None else size_said
            long_name = size_said = None
            _check(name, kind, at)
            name = name.removeprefix("./")
            if kind in _FILE:
                if name in seen or len(seen) >= _MOST_MEMBERS:
                    what = "comes twice" if name in seen else f"is one of more than {_MOST_MEMBERS}"
                    raise FormatError(f"the member {name!r} {what}", offset=at)
                seen.add(name)
                yield _member(source, name, size, keep(name, size))
        source.align()


def _member(source: _Source, name: str, size: int, limit: int) -> Member:
    start = source.at
    if limit and size > limit:
        raise FormatError(
            f"the member {name!r} is {size} bytes long", offset=start, wanted=f"at most {limit}"
        )
    if limit:
        return Member(name, size, start, source.read(size, repr(name)))
    source.skip(size, repr(name))
    return Member(name, size, start, None)


def _header(block: bytes, at: int) -> tuple[bytes, int, str]:
    """Return type, size and name, after the block's own checksum (POSIX.1-1988 ustar, GNU tar)."""
    total = sum(block) - sum(block[148:156]) + 8 * 0x20
    if _number_field(block[148:156], at) != total:
        raise FormatError("this is no header of a tar: its checksum is wrong", offset=at, hint=_CUT)
    name = _text(block[:100])
    prefix = _text(block[345:500]) if block[257:263] == b"ustar\0" else ""
    return block[156:157], _number_field(block[124:136], at), f"{prefix}/{name}" if prefix else name


def _number_field(field: bytes, at: int) -> int:
    """Return a number in octal digits, or in GNU's binary form for sizes over 8 GiB."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    if digits.isdigit() and b"8" not in digits and b"9" not in digits:
        return int(digits, 8)
    if not digits:
        return 0
    raise FormatError("a number in a tar header cannot be read", offset=at, got=repr(bytes(field)))


def _bounded(size: int, at: int) -> int:
    if size > _LONGEST_NAME:
        raise FormatError(
            f"a name in the archive is {size} bytes long", offset=at, wanted=f"at most {_LONGEST_NAME}"
        )
    return size


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "replace")


def _pax(data: bytes, at: int) -> dict[str, str]:
    """Return the records of an extended header, each ``<length> <key>=<value>`` and a line end."""
    records: dict[str, str] = {}
    while data.strip(b"\0"):
        length, _, _ = data.partition(b" ")
        size = _number(length.decode("ascii", "replace"), at) or 0
        key, equals, value = data[len(length) + 1 : size].rstrip(b"\n").partition(b"=")
        if not equals or size > len(data):
            raise FormatError("an extended header cannot be read", offset=at, hint=_CUT)
        records[_text(key)] = _text(value)
        data = data[size:]
    return records


def _number(text: str | None, at: int) -> int | None:
    if text is None:
        return None
    if len(text) < 20 and text.isascii() and text.isdigit():
        return int(text)
    raise FormatError("an extended header holds a number that cannot be read", offset=at, got=repr(text[:40]))


def _check(name: str, kind: bytes, at: int) -> None:
    if kind not in _FILE and kind != _FOLDER:
        what = _OTHER.get(kind, f"of the unknown type {kind!r}")
        raise FormatError(f"the member {name!r} is {what}; only files belong here", offset=at)
    if name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/"):
        raise FormatError(f"the member {name!r} leads out of the archive", offset=at)


class _Source:
    """The bytes of the tar, front to back, and how far they have been read."""

    __slots__ = ("_file", "_packed", "_raw", "_size", "at")

    def __init__(self, file: BinaryIO) -> None:
        self._raw, self.at = file, 0
        self._packed = is_gzip(file.read(2))
        self._size = file.seek(0, 2)
        file.seek(0)
        self._file = cast("BinaryIO", gzip.GzipFile(fileobj=file, mode="rb")) if self._packed else file

    def read(self, size: int, what: str) -> bytes:
        """Return exactly `size` bytes; a size that cannot be is found out before memory is taken."""
        if not self._packed and self.at + size > self._size:
            raise self._cut(size, self._size - self.at, what)
        parts, left = [], size
        while left:
            part = self._some(min(left, _CHUNK), what)
            if not part:
                raise self._cut(size, size - left, what)
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def skip(self, size: int, what: str) -> None:
        """Pass over `size` bytes."""
        if not self._packed:
            if self.at + size > self._size:
                raise self._cut(size, self._size - self.at, what)
            self.at = self._file.seek(self.at + size)
            return
        left = size
        while left:
            part = self._some(min(left, 16 * _CHUNK), what)
            if not part:
                raise self._cut(size, size - left, what)
            left -= len(part)

    def align(self) -> None:
        """Go to the next block."""
        rest = -self.at % _BLOCK
        if rest:
            self.read(rest, "the rest of a block")

    def _some(self, size: int, what: str) -> bytes:
        try:
            part = self._file.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError(
                f"the gzip breaks off or is damaged in {what}", offset=self.at, hint=_CUT
            ) from error
        self.at += len(part)
        if self._packed and self.at > _FREE_BYTES + _MOST_GROWTH * self._raw.tell():
            raise FormatError(
                f"the archive grows from {self._raw.tell()} bytes to more than {self.at}", offset=self.at
            )
        return part

    def _cut(self, wanted: int, left: int, what: str) -> CutShort:
        return CutShort(f"{what} wants {wanted} bytes, {max(left, 0)} are left", offset=self.at, hint=_CUT)


_CUT = "the archive looks cut short or damaged; compare its size with the original"
