"""HEF, the compiled network: everything its metadata says, at the cost of the metadata alone.

The file is mapped, not read; weights are never touched unless their checksum is asked for.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hailo_decode.errors import FormatError
from hailo_decode.networks._format import Format
from hailo_decode.networks._hef_group import Group, extension_name, extensions_of, groups_of
from hailo_decode.networks._hef_header import MAGIC, Header, check_integrity, check_length, read_header
from hailo_decode.networks._hef_layer import Layer, chip_nms, chip_nms_facts, layers_of
from hailo_decode.networks._hef_numbers import (
    DEVICES,
    EXT_PERIPH,
    EXTENSIONS,
    FUSED,
    HALF_HEIGHT,
    HEADER,
    LAYER,
    RESOURCE,
    SDK,
    TOP,
)
from hailo_decode.networks._hef_ops import Step, steps_of
from hailo_decode.networks._message import Message
from hailo_decode.networks._wire import DAMAGE_HINT
from hailo_decode.values.network import NetworkInfo, OutputInfo

# Of all messages that are looked into; the biggest real files come to some ten thousand.
MAX_FIELDS = 200_000


def read_hef(path: Path, *, verify: bool = False) -> NetworkInfo:
    """Read the metadata of a HEF.

    Parameters
    ----------
    path : path
    verify : bool
        Check the file's checksum however many bytes it covers.

    Raises
    ------
    FormatError
        With the byte at which the file stops being a HEF, or when its checksum is wrong; `partial` of the error is the
        network where only weights are missing or a checksum is wrong.
    MissingPackage
        When `verify` needs a package that is not installed.
    """
    try:
        with path.open("rb") as file:
            buffer = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise FormatError(f"{str(path)!r} cannot be mapped: {error}") from error
    return network_of(buffer, path.stem, verify=verify)


def network_of(buffer: memoryview, name: str = "", *, verify: bool = False) -> NetworkInfo:
    """Read a HEF that lies in memory; `name` is used where the file has none."""
    header = read_header(buffer)
    try:
        check_length(buffer, header)
        integrity = check_integrity(buffer, header, asked=verify)
    except FormatError as error:
        error.partial = _all_the_same(buffer, header, name, error)
        raise
    return _network(buffer, header, name, integrity)


def _all_the_same(buffer: memoryview, header: Header, name: str, error: FormatError) -> NetworkInfo | None:
    """Return what the metadata of a damaged file says, where all of it is there and can be read."""
    if header.metadata_end > len(buffer):
        return None
    integrity = {
        "checksum": header.checksum,
        "covers": "whole file",
        "checked": False,
        "why_not": error.message,
    }
    try:
        return _network(buffer, header, name, integrity)
    except FormatError:
        return None


def _network(buffer: memoryview, header: Header, name: str, integrity: dict[str, Any]) -> NetworkInfo:
    top = Message(buffer, header.size, header.metadata_end, "HEF", MAX_FIELDS)
    needed, optional = extensions_of(top)
    parts = [_Part(group, needed, optional) for group in groups_of(top, needed, optional)]
    if not any(part.layers for part in parts):
        raise FormatError("nothing enters or leaves the chip in this HEF", offset=top.start, hint=DAMAGE_HINT)
    steps = [step for part in parts for step in part.steps]
    inputs = tuple(_picture(one.info) for part in parts for one in part.layers if one.is_input)
    outputs = tuple(output for part in parts for output in part.outputs)
    families = {(step.family, step.task) for step in steps if step.task}
    family, task = families.pop() if len(families) == 1 else (None, None)
    about = top.message(TOP.HEADER)
    return NetworkInfo(
        name=parts[0].group.name or name,
        source="hef",
        input_size=_input_size(inputs),
        inputs=inputs,
        outputs=outputs,
        heads=tuple(head for step in steps for head in step.heads),
        family=family,
        task=task,
        nms_done=any(one.order is not None and one.order.is_nms for one in outputs),
        anchors=_anchors(steps),
        devices=DEVICES.get(about.u32(HEADER.ARCH), ()),
        compiler=_compiler(about),
        ops=tuple(step.op for step in steps),
        facts={
            **_file_facts(buffer, header),
            "integrity": integrity,
            **_top_facts(top, header, needed, optional),
            "network_groups": [part.group.facts for part in parts],
            "hailort_refuses": _refused(needed, optional, parts),
        },
    )


class _Part:
    """One network group, its layers and steps, and what a caller receives of it."""

    def __init__(self, group: Group, needed: frozenset[int], optional: frozenset[int]) -> None:
        self.group = group
        self.refused: list[str] = []
        self.layers = self._unique(layers_of(group, needed, optional))
        self.steps = list(steps_of(group, self.layers))
        self.outputs = self._outputs()

    def _unique(self, layers: Iterable[Layer]) -> list[Layer]:
        found: dict[tuple[bool, str], Layer] = {}
        for layer in layers:
            if (layer.is_input, layer.info.name) in found:
                self.refused.append(f"two layers have the name {layer.info.name!r}")
            found.setdefault((layer.is_input, layer.info.name), layer)
        return list(found.values())

    def _outputs(self) -> list[OutputInfo]:
        """Return what HailoRT lists as output vstreams (core_op_metadata.cpp), in its order."""
        fed = {head.name for step in self.steps for head in step.heads}
        found = {one.info.name: one.info for one in self._fused() if one.info.name not in fed}
        found |= {step.output.name: step.output for step in self.steps}
        place = {name: i for i, name in reversed(list(enumerate(self.group.sorted_outputs)))}
        if missing := [name for name in found if name not in place]:
            self.refused.append(f"the list of sorted outputs lacks {', '.join(map(repr, missing[:3]))}")
        return sorted(found.values(), key=lambda one: place.get(one.name, len(place)))

    def _fused(self) -> Iterable[Layer]:
        """Yield the output layers, an NMS that the chip gives in parts as one."""
        fused = {
            one.message(FUSED.LAYER).text(LAYER.NAME): one for one in self.group.fused.messages(FUSED.LAYERS)
        }
        may_fuse = self.group.fused.flag(FUSED.HAS_FUSED)
        for layer in self.layers:
            if layer.is_input:
                continue
            if not (may_fuse and layer.fused_into):
                yield layer
            elif layer.fused_into in fused:
                nms = fused[layer.fused_into].message(FUSED.NMS)
                facts = {**layer.info.facts, "chip_nms": chip_nms_facts(nms)}
                yield replace(
                    layer, info=replace(layer.info, name=layer.fused_into, nms=chip_nms(nms), facts=facts)
                )
            else:
                self.refused.append(
                    f"{layer.info.name!r} is a part of {layer.fused_into!r}, which is not there"
                )


def _picture(one: OutputInfo) -> OutputInfo:
    """Return an input with the height of its picture, not of its buffer."""
    if one.facts.get("order") in HALF_HEIGHT and one.shape and "planes" not in one.facts:
        return replace(one, shape=(2 * one.shape[0], *one.shape[1:]))
    return one


def _input_size(inputs: tuple[OutputInfo, ...]) -> tuple[int, int] | None:
    sizes = {one.shape[:2] for one in inputs if one.shape}
    return sizes.pop() if len(sizes) == 1 else None


def _anchors(steps: list[Step]) -> dict[int, tuple[tuple[float, float], ...]]:
    """Return anchors in pixels by stride; those of SSD are fractions, and have no stride."""
    return {
        decoder.stride: decoder.anchors
        for step in steps
        for decoder in step.op.decoders
        if decoder.stride and decoder.anchors
    }


def _compiler(about: Message) -> str | None:
    """Return the compiler's version: the numbers where there are some, the text otherwise."""
    sdk = about.message(HEADER.SDK)
    numbers = (sdk.u32(SDK.MAJOR), sdk.u32(SDK.MINOR), sdk.u32(SDK.REVISION))
    return ".".join(map(str, numbers)) if any(numbers) else about.text(HEADER.SDK_TEXT) or None


def _file_facts(buffer: memoryview, header: Header) -> dict[str, Any]:
    return {
        "file_bytes": len(buffer),
        "header_version": header.version,
        "metadata_bytes": header.metadata,
        "weight_bytes": header.weights,
        "trailing_bytes": header.trailing,
    }


def _top_facts(
    top: Message, header: Header, needed: frozenset[int], optional: frozenset[int]
) -> dict[str, Any]:
    about = top.message(TOP.HEADER)
    return {
        "hw_arch": about.u32(HEADER.ARCH),
        "sdk_text": about.text(HEADER.SDK_TEXT),
        "timestamp": about.u64(HEADER.TIMESTAMP),
        "format_version": about.u64(HEADER.VERSION),
        "extensions": [extension_name(n) for n in sorted(needed)],
        "optional_extensions": [extension_name(n) for n in sorted(optional)],
        "external_resources": [
            {
                "name": one.text(RESOURCE.NAME),
                "start": header.resources_start + one.u64(RESOURCE.OFFSET),
                "bytes": one.u64(RESOURCE.SIZE),
                "xxhash": f"{one.u64(RESOURCE.XXHASH):016x}",
            }
            for one in top.messages(TOP.RESOURCES)
        ],
    }


def _refused(needed: frozenset[int], optional: frozenset[int], parts: list[_Part]) -> list[str]:
    """Return in words why HailoRT 5.2 refuses this file; empty where it does not."""
    unknown = sorted(needed - EXTENSIONS.keys())
    told = [f"it needs the extension {number}, which HailoRT 5.2 does not have" for number in unknown]
    if EXT_PERIPH not in needed:
        told.append(f"it lacks the extension {extension_name(EXT_PERIPH)}: an old compiler made it")
    for part in parts:
        told += [text for layer in part.layers for text in layer.refused]
        told += [text for step in part.steps for text in step.refused]
        told += part.refused
    return list(dict.fromkeys(told))


def _sniff(head: bytes, path: Path) -> bool:
    return head.startswith(MAGIC)


FORMAT = Format("HEF", _sniff, read_hef, lambda path: read_hef(path, verify=True))
