"""NMS by score, packed: one count, then records of all classes, best first.

HailoRT 4.20 to 5.2, hailort.h and nms_post_process.cpp: ``uint16 count``, then ``count`` records of 22 bytes: y_min,
x_min, y_max, x_max, score as float32, class as uint16. They stand at no aligned address. The writer stops one record
late: the count may be one over the limit, and that record lies behind the end of the buffer. Up to 5.1.0 HailoRT
calls the bytes of this buffer float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import SizeError
from hailo_decode.readers._nms_form import (
    DOUBTFUL,
    PLAUSIBLE,
    WEAK,
    Hints,
    NmsForm,
    Rows,
    as_bytes,
    is_bytes,
)
from hailo_decode.values.order import FormatOrder

_HEAD = 2
_RECORD = np.dtype(
    {"names": ["box", "class"], "formats": [("<f4", 5), "<u2"], "offsets": [0, 20], "itemsize": 22}
)


def read(frame: Any, hints: Hints) -> Rows:
    """Read a packed by-score buffer.

    Raises
    ------
    SizeError
        When the buffer cannot hold as many records as it counts.
    """
    held = as_bytes(frame)
    if held.size < _HEAD:
        raise SizeError(f"{held.size} bytes hold no count", wanted="at least 2 bytes")
    count = int(held[0]) | int(held[1]) << 8
    room = (held.size - _HEAD) // _RECORD.itemsize
    if count > room + 1 or (count > room and not room):
        raise SizeError(
            f"the buffer counts {count} boxes, and has room for {room}",
            got=f"{held.size} bytes",
            wanted=f"2 + 22 * {count} = {_HEAD + _RECORD.itemsize * count} bytes",
            hint="it is cut short, or of another form",
        )
    n = min(count, room)
    records = held[_HEAD : _HEAD + n * _RECORD.itemsize].view(_RECORD)
    boxes = np.array(records["box"], np.float32)  # out of the unaligned buffer
    # A program may have set another limit than its model has: the size counts more.
    fits = (held.size - _HEAD) % _RECORD.itemsize == 0
    most = room if fits else hints.max_total
    falling = bool((boxes[1:, 4] <= boxes[:-1, 4]).all())
    return Rows(
        boxes,
        records["class"].astype(np.int32),
        f"by score, packed: {n} boxes" + (f" of at most {most}" if most else ""),
        hints.classes,
        max_total=most,
        evidence=DOUBTFUL if not fits else PLAUSIBLE if n and falling else WEAK,
        cut=f"the buffer counts {count} boxes and holds {room}" if count > n else "",
    )


FORM = NmsForm("by_score", "NMS by score, packed", (FormatOrder.NMS_BY_SCORE,), is_bytes, read)
