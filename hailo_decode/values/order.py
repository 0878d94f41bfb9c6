"""The orders in which HailoRT lays out a buffer, by the names it prints."""

from __future__ import annotations

from enum import Enum

from hailo_decode.errors import UnknownName


class FormatOrder(str, Enum):
    """Order of a buffer's elements; the values are the names that `hailortcli parse-hef` prints.

    Numbers of the enum ``hailo_format_order_t`` are in `code` (HailoRT 5.2, ``hailort.h``).
    """

    NHWC = "NHWC"
    NHCW = "NHCW"
    FCR = "FCR"
    F8CR = "F8CR"
    NHW = "NHW"
    NC = "NC"
    NCHW = "NCHW"
    NMS_BYTE_MASK = "HAILO NMS WITH BYTE MASK"
    NMS_ON_CHIP = "HAILO NMS ON CHIP"
    NMS_BY_CLASS = "HAILO NMS BY CLASS"
    NMS_BY_SCORE = "HAILO NMS BY SCORE"

    @property
    def code(self) -> int:
        """The number of this order in ``hailo_format_order_t``."""
        return _CODES[self]

    @property
    def is_nms(self) -> bool:
        """Whether such a buffer holds finished detections rather than a tensor."""
        return self.value.startswith("HAILO NMS")

    @classmethod
    def parse(cls, name: object) -> FormatOrder:
        """Read an order from its name in any common spelling, or from HailoRT's own enum member.

        Parameters
        ----------
        name : str, FormatOrder or an enum member with ``.name``
            ``"FCR"``, ``"HAILO NMS BY CLASS"``, ``"HAILO_NMS_BY_CLASS"``, ``"FormatOrder.NHCW"``.

        Raises
        ------
        UnknownName
            When no order has that name.
        """
        if isinstance(name, cls):
            return name
        text = name if isinstance(name, str) else str(getattr(name, "name", name))
        wanted = text.rpartition(".")[2].replace("_", " ").strip().upper()
        wanted = _OLD_NAMES.get(wanted, wanted)
        for order in cls:
            if order.value == wanted:
                return order
        raise UnknownName("format order", text, [order.value for order in cls])


# "HAILO NMS" is what HailoRT up to 4.19 called the by-class buffer.
_OLD_NAMES = {"HAILO NMS": "HAILO NMS BY CLASS", "NMS BY CLASS": "HAILO NMS BY CLASS"}

_CODES = {
    FormatOrder.NHWC: 1,
    FormatOrder.NHCW: 2,
    FormatOrder.FCR: 3,
    FormatOrder.F8CR: 4,
    FormatOrder.NHW: 5,
    FormatOrder.NC: 6,
    FormatOrder.NCHW: 11,
    FormatOrder.NMS_BYTE_MASK: 20,
    FormatOrder.NMS_ON_CHIP: 21,
    FormatOrder.NMS_BY_CLASS: 22,
    FormatOrder.NMS_BY_SCORE: 23,
}
