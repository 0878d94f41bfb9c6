"""NMS with byte masks, packed: one count, then boxes, each with the bytes of its mask behind it, best first.

HailoRT, hailort.h and yolov5_seg_post_process.cpp: ``uint16 count``, then for each box y_min, x_min, y_max, x_max,
score as float32, class as uint16, ``size_t mask_size``, a pointer that means nothing here, since 5.2.0
``size_t mask_offset`` from the buffer's start, and ``mask_size`` bytes. So a header has 46 bytes (5.2), 38 (up to
5.1.1), or 34 and 30 on a system of 32 bits. The count may be one over what was written: when the limit is reached,
and when a mask finds no room.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from hailo_decode.errors import HailoDecodeError, SizeError, ValuesError
from hailo_decode.readers._nms_form import (
    FAR,
    PROOF,
    WEAK,
    Hints,
    NmsForm,
    Rows,
    as_bytes,
    is_bytes,
    no_rows,
)
from hailo_decode.readers._nms_mask import windows
from hailo_decode.values.arrays import U1
from hailo_decode.values.order import FormatOrder

_HEAD = 2


@dataclass(frozen=True, slots=True)
class Header:
    """Layout of the bytes before a mask: five float32, class, size of the mask, and its offset where told."""

    size: int
    fields: struct.Struct
    has_offset: bool  # as since HailoRT 5.2


# The likeliest first: 64 bits before 32. A pointer is skipped.
_HEADERS = (
    Header(46, struct.Struct("<5fHQ8xQ"), True),
    Header(38, struct.Struct("<5fHQ8x"), False),
    Header(34, struct.Struct("<5fHI4xI"), True),
    Header(30, struct.Struct("<5fHI4x"), False),
)


@dataclass(slots=True)
class _Walk:
    """What reading with one header came to: whole records, or where and why it fails."""

    header: Header
    records: list[tuple[float, ...]]
    masks: list[U1]
    end: str = ""  # why it stopped before the count
    fault: str = ""


def read(frame: Any, hints: Hints) -> Rows:
    """Read a packed buffer of boxes with masks.

    Which header it has shows in the sizes of the masks, which must follow from their boxes.

    Raises
    ------
    ValuesError
        When no header gives records that agree with themselves.
    SizeError
        When the buffer is too short for a count.
    """
    held = as_bytes(frame)
    if held.size < _HEAD:
        raise SizeError(f"{held.size} bytes hold no count", wanted="at least 2 bytes")
    count = int(held[0]) | int(held[1]) << 8
    walks = [_walk(held, count, header, hints) for header in _HEADERS]
    sound = [walk for walk in walks if not walk.fault]
    if count and not sound:
        raise _no_header(walks, count, hints)
    best = max(sound, key=lambda walk: len(walk.records))
    n = len(best.records)
    boxes, class_id = no_rows()
    if n:
        table = np.array(best.records)
        boxes, class_id = table[:, :5].astype(np.float32), table[:, 5].astype(np.int32)
    return Rows(
        boxes,
        class_id,
        f"by score with byte masks: {n} boxes" + (f", headers of {best.header.size} bytes" if n else ""),
        hints.classes,
        None
        if best.header.has_offset
        else hints.max_per_class,  # 4.20 and before limit each class, later ones all
        hints.max_total,
        tuple(best.masks),
        evidence=PROOF if n else WEAK,
        cut=f"the buffer counts {count} boxes and holds {n}: {best.end}" if best.end else "",
    )


def _walk(held: U1, count: int, header: Header, hints: Hints) -> _Walk:
    """Read records for as long as they agree with themselves; only the last one counted may fail to."""
    walk = _Walk(header, [], [])
    at, before = _HEAD, math.inf
    if hints.max_total is not None and count == hints.max_total + 1:
        count -= 1
        walk.end = f"{count} is the limit, and the writer counts one more when it gets there"
    for i in range(count):
        fault = f"record {i} of {count} reaches past the end"
        if at + header.size <= held.size:
            record = header.fields.unpack_from(held.data, at)
            start = at + header.size
            fault = _fault(record, start, before, hints)
            if not fault and start + record[6] > held.size:
                fault = f"the mask of record {i} of {count} reaches past the end"
        if fault:
            if walk.records and i == count - 1:
                walk.end = f"the last was not written, for {fault}"
            else:
                walk.fault = fault
            break
        walk.records.append(record[:6])
        at = start + int(record[6])
        walk.masks.append(held[start:at])
        before = record[4]
    return walk


def _fault(record: tuple[float, ...], start: int, before: float, hints: Hints) -> str:
    """Say what makes a record impossible; an empty string where nothing does."""
    *box, score = record[:5]
    if not all(abs(edge) <= FAR for edge in box):
        return "its box is none"
    if not score <= before:
        return f"its score {score:g} is above the one before it"
    if len(record) > 7 and record[7] != start:
        return f"its mask is said to begin at byte {int(record[7])}, not {start}"
    down, across = windows(box, hints.image_size)
    wanted = down.stored * across.stored
    if record[6] != wanted:
        return f"its mask is said to have {int(record[6])} bytes, and its box asks for {wanted}"
    return ""


def _no_header(walks: list[_Walk], count: int, hints: Hints) -> HailoDecodeError:
    height, width = hints.image_size
    return ValuesError(
        f"no header makes sense of a buffer that counts {count} boxes with masks",
        got="; ".join(f"{walk.header.size} bytes: {walk.fault}" for walk in walks),
        wanted="masks of ceil(box width * image width) by ceil(box height * image height) bytes",
        hint=f"is the image that the boxes are fractions of {height}x{width}? image_size=(height, width)",
    )


FORM = NmsForm("byte_mask", "NMS with byte masks, packed", (FormatOrder.NMS_BYTE_MASK,), is_bytes, read)
