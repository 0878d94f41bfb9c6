"""Limits of HailoRT 5.2 on a layer of a HEF (hef.cpp): what goes beyond them is read, and told."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hailo_decode.networks._hef_numbers import BASE, CHIP_NMS
from hailo_decode.networks._message import Message

_NAME_BYTES, _NETWORK_BYTES = 127, 256  # hailort.h, without the closing zero
_DEFUSED_LAYERS, _BURST_BYTES = 9, 65_536  # hailort_common.hpp
_BITS = {
    "sys_index": (BASE.SYS_INDEX, 8),
    "engine_id": (BASE.ENGINE, 8),
    "core_bytes_per_buffer": (BASE.BYTES_PER_BUFFER, 16),
    "core_buffers_per_frame": (BASE.BUFFERS_PER_FRAME, 16),
}
_SIDES = (BASE.PADDED_HEIGHT, BASE.PADDED_WIDTH, BASE.PADDED_FEATURES, BASE.DATA_BYTES)


def beyond_limits(name: str, network: str, base: Message) -> Iterator[str]:
    """Yield in words what of a layer HailoRT does not take."""
    for what, text, most in (("layer", name, _NAME_BYTES), ("network", network, _NETWORK_BYTES)):
        if len(text.encode()) > most:
            yield f"the name of the {what} {text[:24]!r}... has {len(text.encode())} bytes, more than {most}"
    for field, (number, bits) in _BITS.items():
        if base.u64(number) >> bits:
            yield f"{field} of {name!r} is {base.u64(number)}, too big for {bits} bits"
    size = math.prod(base.u64(side) for side in _SIDES)
    if size >> 32:
        yield f"{name!r} has {size} bytes with padding, too many for 32 bits"
    nms = base.message(BASE.ADDITIONAL).message(BASE.ADDITIONAL_NMS)
    part = nms.message(CHIP_NMS.DEFUSE).u64(CHIP_NMS.GROUP_INDEX)
    if part >= _DEFUSED_LAYERS:
        yield f"{name!r} is part {part} of an NMS, of at most {_DEFUSED_LAYERS}"
    burst = nms.u64(CHIP_NMS.BURST_SIZE) * nms.u64(CHIP_NMS.BBOX_SIZE)
    if burst > _BURST_BYTES:
        yield f"{name!r} sends bursts of {burst} bytes, more than {_BURST_BYTES}"
