"""Lines of `hailortcli parse-hef`, found between whatever else a terminal or a log holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hailo_decode.errors import FormatError
from hailo_decode.values.network import NmsInfo

# Longer ones are no line of parse-hef: names end at 127 characters (HailoRT 5.2, hailort.h).
_LONGEST_LINE = 2_000
_LARGEST_SIZE = 2**32 - 1

_COLOURS = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_WORDS = r"[A-Z0-9_]+(?: [A-Z0-9_]+)*"
_FORMAT = re.compile(rf"\b(UINT8|UINT16|FLOAT32|AUTO), ?({_WORDS}) ?\(([^()]*)\)")
_SIDE = re.compile(r".*\b(Input|Output) (\S.*)$")
_SIZES = re.compile(r"\d+(?:x\d+)*")
_NMS_FIELD = {
    "number of classes": "classes",
    "maximum bounding boxes per class": "max_per_class",
    "maximum bounding boxes total": "max_total",
    "maximum frame size": "frame_bytes",
}


@dataclass(frozen=True, slots=True)
class Port:
    """One ``Input`` or ``Output`` line.

    Attributes
    ----------
    is_input : bool
    name, dtype, order : str
        As printed.
    sizes : tuple of int
        As printed, such as height, width and channels; empty for NMS results.
    nms : NmsInfo or None
    """

    is_input: bool
    name: str
    dtype: str
    order: str
    sizes: tuple[int, ...]
    nms: NmsInfo | None


def clean_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its number from 1: no colour codes, no quote marks, every gap one space."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) <= _LONGEST_LINE:
            yield number, " ".join(_COLOURS.sub("", line).split()).lstrip("> |")


def port_of(line: str, number: int) -> Port | None:
    """Return what an ``Input`` or ``Output`` line says, or None for any other line.

    Raises
    ------
    FormatError
        When it is such a line and its numbers cannot be read or do not agree.
    """
    found = _FORMAT.search(line)
    side = _SIDE.match(line[: found.start()].rstrip()) if found else None
    if found is None or side is None:
        return None
    dtype, order, inside = found.groups()
    is_input, name = side[1] == "Input", side[2]
    if ":" not in inside:
        return Port(is_input, name, dtype, order, _sizes(inside.strip(), name, number), None)
    nms = _nms(inside, name, number)
    _check_frame(nms, dtype, order, name, number)
    return Port(is_input, name, dtype, order, (), nms)


def _sizes(text: str, name: str, number: int) -> tuple[int, ...]:
    if not _SIZES.fullmatch(text):
        raise FormatError(
            f"line {number}: the shape of {name!r} cannot be read", got=text[:60], wanted="HxWxC"
        )
    sizes = tuple(_whole(part, name, number) for part in text.split("x"))
    if len(sizes) > 3 or 0 in sizes:
        raise FormatError(f"line {number}: {name!r} cannot have this shape", got=text[:60], wanted="HxWxC")
    return sizes


def _whole(text: str, name: str, number: int) -> int:
    if len(text) > 10 or int(text) > _LARGEST_SIZE:
        raise FormatError(f"line {number}: {text[:20]} is too large a size for {name!r}")
    return int(text)


def _nms(inside: str, name: str, number: int) -> NmsInfo:
    fields: dict[str, Any] = {}
    for piece in inside.split(","):
        label, _, value = piece.partition(":")
        field, digits = _NMS_FIELD.get(label.strip().lower()), value.strip()
        if field and not digits.isdecimal():
            raise FormatError(f"line {number}: {label.strip()!r} of {name!r} is no number", got=digits[:60])
        if field:
            fields[field] = _whole(digits, name, number)
    return NmsInfo(**fields)


def _check_frame(nms: NmsInfo, dtype: str, order: str, name: str, number: int) -> None:
    """A by-class frame holds a count and `max_per_class` boxes of 5 numbers for each class.

    Source: HailoRT 5.2 hailort_common.hpp, get_nms_host_shape_size; up to 4.20 the order is "HAILO NMS".
    """
    if order not in ("HAILO NMS", "HAILO NMS BY CLASS") or not (nms.classes and nms.max_per_class):
        return
    item = {"FLOAT32": 4, "UINT16": 2}.get(dtype)
    if item is None or nms.frame_bytes is None:
        return
    size = item * nms.classes * (1 + 5 * nms.max_per_class)
    if size != nms.frame_bytes:
        raise FormatError(
            f"line {number}: the frame size of {name!r} does not go with its classes and boxes",
            got=f"{nms.frame_bytes} bytes",
            wanted=f"{item} x {nms.classes} classes x (1 + 5 x {nms.max_per_class} boxes) = {size} bytes",
            hint="the text was changed after it was printed; print it again with hailortcli parse-hef",
        )
