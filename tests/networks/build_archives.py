"""Builds the bytes of ``.npy``, ``.npz`` and tar files, without numpy."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Mapping, Sequence


def npy(values: Sequence[float], code: str = "<f4", shape: Sequence[int] | None = None) -> bytes:
    """The bytes of an ``.npy`` file."""
    sizes = tuple(shape) if shape is not None else (len(values),)
    head = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {sizes!r}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    letters = {"<f4": "f", "<f8": "d", "|u1": "B", "<i8": "q", "<i4": "i"}
    body = struct.pack(f"<{len(values)}{letters[code]}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body


def npz(arrays: Mapping[str, bytes]) -> bytes:
    """A ``.npz`` of members that `npy` made."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for key, data in arrays.items():
            archive.writestr(f"{key}.npy", data)
    return out.getvalue()


def qparams(scope: str, quant: Mapping[str, tuple[float, float]], bits: int = 8) -> bytes:
    """A ``.q.npz``: for each layer its ``qp_out`` (zero point, then scale) and its output bits."""
    arrays: dict[str, bytes] = {}
    for name, (scale, zero) in quant.items():
        key = name if "/" in name else f"{scope}/{name}"
        arrays[f"{key}/qp_out:0"] = npy((zero, scale))
        arrays[f"{key}/output_activation_bits:0"] = npy((bits,), "<i8", ())
    return npz(arrays)


def pack(members: Mapping[str, bytes], *, compress: bool = False) -> bytes:
    """A tar of these members, and nothing of the machine that made it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for key, data in members.items():
            entry = tarfile.TarInfo(key)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(out.getvalue(), 6, mtime=0) if compress else out.getvalue()
