"""HD530 to HD533: layers that feed a host step, and that HailoRT refuses or reads wrongly."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.meta_archs import Shape
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._steps import STREAM_TYPES, by, device_order, heads_of, listed, scales, steps
from hailo_decode.values.diagnostic import Confidence, Severity
from hailo_decode.values.network import NetworkInfo
from hailo_decode.values.order import FormatOrder

_WORDS = {"cls_layer": "cls", "objectness_layer": "obj", "encoded_layer": "encoded"}


@rule("HD530")
def head_order_is_refused(network: NetworkInfo) -> Iterator[Finding]:
    """A layer that feeds the host step is not in the order NHCW.

    HailoRT's steps for boxes read the raw buffers of the device, and only those in NHCW; a head in FCR, F8CR or
    NHWC ends in HAILO_INVALID_ARGUMENT (HailoRT 5.2, nms_post_process.cpp). A head printed as FCR therefore
    never has a step of HailoRT's behind it that runs.

    ```bad
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64], "device_order": "FCR"}],
     "ops": [{"name": "nms", "kind": "yolov8", "inputs": ["net/conv41"]}]}
    ```
    ```good
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64], "device_order": "NHCW"}],
     "ops": [{"name": "nms", "kind": "yolov8", "inputs": ["net/conv41"]}]}
    ```
    """
    for i, op, _ in steps(network):
        orders: dict[FormatOrder, list[str]] = {}
        for head in heads_of(network, op):
            order = device_order(head)
            if order not in (None, FormatOrder.NHCW):
                orders.setdefault(order, []).append(head.name)
        for order, names in orders.items():
            what = f"the step {op.name!r} reads NHCW alone, and {listed(names)} {_verb(names)} {order.value}"
            yield Finding(("ops", i, "inputs"), what, "leave the step out, and decode the raw outputs here")


def _verb(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


@rule("HD531")
def head_types_are_refused(network: NetworkInfo) -> Iterator[Finding]:
    """The layers that feed the host step are of several types, or of one that it does not read.

    All of them have to be uint8, or all uint16, or HailoRT stops with HAILO_INVALID_ARGUMENT (5.2,
    nms_post_process.cpp); the step with masks takes a mix. A `quantization_param(..., precision_mode=a16_w16)`
    for some heads and not for others makes such a file.

    ```bad
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64], "dtype": "uint8"},
               {"name": "net/conv42", "shape": [80, 80, 3], "dtype": "uint16"}],
     "ops": [{"name": "nms", "kind": "yolov8", "inputs": ["net/conv41", "net/conv42"]}]}
    ```
    ```good
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64], "dtype": "uint16"},
               {"name": "net/conv42", "shape": [80, 80, 3], "dtype": "uint16"}],
     "ops": [{"name": "nms", "kind": "yolov8", "inputs": ["net/conv41", "net/conv42"]}]}
    ```
    """
    for i, op, arch in steps(network):
        types: dict[str, list[str]] = {}
        for head in heads_of(network, op):
            types.setdefault(head.dtype or "", []).append(head.name)
        types.pop("", None)
        mixed = len(types) > 1 and Shape.ANCHOR_MASKS not in arch.shapes
        if mixed or types.keys() - set(STREAM_TYPES):
            said = "; ".join(f"{kind}: {listed(names)}" for kind, names in sorted(types.items()))
            what = f"the step {op.name!r} wants all its layers in one of {' and '.join(STREAM_TYPES)}; {said}"
            yield Finding(("ops", i, "inputs"), what, "give all heads one precision in the model script")


@rule("HD532", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def padding_spoils_the_step(network: NetworkInfo) -> Iterator[Finding]:
    """A layer that feeds the host step has padding where HailoRT's step counts it in.

    As HailoRT 5.2 is written: the step for boxes with bins sizes its scratch by the padded channels, and the
    softmax runs over the padding too, so that boxes come out too small (yolov8_post_process.hpp); the step with
    masks walks the prototypes by their plain size, and every mask is sheared (yolov5_seg_post_process.hpp). Told
    from the source, not seen on a device. Decoded here from the raw outputs, padding is left out.

    ```bad
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 44], "hw_shape": [80, 80, 48]}],
     "ops": [{"name": "nms", "kind": "yolov8", "decoders": [{"stride": 8, "layers": {"reg": "net/conv41"}}]}]}
    ```
    ```good
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 44], "hw_shape": [80, 88, 44]}],
     "ops": [{"name": "nms", "kind": "yolov8", "decoders": [{"stride": 8, "layers": {"reg": "net/conv41"}}]}]}
    ```
    """
    hint = "compare with the raw outputs decoded here, or compile without the step"
    for scale in scales(network, Shape.BINS):
        box = scale.layers.get("reg")
        if box is not None and box.shape and box.hw_shape and box.hw_shape[2] != box.shape[2]:
            what = f"box layer {box.name!r} has {box.shape[2]} channels, {box.hw_shape[2]} with padding"
            yield Finding((*scale.path, "layers", "reg"), what, hint)
    for i, op, arch in steps(network):
        for head in heads_of(network, op) if Shape.ANCHOR_MASKS in arch.shapes else ():
            if head.role == "proto" and head.shape and head.hw_shape and head.shape != head.hw_shape:
                what = f"prototypes {head.name!r} are {by(head.shape)}, {by(head.hw_shape)} with padding"
                yield Finding(("ops", i, "inputs"), what, hint)


@rule("HD533")
def class_layer_without_sigmoid(network: NetworkInfo) -> Iterator[Finding]:
    """The host step reads probabilities, and the layer holds raw numbers.

    HailoRT's steps apply no sigmoid (that with masks does): the chip has to, which the compiler is told with
    `change_output_activation(conv42, sigmoid)`. Without it raw numbers are taken for scores. Most are below 0,
    and nothing is found; the rest are above 1. The range of the layer's quantisation shows it.

    ```bad
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv42", "shape": [80, 80, 3], "dtype": "uint8", "scale": 0.1, "zero_point": 180}],
     "ops": [{"name": "nms", "kind": "yolov8", "decoders": [{"stride": 8, "layers": {"cls": "net/conv42"}}]}]}
    ```
    ```good
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv42", "shape": [80, 80, 3], "dtype": "uint8", "scale": 0.003922}],
     "ops": [{"name": "nms", "kind": "yolov8", "decoders": [{"stride": 8, "layers": {"cls": "net/conv42"}}]}]}
    ```
    """
    for scale in scales(network):
        for word in map(_WORDS.__getitem__, scale.arch.sigmoid):
            layer = scale.layers.get(word)
            if layer is None or scale.exchanged:
                continue
            limits = layer.limits
            if layer.in_unit_range is False and limits:
                what = f"{word} layer {layer.name!r} holds {limits[0]:.4g} to {limits[1]:.4g}"
            elif layer.activation == "linear":
                what = f"{word} layer {layer.name!r} ends in no sigmoid"
            else:
                continue
            bare = layer.name.rpartition("/")[2]
            hint = f"add change_output_activation({bare}, sigmoid) to the model script, and compile again"
            yield Finding((*scale.path, "layers", word), f"{what}, not probabilities", hint)
