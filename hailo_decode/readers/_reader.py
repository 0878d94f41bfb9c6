"""Reader: a buffer order as data: its axes on the host and on the device."""

from __future__ import annotations

from dataclasses import dataclass

from hailo_decode.values.order import FormatOrder
from hailo_decode.values.tensor import Geometry


@dataclass(frozen=True, slots=True)
class Reader:
    """One order of a tensor's elements.

    Attributes
    ----------
    order : FormatOrder
    host : str or None
        Axes of the dense buffer that HailoRT's transform gives, outermost first, such as ``"h w c"``; None where
        there is no such buffer.
    device : str or None
        Axes of the raw buffer, whose extents are padded; None where the device knows no such order.
    """

    order: FormatOrder
    host: str | None
    device: str | None

    def geometry(
        self, layout: str, shape: tuple[int, int, int], padded: tuple[int, int, int]
    ) -> Geometry | None:
        """Return where elements lie on the ``"host"`` or the ``"device"``; None where the order is not known there.

        Parameters
        ----------
        layout : {"host", "device"}
        shape, padded : (int, int, int)
            Height, width and channels without and with padding, elements.
        """
        axes = self.host if layout == "host" else self.device
        if axes is None:
            return None
        h, w, c = shape if layout == "host" else padded
        extent = {"h": h, "w": w, "c": c}
        names = axes.split()
        if "c8" in names:  # the last group of eight is there in full
            extent |= {"c": -(-c // 8), "c8": 8}
        return Geometry(shape, tuple((name, extent[name]) for name in names))
