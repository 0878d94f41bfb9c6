"""A configuration's names against a network's layers: which layer each name means, and what the grids say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hailo_decode.config.heads import Heads, find_heads, frame_size, has_layer_names
from hailo_decode.errors import HailoDecodeError
from hailo_decode.lint._names import same_layer
from hailo_decode.values.diagnostic import Path
from hailo_decode.values.network import LayerInfo, NetworkInfo

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig

Grid = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Wire:
    """One role of one decoder, and the layer that it names.

    Attributes
    ----------
    index : int
        Of the decoder.
    role : str
        Key of the decoder, such as ``"reg_layer"``.
    name : str
        As the file has it.
    layer : LayerInfo or None
        None where the network has no layer of that name.
    stride : int or None
        The decoder's.
    """

    index: int
    role: str
    name: str
    layer: LayerInfo | None
    stride: int | None

    @property
    def path(self) -> Path:
        """Its place in the file."""
        return ("bbox_decoders", self.index, self.role)

    @property
    def grid(self) -> Grid | None:
        """Height and width of its layer."""
        return self.layer.shape[:2] if self.layer is not None and self.layer.shape else None

    def __str__(self) -> str:
        shape = self.layer.shape if self.layer is not None else None
        return f"{self.name!r}" + (f" ({shape[0]}x{shape[1]}x{shape[2]})" if shape else "")


@dataclass(frozen=True)
class Wiring:
    """What is known of a configuration's names in a network.

    Attributes
    ----------
    layers : mapping of str to LayerInfo
        Every layer of the network that is known, by its full name.
    wires : tuple of Wire
        For every name in the file, in its order; empty names are left out.
    size : (int, int) or None
        Height and width that the grids belong to: the network's input, or what a resize makes of it.
    heads : Heads or None
        The head as the network itself shows it, where it shows one.
    named : bool
        Whether the network has the compiler's names. Where it has not, a wire is told by role and stride.
    """

    layers: Mapping[str, LayerInfo]
    wires: tuple[Wire, ...]
    size: Grid | None
    heads: Heads | None
    named: bool

    def of(self, index: int, role: str) -> Wire | None:
        """Return the wire of a decoder's role, or None."""
        return next((w for w in self.wires if w.index == index and w.role == role), None)

    def short(self, name: str, like: str = "") -> str:
        """Return a layer's name in the style of one of the file: with the network's name, or without."""
        style = like or (self.wires[0].name if self.wires else "")
        scoped = "/" in style and not style.startswith("/")
        return name if scoped else name.rpartition("/")[2]


def wired(config: NmsConfig, network: NetworkInfo) -> Wiring | None:
    """Find the layer that each name of a configuration means; None for a network without known layers.

    A model that is not parsed yet has no such names: there, the role and the stride tell the layer.
    """
    layers = known_layers(network)
    if not layers:
        return None
    size = frame_size(network, config.image_dims)
    heads = heads_of(network, size)
    named = has_layer_names(network)
    wires = []
    for i, decoder in enumerate(config.decoders):
        for role, name in decoder.layers.items():
            layer = find_layer(name, layers) if name else None
            if layer is None and not named:
                layer = _by_stride(heads, decoder.stride, role, layers)
            if name:
                wires.append(Wire(i, role, name, layer, decoder.stride))
    return Wiring(layers, tuple(wires), size, heads, named)


def _by_stride(
    heads: Heads | None, stride: int | None, role: str, layers: Mapping[str, LayerInfo]
) -> LayerInfo | None:
    scale = next((s for s in heads.scales if s.stride == stride), None) if heads else None
    return layers.get(scale.layers[role].name) if scale and role in scale.layers else None


def known_layers(network: NetworkInfo) -> dict[str, LayerInfo]:
    """Return a network's layers by name; where a file knows its outputs only, those."""
    found = {layer.name: layer for layer in network.layers}
    for end in (*network.outputs, *network.heads):
        layer = found.get(end.name)
        if end.nms is not None or (layer is not None and layer.shape is not None):
            continue
        found[end.name] = LayerInfo(
            end.name,
            layer.kind.lower() if layer else "",
            end.shape,
            activation=end.activation,
            inputs=layer.inputs if layer else (),
            original_names=end.original_names,
        )
    return found


def find_layer(name: str, layers: Mapping[str, LayerInfo]) -> LayerInfo | None:
    """Return the layer of a name: itself, or with the network's name in front of it.

    Outputs of a HEF with an NMS step carry a number behind the layer's name, as in ``net/conv74_107``.
    """
    if name in layers:
        return layers[name]
    found = [layer for full, layer in layers.items() if same_layer(full, name)]
    if not found:
        numbered = re.compile(rf"(?:.*/)?{re.escape(name.rpartition('/')[2])}_\d+")
        scope = name.rpartition("/")[0]
        found = [
            layer
            for full, layer in layers.items()
            if not layer.kind and numbered.fullmatch(full) and scope in ("", full.rpartition("/")[0])
        ]
    return found[0] if len(found) == 1 else None


def heads_of(network: NetworkInfo, size: Grid | None = None) -> Heads | None:
    """Return the head that a network shows, or None where it cannot be told."""
    try:
        return find_heads(network, size)
    except HailoDecodeError:
        return None


def nms_feeders(network: NetworkInfo) -> list[LayerInfo]:
    """Return the layers that feed the network's NMS step; empty where it has none, or does not say."""
    layers = {layer.name: layer for layer in network.layers}
    return [layers[name] for op in network.ops for name in op.inputs if name in layers]


def behind(layer: LayerInfo, layers: Mapping[str, LayerInfo]) -> Iterator[LayerInfo]:
    """Yield the layers that read a layer."""
    return (other for other in layers.values() if layer.name in other.inputs)
