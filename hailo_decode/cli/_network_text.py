"""A network on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hailo_decode.cli._reading import ShownReading
from hailo_decode.cli._style import paint, table
from hailo_decode.values.diagnostic import Diagnostic, Severity
from hailo_decode.values.network import NetworkInfo, OpInfo, OutputInfo

_HEAD = (
    "name",
    "role",
    "stride",
    "shape",
    "padded",
    "order",
    "dtype",
    "scale",
    "zero",
    "range",
    "activation",
)
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def lines_of(
    file: str,
    network: NetworkInfo,
    reading: ShownReading,
    names: Sequence[str] | None,
    remarks: Sequence[Diagnostic],
) -> Iterator[str]:
    """Yield the lines that `inspect` prints."""
    yield f"{paint(Path(file).name, 'bold')}  {_what(network)}"
    for label, text in _summary(network, reading, names):
        if text:
            yield f"  {label:10} {text}"
    size = network.input_size
    for title, outputs in (("outputs", network.outputs), ("heads that feed the host step", network.heads)):
        if outputs:
            yield ""
            yield paint(f"{title} ({len(outputs)})", "bold")
            yield from _outputs(outputs, reading, size)
    for op in network.ops:
        yield ""
        yield from _op(op)
    yield ""
    yield from _remarks(remarks)


def _what(network: NetworkInfo) -> str:
    facts = network.facts
    version = f" version {facts['header_version']}" if "header_version" in facts else ""
    sizes = f", {facts['file_bytes']:,} bytes" if "file_bytes" in facts else ""
    own = f", {facts['metadata_bytes']:,} of them metadata" if "metadata_bytes" in facts else ""
    return f"{network.source.upper()}{version}{sizes}{own}"


def _summary(
    network: NetworkInfo, reading: ShownReading, names: Sequence[str] | None
) -> Iterator[tuple[str, str]]:
    groups = network.facts.get("network_groups", [])
    contexts = [f"{group['contexts']} context{'s' * (group['contexts'] != 1)}" for group in groups]
    yield "network", " · ".join([network.name, *contexts])
    yield "runs on", ", ".join(network.devices)
    yield "compiler", network.compiler or ""
    for one in network.inputs:
        order = one.order.value if one.order else str(one.facts.get("order", ""))
        yield "input", " ".join(filter(None, (one.name, _size(one.shape), order, one.dtype)))
    known = [reading.family, reading.task]
    known += [f"{reading.classes} class{'es' * (reading.classes != 1)}"] if reading.classes else []
    known += [f"{reading.bins} bins"] if reading.bins else []
    yield "head", " · ".join(filter(None, known)) or "not known"
    yield from (("", part) for part in reading.why.split("; "))
    if names is not None:
        yield "names", f"{len(names)}: {_few(names)}"
    elif network.classes:
        yield "names", _few(network.classes)
    yield "checksum", _integrity(network.facts.get("integrity"))


def _integrity(told: Any) -> str:
    if not isinstance(told, dict):
        return ""
    what = f"{told['checksum']} of the {told['covers']}"
    return f"{what} is right" if told["checked"] else f"{what} not checked: {told['why_not']}"


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


def _outputs(
    outputs: Sequence[OutputInfo], reading: ShownReading, size: tuple[int, int] | None
) -> Iterator[str]:
    tensors = [one for one in outputs if not one.nms]
    if tensors:
        yield from table(_HEAD, [_row(one, reading, size) for one in tensors])
    for one in outputs:
        if one.nms:
            yield f"  {one.name}  {_nms(one)}"


def _row(one: OutputInfo, reading: ShownReading, size: tuple[int, int] | None) -> tuple[str, ...]:
    limits = one.limits
    order = one.order.value if one.order else str(one.facts.get("order", ""))
    if one.device_order and one.device_order is not one.order:
        order += f" (device {one.device_order.value})"
    return (
        one.name,
        one.role or (reading.roles or {}).get(one.name, ""),
        _stride(one, size),
        _size(one.shape),
        _size(one.hw_shape) if one.hw_shape != one.shape else "",
        order,
        one.dtype or "",
        _span(one.quant.scale) if one.quant else "",
        _span(one.quant.zero_point) if one.quant else "",
        f"{limits[0]:.4g} .. {limits[1]:.4g}" if limits else "",
        one.activation or "",
    )


def _stride(one: OutputInfo, size: tuple[int, int] | None) -> str:
    """Return input pixels per cell; as a fraction where the grid does not divide the input."""
    if one.stride:
        return str(one.stride)
    if not one.shape or not size or one.shape[0] * one.shape[1] <= 1:
        return ""
    down, right = size[0] / one.shape[0], size[1] / one.shape[1]
    return f"{down:g}" if down == right else f"{down:.4g}x{right:.4g}"


def _size(shape: tuple[int, ...] | None) -> str:
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


def _op(op: OpInfo) -> Iterator[str]:
    yield paint(f"host step {op.name} ({op.kind})", "bold")
    nms = op.nms
    if nms:
        baked = []
        baked += [f"score at least {nms.score_threshold:g}"] if nms.score_threshold is not None else []
        baked += [f"overlap below {nms.iou_threshold:g}"] if nms.iou_threshold is not None else []
        baked += [f"at most {nms.max_per_class} of each of {nms.classes} classes"] if nms.classes else []
        baked += [f"boxes divided by {_size(nms.image_size)}"] if nms.image_size else []
        baked += [f"masks above {nms.mask_threshold:g}"] if nms.mask_threshold is not None else []
        yield "  baked in: " + ", ".join(baked)
    for decoder in op.decoders:
        stride = f"stride {decoder.stride}: " if decoder.stride else ""
        layers = ", ".join(f"{role} {name or '?'}" for role, name in decoder.layers.items())
        anchors = " ".join(f"{w:g}x{h:g}" for w, h in decoder.anchors)
        yield f"  {stride}{layers}" + (f"  anchors {anchors}" if anchors else "")
    if not op.decoders and op.inputs:
        yield f"  reads {', '.join(op.inputs)}"


def _remarks(remarks: Sequence[Diagnostic]) -> Iterator[str]:
    if not remarks:
        yield paint("no remarks", "green")
        return
    yield paint(f"remarks ({len(remarks)})", "bold")
    for one in remarks:
        yield f"  {one.code} {paint(one.severity.value, _COLOURS[one.severity])}: {one.message}"
        if one.hint:
            yield f"    hint: {one.hint}"
