"""HD530 to HD533: layers that feed a host step, and that HailoRT refuses or reads wrongly."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.meta_archs import Shape
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._steps import STREAM_TYPES, by, device_order, gathered, listed, scales, steps
from hailo_decode.values.diagnostic import Confidence, Path, Severity
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
    for step in steps(network):
        orders: dict[FormatOrder, list[str]] = {}
        for head in step.heads:
            order = device_order(head)
            if order not in (None, FormatOrder.NHCW):
                orders.setdefault(order, []).append(head.name)
        for order, names in orders.items():
            what = f"the step {step.op.name!r} reads NHCW alone, and {listed(names)} {_verb(names)} {order.value}"
            yield Finding((*step.path, "inputs"), what, "leave the step out, and decode the raw outputs here")


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
    for step in steps(network):
        types: dict[str, list[str]] = {}
        for head in step.heads:
            types.setdefault(head.dtype or "", []).append(head.name)
        types.pop("", None)
        mixed = len(types) > 1 and Shape.ANCHOR_MASKS not in step.arch.shapes
        if mixed or types.keys() - set(STREAM_TYPES):
            said = "; ".join(f"{kind}: {listed(names)}" for kind, names in sorted(types.items()))
            what = f"the step {step.op.name!r} wants all its layers in one of {' and '.join(STREAM_TYPES)}; {said}"
            yield Finding((*step.path, "inputs"), what, "give all heads one precision in the model script")


@rule("HD532", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def padding_spoils_the_step(network: NetworkInfo) -> Iterator[Finding]:
    """A layer that feeds the host step has padding that HailoRT's step counts in, or refuses.

    As HailoRT 5.2 is written: the step for boxes with bins sizes its scratch by the padded channels of the box
    layer, and the softmax runs over the padding too, so that boxes come out too small
    (yolov8_post_process.hpp). The step with masks walks the prototypes by their plain size, and every mask is
    sheared (yolov5_seg_post_process.hpp). Every other layer may have no padding in its channels, or the
    comparison of sizes fails (HAILO_INVALID_ARGUMENT). Padding in the width is right everywhere else. Told from
    the source, not seen on a device. Decoded here from the raw outputs, padding is left out.

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
    for path, (effect, plain, padded), layers in gathered(_padded(network)):
        yield Finding(path, f"{layers}: {plain}, {padded} with padding; {effect}", hint)


def _padded(network: NetworkInfo) -> Iterator[tuple[Path, tuple[str, str, str], str]]:
    for scale in scales(network):
        for word, one in scale.layers.items():
            if one.shape and one.hw_shape and one.shape[2] != one.hw_shape[2]:
                spoils = word == "reg" and Shape.BINS in scale.arch.shapes
                effect = "boxes come out too small" if spoils else "the step refuses its size"
                fault = (effect, f"{one.shape[2]} channels", str(one.hw_shape[2]))
                yield (*scale.path, "layers", word), fault, repr(one.name)
    for step in steps(network, Shape.ANCHOR_MASKS):
        for one in step.heads:
            if one.role == "proto" and one.shape and one.hw_shape and one.shape != one.hw_shape:
                fault = ("masks are sheared", by(one.shape), by(one.hw_shape))
                yield (*step.path, "inputs"), fault, repr(one.name)


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
    for path, (word, what), layers in gathered(_raw_scores(network)):
        hint = "add change_output_activation(LAYER, sigmoid) for each to the model script, and compile again"
        yield Finding(path, f"{word} {layers}: {what}, not probabilities", hint)


def _raw_scores(network: NetworkInfo) -> Iterator[tuple[Path, tuple[str, str], str]]:
    for scale in scales(network):
        for word in map(_WORDS.__getitem__, scale.arch.sigmoid):
            one = scale.layers.get(word)
            if one is None or scale.exchanged:
                continue
            if one.in_unit_range is False and one.limits:
                shown = f"{one.name!r} ({one.limits[0]:.4g} to {one.limits[1]:.4g})"
                yield (*scale.path, "layers", word), (word, "values beyond 0..1"), shown
            elif one.activation == "linear":
                yield (*scale.path, "layers", word), (word, "no sigmoid at its end"), repr(one.name)
