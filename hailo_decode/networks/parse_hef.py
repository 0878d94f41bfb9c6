"""Text of `hailortcli parse-hef` (HailoRT 4.17 to 5.2) to NetworkInfo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hailo_decode.errors import FormatError, UnknownName
from hailo_decode.networks._format import Format
from hailo_decode.networks._hef_numbers import HALF_HEIGHT
from hailo_decode.networks._parse_hef_blocks import Block, blocks_of, labels_of, printed, scope_of
from hailo_decode.networks._parse_hef_lines import Port, clean_lines, port_of
from hailo_decode.networks._parse_hef_op import op_of
from hailo_decode.values.network import NetworkInfo, NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

_MOST_BYTES = 4 << 20


def parse(text: str, *, name: str = "network") -> NetworkInfo:
    """Read the text that `hailortcli parse-hef` prints; anything around it is passed over.

    Parameters
    ----------
    text : str
        With or without ``--parse-streams``; of one HEF or several, of one network or several.
    name : str
        What to call it, where the text gives no name.

    Raises
    ------
    FormatError
        When no input or output line is found, or lines contradict each other; with the line's number.
    """
    blocks = blocks_of(text)
    if not blocks:
        raise FormatError(
            "no line of this text is one of hailortcli parse-hef",
            wanted="lines such as 'Output net/conv41 UINT8, FCR(80x80x64)'",
        )
    labels = labels_of(blocks) if len(blocks) > 1 else [None]
    outputs: list[OutputInfo] = []
    inputs: list[OutputInfo] = []
    heads: list[OutputInfo] = []
    ops: list[OpInfo] = []
    for block, label in zip(blocks, labels, strict=True):
        own, head, op = _outputs(block, label)
        outputs += own
        heads += head
        ops += [op] if op else []
        inputs += [_input(p, block, label) for p in _ports(block) if p.is_input]
    sizes = {i.shape[:2] for i in inputs if i.shape}
    return NetworkInfo(
        name=(blocks[0].group or scope_of(blocks[0].vstreams or blocks[0].streams) or name),
        source="parse-hef",
        input_size=next(iter(sizes)) if len(sizes) == 1 else None,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        heads=tuple(heads),
        nms_done=any(o.order is not None and o.order.is_nms for o in outputs),
        devices=tuple(dict.fromkeys(d for b in blocks for d in b.devices)),
        compiler=next((b.compiler for b in blocks if b.compiler), None),
        ops=tuple(ops),
        facts=_facts(blocks, labels),
    )


def _outputs(block: Block, network: str | None) -> tuple[list[OutputInfo], list[OutputInfo], OpInfo | None]:
    """Return the outputs of a block, the device layers that feed its post-processing, and that step."""
    streams = {n: p for n, p in block.streams.items() if not p.is_input}
    ports = [p for p in _ports(block) if not p.is_input]
    loose = [p for n, p in streams.items() if block.vstreams and n not in block.vstreams]
    op = op_of(block.op_lines, ports, loose)
    outputs = []
    for port in ports:
        info = _plain(port, network)
        stream = streams.get(port.name)
        if stream and stream.sizes:
            info = replace(info, hw_shape=_shape(stream.sizes), device_order=_order(stream))
        if not block.vstreams:
            info = _of_device(info)
        if port.nms:
            info = replace(info, nms=_nms(port.nms, op if op and op.output == port.name else None))
        outputs.append(info)
    return outputs, [_head(p, network) for p in loose if op], op


def _head(port: Port, network: str | None) -> OutputInfo:
    """Return a layer that feeds a step of HailoRT, which takes no padded one (5.2 vstream_builder.cpp)."""
    info = _of_device(_plain(port, network))
    return replace(info, shape=info.hw_shape) if info.order is FormatOrder.NHCW else info


def _of_device(info: OutputInfo) -> OutputInfo:
    """Return what a stream line says: its sizes are those of the device, padding included."""
    return replace(info, shape=None, hw_shape=info.shape, device_order=info.order, layout="device")


def _nms(nms: NmsInfo, op: OpInfo | None) -> NmsInfo:
    """Return the sizes of a result's own line, with the thresholds that only the step's lines have."""
    if op is None or op.nms is None:
        return nms
    own = op.nms
    return replace(
        nms,
        score_threshold=own.score_threshold,
        iou_threshold=own.iou_threshold,
        image_size=own.image_size,
        mask_threshold=own.mask_threshold,
    )


def _ports(block: Block) -> Iterable[Port]:
    return (block.vstreams or block.streams).values()


def _plain(port: Port, network: str | None) -> OutputInfo:
    dtype = None if port.dtype == "AUTO" else port.dtype.lower()
    order = _order(port)
    facts = {} if order else {"order": port.order}
    return OutputInfo(port.name, _shape(port.sizes), order=order, dtype=dtype, network=network, facts=facts)


def _input(port: Port, block: Block, network: str | None) -> OutputInfo:
    """Return an input with the height of its picture, not of its buffer."""
    info = _plain(port, network)
    if not block.vstreams:
        return _of_device(info)
    if port.order in HALF_HEIGHT and info.shape:
        info = replace(info, shape=(2 * info.shape[0], *info.shape[1:]))
    return info


def _order(port: Port) -> FormatOrder | None:
    try:
        return FormatOrder.parse(port.order)
    except UnknownName:
        return None


def _shape(sizes: Sequence[int]) -> tuple[int, int, int] | None:
    """Return height, width and channels; a line may print the channels alone, or leave out a single one."""
    if not sizes:
        return None
    h, w, c = {1: (1, 1, *sizes), 2: (*sizes, 1)}.get(len(sizes), tuple(sizes))
    return h, w, c


def _facts(blocks: Sequence[Block], labels: Sequence[str | None]) -> dict[str, Any]:
    entries = []
    for block, label in zip(blocks, labels, strict=True):
        entry: dict[str, Any] = {
            "network": label or block.name,
            "group": block.group,
            "contexts": block.contexts,
            "file": block.file,
            "devices": list(block.devices),
            "streams": {p.name: printed(p) for p in block.streams.values()},
            "vstreams": {p.name: printed(p) for p in block.vstreams.values()},
        }
        entries.append({k: v for k, v in entry.items() if v})
    return {"networks": entries}


def _sniff(head: bytes, path: Path) -> bool:
    text = _decoded(head)
    if "\0" in text:
        return False
    if "Network group name:" in text:
        return True
    try:
        return any(port_of(line, number) for number, line in clean_lines(text))
    except FormatError:
        return True


def _decoded(data: bytes) -> str:
    """Decode UTF-8, or the UTF-16 that PowerShell writes when output is sent to a file."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def _read(path: Path) -> NetworkInfo:
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise FormatError(
            f"{str(path)!r} is larger than {_MOST_BYTES >> 20} MiB",
            hint="cut out the part that hailortcli parse-hef printed",
        )
    return parse(_decoded(data), name=path.stem)


FORMAT = Format("parse-hef text", _sniff, _read)
