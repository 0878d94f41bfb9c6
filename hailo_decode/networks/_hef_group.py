"""Network groups of a HEF: which messages hold the contexts, names and output order that HailoRT goes by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hailo_decode.errors import FormatError
from hailo_decode.networks._hef_numbers import (
    CONTEXT,
    CORE,
    EXT_MULTI_NETWORK,
    EXT_NET_FLOW,
    EXTENSIONS,
    FEATURE_FLAGS,
    FUSED,
    GROUP,
    HEADER,
    METADATA,
    MULTI_LAYOUT,
    OP,
    PARTIAL,
    TOP,
)
from hailo_decode.networks._hef_numbers import EXTENSION as EXT
from hailo_decode.networks._hef_quant import plain
from hailo_decode.networks._message import Message

MAX_GROUPS = 64  # HailoRT takes 8


@dataclass(frozen=True, slots=True)
class Group:
    """One network group, as far as its inputs and outputs go.

    Attributes
    ----------
    name : str
    names : tuple of str
        Networks of the group, as ``group/network``; an edge's network index counts in it.
    transposed : bool
        Whether height and width of all layers are swapped on the device.
    contexts : tuple of Message
    fused : Message
    sorted_outputs : tuple of str
        Names of the outputs in the order in which HailoRT lists them.
    ops : tuple of Message
        Steps of the group, the chip's own one among them; empty where the file has no net flow.
    pad_edges : tuple of Message
    layouts : tuple of int
        Bitmaps of the cluster layouts that the file holds this group for; the first one is read.
    facts : dict
        Figures of the compiler.
    """

    name: str
    names: tuple[str, ...]
    transposed: bool
    contexts: tuple[Message, ...]
    fused: Message
    sorted_outputs: tuple[str, ...]
    ops: tuple[Message, ...]
    pad_edges: tuple[Message, ...]
    layouts: tuple[int, ...]
    facts: dict[str, Any]


def extensions_of(top: Message) -> tuple[frozenset[int], frozenset[int]]:
    """Return the numbers of the needed and of the optional extensions.

    Files of header version 0 have flags instead, and their extensions do not count (HailoRT 5.2, hef.cpp,
    ``check_hef_extension``).
    """
    if top.message(TOP.HEADER).u64(HEADER.VERSION) == 0:
        flags = top.message(TOP.FEATURES)
        return frozenset(ext for field, ext in FEATURE_FLAGS.items() if flags.flag(field)), frozenset()
    needed = frozenset(one.u32(EXT.TYPE) for one in top.messages(TOP.EXTENSIONS))
    return needed, frozenset(one.u32(EXT.TYPE) for one in top.messages(TOP.OPTIONAL_EXTENSIONS))


def extension_name(number: int) -> str:
    """Return HailoRT's name of an extension, or its number where HailoRT 5.2 has none."""
    return EXTENSIONS.get(number, f"unknown extension {number}")


def groups_of(top: Message, needed: frozenset[int], optional: frozenset[int]) -> Iterator[Group]:
    """Yield the network groups of a HEF.

    Raises
    ------
    FormatError
        When there is none, or none of its messages describes what runs on the chip.
    """
    found = top.messages(TOP.GROUPS)
    if not 0 < len(found) <= MAX_GROUPS:
        raise FormatError(
            f"the HEF holds {len(found)} network groups", offset=top.start, wanted=f"1 to {MAX_GROUPS}"
        )
    multi_layout = top.message(TOP.HEADER).u32(HEADER.ARCH) in MULTI_LAYOUT
    for group in found:
        yield _group(group, EXT_NET_FLOW in needed, multi_layout, EXT_MULTI_NETWORK in optional)


def _group(group: Message, net_flow: bool, multi_layout: bool, multi_network: bool) -> Group:
    partial = [one.message(PARTIAL.INNER) for one in group.messages(GROUP.PARTIAL)]
    name = (partial[0] if partial else group).message(GROUP.METADATA).text(METADATA.NAME)
    core, layouts = group, _layouts(group)
    if net_flow:
        cores = [op.message(OP.CORE) for op in group.messages(GROUP.OPS) if OP.CORE in op]
        if not cores:
            raise FormatError(f"network group {name!r} has no step that runs on the chip", offset=group.start)
        core, layouts = cores[0], _layouts(cores[0])
    if multi_layout or (not core.messages(CORE.CONTEXTS) and layouts):
        core = next((one.message(PARTIAL.INNER) for one in core.messages(CORE.PARTIAL)), core)
    metadata = core.message(CORE.METADATA)
    contexts = tuple(core.messages(CORE.CONTEXTS))
    networks = core.texts(CORE.NETWORKS) or group.texts(GROUP.NETWORKS)
    name = name or metadata.text(METADATA.NAME)
    several = multi_network and networks
    return Group(
        name=name,
        names=tuple(f"{name}/{one}" for one in networks) if several else (f"{name}/{name}",),
        transposed=metadata.flag(METADATA.TRANSPOSED),
        contexts=contexts,
        fused=core.message(CORE.FUSED),
        sorted_outputs=_sorted_outputs(group, core, partial, net_flow),
        ops=tuple(group.messages(GROUP.OPS)) if net_flow else (),
        pad_edges=tuple(group.messages(GROUP.PAD_EDGES)) if net_flow else (),
        layouts=layouts,
        facts={
            "name": name,
            "networks": list(networks),
            "contexts": len(contexts),
            "layouts": list(layouts),
            "transposed": metadata.flag(METADATA.TRANSPOSED),
            "bottleneck_fps": plain(metadata.double(METADATA.BOTTLENECK_FPS)),
            "latency": plain(metadata.double(METADATA.LATENCY)),
            "computational_ops": metadata.u64(METADATA.OPERATIONS),
        },
    )


def _layouts(holder: Message) -> tuple[int, ...]:
    # PARTIAL has the same number in a group and in a core op.
    return tuple(
        one.message(PARTIAL.LAYOUT).u32(PARTIAL.LAYOUT_BITMAP) for one in holder.messages(GROUP.PARTIAL)
    )


def _sorted_outputs(group: Message, core: Message, partial: list[Message], net_flow: bool) -> tuple[str, ...]:
    """Return the first list of sorted names that there is, in HailoRT's order of looking (hef.cpp)."""
    fused = core.message(CORE.FUSED)
    if fused.flag(FUSED.HAS_FUSED):
        return fused.texts(FUSED.SORTED_OUTPUTS)
    if not net_flow and partial and (names := partial[0].texts(GROUP.SORTED_OUTPUTS)):
        return names
    if names := group.texts(GROUP.SORTED_OUTPUTS):
        return names
    contexts = core.messages(CORE.CONTEXTS)
    return contexts[-1].message(CONTEXT.METADATA).texts(CONTEXT.SORTED_OUTPUTS) if contexts else ()
