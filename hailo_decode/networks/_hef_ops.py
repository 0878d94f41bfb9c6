"""Steps that HailoRT runs behind the chip: what a HEF says of them, and which layers feed them.

Pads are numbers. An input pad of a step leads over a pad edge to an output pad of the chip, and that to a
layer; the pad numbers inside a decoder are output pads of the chip already (HailoRT 5.2, hef.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from hailo_decode.networks._hef_decoders import Pads, decoders_of
from hailo_decode.networks._hef_group import Group
from hailo_decode.networks._hef_layer import Layer, by_class_bytes
from hailo_decode.networks._hef_numbers import (
    DIVIDES_BY_IMAGE,
    DTYPES,
    LOGITS_KINDS,
    NMS,
    NMS_KINDS,
    OP,
    PAD,
    PAD_EDGE,
)
from hailo_decode.networks._hef_quant import plain, quant_of
from hailo_decode.networks._message import Message
from hailo_decode.values.network import DecoderInfo, NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

# What a layer is to a head, by the word that a decoder has for it.
_ROLES = {"reg": "box", "cls": "cls", "obj": "obj", "proto": "proto"}
_ORDER_CODES = {order.code: order for order in FormatOrder}


@dataclass(frozen=True, slots=True)
class Step:
    """One step, and what it takes and gives.

    Attributes
    ----------
    op : OpInfo
    output : OutputInfo
        What the caller receives in place of the heads.
    heads : tuple of OutputInfo
        The layers that feed it, with the roles that the step gives them.
    family, task : str or None
    refused : tuple of str
        Why HailoRT refuses the file because of this step.
    """

    op: OpInfo
    output: OutputInfo
    heads: tuple[OutputInfo, ...]
    family: str | None = None
    task: str | None = None
    refused: list[str] = field(default_factory=list)


def steps_of(group: Group, layers: list[Layer]) -> Iterator[Step]:
    """Yield the steps of a group in the order of the file; the chip's own one is left out."""
    by_pad = {one.pad: one.info for one in layers if one.pad is not None and not one.is_input}
    sources = {edge.u32(PAD_EDGE.TARGET): edge.u32(PAD_EDGE.SOURCE) for edge in group.pad_edges}
    for op in group.ops:
        if OP.CORE in op:
            continue
        name = op.text(OP.NAME)
        refused: list[str] = []
        inputs: list[OutputInfo] = []
        for pad in op.messages(OP.INPUT_PADS):
            index = pad.u32(PAD.INDEX)
            layer = by_pad.get(sources.get(index, -1))
            if layer:
                inputs.append(layer)
            else:
                refused.append(f"pad {index} of the step {name!r} is fed by no output of the chip")
        outputs = op.messages(OP.OUTPUT_PADS)
        output = outputs[0].text(PAD.NAME) if outputs else name
        if OP.NMS in op:
            yield _nms_step(name, output, op.message(OP.NMS), tuple(inputs), Pads(name, by_pad, refused))
        elif OP.LOGITS in op and inputs:
            kind = op.message(OP.LOGITS).u64(1)
            yield _logits_step(name, output, kind, op, inputs[0], refused)
        else:
            refused.append(f"the step {name!r} is of an unknown kind")
            info = OutputInfo(output, network=_network(inputs, group))
            yield Step(
                OpInfo(name, "unknown", output, tuple(i.name for i in inputs)),
                info,
                tuple(inputs),
                refused=refused,
            )


def _network(inputs: list[OutputInfo] | tuple[OutputInfo, ...], group: Group | None = None) -> str | None:
    names = {one.network for one in inputs}
    return names.pop() if len(names) == 1 else group.names[0] if group else None


def _nms_step(name: str, output: str, nms: Message, inputs: tuple[OutputInfo, ...], pads: Pads) -> Step:
    number = next((n for n in NMS_KINDS if n in nms), 0)
    kind, family, task = NMS_KINDS.get(number, ("unknown", None, None))
    if not number:
        pads.refused.append(f"the NMS step {name!r} is of an unknown kind")
    found = decoders_of(number, nms.message(number or NMS.IOU_ONLY), inputs, pads)
    classes, most = nms.u32(NMS.CLASSES), nms.u32(NMS.MAX_PER_CLASS)
    score, iou = plain(nms.double(NMS.SCORE)), plain(nms.double(NMS.IOU))
    sizes = NmsInfo(
        classes=classes,
        max_per_class=most,
        max_total=most * classes,
        score_threshold=score if isinstance(score, float) else None,
        iou_threshold=iou if isinstance(iou, float) else None,
        image_size=found.image_size if kind in DIVIDES_BY_IMAGE else None,
        mask_threshold=found.mask_threshold,
    )
    fields: dict[str, Any] = {
        "nms_score_th": score,
        "nms_iou_th": iou,
        "max_proposals_per_class": most,
        "classes": classes,
        "background_removal": nms.flag(NMS.BACKGROUND_REMOVAL),
        "background_removal_index": nms.u32(NMS.BACKGROUND_INDEX),
        "bbox_decoding_only": nms.flag(NMS.BBOX_ONLY),
        **found.fields,
    }
    op = OpInfo(name, kind, output, tuple(i.name for i in inputs), sizes, found.decoders, fields)
    heads = _with_roles(inputs, found.decoders, found.proto)
    if number != NMS.YOLOV5_SEG:  # the only step that applies a sigmoid itself
        heads = tuple(map(_probabilities, heads))
    bare = OutputInfo(output, dtype="float32", quant=Quant.of(1.0), network=_network(inputs))
    if nms.flag(NMS.BBOX_ONLY):
        # Decoded boxes in rows, neither cut by score nor suppressed.
        numbers = classes + found.box_numbers
        info = replace(bare, order=FormatOrder.NHWC, shape=(1, found.boxes(heads), numbers))
    elif number == NMS.YOLOV5_SEG:
        info = replace(bare, order=FormatOrder.NMS_BYTE_MASK, dtype="uint8", nms=sizes)
    else:
        # With background removal the announced number is one less than the step's own.
        shown = max(0, classes - nms.flag(NMS.BACKGROUND_REMOVAL))
        result = replace(sizes, classes=shown, frame_bytes=by_class_bytes(shown, most))
        info = replace(bare, order=FormatOrder.NMS_BY_CLASS, nms=result)
    return Step(op, info, heads, family, task, pads.refused)


def _probabilities(head: OutputInfo) -> OutputInfo:
    """Say that the chip applied the sigmoid, where the step relies on it and the limits agree."""
    low, high = head.facts.get("limits", (-1.0, 0.0))
    said = head.role != "box" and isinstance(low, float) and isinstance(high, float)
    return replace(head, activation="sigmoid") if said and low >= 0.0 and 0.0 < high <= 1.0 else head


def _with_roles(
    inputs: tuple[OutputInfo, ...], decoders: tuple[DecoderInfo, ...], proto: str
) -> tuple[OutputInfo, ...]:
    roles: dict[str, tuple[str | None, int | None]] = {proto: ("proto", None)} if proto else {}
    for decoder in decoders:
        for word, layer in decoder.layers.items():
            roles[layer] = (_ROLES.get(word), decoder.stride)
    return tuple(
        replace(one, role=roles[one.name][0], stride=roles[one.name][1]) if one.name in roles else one
        for one in inputs
    )


def _logits_step(
    name: str, output: str, number: int, op: Message, head: OutputInfo, refused: list[str]
) -> Step:
    kind = LOGITS_KINDS[number] if number < len(LOGITS_KINDS) else "unknown"
    if kind == "unknown":
        refused.append(f"the step {name!r} is of an unknown kind")
    pad = op.messages(OP.OUTPUT_PADS)[0] if op.messages(OP.OUTPUT_PADS) else op.message(0)
    shape = head.shape and (head.shape if kind == "softmax" else (*head.shape[:2], 1))
    quant, facts, _ = quant_of(output, pad.message(PAD.NUMERIC), 1, is_input=False, per_channel=False)
    info = OutputInfo(
        output,
        shape=shape,
        order=_ORDER_CODES.get(pad.u32(PAD.ORDER)),
        dtype=DTYPES.get(pad.u32(PAD.TYPE)),
        quant=quant,
        activation="softmax" if kind == "softmax" else None,
        network=head.network,
        facts=facts,
    )
    return Step(OpInfo(name, kind, output, (head.name,)), info, (head,), refused=refused)
