"""HD411 to HD414: what is and what is not an output of the network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hailo_decode.config.heads import Heads, head_layers
from hailo_decode.config.meta_archs import Shape
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._wiring import Wiring, behind
from hailo_decode.values.diagnostic import Edit, Severity
from hailo_decode.values.network import LayerInfo, NetworkInfo

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig


@rule("HD411")
def layer_is_no_output(wiring: Wiring, network: NetworkInfo) -> Iterator[Finding]:
    """A decoder names a layer that is not one of the network's last ones.

    The compiler ends with "The layer ... doesn't have one output layer". Each layer of a decoder must be
    followed by an output, and by nothing else: either the network was cut elsewhere when it was parsed, or
    the name is that of a layer inside the network, or of the output itself.

    ```network
    input 640x640
    conv40 80x80x64 inner
    conv41 80x80x64 <- conv40
    conv42 80x80x3 <- conv40
    ```
    ```bad
    {"classes": 3, "stride": 8, "reg_layer": "conv40", "cls_layer": "conv42"}
    ```
    ```good
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    ends = {name for end in head_layers(network) for name in (end.name, end.feeder)}
    if not network.layers or not ends:
        return
    for wire in wiring.wires:
        layer = wire.layer
        if layer is None or layer.name in ends:
            continue
        if layer.kind == "output_layer":
            before = [name for name in layer.inputs if name in wiring.layers]
            fix = (Edit(wire.path, wiring.short(before[0], wire.name)),) if len(before) == 1 else ()
            hint = f"name the layer before it, {before[0]!r}" if before else None
            what = f"{wire.name!r} is an output of the graph, not a layer that decoders read"
            yield Finding(wire.path, what, hint, fix=fix)
            continue
        readers = [other.name for other in behind(layer, wiring.layers)]
        goes = f"it is read by {', '.join(readers[:3])}" if readers else "nothing of the network leaves there"
        last = ", ".join(str(end) for end in head_layers(network)[:9])
        yield Finding(wire.path, f"{wire} is no output of the network: {goes}", f"outputs are {last}")


@rule("HD412")
def end_node_is_no_convolution(wiring: Wiring, network: NetworkInfo, config: NmsConfig) -> Iterator[Finding]:
    """The network was cut behind the convolutions of its head, not at them.

    The compiler ends with "Error in the last layers of the model, expected conv but found concat layer" (or
    activation, or depth_to_space). It suggests such ends itself, when the parser's first attempt fails and it
    tries again. Parse the model anew, with the last convolution of each branch as end nodes.

    ```network
    input 640x640
    conv41 80x80x64 inner
    conv42 80x80x3 inner
    concat20 80x80x67 <- conv41
    ```
    ```bad
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "concat20"}
    ```

    Cut at the convolutions:

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x3
    ```
    ```good
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    if config.shape is Shape.CENTRE or network.ops or not network.layers:
        return
    layers = wiring.layers
    named = {wire.layer.name: wire.path for wire in wiring.wires if wire.layer}
    for end in head_layers(network):
        layer = layers.get(end.feeder)
        if (
            layer is None
            or layer.kind in ("conv", "dw", "deconv", "dense", "")
            or end.role in ("extra", "proto")
        ):
            continue
        convs = _convs_before(layer, layers)
        shown = ", ".join(f"{c.name} {'x'.join(map(str, c.shape or ()))}" for c in convs)
        hint = f"cut at the convolutions before it: {shown}" if convs else "cut at the head's convolutions"
        if originals := [c.original_names[0] for c in convs if c.original_names]:
            hint += f" (end nodes {', '.join(originals)})"
        what = f"the network ends in {layer.name!r}, which is of kind {layer.kind}, not a convolution"
        yield Finding(named.get(layer.name, ("bbox_decoders",)), what, hint)


def _convs_before(layer: LayerInfo, layers: Mapping[str, LayerInfo]) -> list[LayerInfo]:
    """Return the nearest convolutions from which a layer gets its values."""
    found: dict[str, LayerInfo] = {}
    open_ends, seen = [layer], {layer.name}
    while open_ends and len(seen) < 60:
        for name in open_ends.pop().inputs:
            before = layers.get(name)
            if before is None or name in seen:
                continue
            seen.add(name)
            if before.kind in ("conv", "dw"):
                found[name] = before
            else:
                open_ends.append(before)
    return list(found.values())[:8]


@rule("HD413")
def scale_left_out(wiring: Wiring, config: NmsConfig) -> Iterator[Finding]:
    """The network has a scale that no decoder reads.

    Its layers stay raw outputs beside the NMS result, and no box of that scale is ever found: without the
    finest one the small objects are missing, without the coarsest one the large.

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x3
    conv52 40x40x64
    conv53 40x40x3
    ```
    ```bad
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```good
    {"classes": 3, "bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                                     {"stride": 16, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```
    """
    if wiring.heads is None or wiring.heads.shape is not config.shape or not wiring.wires:
        return
    read = {wire.layer.name for wire in wiring.wires if wire.layer}
    missing = {wire.stride for wire in wiring.wires if wire.layer is None}
    for scale in wiring.heads.scales:
        names = [layer.name for layer in scale.layers.values()]
        if read & set(names) or scale.stride in missing:
            continue
        if any(wire.stride == scale.stride for wire in wiring.wires):
            continue  # A decoder is there; that its layers are others is another remark.
        shown = ", ".join(map(str, scale.layers.values()))
        what = f"no decoder reads the scale of stride {scale.stride}: {shown}"
        keys = ", ".join(f'"{key}": "{wiring.short(layer.name)}"' for key, layer in scale.layers.items())
        yield Finding(("bbox_decoders",), what, f'add {{"stride": {scale.stride}, {keys}}}')


@rule("HD414", severity=Severity.WARNING)
def extra_branch_is_lost(config: NmsConfig, heads: Heads) -> Iterator[Finding]:
    """The network has layers that no decoder can name: masks, keypoints or angles.

    An NMS step reads boxes and classes only. With it, a network for segmentation, poses or rotated boxes
    becomes a plain detector: it compiles, and what made it more is gone. Leave the step out, cut the
    network at all its branches, and decode the raw outputs.

    ```network
    input 640x640
    conv41 80x80x64 : /model.22/cv2.0/cv2.0.2/Conv
    conv42 80x80x3 : /model.22/cv3.0/cv3.0.2/Conv
    conv43 80x80x51 : /model.22/cv4.0/cv4.0.2/Conv
    ```
    ```bad
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```

    A plain detector:

    ```network
    input 640x640
    conv41 80x80x64 : /model.22/cv2.0/cv2.0.2/Conv
    conv42 80x80x3 : /model.22/cv3.0/cv3.0.2/Conv
    ```
    ```good
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    if heads.extras and config.shape is not Shape.ANCHOR_MASKS:
        listed = ", ".join(map(str, heads.extras))
        what = f"{len(heads.extras)} layers of the network are for masks, keypoints or angles: {listed}"
        yield Finding(
            ("bbox_decoders",), what, "their branch would be dropped: decode the raw outputs instead"
        )
