"""HD404 to HD407: classes, bins, image size and channels against the network's layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hailo_decode.config.meta_archs import Shape
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._wiring import Wire, Wiring
from hailo_decode.values.diagnostic import Edit

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig
    from hailo_decode.values.network import NetworkInfo

# What stock files say, and networks of one's own rarely have.
COCO = 80


def _channels(wiring: Wiring, wire: Wire) -> int | None:
    """Return the channels of a wire's layer; None where it is not there, or has another role."""
    place = wiring.heads.scale_of(wire.layer.name) if wiring.heads and wire.layer else None
    if wire.layer is None or wire.layer.shape is None or (place and place[1] != wire.role):
        return None
    return wire.layer.shape[2]


@rule("HD404")
def classes_do_not_fit(wiring: Wiring, config: NmsConfig) -> Iterator[Finding]:
    """`classes` is not the number of classes that the class layers have.

    No message of the compiler says so plainly. HailoRT ends with "Failed to extract_detections, cls ...
    buffer_size should be ...", or the result is full of zeros. A model that was trained anew keeps the 80 of
    COCO in its file only.

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x3
    ```
    ```bad
    {"classes": 80, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```good
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    found: dict[int, Wire] = {}
    for wire in wiring.wires:
        channels = _channels(wiring, wire)
        count = config.classes_by(wire.index, wire.role, channels) if channels else None
        if count is not None and count > 0:
            found.setdefault(count, wire)
    if len(found) > 1:
        wires = list(found.values())
        what = f"the class layers disagree: {', '.join(f'{w} means {n}' for n, w in found.items())}"
        yield Finding(wires[1].path, what, "name the class layers of one head")
    elif found and config.classes is not None and config.classes not in found:
        (count, wire), *_ = found.items()
        has = wire.layer.shape[2] if wire.layer and wire.layer.shape else 0
        meaning = "" if has == count else f", which means {count} classes"
        what = f"classes is {config.classes}, and {wire.name!r} has {has} channels{meaning}"
        hint = f"write {count}" + (" (80 are the classes of COCO)" if config.classes == COCO else "")
        yield Finding(("classes",), what, hint, fix=(Edit(("classes",), count),))


@rule("HD405")
def bins_do_not_fit(wiring: Wiring, config: NmsConfig) -> Iterator[Finding]:
    """`regression_length` is not a quarter of the box layers' channels.

    A box layer has four sides of as many bins each: 64 channels are 16 bins. HailoRT takes the number from
    the layer, so a wrong one may go unnoticed, or shrink all boxes to points. Four channels are four plain
    distances (YOLO26, YOLOv6): the step for bins cannot decode them, and such a head is decoded from its
    raw outputs.

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x3
    conv51 80x80x4
    ```
    ```bad
    {"classes": 3, "regression_length": 15, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```bad
    {"classes": 3, "regression_length": 16, "stride": 8, "reg_layer": "conv51", "cls_layer": "conv42"}
    ```
    ```good
    {"classes": 3, "regression_length": 16, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    bins = config.field("regression_length")
    if config.shape is not Shape.BINS or bins is None:
        return
    for wire in wiring.wires:
        channels = _channels(wiring, wire) if wire.role == "reg_layer" else None
        if channels is None or channels == 4 * bins:
            continue
        if channels == 4:
            what = f"{wire} has four plain distances, and no bins for this step to decode"
            hint = "leave the NMS step out and decode the raw outputs (YOLO26, YOLOv6)"
            yield Finding(wire.path, what, hint)
        elif channels % 4:
            hint = "a box layer has 4 x bins channels; this is another layer"
            yield Finding(wire.path, f"{wire}: {channels} channels are no multiple of 4", hint)
        else:
            right = channels // 4
            what = f"regression_length is {bins}, and {wire.name!r} has {channels} = 4 x {right} channels"
            fix = (Edit(("regression_length",), right),)
            yield Finding(("regression_length",), what, f"write {right}", fix=fix)
        return


@rule("HD406")
def image_dims_do_not_fit(
    wiring: Wiring, config: NmsConfig, network: NetworkInfo | None = None
) -> Iterator[Finding]:
    """`image_dims` is not the size of the network's input.

    HailoRT divides box corners by it: another size stretches or shrinks every box, and exchanged sides do so
    differently in both directions. The order is height, width. Where the script resizes the input, the size
    behind the resize counts.

    ```network
    input 480x640
    conv41 60x80x64
    conv42 60x80x80
    ```
    ```bad
    {"image_dims": [640, 480], "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```good
    {"image_dims": [480, 640], "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    if wiring.size is None or config.image_dims is None or config.image_dims == wiring.size:
        return
    (height, width), stated = wiring.size, config.image_dims
    what = f"image_dims is {list(stated)}, and the network's input is {height} high and {width} wide"
    hint = f"write [{height}, {width}]" + (": height first" if stated == (width, height) else "")
    yield Finding(("image_dims",), what, hint, fix=(Edit(("image_dims",), [height, width]),))


@rule("HD407")
def channels_do_not_fit(wiring: Wiring, config: NmsConfig) -> Iterator[Finding]:
    """A layer has another number of channels than its role asks for.

    Where a head has plain distances or objectness, its box layers have 4 channels and its objectness layers
    1. With anchors, each anchor has its share. Another number means that the name is that of another layer,
    that the file is one for another kind of head, or that it lists more or fewer anchors than the network
    has.

    ```network
    input 640x640
    conv54 80x80x80
    conv55 80x80x4
    conv56 80x80x1
    conv50 80x80x16 inner
    ```
    ```bad
    {"stride": 8, "reg_layer": "conv50", "objectness_layer": "conv56", "cls_layer": "conv54"}
    ```
    ```good
    {"stride": 8, "reg_layer": "conv55", "objectness_layer": "conv56", "cls_layer": "conv54"}
    ```
    """
    if config.shape is Shape.BINS:
        return
    for wire in wiring.wires:
        channels = _channels(wiring, wire)
        wanted = config.channels(wire.index, wire.role)
        if channels is None or wanted is None or channels == wanted:
            continue
        if (config.classes_by(wire.index, wire.role, channels) or 0) > 0:
            continue  # A number of classes would give so many; then the classes are wrong.
        what = f"{wire} has {channels} channels, and the {wire.role} of such a head has {wanted}"
        hint = "box layers with bins are for another kind of file" if channels == 64 and wanted == 4 else None
        yield Finding(wire.path, what, hint)
