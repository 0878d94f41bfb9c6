"""Tables of outputs and of host steps, for a network on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hailo_decode.cli._reading import ShownReading
from hailo_decode.cli._style import paint, plain, table
from hailo_decode.values.network import OpInfo, OutputInfo

_HEAD = (
    *("name", "role", "stride", "shape", "order", "on device"),
    *("dtype", "scale", "zero", "range", "activation"),
)
_ROWS = 100  # more than any network has; --json lists what a made-up file may hold


def outputs_of(
    outputs: Sequence[OutputInfo], reading: ShownReading, size: tuple[int, int] | None
) -> Iterator[str]:
    """Yield a table of tensors, and a line for each NMS result."""
    tensors = [one for one in outputs if not one.nms]
    if tensors:
        yield from table(_HEAD, [_row(one, reading, size) for one in tensors[:_ROWS]])
    for one in outputs[:_ROWS]:
        if one.nms:
            yield f"  {plain(one.name)}  {plain(_nms(one))}"


def _row(one: OutputInfo, reading: ShownReading, size: tuple[int, int] | None) -> tuple[str, ...]:
    limits = one.limits
    return (
        one.name,
        one.role or reading.roles.get(one.name, ""),
        _stride(one, size),
        size_of(one.shape),
        one.order.value if one.order else str(one.facts.get("order", "")),
        _on_device(one),
        one.dtype or "",
        _span(one.quant.scale) if one.quant else "",
        _span(one.quant.zero_point) if one.quant else "",
        f"{limits[0]:.4g} .. {limits[1]:.4g}" if limits else "",
        one.activation or "",
    )


def _on_device(one: OutputInfo) -> str:
    """Return order and padded shape of the raw buffer, where they differ from what a caller gets."""
    order = one.device_order.value if one.device_order and one.device_order is not one.order else ""
    padded = size_of(one.hw_shape) if one.hw_shape != one.shape else ""
    return " ".join(filter(None, (order, padded)))


def _stride(one: OutputInfo, size: tuple[int, int] | None) -> str:
    """Return input pixels per cell; as a fraction where the grid does not divide the input."""
    if one.stride:
        return str(one.stride)
    if not one.shape or not size or one.shape[0] * one.shape[1] <= 1:
        return ""
    down, right = size[0] / one.shape[0], size[1] / one.shape[1]
    return f"{down:.4g}" if down == right else f"{down:.4g}x{right:.4g}"


def size_of(shape: Sequence[int] | None) -> str:
    """Return a shape in words, such as ``80x80x64``."""
    return "x".join(map(str, shape)) if shape else ""


def _span(values: tuple[float, ...]) -> str:
    if len(values) == 1:
        return f"{values[0]:.6g}"
    return f"{min(values):.3g} to {max(values):.3g} ({len(values)} channels)"


def _nms(one: OutputInfo) -> str:
    nms = one.nms
    parts = [one.order.value if one.order else "", one.dtype or ""]
    if nms:
        parts += [f"{nms.classes} classes"] if nms.classes is not None else []
        parts += [f"at most {nms.max_per_class} of each"] if nms.max_per_class is not None else []
        parts += [f"{nms.frame_bytes:,} bytes"] if nms.frame_bytes is not None else []
    return ", ".join(filter(None, parts))


def step_of(op: OpInfo) -> Iterator[str]:
    """Yield what is baked into a host step, and what each of its decoders reads."""
    yield paint(plain(f"host step {op.name} ({op.kind})"), "bold")
    if baked := ", ".join(_baked(op)):
        yield f"  baked in: {baked}"
    rows = [
        (
            str(decoder.stride or ""),
            ", ".join(f"{role} {name or '?'}" for role, name in decoder.layers.items()),
            " ".join(f"{w:.4g}x{h:.4g}" for w, h in decoder.anchors),
        )
        for decoder in op.decoders[:_ROWS]
    ]
    if rows:
        yield from table(("stride", "layers", "anchors"), rows)
    elif op.inputs:
        yield f"  reads {', '.join(map(plain, op.inputs))}"


def _baked(op: OpInfo) -> Iterator[str]:
    nms = op.nms
    if nms is None:
        return
    if nms.score_threshold is not None:
        yield f"score at least {nms.score_threshold:g}"
    if nms.iou_threshold is not None:
        yield f"overlap below {nms.iou_threshold:g}"
    if nms.classes and nms.max_per_class:
        yield f"at most {nms.max_per_class} of each of {nms.classes} classes"
    if nms.image_size:
        yield f"boxes divided by {size_of(nms.image_size)}"
    if nms.mask_threshold is not None:
        yield f"masks above {nms.mask_threshold:g}"
