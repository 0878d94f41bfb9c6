"""Boundary layers of a HEF: what enters and leaves the chip, with shapes, orders and quantisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from hailo_decode.networks._hef_group import Group
from hailo_decode.networks._hef_limits import beyond_limits
from hailo_decode.networks._hef_numbers import (
    BASE,
    CHIP_NMS,
    CONTEXT,
    DEVICE_ORDERS,
    DTYPES,
    EDGE,
    EXT_CHANNEL_SCALE,
    EXT_HW_PADDING,
    LAYER,
    MUX,
    PLANE_ORDERS,
    PLANES,
)
from hailo_decode.networks._hef_quant import quant_of
from hailo_decode.networks._message import Message
from hailo_decode.values.network import NmsInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

# A box on the wire is five numbers: four sides and a score (HailoRT 5.2, hailort_common.hpp).
BBOX_NUMBERS = 5
# The biggest buffer of the chip's periphery, bytes (HailoRT 5.2, hef_internal.hpp).
_MAX_PERIPHERY = 0x2000


@dataclass(frozen=True, slots=True)
class Layer:
    """One boundary layer.

    Attributes
    ----------
    info : OutputInfo
    is_input : bool
    pad : int or None
        Index by which the steps of the network name it.
    fused_into : str
        For a part of an NMS on the chip that was split: the name of the whole; empty otherwise.
    refused : tuple of str
        Why HailoRT refuses the file because of this layer.
    """

    info: OutputInfo
    is_input: bool
    pad: int | None
    fused_into: str = ""
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What is the same for every layer of an edge."""

    is_input: bool
    network: str
    facts: dict[str, Any]
    transposed: bool
    needed: frozenset[int]
    optional: frozenset[int]


def layers_of(group: Group, needed: frozenset[int], optional: frozenset[int]) -> Iterator[Layer]:
    """Yield the boundary layers of a group, in the order of the file; a muxed stream gives several."""
    for at, context in enumerate(group.contexts):
        for edge in context.message(CONTEXT.METADATA).messages(CONTEXT.EDGES):
            if edge.message(EDGE.SWITCH).u64(EDGE.CONNECTION_TYPE) != EDGE.BOUNDARY:
                continue
            index = edge.u32(EDGE.NETWORK_INDEX)
            around = _Surroundings(
                is_input=edge.u64(EDGE.DIRECTION) == 0,
                network=group.names[index] if index < len(group.names) else group.names[0],
                facts={"context": at} if len(group.contexts) > 1 else {},
                transposed=group.transposed,
                needed=needed,
                optional=optional,
            )
            pad = edge.u32(EDGE.PAD_INDEX) if EDGE.PAD_INDEX in edge else None
            for layer in _edge(edge, around):
                yield replace(layer, pad=pad)


def _edge(edge: Message, around: _Surroundings) -> Iterator[Layer]:
    if EDGE.INFO in edge:
        yield _layer(edge.message(EDGE.INFO), around)
    elif EDGE.MUX in edge:
        yield from _muxed(edge.message(EDGE.MUX), around)
    elif EDGE.PLANES in edge:
        yield _planes(edge.message(EDGE.PLANES), around)


def _muxed(mux: Message, around: _Surroundings) -> Iterator[Layer]:
    """Yield what one stream carries; a caller sees each part as an output of its own."""
    inside = replace(around, facts={**around.facts, "stream": mux.text(MUX.NAME)})
    for one in mux.messages(MUX.PREDECESSORS):
        if MUX.INFO in one:
            yield _layer(one.message(MUX.INFO), inside, in_mux=True)
        elif MUX.INNER_MUX in one:
            yield from _muxed(one.message(MUX.INNER_MUX), inside)


def _planes(planes: Message, around: _Surroundings) -> Layer:
    parts = [one.message(MUX.INFO) for one in planes.messages(PLANES.PARTS)]
    # Luma has the picture's height; all of them together may be said to have half of it, with 3 channels.
    height = max(planes.u32(PLANES.HEIGHT), *(part.message(LAYER.BASE).u32(BASE.HEIGHT) for part in parts), 0)
    shape = (height, planes.u32(PLANES.WIDTH), planes.u32(PLANES.FEATURES))
    number = planes.u64(PLANES.FORMAT)
    kinds = {DTYPES.get(part.message(LAYER.BASE).u32(BASE.DATA_BYTES)) for part in parts}
    facts = {**around.facts, "planes": [part.text(LAYER.NAME) for part in parts]}
    refused: tuple[str, ...] = ()
    name = planes.text(PLANES.NAME)
    if number < len(PLANE_ORDERS):
        facts["order"] = PLANE_ORDERS[number]
    else:
        refused = (f"the planes of {name!r} have the unknown format {number}",)
    info = OutputInfo(
        name=name,
        shape=shape,
        hw_shape=shape,
        dtype=kinds.pop() if len(kinds) == 1 else None,
        network=around.network,
        original_names=tuple(text for part in parts for text in part.texts(LAYER.ORIGINAL_NAMES)),
        facts=facts,
    )
    return Layer(info, around.is_input, None, refused=refused)


def _layer(layer: Message, around: _Surroundings, *, in_mux: bool = False) -> Layer:
    base = layer.message(LAYER.BASE)
    info, named, refused = _format(layer, base, around)
    facts: dict[str, Any] = {**around.facts, **named}
    if info.device_order is FormatOrder.NMS_ON_CHIP:
        nms = base.message(BASE.ADDITIONAL).message(BASE.ADDITIONAL_NMS)
        info = replace(info, dtype="float32", nms=chip_nms(nms))
        facts["chip_nms"] = chip_nms_facts(nms)
    else:
        shape, hw_shape, turned = _shapes(
            base, info.device_order, layer.flag(LAYER.TRANSPOSED), around, in_mux
        )
        info = replace(info, shape=shape, hw_shape=hw_shape)
        facts |= {"transposed": True} if turned else {}
    quant, more, why = quant_of(
        info.name,
        layer.message(LAYER.NUMERIC),
        info.shape[2] if info.shape else 2,  # two for NMS on the chip: of boxes and of scores
        is_input=around.is_input,
        per_channel=EXT_CHANNEL_SCALE in around.needed,
    )
    hn_name = layer.text(LAYER.HN_NAME)
    facts |= more | ({"hn_layer": hn_name} if hn_name not in ("", info.name) else {})
    return Layer(
        replace(info, quant=quant, facts=facts),
        around.is_input,
        None,
        fused_into=_fused_into(base),
        refused=(*refused, *beyond_limits(info.name, around.network, base), *why),
    )


def _format(
    layer: Message, base: Message, around: _Surroundings
) -> tuple[OutputInfo, dict[str, str], list[str]]:
    """Return a layer's name, orders and type; orders that are no tensor's by name; what HailoRT refuses."""
    name, number, width = layer.text(LAYER.NAME), base.u64(BASE.FORMAT), base.u32(BASE.DATA_BYTES)
    device, host = DEVICE_ORDERS.get(number, (None, None))
    refused = []
    if device is None:
        refused.append(f"{name!r} has the unknown format {number}")
    if width not in DTYPES:
        refused.append(f"{name!r} has numbers of {width} bytes")
    if base.flag(BASE.HOST_ARGMAX):
        refused.append(f"{name!r} wants an argmax on the host, which no newer HailoRT does: compile again")
    info = OutputInfo(
        name=name,
        order=host if isinstance(host, FormatOrder) else None,
        device_order=device if isinstance(device, FormatOrder) else None,
        dtype=DTYPES.get(width),
        network=around.network,
        original_names=layer.texts(LAYER.ORIGINAL_NAMES),
    )
    orders = {"order": host, "device_order": device}
    return info, {key: str(name) for key, name in orders.items() if type(name) is str}, refused


_Shape = tuple[int, int, int]


def _shapes(
    base: Message, device: FormatOrder | None, own_turn: bool, around: _Surroundings, in_mux: bool
) -> tuple[_Shape, _Shape, bool]:
    """Return shape, padded shape, and whether the device holds the layer transposed (hef.cpp).

    The padded shape stays in the device's orientation.
    """
    plain = (base.u32(BASE.HEIGHT), base.u32(BASE.WIDTH), base.u32(BASE.FEATURES))
    padded = (base.u32(BASE.PADDED_HEIGHT), base.u32(BASE.PADDED_WIDTH), base.u32(BASE.PADDED_FEATURES))
    height, width, channels = plain
    turned = (around.transposed or own_turn) and device is not FormatOrder.NC
    if not in_mux and _padded_by_chip(base, plain, device, around.optional):
        padded = plain
    return (width, height, channels) if turned else plain, padded, turned


def _padded_by_chip(
    base: Message, plain: _Shape, device: FormatOrder | None, optional: frozenset[int]
) -> bool:
    """Tell whether the chip takes padding off by itself (hef.cpp, ``is_core_hw_padding_supported``).

    Newer files settle it when they are compiled, and say so by an optional extension.
    """
    if EXT_HW_PADDING in optional or device is not FormatOrder.NHCW:
        return False
    height, width, channels = plain
    fifo = base.u32(BASE.SHMIFO_SIZE)
    limit = min(_MAX_PERIPHERY, fifo) if fifo else _MAX_PERIPHERY
    return (
        base.u32(BASE.BUFFERS_PER_FRAME) & 0xFFFF == height
        and width * channels % 8 == 0
        and width * channels * base.u32(BASE.DATA_BYTES) <= limit - 1
    )


def _fused_into(base: Message) -> str:
    nms = base.message(BASE.ADDITIONAL).message(BASE.ADDITIONAL_NMS)
    return nms.message(CHIP_NMS.DEFUSE).text(CHIP_NMS.ORIGINAL_NAME) if nms.flag(CHIP_NMS.IS_DEFUSED) else ""


def chip_nms(nms: Message) -> NmsInfo:
    """Return the sizes of an NMS on the chip, as the caller's buffer has them."""
    classes = nms.u32(CHIP_NMS.CLASSES)
    most = nms.u32(CHIP_NMS.MAX_OUTPUT) * (nms.u32(CHIP_NMS.DIVISION) or 1)
    return NmsInfo(classes, most, classes * most, frame_bytes=by_class_bytes(classes, most))


def chip_nms_facts(nms: Message) -> dict[str, int]:
    """Return what else the file says of an NMS on the chip."""
    return {
        "bbox_bytes": nms.u32(CHIP_NMS.BBOX_SIZE),
        "chunks": nms.u32(CHIP_NMS.DIVISION) or 1,
        "burst_size": nms.u32(CHIP_NMS.BURST_SIZE),
        "burst_type": nms.u32(CHIP_NMS.BURST_TYPE),
    }


def by_class_bytes(classes: int, most: int) -> int:
    """Return the size of a by-class buffer: float32, a count and the boxes for each class."""
    return 4 * classes * (1 + BBOX_NUMBERS * most)
