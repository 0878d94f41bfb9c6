"""HD520 to HD524: what the host step of a model file says of sizes and channels, against the layers it reads."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.meta_archs import DIVIDED, Shape
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._steps import Scale, Step, by, few, gathered, scales, steps
from hailo_decode.step_scale import inner_size, times
from hailo_decode.values.diagnostic import Path, Severity
from hailo_decode.values.network import NetworkInfo

# Steps that multiply by the decoder's stride; the others take the grid's own size.
_MULTIPLIES = {Shape.BINS}
_COMPILE = "correct the NMS configuration that the model was compiled with, and compile it again"


@rule("HD520")
def image_size_is_not_the_inputs(network: NetworkInfo) -> Iterator[Finding]:
    """The host step divides boxes by another size than the network's input has.

    HailoRT's results are fractions of the `image_dims` that the configuration had. Where these are 640x640 and
    the input is 320x320, every box comes out at half its place and size, with a healthy score. A public HEF has
    this. The steps for anchors divide sizes only, and take the middle of a box from the grid; those for default
    boxes and for objectness never use the number. A network that scales its picture itself (`resize` in the model
    script) rightly has another size here: that of its strides times its grids.

    ```bad
    {"input": [320, 320, 3],
     "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS", "nms": {"number_of_classes": 80}}],
     "ops": [{"name": "nms", "kind": "yolov8", "output": "net/nms", "nms": {"image_dims": [640, 640]}}]}
    ```
    ```good
    {"input": [320, 320, 3],
     "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS", "nms": {"number_of_classes": 80}}],
     "ops": [{"name": "nms", "kind": "yolov8", "output": "net/nms", "nms": {"image_dims": [320, 320]}}]}
    ```
    """
    for step in steps(network, *DIVIDED):
        said, real = step.op.nms.image_size if step.op.nms else None, step.input_size
        if not said or not real or said == real or _at_its_own_size(network, step):
            continue
        what = (
            f"the step {step.op.name!r} takes the image for {by(said)}, the network's input is {by(real)}: as fractions "
            f"of the image, boxes come out at {times(real, said)} times their {DIVIDED[step.arch.shapes[0]]}"
        )
        yield Finding((*step.path, "nms", "image_dims"), what, _COMPILE)


def _at_its_own_size(network: NetworkInfo, step: Step) -> bool:
    """Tell whether strides times grids are the step's own size and not the input's, as behind a ``resize``."""
    said = step.op.nms.image_size if step.op.nms else None
    sizes = [size for size in (said, step.input_size) if size]
    return said != step.input_size and said is not None and inner_size(step.op, network, sizes) == said


@rule("HD521")
def stride_does_not_give_the_grid(network: NetworkInfo) -> Iterator[Finding]:
    """A decoder's stride times the grid of its layer is not the network's input.

    The step for boxes with bins multiplies by the stride: each box of that scale is at the wrong place and of
    the wrong size. Other steps take the size of the grid itself, so that the number is only odd there. Where all of
    them give the size by which the step divides, the network scales its picture itself, and nothing is wrong.

    ```bad
    {"input": [640, 640, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "inputs": ["net/conv41", "net/conv42"],
              "decoders": [{"stride": 16, "layers": {"reg": "net/conv41", "cls": "net/conv42"}}]}]}
    ```
    ```good
    {"input": [640, 640, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "inputs": ["net/conv41", "net/conv42"],
              "decoders": [{"stride": 8, "layers": {"reg": "net/conv41", "cls": "net/conv42"}}]}]}
    ```
    ```good
    {"input": [1080, 1920, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "inputs": ["net/conv41", "net/conv42"],
              "nms": {"image_dims": [640, 640]},
              "decoders": [{"stride": 8, "layers": {"reg": "net/conv41", "cls": "net/conv42"}}]}]}
    ```
    """
    for step in steps(network):
        real = step.input_size
        odd = [text for scale in step.scales if (text := _reach(scale, real))]
        if not odd or not real or _at_its_own_size(network, step):
            continue
        what = f"strides times grids are not the {by(real)} of the network's input: {few(odd)}"
        if _MULTIPLIES & set(step.arch.shapes):
            yield Finding((*step.path, "decoders"), what, _COMPILE)
        else:
            unused = "this step takes the grid's own size, and does not use the number"
            yield Finding((*step.path, "decoders"), what, unused, severity=Severity.NOTE)


def _reach(scale: Scale, real: tuple[int, int] | None) -> str:
    """Return in words how far a decoder's stride reaches, where that is not the input."""
    stride = scale.decoder.stride
    for layer in scale.layers.values():
        if stride and layer.shape and (size := (layer.shape[0] * stride, layer.shape[1] * stride)) != real:
            return f"{stride} x {by(layer.shape[:2])} is {by(size)} ({layer.name!r})"
    return ""


def _wanted(scale: Scale) -> dict[str, int]:
    """Return the channels that a step wants of each layer it reads (HailoRT 5.2, the ops' ``check_params``)."""
    classes, anchors = scale.classes, len(scale.decoder.anchors)
    if not classes:
        return {}
    if Shape.ANCHORS in scale.arch.shapes:
        return {"encoded": anchors * (5 + classes)} if anchors else {}
    if Shape.ANCHOR_MASKS in scale.arch.shapes:
        proto = scale.op.fields.get("proto_info")
        number = proto.get("number") if isinstance(proto, dict) else None
        if not anchors or not isinstance(number, int):
            return {}
        return {"encoded": anchors * (5 + classes + number)}
    if Shape.DEFAULT_BOXES in scale.arch.shapes:
        return {"reg": anchors * 4, "cls": anchors * classes} if anchors else {}
    if Shape.OBJECTNESS in scale.arch.shapes:
        return {"reg": 4, "obj": 1, "cls": classes}
    return {"cls": classes} if "combined" not in scale.decoder.layers else {}


@rule("HD522")
def class_channels_differ(network: NetworkInfo) -> Iterator[Finding]:
    """A layer has other channels than the step's classes and anchors ask for.

    HailoRT compares the sizes when it runs, and stops with HAILO_INVALID_ARGUMENT. The number of classes in the
    configuration was that of another model, mostly COCO's 80.

    ```bad
    {"input": [640, 640, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "nms": {"number_of_classes": 80},
              "decoders": [{"stride": 8, "layers": {"reg": "net/conv41", "cls": "net/conv42"}}]}]}
    ```
    ```good
    {"input": [640, 640, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "nms": {"number_of_classes": 3},
              "decoders": [{"stride": 8, "layers": {"reg": "net/conv41", "cls": "net/conv42"}}]}]}
    ```
    """
    for path, (op, classes, word, got, wanted), layers in gathered(_other_channels(network)):
        what = f"{word} {layers}: {got} channels, where the {classes} classes of the step {op!r} ask for {wanted}"
        yield Finding(path, what, _COMPILE)


def _other_channels(network: NetworkInfo) -> Iterator[tuple[Path, tuple[str, int, str, int, int], str]]:
    for scale in scales(network):
        for word, wanted in _wanted(scale).items() if not scale.exchanged else ():  # HD524 says so
            got = scale.channels(word)
            if got is not None and got != wanted:
                fault = (scale.op.name, scale.classes or 0, word, got, wanted)
                yield (*scale.path, "layers", word), fault, repr(scale.layers[word].name)


@rule("HD523")
def bins_do_not_give_the_box_channels(network: NetworkInfo) -> Iterator[Finding]:
    """The channels of a box layer are not four times the bins of its step.

    Four sides with as many bins each. HailoRT takes the bins from the channels, so that another number in the
    file changes nothing; but channels that four does not divide are refused, and with four channels, one bin for
    each side, its softmax gives 1 and every box has no size.

    ```bad
    {"input": [640, 640, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 4]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "nms": {"number_of_classes": 3},
              "decoders": [{"stride": 8, "layers": {"reg": "net/conv41", "cls": "net/conv42"}}]}]}
    ```
    ```good
    {"input": [640, 640, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "nms": {"number_of_classes": 3},
              "fields": {"regression_length": 16},
              "decoders": [{"stride": 8, "layers": {"reg": "net/conv41", "cls": "net/conv42"}}]}]}
    ```
    """
    for path, (got, bins), layers in gathered(_box_channels(network)):
        what = f"box {layers}: {got} channels"
        if got % 4:
            yield Finding(path, f"{what}, which are no four sides", _COMPILE)
        elif got == 4:
            hint = (
                "this step can't read plain distances: leave it out, and decode the raw outputs on the host"
            )
            yield Finding(path, f"{what}, one bin for each side: every box comes out empty", hint)
        elif bins and got != 4 * bins:
            wanted = f"{what}, where {bins} bins would be {4 * bins}"
            yield Finding(path, wanted, "HailoRT goes by the channels", severity=Severity.NOTE)


def _box_channels(network: NetworkInfo) -> Iterator[tuple[Path, tuple[int, int], str]]:
    for scale in scales(network, Shape.BINS):
        got, bins = scale.channels("reg"), scale.op.fields.get("regression_length")
        if got is not None and not scale.exchanged:
            fault = (got, bins if isinstance(bins, int) else 0)
            yield (*scale.path, "layers", "reg"), fault, repr(scale.layers["reg"].name)


@rule("HD524")
def box_and_class_layers_exchanged(network: NetworkInfo) -> Iterator[Finding]:
    """A decoder reads its boxes from the class layer, and its classes from the box layer.

    HailoRT compares the sizes when it runs, and stops with HAILO_INVALID_ARGUMENT; with equal channels it would
    decode nonsense. `reg_layer` and `cls_layer` of the configuration are the wrong way round.

    ```bad
    {"input": [640, 640, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "nms": {"number_of_classes": 3},
              "fields": {"regression_length": 16},
              "decoders": [{"stride": 8, "layers": {"reg": "net/conv42", "cls": "net/conv41"}}]}]}
    ```
    ```good
    {"input": [640, 640, 3], "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "heads": [{"name": "net/conv41", "shape": [80, 80, 64]}, {"name": "net/conv42", "shape": [80, 80, 3]}],
     "ops": [{"name": "nms", "kind": "yolov8", "nms": {"number_of_classes": 3},
              "fields": {"regression_length": 16},
              "decoders": [{"stride": 8, "layers": {"reg": "net/conv41", "cls": "net/conv42"}}]}]}
    ```
    """
    for scale in scales(network, Shape.BINS):
        box, cls = scale.layers.get("reg"), scale.layers.get("cls")
        if not scale.exchanged or box is None or cls is None:
            continue
        what = f"box layer {box.name!r} holds values in 0..1, class layer {cls.name!r} does not"
        if scale.channels("reg") != scale.channels("cls"):
            channels = f"{scale.channels('reg')} and {scale.channels('cls')}"
            what = f"box layer {box.name!r} and class layer {cls.name!r} have {channels} channels, each the other's"
        yield Finding((*scale.path, "layers"), what, "exchange reg_layer and cls_layer, and compile again")
