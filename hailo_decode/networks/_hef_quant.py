"""Quantisation of a layer of a HEF: one scale, or one for each channel (HailoRT 5.2, hef.cpp)."""

from __future__ import annotations

import math
import struct
from typing import Any

from hailo_decode.errors import QuantError
from hailo_decode.networks._hef_numbers import NUMERIC
from hailo_decode.networks._message import Message
from hailo_decode.values.quant import Quant


def quant_of(
    name: str, numeric: Message, channels: int, *, is_input: bool, per_channel: bool
) -> tuple[Quant | None, dict[str, Any], list[str]]:
    """Return the quantisation of a layer, facts beside it, and why HailoRT refuses it.

    Parameters
    ----------
    name : str
    numeric : Message
    channels : int
    is_input : bool
    per_channel : bool
        Whether the vectors count. They do with the extension for them; files hold them without it as well.
    """
    scale, zero = numeric.single(NUMERIC.SCALE), numeric.single(NUMERIC.ZERO_POINT)
    facts: dict[str, Any] = {}
    limits = [plain(numeric.single(NUMERIC.LIMIT_MIN)), plain(numeric.single(NUMERIC.LIMIT_MAX))]
    if limits != [0.0, 0.0]:
        facts["limits"] = limits
    scales: tuple[float, ...] = (scale,)
    zeros: tuple[float, ...] = (zero,)
    refused = []
    if per_channel:
        scales = tuple(map(_float32, numeric.doubles(NUMERIC.SCALES))) or scales
        zeros = tuple(map(_float32, numeric.doubles(NUMERIC.ZERO_POINTS))) or zeros
        counts = {len(scales), len(zeros)} - {1, channels}
        if counts:
            refused.append(f"{name!r} has {counts.pop()} scales or zero points for {channels} channels")
        if is_input and (len(set(scales)) > 1 or len(set(zeros)) > 1):
            refused.append(f"the input {name!r} has channels of different scale")
    try:
        return Quant.of(scales, zeros), facts, refused
    except QuantError:
        # Four zeros: the file does not say. Anything else is kept, for the checks to speak of.
        if any(scales) or any(zeros):
            facts["quant"] = {"scale": list(map(plain, scales)), "zero_point": list(map(plain, zeros))}
        return None, facts, refused


def _float32(value: float) -> float:
    """Round to single precision, as HailoRT does with the vectors."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def plain(value: float) -> float | str:
    """Return a number as JSON can hold it: NaN and infinities by name."""
    return value if math.isfinite(value) else str(value)
