"""HD415 to HD418: what kind of head the network has, and whether all of it is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hailo_decode.config._head_roles import Grid, HeadLayer
from hailo_decode.config.heads import by_grid, head_layers, is_optimized
from hailo_decode.config.meta_archs import MetaArch, Shape
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._wiring import Wiring
from hailo_decode.values.diagnostic import Confidence, Severity
from hailo_decode.values.network import NetworkInfo

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig


@rule("HD415")
def head_is_for_another_step(wiring: Wiring, config: NmsConfig, arch: MetaArch) -> Iterator[Finding]:
    """The network's head is of another kind than the file describes.

    The step that reads such a file would look for layers that are not there, or take their channels for
    something else. What the network has is told by the channels and the names of its last layers.

    ```network
    input 640x640
    conv74 80x80x255
    conv84 40x40x255
    ```
    ```bad
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv74", "cls_layer": "conv75"},
                       {"stride": 16, "reg_layer": "conv84", "cls_layer": "conv85"}]}
    ```
    ```good
    {"bbox_decoders": [{"stride": 8, "w": [10, 16, 33], "h": [13, 30, 23], "encoded_layer": "conv74"},
                       {"stride": 16, "w": [30, 62, 59], "h": [61, 45, 119], "encoded_layer": "conv84"}]}
    ```
    """
    heads = wiring.heads
    if heads is None or heads.shape in arch.shapes or heads.shape is config.shape:
        return
    if Shape.BINS in (heads.shape, config.shape) and Shape.DISTANCES in (heads.shape, config.shape):
        return  # The box layers' channels tell that, with the layer's name.
    if config.shape in (Shape.DEFAULT_BOXES, Shape.CENTRE, Shape.COMBINED):
        return  # Such heads cannot be told from channels alone.
    what = f"the file has {config.shape.value}, the network {heads.shape.value}"
    hint = f"`hailo-decode generate-nms` writes the file for meta_arch={heads.arch.name}"
    yield Finding(("bbox_decoders",), what, hint, confidence=Confidence.LIKELY)


@rule("HD416")
def head_is_incomplete(config: NmsConfig, network: NetworkInfo) -> Iterator[Finding]:
    """A scale of the network lacks an output that the other scales have.

    An end node was forgotten when the model was parsed, or named twice. Parse it again with all of them:
    box and class of every scale.

    ```network
    input 640x640
    conv41 80x80x64 : /model.22/cv2.0/cv2.0.2/Conv
    conv42 80x80x3 : /model.22/cv3.0/cv3.0.2/Conv
    conv52 40x40x64 : /model.22/cv2.1/cv2.1.2/Conv
    ```
    ```bad
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```

    All of it:

    ```network
    input 640x640
    conv41 80x80x64 : /model.22/cv2.0/cv2.0.2/Conv
    conv42 80x80x3 : /model.22/cv3.0/cv3.0.2/Conv
    ```
    ```good
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    layers = [layer for layer in head_layers(network) if layer.role not in ("extra", "proto")]
    grids = by_grid(layers)
    roles = {grid: {layer.role for layer in group} for grid, group in grids.items()}
    every = set().union(*roles.values()) - {None}
    if any(None in found for found in roles.values()) or len(every) < 2:
        return
    for grid, group in grids.items():
        missing = [str(role) for role in sorted(map(str, every)) if role not in roles[grid]]
        if missing:
            what = f"the scale of {grid[0]}x{grid[1]} has no {' and no '.join(missing)} output"
            hint = f"parse the model again; there the network has only {', '.join(map(str, group))}"
            yield Finding(("bbox_decoders",), what, hint + _twin(grids, grid, missing[0]))


def _twin(grids: dict[Grid, list[HeadLayer]], grid: Grid, role: str) -> str:
    """Return in words the node that has the missing role at another scale."""
    for other, group in grids.items():
        for layer in group:
            if other != grid and layer.role == role and layer.original_names:
                return f"; at {other[0]}x{other[1]} it is {layer.original_names[0]}"
    return ""


@rule("HD417", severity=Severity.NOTE)
def head_needs_no_suppression(config: NmsConfig, network: NetworkInfo) -> Iterator[Finding]:
    """The network's head is one-to-one: it gives each object once, and needs no suppression.

    An NMS step behind it decodes the boxes all the same, and suppresses nothing that matters; the model zoo
    compiles YOLOv10 with one.

    ```network
    input 640x640
    conv41 80x80x64 : /model.23/one2one_cv2.0/one2one_cv2.0.2/Conv
    conv42 80x80x3 : /model.23/one2one_cv3.0/one2one_cv3.0.2/Conv
    ```
    ```bad
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```

    A head that gives each object many times:

    ```network
    input 640x640
    conv41 80x80x64 : /model.23/cv2.0/cv2.0.2/Conv
    conv42 80x80x3 : /model.23/cv3.0/cv3.0.2/Conv
    ```
    ```good
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    names = [name for layer in head_layers(network) for name in layer.original_names]
    if network.nms_free or any("one2one_" in name for name in names):
        yield Finding(("bbox_decoders",), "the head is one-to-one, and needs no suppression")


@rule("HD418", severity=Severity.NOTE)
def parser_took_head_for_another(
    config: NmsConfig, network: NetworkInfo, arch: MetaArch
) -> Iterator[Finding]:
    """The parser took the head for that of another family.

    It goes by patterns: a head with bins and 4 classes looks to it like one with plain distances, as its
    class layers have 4 channels. The configuration that it put into the HAR is wrong then, and so is what a
    script without a file of its own would use.

    ```network
    input 640x640
    nms_meta_arch yolov6
    conv41 80x80x64
    conv42 80x80x4 sigmoid
    ```
    ```bad
    {"classes": 4, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```

    Taken for what it is:

    ```network
    input 640x640
    nms_meta_arch yolov8
    conv41 80x80x64
    conv42 80x80x4 sigmoid
    ```
    ```good
    {"classes": 4, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    metadata: Any = network.facts.get("metadata")
    taken = metadata.get("nms_meta_arch") if isinstance(metadata, dict) else None
    if isinstance(taken, str) and taken and not is_optimized(network) and taken != arch.name:
        what = f"the parser took the head for {taken}, and this file is for {arch.name}"
        yield Finding(
            ("bbox_decoders",), what, "name this file in the script; the one inside the HAR is another"
        )
