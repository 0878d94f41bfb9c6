"""HD401 to HD403, HD410: strides, names and roles against the network's layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hailo_decode.config.heads import Scale, stride_of
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._wiring import Wire, Wiring
from hailo_decode.values.diagnostic import Edit

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig


@rule("HD401")
def stride_off_grid(wiring: Wiring, config: NmsConfig) -> Iterator[Finding]:
    """A decoder's stride does not fit the grid of its layers.

    Boxes are scaled by the stride. HailoRT never compares it with the map, and no message of the compiler is
    known that does: a wrong stride gives healthy scores on boxes of the wrong size at the wrong place. (The
    steps that work out the grid from the stride fail instead, with two buffer sizes, such as 25600 and 6400.)

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x3
    conv52 40x40x64
    conv53 40x40x3
    ```
    ```bad
    {"stride": 16, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```good
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    if wiring.size is None:
        return
    height, width = wiring.size
    stated = {i: d.stride for i, d in enumerate(config.decoders) if d.stride}
    right = {i: s for i in stated if (s := _true_stride(wiring, i)) is not None}
    exchanged = len(right) > 1 and sorted(right.values()) == sorted(stated.values())
    for i, stride in stated.items():
        if right.get(i, stride) == stride:
            continue
        own = [w for w in wiring.wires if w.index == i and w.grid]
        (h, w), wire = own[0].grid or (0, 0), own[0]
        asked = f"{height / stride:g}x{width / stride:g}"
        what = f"stride {stride} of a {height}x{width} input asks for a grid of {asked}"
        if height % stride == width % stride == 0:
            what += f" ({height // stride * (width // stride)} cells)"
        what += f"; {wire} has {h * w} cells"
        fix: tuple[Edit, ...] = (Edit(("bbox_decoders", i, "stride"), right[i]),)
        hint = f"stride {right[i]} is right for {_names(own)}"
        scale = _scale_with(wiring, stride)
        if scale is not None and _shared(wiring, own):
            fix = tuple(
                Edit(("bbox_decoders", i, wire.role), wiring.short(scale.layers[wire.role].name, wire.name))
                for wire in own
                if wire.role in scale.layers
            )
            hint = f"for stride {stride} name {', '.join(repr(str(edit.value)) for edit in fix)}"
        elif exchanged:
            every = ", ".join(
                f"{right[k]} -> {_first(wiring, k)}" for k in sorted(right, key=right.__getitem__)
            )
            hint += f"; right for all: {every}"
        yield Finding(("bbox_decoders", i, "stride"), what, hint, fix=fix)


def _true_stride(wiring: Wiring, index: int) -> int | None:
    """Return the stride that a decoder's layers have, where they agree and the grid divides the input."""
    grids = {w.grid for w in wiring.wires if w.index == index and w.grid}
    grid = grids.pop() if len(grids) == 1 else None
    return stride_of(grid, wiring.size) if grid and wiring.size else None


def _scale_with(wiring: Wiring, stride: int) -> Scale | None:
    scales = wiring.heads.scales if wiring.heads else ()
    return next((s for s in scales if s.stride == stride), None)


def _shared(wiring: Wiring, own: list[Wire]) -> bool:
    """Whether another decoder names the same layers."""
    names = {w.layer.name for w in own if w.layer}
    return any(w.layer and w.layer.name in names and w.index != own[0].index for w in wiring.wires)


def _names(wires: list[Wire]) -> str:
    return " and ".join(repr(w.name) for w in wires)


def _first(wiring: Wiring, index: int) -> str:
    return next(w.name for w in wiring.wires if w.index == index)


@rule("HD402")
def layer_not_in_network(wiring: Wiring) -> Iterator[Finding]:
    """A decoder names a layer that the network does not have.

    The compiler ends with "The layer named ... doesn't exist in the HN". It gives layers their numbers when
    it parses a model, so that another export, another size of the family or another number of classes
    shifts them all: names of a stock network's file are rarely right for a network of one's own.

    ```network
    input 640x640
    best/conv41 80x80x64
    best/conv42 80x80x3
    ```
    ```bad
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv44"}
    ```
    ```bad
    {"stride": 8, "reg_layer": "yolov8n/conv41", "cls_layer": "yolov8n/conv42"}
    ```
    ```good
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "best/conv42"}
    ```
    """
    taken = {w.layer.name for w in wiring.wires if w.layer}
    for wire in wiring.wires:
        if wire.layer is not None or not wiring.named:
            continue
        name, why = _meant(wiring, wire, taken)
        what = f"the network has no layer {wire.name!r}"
        scope, _, bare = wire.name.rpartition("/")
        scopes = sorted({layer.rpartition("/")[0] for layer in wiring.layers})
        if scope and scope not in scopes and any(n.rpartition("/")[2] == bare for n in wiring.layers):
            what += f"; {bare!r} it has, under {scopes[0]!r}"
        fix = (Edit(wire.path, wiring.short(name, _style(wiring, wire))),) if name else ()
        scales = wiring.heads.scales if wiring.heads else ()
        ends = [layer.name for scale in scales for layer in scale.layers.values()]
        hint = why or (f"layers of its head: {', '.join(ends)}" if ends else None)
        yield Finding(wire.path, what, hint, fix=fix)


def _style(wiring: Wiring, wire: Wire) -> str:
    """Return a name whose style, with or without the network's, a new name is to have."""
    known = next((w.name for w in wiring.wires if w.layer is not None), None)
    return known or ("" if wire.name.startswith("/") or wire.name.count("/") != 1 else wire.name)


def _meant(wiring: Wiring, wire: Wire, taken: set[str]) -> tuple[str | None, str | None]:
    """Return the layer that a name must mean, and why: by its node's name, or by its role and stride."""
    for layer in wiring.layers.values():
        if wire.name in layer.original_names:
            return layer.name, f"the compiler calls that node {layer.name!r}"
    scale = _scale_with(wiring, wire.stride) if wire.stride else None
    layer_there = scale.layers.get(wire.role) if scale else None
    if layer_there is not None and layer_there.name not in taken:
        return layer_there.name, f"the {wire.role} of stride {wire.stride} is {layer_there}"
    return None, None


@rule("HD409")
def stride_not_in_network(wiring: Wiring, config: NmsConfig) -> Iterator[Finding]:
    """A decoder has a stride that the model has no scale for.

    An ONNX file does not have the compiler's layer names yet, so that decoders are compared by their strides.

    ```network
    source onnx
    input 640x640
    /model.22/cv2.0/cv2.0.2/Conv 80x80x64 : /model.22/cv2.0/cv2.0.2/Conv
    /model.22/cv3.0/cv3.0.2/Conv 80x80x3 : /model.22/cv3.0/cv3.0.2/Conv
    ```
    ```bad
    {"classes": 3, "stride": 16, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```good
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    if wiring.named or wiring.heads is None:
        return
    strides = [scale.stride for scale in wiring.heads.scales]
    for i, decoder in enumerate(config.decoders):
        if decoder.stride and decoder.stride not in strides:
            what = f"the model has no scale of stride {decoder.stride}"
            hint = f"its scales have the strides {', '.join(map(str, strides))}"
            yield Finding(("bbox_decoders", i, "stride"), what, hint)


@rule("HD403")
def roles_exchanged(wiring: Wiring, config: NmsConfig) -> Iterator[Finding]:
    """A layer stands under another role than it has.

    The names of the nodes that a model was parsed from tell the role (`cv2` is the box, `cv3` the classes),
    or else the channels do. Lists of end nodes come in no fixed order, not even in one log: box and class
    layers that were paired by their place are easily exchanged.

    ```network
    input 640x640
    conv41 80x80x64 : /model.22/cv2.0/cv2.0.2/Conv
    conv42 80x80x64 : /model.22/cv3.0/cv3.0.2/Conv
    ```
    ```bad
    {"classes": 64, "stride": 8, "reg_layer": "conv42", "cls_layer": "conv41"}
    ```
    ```good
    {"classes": 64, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    told: set[int] = set()
    for wire in wiring.wires:
        place = wiring.heads.scale_of(wire.layer.name) if wiring.heads and wire.layer else None
        if place is None or place[1] == wire.role or wire.index in told:
            continue
        scale, role = place
        partner = wiring.of(wire.index, role)
        what = f"{wire} is the {role} of its scale, and stands here as the {wire.role}"
        if partner is not None and wiring.heads and wiring.heads.scale_of(partner.name) == (scale, wire.role):
            told.add(wire.index)
            both = (Edit(wire.path, partner.name), Edit(partner.path, wire.name))
            yield Finding(wire.path, what, f"exchange it with {partner.name!r}", fix=both)
        elif wire.role in scale.layers:
            right = wiring.short(scale.layers[wire.role].name, wire.name)
            proved = scale.stride == wire.stride
            fix = (Edit(wire.path, right),) if proved else ()
            yield Finding(wire.path, what, f"the {wire.role} of stride {scale.stride} is {right!r}", fix=fix)


@rule("HD410")
def layers_of_two_grids(wiring: Wiring) -> Iterator[Finding]:
    """The layers of one decoder have different grids.

    Box and class of a cell stand at the same place of two maps. HailoRT refuses a HEF whose two maps differ
    in height or width.

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x3
    conv52 40x40x64
    conv53 40x40x3
    ```
    ```bad
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv53"}
    ```
    ```good
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    for i in sorted({w.index for w in wiring.wires}):
        own = [w for w in wiring.wires if w.index == i and w.grid]
        if len({w.grid for w in own}) < 2 or wiring.size is None:
            continue
        off = [w for w in own if w.grid and w.stride and stride_of(w.grid, wiring.size) != w.stride]
        off = off or own[1:]
        scale = _scale_with(wiring, off[0].stride) if off[0].stride else None
        right = scale.layers.get(off[0].role) if scale else None
        fix = (Edit(off[0].path, wiring.short(right.name, off[0].name)),) if right else ()
        hint = f"the {off[0].role} of stride {off[0].stride} is {right}" if right else None
        yield Finding(off[0].path, f"one decoder, two grids: {', '.join(map(str, own))}", hint, fix=fix)
