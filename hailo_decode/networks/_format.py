"""Format: what a model file format says of itself, and how a file finds its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from hailo_decode.errors import MissingFile, UnknownFormat
from hailo_decode.values.network import NetworkInfo

# Enough of a file to see a magic number or the first keys of a JSON text.
HEAD_BYTES = 65_536

# What lies in the place of a model file more often than another model does, by a mark in its first bytes, lower case.
_IMPOSTORS = (
    (
        b"version https://git-lfs",
        "this is Git LFS's note of where the file is: `git lfs pull` fetches the file itself",
    ),
    (b"<html", "this is a web page, saved in the place of the file: take the link of the download itself"),
    (b"<?xml", "this is an answer of the server, saved in the place of the file: the download was refused"),
    (b"pk\x03\x04", "this is a zip archive, as PyTorch's own files are too: export to ONNX, or unpack it"),
    (b"tfl3", "this is a TensorFlow Lite model: give the HAR that `hailo parser tf` makes of it"),
)


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of model file.

    Attributes
    ----------
    name : str
        As shown to users, such as ``"HEF"``.
    sniff : callable
        ``sniff(head, path) -> bool``: whether the first `HEAD_BYTES` bytes are of this format. A folder
        has an empty head; a format that is a folder looks into `path`. Never raises.
    read : callable
        ``read(path) -> NetworkInfo``. Raises FormatError when the bytes are not what the format asks for.
    verify : callable or None
        ``verify(path) -> NetworkInfo``: reads, and checks every checksum over the whole file; None where
        the format has no checksums.
    """

    name: str
    sniff: Callable[[bytes, Path], bool]
    read: Callable[[Path], NetworkInfo]
    verify: Callable[[Path], NetworkInfo] | None = None


def head_of(path: Path) -> bytes:
    """Return the first `HEAD_BYTES` bytes of a file, nothing for a folder.

    Raises
    ------
    MissingFile
        When there is no such file, or it cannot be read.
    """
    if path.is_dir():
        return b""
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except FileNotFoundError as error:
        near = (
            ", ".join(sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))[:5]) if path.suffix else ""
        )
        hint = f"beside it: {near}" if near else None
        raise MissingFile(f"there is no file {str(path)!r}", hint=hint) from error
    except OSError as error:
        raise MissingFile(f"{str(path)!r} cannot be read: {error.strerror or error}") from error


def format_of(path: Path, formats: Iterable[Format]) -> Format:
    """Return the format whose bytes a file holds.

    Raises
    ------
    UnknownFormat
        When none knows the bytes, or there are none.
    """
    head = head_of(path)
    known = []
    for candidate in formats:
        if candidate.sniff(head, path):
            return candidate
        known.append(candidate.name)
    raise UnknownFormat(
        f"{str(path)!r} is no model file that is known here",
        got=_seen(head, path),
        wanted=", ".join(known),
        hint=next((hint for mark, hint in _IMPOSTORS if mark in head[:512].lower()), None),
    )


def _seen(head: bytes, path: Path) -> str:
    if path.is_dir():
        inside = sorted(p.name for p in path.iterdir())
        return "a folder with " + (
            ", ".join(inside[:8]) + (", ..." if len(inside) > 8 else "") or "nothing in it"
        )
    if not head:
        return "an empty file"
    text = head[:24].split(b"\n")[0].decode("ascii", "replace")
    return f"first bytes {head[:16].hex(' ')}" + (
        f" ({text!r})" if text.isprintable() and text.isascii() else ""
    )
