"""Quant: how a stored number becomes a real one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hailo_decode.errors import QuantError


@dataclass(frozen=True, slots=True)
class Quant:
    """``real = (stored - zero_point) * scale``, for the whole tensor or for each channel.

    The zero point is a float in HailoRT (``hailo_quant_info_t``, HailoRT 5.2 ``hailort.h``) and is never rounded.

    Attributes
    ----------
    scale, zero_point : tuple of float
        One entry, or one for each channel; both of the same length.
    """

    scale: tuple[float, ...]
    zero_point: tuple[float, ...]

    @classmethod
    def of(cls, scale: float | Iterable[float], zero_point: float | Iterable[float] = 0.0) -> Quant:
        """Build from single numbers or from one number for each channel.

        Examples
        --------
        >>> Quant.of(0.1, 150).real(200)
        5.0
        >>> Quant.of([0.5, 0.25], 0).per_channel
        True
        """
        scales, zeros = _floats(scale), _floats(zero_point)
        n = max(len(scales), len(zeros))
        scales, zeros = (values * n if len(values) == 1 else values for values in (scales, zeros))
        if len(scales) != len(zeros) or not n:
            raise QuantError(
                f"{len(scales)} scales do not go with {len(zeros)} zero points",
                wanted="one of each, or one of each for every channel",
            )
        if not all(math.isfinite(s) and s > 0 for s in scales) or not all(map(math.isfinite, zeros)):
            raise QuantError(
                "a scale must be a positive number and a zero point a finite one",
                got=f"scale {_shown(scales)}, zero point {_shown(zeros)}",
                hint="four zeros as quantisation mean 'one for each channel': read the vectors from the HEF",
            )
        if len(set(scales)) == 1 and len(set(zeros)) == 1:
            scales, zeros = scales[:1], zeros[:1]
        return cls(scales, zeros)

    @classmethod
    def read(cls, value: Any) -> Quant:
        """Read a quantisation as callers hold it.

        Parameters
        ----------
        value : Quant, (scale, zero_point), mapping or object
            A mapping or an object has ``scale`` and ``zero_point``, or HailoRT's ``qp_scale`` and ``qp_zp``.

        Raises
        ------
        QuantError
            When it is none of these, or its numbers are impossible.
        """
        if isinstance(value, cls):
            return value
        for scale, zero in (("scale", "zero_point"), ("qp_scale", "qp_zp")):
            if isinstance(value, dict) and scale in value and zero in value:
                return cls.of(value[scale], value[zero])
            if hasattr(value, scale) and hasattr(value, zero):
                return cls.of(getattr(value, scale), getattr(value, zero))
        if isinstance(value, (tuple, list)) and len(value) == 2:
            return cls.of(value[0], value[1])
        raise QuantError("a quantisation cannot be read", got=repr(value)[:120], wanted="(scale, zero_point)")

    @property
    def per_channel(self) -> bool:
        """Whether channels differ."""
        return len(self.scale) > 1

    def real(self, stored: float, channel: int = 0) -> float:
        """Return the real value of one stored number."""
        c = channel if self.per_channel else 0
        return (stored - self.zero_point[c]) * self.scale[c]

    def limits(self, top: int) -> tuple[float, float]:
        """Return the smallest and largest real value that stored numbers 0 to `top` can reach."""
        pairs = list(zip(self.scale, self.zero_point, strict=True))
        return min((0 - z) * s for s, z in pairs), max((top - z) * s for s, z in pairs)


def _floats(value: float | Iterable[float]) -> tuple[float, ...]:
    try:
        if isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0:
            return tuple(float(v) for v in value)
        return (float(value),)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise QuantError("a scale or zero point is not a number", got=repr(value)[:120]) from error


def _shown(values: tuple[float, ...]) -> str:
    return (
        f"{values[0]:g}"
        if len(values) == 1
        else f"{len(values)} values from {min(values):g} to {max(values):g}"
    )
