"""Why a buffer fits no layout of a tensor: what its size would be right for."""

from __future__ import annotations

import math

from hailo_decode.errors import SizeError
from hailo_decode.readers.sizes import explain_size
from hailo_decode.values.arrays import AnyArray
from hailo_decode.values.order import FormatOrder


def no_fit(
    data: AnyArray, shape: tuple[int, int, int], order: FormatOrder, name: str, wanted: list[str]
) -> SizeError:
    """Return the error for a buffer that fits no layout; `wanted` says which sizes would have."""
    have = data.size * data.itemsize
    hints = []
    for dtype, item in (("uint8", 1), ("uint16", 2), ("float32", 4), ("float64", 8)):
        if have == math.prod(shape) * item and item != data.itemsize:
            hints.append(f"{have} bytes would be this output dense as {dtype}")
    frames, rest = divmod(data.size, math.prod(shape))
    if frames > 1 and rest == 0:
        hints.append(f"they would be {frames} frames: decode one at a time, or use Decoder.batch")
    if data.ndim > 2 and data.size == math.prod(shape):
        hints.append(
            f'the size is right, the shape is not: formats={{"{name}": "NCHW"}} reads (channels, rows, columns)'
        )
    if not hints:
        hints += [f"{have} bytes may be: {text}" for text in explain_size(have)[:2]]
    hint = "; ".join(hints) or None
    return SizeError(
        f"output {name!r} fits no layout of {shape[0]}x{shape[1]}x{shape[2]} {order.value}",
        got=f"{data.size} elements of {data.dtype} ({have} bytes), shape {data.shape}",
        wanted="; ".join(wanted),
        hint=hint,
    )
