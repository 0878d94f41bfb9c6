"""Decoders of an NMS step: which layers a scale reads, its stride and its anchors, for each kind of step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hailo_decode.networks._hef_numbers import NMS, SEG, SSD, YOLOV5, YOLOV8, YOLOX
from hailo_decode.networks._hef_quant import plain
from hailo_decode.networks._message import Message
from hailo_decode.values.network import DecoderInfo, OutputInfo

_MAX_SIDE = 1 << 20


@dataclass(frozen=True, slots=True)
class Pads:
    """Output pads of the chip, by number, for the step `name`; `refused` gathers those that lead nowhere."""

    name: str
    layers: Mapping[int, OutputInfo]
    refused: list[str]

    def layer(self, index: int) -> str:
        """Return the name of the layer on a pad, empty where there is none."""
        if index in self.layers:
            return self.layers[index].name
        self.refused.append(f"a decoder of the step {self.name!r} reads pad {index}, which no layer is on")
        return ""


@dataclass(frozen=True, slots=True)
class Decoders:
    """What the part of an NMS step says that differs from kind to kind.

    Attributes
    ----------
    image_size : (int, int) or None
        Height and width by which boxes are divided, pixels.
    decoders : tuple of DecoderInfo
    fields : dict
    proto : str
        Name of the layer with the mask prototypes.
    mask_threshold : float or None
    box_numbers : int
        Numbers of a decoded box before its classes: four sides, and objectness where there is one.
    """

    image_size: tuple[int, int] | None = None
    decoders: tuple[DecoderInfo, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)
    proto: str = ""
    mask_threshold: float | None = None
    box_numbers: int = 4

    def boxes(self, heads: tuple[OutputInfo, ...]) -> int:
        """Return how many boxes all scales decode to."""
        cells = {one.name: one.shape[0] * one.shape[1] for one in heads if one.shape}
        return sum(cells.get(next(iter(d.layers.values())), 0) * (len(d.anchors) or 1) for d in self.decoders)


def decoders_of(kind: int, step: Message, inputs: tuple[OutputInfo, ...], pads: Pads) -> Decoders:
    """Read the part of an NMS step that differs from kind to kind."""
    reader = _READERS.get(kind)
    return reader(step, inputs, pads) if reader else Decoders()


def _image(step: Message) -> tuple[tuple[int, int] | None, dict[str, Any]]:
    """Return the image size; every kind has it in fields 1 and 2, as doubles."""
    height, width = step.double(YOLOV8.HEIGHT), step.double(YOLOV8.WIDTH)
    whole = 0 < height < _MAX_SIDE and 0 < width < _MAX_SIDE and height == int(height) and width == int(width)
    size = (int(height), int(width)) if whole else None
    return size, {"image_height": plain(height), "image_width": plain(width)}


def _anchors(
    heights: tuple[float, ...], widths: tuple[float, ...], pads: Pads
) -> tuple[tuple[float, float], ...]:
    if len(heights) != len(widths):
        pads.refused.append(
            f"a decoder of the step {pads.name!r} has {len(widths)} anchor widths and {len(heights)} heights"
        )
    return tuple(zip(map(float, widths), map(float, heights), strict=False))


def _yolov5_decoders(decoders: list[Message], pads: Pads) -> tuple[DecoderInfo, ...]:
    return tuple(
        DecoderInfo(
            one.u32(YOLOV5.STRIDE) or None,
            {"encoded": pads.layer(one.u32(YOLOV5.PAD))},
            _anchors(one.u64s(YOLOV5.ANCHOR_H), one.u64s(YOLOV5.ANCHOR_W), pads),
        )
        for one in decoders
    )


def _yolov5(step: Message, inputs: tuple[OutputInfo, ...], pads: Pads) -> Decoders:
    size, fields = _image(step)
    fields["input_division_factor"] = step.u32(YOLOV5.DIVISION)
    return Decoders(size, _yolov5_decoders(step.messages(YOLOV5.DECODERS), pads), fields, box_numbers=5)


def _yolov5_seg(step: Message, inputs: tuple[OutputInfo, ...], pads: Pads) -> Decoders:
    """The prototypes go by the layer's name, not by a pad."""
    size, fields = _image(step)
    info = step.message(SEG.PROTO)
    proto, threshold = info.text(SEG.PROTO_LAYER), plain(step.double(SEG.MASK_THRESHOLD))
    fields["proto_info"] = {
        "number": info.u32(SEG.PROTO_NUMBER),
        "stride": info.u32(SEG.PROTO_STRIDE),
        "proto_layer": proto,
    }
    fields["mask_threshold"] = threshold
    if all(one.name != proto for one in inputs):
        pads.refused.append(
            f"the step {pads.name!r} wants the prototypes {proto!r}, which no pad of it feeds"
        )
    return Decoders(
        size,
        _yolov5_decoders(step.messages(SEG.DECODERS), pads),
        fields,
        proto,
        threshold if isinstance(threshold, float) else None,
        box_numbers=5,
    )


def _yolox(step: Message, inputs: tuple[OutputInfo, ...], pads: Pads) -> Decoders:
    size, fields = _image(step)
    decoders = tuple(
        DecoderInfo(
            one.u32(YOLOX.STRIDE) or None,
            {
                "reg": pads.layer(one.u32(YOLOX.REG)),
                "cls": pads.layer(one.u32(YOLOX.CLS)),
                "obj": pads.layer(one.u32(YOLOX.OBJ)),
            },
        )
        for one in step.messages(YOLOX.DECODERS)
    )
    return Decoders(size, decoders, fields, box_numbers=5)


def _ssd(step: Message, inputs: tuple[OutputInfo, ...], pads: Pads) -> Decoders:
    size, fields = _image(step)
    fields |= {
        "centers_scale_factor": step.u32(SSD.CENTRES_SCALE),
        "bbox_dimensions_scale_factor": step.u32(SSD.SIZES_SCALE),
        "ty": step.u32(SSD.TY),
        "tx": step.u32(SSD.TX),
        "th": step.u32(SSD.TH),
        "tw": step.u32(SSD.TW),
    }
    decoders = tuple(
        DecoderInfo(
            None,
            {"reg": pads.layer(one.u32(SSD.REG)), "cls": pads.layer(one.u32(SSD.CLS))},
            _anchors(one.floats(SSD.ANCHOR_H), one.floats(SSD.ANCHOR_W), pads),
        )
        for one in step.messages(SSD.DECODERS)
    )
    return Decoders(size, decoders, fields)


def _yolov8(step: Message, inputs: tuple[OutputInfo, ...], pads: Pads) -> Decoders:
    size, fields = _image(step)
    fields["input_division_factor"] = step.u32(YOLOV8.DIVISION)
    fields["regression_length"] = step.u32(YOLOV8.REGRESSION_LENGTH)
    decoders = tuple(
        DecoderInfo(
            one.u32(YOLOV8.STRIDE) or None,
            {"reg": pads.layer(one.u32(YOLOV8.REG)), "cls": pads.layer(one.u32(YOLOV8.CLS))},
        )
        for one in step.messages(YOLOV8.DECODERS)
    )
    return Decoders(size, decoders, fields)


_READERS: dict[int, Callable[[Message, tuple[OutputInfo, ...], Pads], Decoders]] = {
    NMS.YOLOV5: _yolov5,
    NMS.YOLOX: _yolox,
    NMS.SSD: _ssd,
    NMS.YOLOV5_SEG: _yolov5_seg,
    NMS.YOLOV8: _yolov8,
}
