"""One file a buffer order: from bytes as they came to where each element lies."""

from __future__ import annotations

from functools import cache

from hailo_decode.errors import OptionError
from hailo_decode.plugins import collect
from hailo_decode.readers._reader import Reader
from hailo_decode.values.order import FormatOrder


@cache
def tensor_readers() -> dict[FormatOrder, Reader]:
    """Return the reader of each order that holds a tensor, by order."""
    modules = collect(__name__, "READER")
    return {module.READER.order: module.READER for module in modules.values()}


def reader_of(order: FormatOrder) -> Reader:
    """Return the reader of an order.

    Raises
    ------
    OptionError
        When the order holds no tensor, such as an NMS result.
    """
    try:
        return tensor_readers()[order]
    except KeyError:
        raise OptionError(
            f"a buffer of order {order.value!r} holds no tensor",
            wanted=", ".join(o.value for o in tensor_readers()),
            hint="finished detections are read with decode_nms" if order.is_nms else None,
        ) from None
