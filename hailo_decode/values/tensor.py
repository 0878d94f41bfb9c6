"""Tensor: one output as it came, with where each of its elements lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from hailo_decode.values.arrays import F8, AnyArray
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where element (h, w, c) of a buffer lies.

    Attributes
    ----------
    shape : (int, int, int)
        Height, width and channels without padding.
    axes : tuple of (str, int)
        The buffer's axes from the outermost to the innermost, with their padded extents: ``h``, ``w``, ``c``,
        and ``c8`` for eight channels that stand together.

    Examples
    --------
    >>> Geometry((20, 20, 64), (("h", 20), ("c", 64), ("w", 24))).elements
    30720
    """

    shape: tuple[int, int, int]
    axes: tuple[tuple[str, int], ...]

    @property
    def elements(self) -> int:
        """Number of elements of the buffer, padding included."""
        n = 1
        for _, extent in self.axes:
            n *= extent
        return n

    def pitch(self, axis: str) -> int:
        """Elements from one step along an axis to the next; 0 for an axis that the buffer has not."""
        n = 1
        for name, extent in reversed(self.axes):
            if name == axis:
                return n
            n *= extent
        return 0

    @property
    def dense(self) -> bool:
        """Whether this is plain (H, W, C) without padding."""
        h, w, c = self.shape
        return self.axes == (("h", h), ("w", w), ("c", c))


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """One output of a network, read in place.

    Attributes
    ----------
    name : str
    data : (n,) u1, u2 or f4
        The buffer, flat and contiguous; no byte of it was moved.
    geometry : Geometry
    order : FormatOrder
    layout : {"host", "device"}
    quant : Quant or None
        None for float data, which holds real values.
    activation : str or None
        What the device has applied already, where that is known.
    notes : tuple of str
        What was decided in reading it, and why.
    """

    name: str
    data: AnyArray
    geometry: Geometry
    order: FormatOrder
    layout: str
    quant: Quant | None = None
    activation: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and channels without padding."""
        return self.geometry.shape

    def stored(self) -> AnyArray:
        """Return the stored numbers as (H, W, C); a view, but for F8CR with more than eight channels."""
        g, item = self.geometry, self.data.itemsize
        h, w, c = g.shape
        row, column = g.pitch("h") * item, g.pitch("w") * item
        eight = g.pitch("c8") * item
        if not eight:
            strides = (row, column, g.pitch("c") * item)
            return as_strided(self.data, (h, w, c), strides, writeable=False)
        groups = -(-c // 8)
        grouped = as_strided(
            self.data, (h, w, groups, 8), (row, column, g.pitch("c") * item, eight), writeable=False
        )
        return grouped.reshape(h, w, groups * 8)[:, :, :c]

    def real(self, every: int = 1) -> F8:
        """Return the real values of every n-th row and column as (h, w, C) f8: for looking at, not for the frame path."""
        stored = self.stored()[::every, ::every].astype(np.float64)
        if self.quant is None:
            return stored
        real: F8 = (stored - np.asarray(self.quant.zero_point)) * np.asarray(self.quant.scale)
        return real

    @property
    def limits(self) -> tuple[float, float] | None:
        """Smallest and largest real value that this output can hold; None for floats, which know no limit."""
        if self.quant is None:
            return None
        return self.quant.limits(int(np.iinfo(self.data.dtype).max))
