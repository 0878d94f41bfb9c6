"""NetworkInfo: what a model file says of a network, its outputs, layers and post-processing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

_TOPS = {"uint8": 255, "uint16": 65_535}
_SLACK = 0.01  # how far quantised probabilities reach beyond 0..1


@dataclass(frozen=True, slots=True)
class NmsInfo:
    """Sizes and thresholds of an NMS result or an NMS step.

    Attributes
    ----------
    classes : int or None
        Number of classes in the result.
    max_per_class, max_total : int or None
    score_threshold, iou_threshold : float or None
        As baked into the model; lower scores never leave HailoRT.
    image_size : (int, int) or None
        Height and width by which the step divides its boxes, pixels; None where it divides by none.
    frame_bytes : int or None
        Size of the result buffer.
    mask_threshold : float or None
    """

    classes: int | None = None
    max_per_class: int | None = None
    max_total: int | None = None
    score_threshold: float | None = None
    iou_threshold: float | None = None
    image_size: tuple[int, int] | None = None
    frame_bytes: int | None = None
    mask_threshold: float | None = None


@dataclass(frozen=True, slots=True)
class OutputInfo:
    """One output (or input) of a network.

    Attributes
    ----------
    name : str
        As HailoRT names it, such as ``"net/conv41"``.
    shape : (int, int, int) or None
        Height, width, channels without padding; None for NMS results.
    hw_shape : (int, int, int) or None
        The same with the device's padding.
    order : FormatOrder or None
        As the source prints it; None where the source does not say.
    device_order : FormatOrder or None
        Order of the raw device buffer, which goes with `hw_shape`, where the source states it.
    dtype : str or None
        ``"uint8"``, ``"uint16"`` or ``"float32"``.
    quant : Quant or None
    activation : {"linear", "sigmoid", "softmax"} or None
        What the device has already applied; None where the source does not say.
    layout : {"host", "device"} or None
        Host: dense, after HailoRT's transform. Device: raw bytes with padding.
    role : str or None
        Role in the head (``"box"``, ``"cls"``, ``"obj"``, ``"extra"``, ``"proto"``), where the source
        proves it.
    stride : int or None
        Input pixels per cell, where the source states it.
    network : str or None
        Name of the network it belongs to, where a file holds several.
    original_names : tuple of str
        Names of the layer in the framework the model came from.
    nms : NmsInfo or None
        For an output that is an NMS result.
    arrays : tuple of str
        Recordings only: members that hold this output as one array per class.
    facts : mapping
        Everything else that the source states of it, by the source's own names; what JSON can hold.
    """

    name: str
    shape: tuple[int, int, int] | None = None
    hw_shape: tuple[int, int, int] | None = None
    order: FormatOrder | None = None
    dtype: str | None = None
    quant: Quant | None = None
    activation: str | None = None
    layout: str | None = None
    role: str | None = None
    stride: int | None = None
    network: str | None = None
    original_names: tuple[str, ...] = ()
    nms: NmsInfo | None = None
    arrays: tuple[str, ...] = ()
    device_order: FormatOrder | None = None
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def limits(self) -> tuple[float, float] | None:
        """Smallest and largest real value that it can hold, as its source states or its quantisation implies."""
        told = self.facts.get("limits")
        if isinstance(told, (list, tuple)) and len(told) == 2 and all(isinstance(one, float) for one in told):
            return told[0], told[1]
        top = _TOPS.get(self.dtype or "")
        return self.quant.limits(top) if self.quant and top else None

    @property
    def in_unit_range(self) -> bool | None:
        """Whether all its values lie in 0..1, as probabilities do; None where its source does not tell."""
        if self.activation in ("sigmoid", "softmax"):
            return True
        limits = self.limits
        return None if limits is None else limits[0] >= -_SLACK and limits[1] <= 1 + _SLACK


@dataclass(frozen=True, slots=True)
class LayerInfo:
    """One layer of a parsed graph, as far as the checks need it.

    Attributes
    ----------
    name : str
        Scoped name, such as ``"net/conv41"``.
    kind : str
        ``"conv"``, ``"activation"``, ``"output_layer"``, ``"nms"`` and so on, in the source's own words.
    shape : (int, int, int) or None
        Height, width, channels of its (first) output.
    activation : str or None
    inputs, outputs : tuple of str
        Names of the layers before and behind it.
    original_names : tuple of str
    """

    name: str
    kind: str
    shape: tuple[int, int, int] | None = None
    activation: str | None = None
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    original_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DecoderInfo:
    """One entry of an NMS step: which layers one scale reads.

    Attributes
    ----------
    stride : int or None
    layers : mapping of str to str
        Role (``"reg"``, ``"cls"``, ``"obj"``, ``"encoded"``, ``"combined"``) to layer name.
    anchors : tuple of (float, float)
        Width and height of each anchor; pixels, or fractions of the image for SSD.
    """

    stride: int | None
    layers: Mapping[str, str]
    anchors: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class OpInfo:
    """A post-processing step that HailoRT runs for this model.

    Attributes
    ----------
    name : str
    kind : str
        ``"yolov8"``, ``"yolov5"``, ``"yolov5seg"``, ``"yolox"``, ``"ssd"``, ``"iou"``, ``"softmax"``,
        ``"argmax"``.
    output : str or None
        Name of the output it feeds.
    inputs : tuple of str
        Names of the layers it reads.
    nms : NmsInfo or None
    decoders : tuple of DecoderInfo
    fields : mapping
        Every other field of the step as the file holds it.
    """

    name: str
    kind: str
    output: str | None = None
    inputs: tuple[str, ...] = ()
    nms: NmsInfo | None = None
    decoders: tuple[DecoderInfo, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NetworkInfo:
    """What is known of a network before any tensor is seen.

    Attributes
    ----------
    name : str
    source : str
        Kind of source: ``"json"``, ``"hef"``, ``"har"``, ``"onnx"``, ``"parse-hef"``, ``"ultralytics"``.
    input_size : (int, int) or None
        Height and width of the network's input, pixels.
    inputs, outputs : tuple of OutputInfo
        Outputs are what a caller receives: the results of a post-processing step, where there is one,
        or raw heads.
    heads : tuple of OutputInfo
        The layers that feed a post-processing step; empty where there is none.
    family, task : str or None
    classes : tuple of str
        Class names, empty where the source has none.
    nms_free : bool or None
        True for one-to-one heads that need no suppression; None where the source does not say.
    nms_done : bool
        True where the outputs already are an NMS result.
    anchors : mapping of int to tuple of (float, float)
        Stride to anchor widths and heights, input pixels.
    keypoints : (int, int) or None
        Number of keypoints and values for each.
    devices : tuple of str
        Architectures it runs on, such as ``"hailo8l"``; the one it was compiled for comes first.
    compiler : str or None
        Version of the compiler that made it.
    layers : tuple of LayerInfo
        Graph near the outputs, where the source holds one.
    ops : tuple of OpInfo
    image_size : (int, int) or None
        Recordings only: height and width of the photo.
    letterbox : mapping or None
        Recordings only: how the photo was placed, as the description states it.
    facts : mapping
        Everything else that the source states, by its own names, as JSON can hold it; shown by
        `inspect --json`.
    """

    name: str
    source: str
    input_size: tuple[int, int] | None = None
    inputs: tuple[OutputInfo, ...] = ()
    outputs: tuple[OutputInfo, ...] = ()
    heads: tuple[OutputInfo, ...] = ()
    family: str | None = None
    task: str | None = None
    classes: tuple[str, ...] = ()
    nms_free: bool | None = None
    nms_done: bool = False
    anchors: Mapping[int, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    keypoints: tuple[int, int] | None = None
    devices: tuple[str, ...] = ()
    compiler: str | None = None
    layers: tuple[LayerInfo, ...] = ()
    ops: tuple[OpInfo, ...] = ()
    image_size: tuple[int, int] | None = None
    letterbox: Mapping[str, Any] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def output(self, name: str) -> OutputInfo | None:
        """Return the output of that name, with or without the network's prefix, or None."""
        exact = [o for o in self.outputs if o.name == name]
        bare = [o for o in self.outputs if o.name.rpartition("/")[2] == name.rpartition("/")[2]]
        found = exact or (bare if len(bare) == 1 else [])
        return found[0] if found else None

    def with_names(self, names: tuple[str, ...]) -> NetworkInfo:
        """Return the same network with other class names."""
        return replace(self, classes=names)
