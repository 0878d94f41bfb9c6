"""Arrays in and out of .npz files: no pickle, no more memory than allowed, and faults told by their byte."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hailo_decode.errors import DtypeError, FormatError
from hailo_decode.values.arrays import AnyArray

MOST_BYTES = 1 << 29  # a 4K frame of a segmentation head, dequantised to float32, takes a quarter of it
_MOST_ENTRIES = 16_384
_CUT = "the file looks cut short or damaged; compare its size with the original"

# The header that numpy writes (numpy.lib.format, versions 1 and 2), for plain types only.
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z]\d{0,9})', 'fortran_order': (True|False), 'shape': \(([\d, ]*)\),? *\}\s*"
)
_KINDS = "biufU"
# All that zipfile lets out for bytes that are no zip, or not the zip that its directory promises.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    UnicodeError,
    ValueError,
)


def read_npz(path: str | os.PathLike[str]) -> dict[str, AnyArray]:
    """Read every array of an ``.npz``.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict of str to array
        Writable arrays of numbers or text, in the order of the file.

    Raises
    ------
    FormatError
        When there is no such file, it is no ``.npz``, is damaged, would unpack to more than `MOST_BYTES`, or
        holds an array that only pickle could read.
    """
    place = Path(path)
    what = repr(str(place))
    try:
        size = place.stat().st_size
        with place.open("rb") as file:
            _check_start(file.read(6), size, what)
            with zipfile.ZipFile(file) as archive:
                entries = _entries(archive, what)
                return {name: _array(archive, entry, what) for name, entry in entries.items()}
    except FileNotFoundError as error:
        raise FormatError(f"there is no file {what}") from error
    except OSError as error:
        raise FormatError(f"{what} cannot be read: {error.strerror or error}") from error
    except _BROKEN as error:
        raise FormatError(f"{what} is no whole zip: {error}", got=f"{size} bytes", hint=_CUT) from error


def write_npz(path: str | os.PathLike[str], arrays: Mapping[str, AnyArray]) -> None:
    """Write arrays as a compressed ``.npz``.

    Equal arrays give equal files, and a file is there whole or not at all.

    Raises
    ------
    DtypeError
        For an array of anything but numbers or text.
    """
    for name, array in arrays.items():
        if array.dtype.kind not in _KINDS:
            raise DtypeError(
                f"array {name!r} cannot be kept without pickle", got=str(array.dtype), wanted="numbers"
            )
    place = Path(path)
    part = place.with_name(f"{place.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in arrays.items():
                entry = zipfile.ZipInfo(f"{name}.npy")  # its time is 1980, whenever it is written
                entry.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(entry, "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _check_start(start: bytes, size: int, what: str) -> None:
    """Name the files that people take for an ``.npz``."""
    if size > MOST_BYTES:
        raise FormatError(f"{what} is {size} bytes long", wanted=f"at most {MOST_BYTES}")
    if start[:2] == b"PK":
        return
    kinds = {
        b"\x93NUMPY": (
            ".npy, one array without a name",
            "numpy.savez(path, **outputs) keeps all outputs by name",
        ),
        b"\x80": (
            "a pickle, which is never loaded",
            "numpy.savez(path, **outputs) writes a file that is safe to share",
        ),
        b"\x89HDF": ("HDF5", None),
    }
    for mark, (kind, hint) in kinds.items():
        if start.startswith(mark):
            raise FormatError(f"{what} is no .npz", got=kind, hint=hint)
    raise FormatError(f"{what} is no .npz", got=f"first bytes {start.hex(' ')}" if start else "an empty file")


def _entries(archive: zipfile.ZipFile, what: str) -> dict[str, zipfile.ZipInfo]:
    """Return the members by array name, after a look at what they would unpack to."""
    infos = archive.infolist()
    if len(infos) > _MOST_ENTRIES:
        raise FormatError(f"{what} holds {len(infos)} members", wanted=f"at most {_MOST_ENTRIES}")
    total = sum(info.file_size for info in infos)
    if total > MOST_BYTES:
        raise FormatError(f"{what} would unpack to {total} bytes", wanted=f"at most {MOST_BYTES}")
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = info.filename.removesuffix(".npy")
        if name == info.filename:
            raise FormatError(
                f"{name!r} in {what} is no array", offset=info.header_offset, wanted="members NAME.npy"
            )
        if name in entries:
            raise FormatError(f"{name!r} stands twice in {what}", offset=info.header_offset)
        # The dictionary of LZMA may be of any size, and numpy writes neither that nor bzip2.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FormatError(
                f"{name!r} in {what} is packed by method {info.compress_type}",
                offset=info.header_offset,
                wanted="0 (stored) or 8 (deflated), as numpy writes",
            )
        entries[name] = info
    return entries


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, what: str) -> AnyArray:
    where, at = f"{entry.filename!r} in {what}", entry.header_offset
    with archive.open(entry) as member:
        # Given a count, zipfile inflates no further; without one it inflates all, and cuts to the size later.
        body = member.read(entry.file_size + 1)
    if len(body) != entry.file_size or len(body) < 12 or body[:6] != b"\x93NUMPY":
        raise FormatError(f"{where} is no .npy of {entry.file_size} bytes", offset=at, hint=_CUT)
    start = 10 if body[6] == 1 else 12
    end = start + int.from_bytes(body[8:start], "little")
    header = _HEADER.fullmatch(body[start:end])
    dtype = _dtype(header[1].decode()) if header else None
    if header is None or dtype is None:
        why = (
            "would have to be unpickled, which is never done"
            if b"O" in body[start:end]
            else "has an odd header"
        )
        raise FormatError(
            f"{where} {why}",
            offset=at,
            got=repr(body[start : min(end, start + 80)]),
            wanted="an array of numbers",
        )
    shape = tuple(int(n) for n in header[3].decode().split(",") if n.strip())
    count = 1
    for n in shape:
        count *= n
    if count * dtype.itemsize != len(body) - end:
        raise FormatError(
            f"{where} does not hold the {count} elements of its shape {shape}", offset=at, hint=_CUT
        )
    order = "F" if header[2] == b"True" else "C"
    flat = np.frombuffer(body, dtype, count, end) if count else np.empty(0, dtype)
    return flat.astype(dtype.newbyteorder("=")).reshape(shape, order=order)  # type: ignore[call-overload,no-any-return]


def _dtype(descr: str) -> np.dtype[np.generic] | None:
    try:
        dtype = np.dtype(descr)
    except (TypeError, ValueError):
        return None
    return dtype if dtype.kind in _KINDS and (dtype.kind == "U" or dtype.itemsize <= 8) else None
