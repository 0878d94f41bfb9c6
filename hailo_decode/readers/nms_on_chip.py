"""NMS on the chip, as a raw stream hands it out: for each chunk and class a count, and boxes of 64 bits.

HailoRT 5.2, nms_stream.cpp: its reader thread takes the chip's bursts apart and writes ``uint16 count``, then
``count`` words, for each class of each chunk, close together. HailoRT's transform (transform.cpp) joins the chunks of
a class in their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import SizeError, ValuesError
from hailo_decode.readers._nms_chip import merged, takes_words, wanted_classes
from hailo_decode.readers._nms_form import PLAUSIBLE, WEAK, Hints, NmsForm, Rows, as_bytes
from hailo_decode.values.arrays import U8
from hailo_decode.values.order import FormatOrder

_COUNT, _WORD = 2, 8  # bytes


def read(frame: Any, hints: Hints) -> Rows:
    """Read counts and words.

    Raises
    ------
    OptionError
        When the number of classes is not known.
    SizeError
        When the boxes of a class reach past the end.
    ValuesError
        When a class counts more boxes than it can hold.
    QuantError
        When there is no scale.
    """
    held = as_bytes(frame)
    classes = wanted_classes(hints, "a raw buffer of the chip's NMS")
    most = None if hints.max_per_class is None else -(-hints.max_per_class // hints.chunks)
    at = 0
    parts: list[U8] = []
    places: list[tuple[int, int]] = []  # run and count
    for place in range(classes * hints.chunks):
        where = f"class {place % classes} of {classes}, chunk {place // classes}"
        if at + _COUNT > held.size:
            raise SizeError(f"the buffer of {held.size} bytes ends before {where}")
        count = int(held[at]) | int(held[at + 1]) << 8
        at += _COUNT
        if most is not None and count > most:
            raise ValuesError(f"{where} counts {count} boxes", wanted=f"at most {most}")
        if count * _WORD > held.size - at:
            raise SizeError(
                f"the boxes of {where} reach past the end",
                got=f"{held.size - at} bytes are left",
                wanted=f"{count} boxes of {_WORD} bytes",
            )
        if count:
            parts.append(held[at : at + count * _WORD].view("<u8"))
            places.append((place, count))
        at += count * _WORD
    words = np.concatenate(parts) if parts else np.empty(0, np.uint64)
    runs = np.array(places, np.int32).reshape(-1, 2)
    told = f"on chip: {classes} classes in {hints.chunks} chunks"
    evidence = PLAUSIBLE if parts else WEAK
    return merged(words, np.repeat(runs[:, 0], runs[:, 1]), classes, hints, told, evidence)


FORM = NmsForm("on_chip", "NMS on chip, counted", (FormatOrder.NMS_ON_CHIP,), takes_words, read)
