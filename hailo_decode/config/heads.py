"""The layers of a network's head by role and scale, in the words of an NMS configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hailo_decode.config._head_roles import (
    KEYS,
    USUAL_ANCHORS,
    Grid,
    HeadLayer,
    by_channels,
    by_role,
    listed,
)
from hailo_decode.config.meta_archs import MetaArch, Shape, meta_arch_of
from hailo_decode.errors import PairingError
from hailo_decode.values.network import LayerInfo, NetworkInfo, OutputInfo

# States of a HAR in which the model script is in the graph.
OPTIMIZED = ("fp_optimized_model", "quantized_model", "compiled_model")


@dataclass(frozen=True, slots=True)
class Scale:
    """The layers of one scale by the keys of a decoder, such as ``"reg_layer"``."""

    stride: int
    grid: Grid
    layers: Mapping[str, HeadLayer]


@dataclass(frozen=True, slots=True)
class Heads:
    """A head as an NMS configuration would describe it.

    Attributes
    ----------
    shape : Shape
    size : (int, int)
        Height and width of the network's input, to which the strides belong.
    scales : tuple of Scale
        Finest grid first.
    classes : int
    bins : int or None
    extras : tuple of HeadLayer
        Mask coefficients, keypoints, angles, prototypes: what no decoder entry can name.
    no_step : str or None
        Why the compiler has no NMS step for this head; None where it has one.
    notes : tuple of str
        What was decided, and why.
    """

    shape: Shape
    size: Grid
    scales: tuple[Scale, ...]
    classes: int
    bins: int | None = None
    extras: tuple[HeadLayer, ...] = ()
    no_step: str | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def arch(self) -> MetaArch:
        """The NMS step that decodes it."""
        return meta_arch_of(self.shape)

    def scale_of(self, layer: str) -> tuple[Scale, str] | None:
        """Return the scale and the key of a layer, or None for a layer that is not of this head."""
        for scale in self.scales:
            for key, known in scale.layers.items():
                if layer in (known.name, known.feeder):
                    return scale, key
        return None


# In a HEF with an NMS step, outputs have a number behind the layer's own name.
_NUMBERED = re.compile(r"((?:conv|dw|ew_add|concat|output_layer)\d+)_\d+")


def bare_name(name: str) -> str:
    """Return a layer's name without the network's, and without the number of an output stream.

    Examples
    --------
    >>> bare_name("best/conv74_107"), bare_name("/model.22/cv2.0/cv2.0.2/Conv")
    ('conv74', '/model.22/cv2.0/cv2.0.2/Conv')
    """
    if name.startswith("/"):
        return name
    bare = name.rpartition("/")[2]
    numbered = _NUMBERED.fullmatch(bare)
    return numbered[1] if numbered else bare


def has_layer_names(network: NetworkInfo) -> bool:
    """Whether the names of a network are those that the compiler gives when it parses a model."""
    return network.source != "onnx"


def is_optimized(network: NetworkInfo) -> bool:
    """Whether the script has been applied to the network already."""
    return network.source in ("hef", "parse-hef") or network.facts.get("state") in OPTIMIZED


def network_normalizes(network: NetworkInfo | None) -> bool | None:
    """Whether the network has a normalization of its own; None where its layers are not known."""
    if network is None or not any(layer.kind == "input_layer" for layer in network.layers):
        return None
    changes = network.facts.get("before_input") or ()
    recorded = any(isinstance(c, dict) and c.get("cmd_type") == "normalization" for c in changes)
    return recorded or any(layer.kind == "normalization" for layer in network.layers)


def head_layers(network: NetworkInfo) -> list[HeadLayer]:
    """Return the layers that leave a network as maps, or feed its NMS step."""
    layers = {layer.name: layer for layer in network.layers}
    ends = network.heads or tuple(o for o in network.outputs if o.nms is None)
    return [_head_layer(end, layers) for end in ends if end.shape is not None]


def _head_layer(end: OutputInfo, layers: Mapping[str, LayerInfo]) -> HeadLayer:
    origin = layers.get(str(end.facts.get("layer", end.name)))
    name = origin.name if origin is not None else end.name
    original = end.original_names or (origin.original_names if origin is not None else ())
    return HeadLayer(name, end.shape or (0, 0, 0), end.name, end.activation, end.role, original)


def frame_size(network: NetworkInfo, stated: Grid | None = None) -> Grid | None:
    """Return the size that a head's grids belong to.

    The network's input, unless a resize stands behind it: then the first of the resize's size and the one
    that a configuration states that all grids divide evenly.
    """
    grids = [layer.shape[:2] for layer in head_layers(network) if layer.shape[:2] != (1, 1)]
    resized = [layer.shape[:2] for layer in network.layers if layer.kind == "resize" and layer.shape]
    for size in (network.input_size, *resized[:1], stated):
        if size and grids and all(stride_of(grid, size) for grid in grids):
            return size
    return network.input_size


def find_heads(network: NetworkInfo, size: Grid | None = None, *, bins: int | None = None) -> Heads:
    """Tell which layer of a network is what in its head.

    Roles that the model file proves count first, by the names of its nodes; then channels and grids.

    Parameters
    ----------
    network : NetworkInfo
    size : (int, int), optional
        Height and width of the input that the strides belong to, where a resize stands before the network.
    bins : int, optional
        Where classes and bins are channels of one layer: the number of bins.

    Raises
    ------
    PairingError
        When the outputs are no head that an NMS step could decode.
    AmbiguousError
        When two readings are left.
    """
    found = head_layers(network)
    extras = [layer for layer in found if layer.role in ("extra", "proto")]
    grids = by_grid(layer for layer in found if layer not in extras)
    size = size or network.input_size
    if not grids or size is None:
        what = "the network has no outputs that are maps" if not grids else "the input's size is not known"
        raise PairingError(f"{what}, so no head can be told", got=listed(found))
    strides = {grid: stride_of(grid, size) for grid in grids}
    uneven = [grid for grid, stride in strides.items() if stride is None]
    if uneven:
        what = (
            f"a grid of {uneven[0][0]}x{uneven[0][1]} does not divide an input of {size[0]}x{size[1]} evenly"
        )
        raise PairingError(
            what, got=listed(found), hint="cut the network at the last convolutions of its head"
        )
    named = all(layer.role in KEYS for group in grids.values() for layer in group)
    shape, keyed, notes = by_role(grids) if named else by_channels(grids, bins)
    if shape is Shape.ANCHORS and extras:
        shape = Shape.ANCHOR_MASKS
    scales = tuple(Scale(strides[g] or 0, g, layers) for g, layers in keyed.items())
    return _counted(network, shape, size, scales, extras, notes, bins)


def by_grid(layers: Iterable[HeadLayer]) -> dict[Grid, list[HeadLayer]]:
    """Group layers by height and width, finest first."""
    grids: dict[Grid, list[HeadLayer]] = {}
    for layer in sorted(layers, key=lambda one: (-one.shape[0] * one.shape[1], one.shape)):
        grids.setdefault(layer.shape[:2], []).append(layer)
    return grids


def stride_of(grid: Grid, size: Grid) -> int | None:
    """Return input pixels per cell, or None where they are not one whole number in both directions.

    Examples
    --------
    >>> stride_of((60, 80), (480, 640)), stride_of((80, 60), (480, 640))
    (8, None)
    """
    (h, w), (height, width) = grid, size
    if not h or not w or height % h or width % w or height // h != width // w:
        return None
    return height // h


def _counted(
    network: NetworkInfo,
    shape: Shape,
    size: Grid,
    scales: tuple[Scale, ...],
    extras: Sequence[HeadLayer],
    notes: list[str],
    bins: int | None,
) -> Heads:
    first = scales[0].layers
    bins = first["reg_layer"].shape[2] // 4 if shape is Shape.BINS else bins
    if shape is Shape.COMBINED:
        classes = first["combined_layer"].shape[2] - 4 * (bins or 0)
    elif shape in (Shape.ANCHORS, Shape.ANCHOR_MASKS):
        coefficients = sum(layer.shape[2] for layer in extras[:1])
        classes = first["encoded_layer"].shape[2] // USUAL_ANCHORS - 5 - coefficients
    else:
        classes = first["cls_layer"].shape[2]
    return Heads(
        shape, size, scales, classes, bins, tuple(extras), _no_step(network, shape, extras), tuple(notes)
    )


def _no_step(network: NetworkInfo, shape: Shape, extras: Sequence[HeadLayer]) -> str | None:
    """Return why no NMS step decodes a head, or None where one does."""
    if extras and shape is not Shape.ANCHOR_MASKS:
        return f"no NMS step reads its extra layers ({listed(extras)}): what they hold would be lost"
    names = [n for layer in head_layers(network) for n in layer.original_names]
    # With Ultralytics' names such a head is YOLO26's; the step for plain distances is for another family's.
    if shape is Shape.DISTANCES and any("/cv2." in n or "one2one_cv2." in n for n in names):
        return "its boxes are four plain distances, and the step for those heads decodes bins"
    return None
