"""Shape rules of the ONNX operators that move a window: convolutions, pools, resizing (opset 7 to 24)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import floor

from hailo_decode.networks._onnx_call import Call
from hailo_decode.networks._onnx_graph import Shape


def _spatial(call: Call, name: str, count: int, default: int) -> tuple[int, ...] | None:
    found = call.list(name)
    if found is None:
        return (default,) * count
    return found if len(found) == count else None


def _along(
    size: int | None, kernel: int, stride: int, dilation: int, pads: int | None, ceil: bool
) -> int | None:
    """Return how many windows fit; `pads` is None where they are chosen so that size / stride comes out."""
    if size is None or kernel <= 0 or stride <= 0 or dilation <= 0:
        return None
    if pads is None:
        return -(-size // stride)
    room = size + pads - (dilation * (kernel - 1) + 1)
    if room < 0:
        return None
    return (-(-room // stride) if ceil else room // stride) + 1


def _windows(call: Call, kernel: tuple[int, ...], ceil: bool = False) -> list[int | None] | None:
    shape, count = call.shape(), len(kernel)
    if shape is None or len(shape) != count + 2:
        return None
    strides, dilations = _spatial(call, "strides", count, 1), _spatial(call, "dilations", count, 1)
    pads = _spatial(call, "pads", 2 * count, 0)
    if strides is None or dilations is None or pads is None:
        return None
    auto = call.text("auto_pad")
    sizes: list[int | None] = []
    for i in range(count):
        around = None if auto.startswith("SAME") else pads[i] + pads[i + count]
        sizes.append(_along(shape[i + 2], kernel[i], strides[i], dilations[i], around, ceil))
    return sizes


def _conv(call: Call) -> list[Shape | None]:
    shape, weight = call.shape(), call.shape(1)
    kernel = _kernel(weight)
    sizes = _windows(call, kernel) if kernel else None
    if shape is None or weight is None or sizes is None:
        return []
    return [(shape[0], weight[0], *sizes)]


def _kernel(weight: Shape | None) -> tuple[int, ...] | None:
    if weight is None or len(weight) < 3:
        return None
    return tuple(n or 0 for n in weight[2:])


def _conv_transpose(call: Call) -> list[Shape | None]:
    shape, weight = call.shape(), call.shape(1)
    kernel = _kernel(weight)
    if (
        shape is None
        or weight is None
        or kernel is None
        or len(shape) != len(kernel) + 2
        or weight[1] is None
    ):
        return []
    count = len(kernel)
    strides, dilations = _spatial(call, "strides", count, 1), _spatial(call, "dilations", count, 1)
    pads, more = _spatial(call, "pads", 2 * count, 0), _spatial(call, "output_padding", count, 0)
    if (
        strides is None
        or dilations is None
        or pads is None
        or more is None
        or call.text("auto_pad")[:4] == "SAME"
    ):
        return []
    sizes = [
        None
        if (size := shape[i + 2]) is None
        else (size - 1) * strides[i]
        + more[i]
        + dilations[i] * (kernel[i] - 1)
        + 1
        - pads[i]
        - pads[i + count]
        for i in range(count)
    ]
    return [(shape[0], weight[1] * max(call.whole("group", 1), 1), *sizes)]


def _pool(call: Call) -> list[Shape | None]:
    shape, kernel = call.shape(), call.list("kernel_shape")
    sizes = _windows(call, kernel, bool(call.whole("ceil_mode"))) if kernel else None
    return [] if shape is None or sizes is None else [(*shape[:2], *sizes)]


def _global_pool(call: Call) -> list[Shape | None]:
    shape = call.shape()
    return [(*shape[:2], *(1 for _ in shape[2:]))] if shape and len(shape) > 2 else []


def _resize(call: Call) -> list[Shape | None]:
    """Resize has sizes in input 3 and scales in input 2 (opset 11 on) or 1; Upsample in input 1 or inside."""
    shape = call.shape()
    if shape is None:
        return []
    sizes = call.wholes(3)
    if sizes and len(sizes) == len(shape):
        return [sizes]
    scales = (
        call.numbers(2) or (call.numbers(1) if len(call.node.inputs) < 3 else None) or call.reals("scales")
    )
    if not scales or len(scales) != len(shape):
        return []
    return [
        tuple(
            None if n is None or s is None or not 0 < s < 1e6 else floor(n * s)
            for n, s in zip(shape, scales, strict=True)
        )
    ]


def _blocks(call: Call) -> list[Shape | None]:
    """DepthToSpace and SpaceToDepth trade channels for cells."""
    shape, block = call.shape(), call.whole("blocksize")
    if shape is None or len(shape) != 4 or block <= 0 or None in shape:
        return []
    n, c, h, w = (size or 0 for size in shape)
    if call.node.op == "DepthToSpace":
        return [(n, c // (block * block), h * block, w * block)]
    return [(n, c * block * block, h // block, w // block)]


RULES: Mapping[str, Callable[[Call], list[Shape | None]]] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "MaxPool": _pool,
    "AveragePool": _pool,
    "LpPool": _pool,
    "GlobalAveragePool": _global_pool,
    "GlobalMaxPool": _global_pool,
    "Resize": _resize,
    "Upsample": _resize,
    "DepthToSpace": _blocks,
    "SpaceToDepth": _blocks,
}
