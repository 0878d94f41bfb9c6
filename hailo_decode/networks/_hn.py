"""HN, the compiler's JSON graph: layers with their shapes, and what leaves the network.

Layout of an HN: Netron (source/hailo.js, hailo-metadata.json) and the model zoo's hn_editor; shapes are NHWC
with -1 for the batch, activations stand under ``params``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hailo_decode.errors import FormatError
from hailo_decode.networks import _end_names
from hailo_decode.networks._document import Node
from hailo_decode.values.network import LayerInfo, NmsInfo, OutputInfo

_MOST_LAYERS = 20_000

# Layers that change no value of the one before them, or only put its activation on.
_PASSING = frozenset({"activation", "reshape", "format_conversion", "precision_change", "output_layer"})

# Kinds whose result is a list of boxes: [-1, classes, 5, boxes of a class].
_RESULTS = frozenset({"postprocess", "nms"})

# Activations that OutputInfo knows; a parsed graph's "linear" only says that no script has been applied yet.
_FINAL = frozenset({"linear", "sigmoid", "softmax"})


@dataclass(frozen=True, slots=True)
class Graph:
    """What an HN says.

    Attributes
    ----------
    name : str
    layers : mapping of str to LayerInfo
    params : mapping of str to mapping
        For each layer its ``params`` as they stand.
    order : tuple of str
        ``output_layers_order``: the real last layers.
    net_params : mapping
    """

    name: str
    layers: Mapping[str, LayerInfo]
    params: Mapping[str, Mapping[str, Any]]
    order: tuple[str, ...]
    net_params: Mapping[str, Any]

    def of_kind(self, *kinds: str) -> list[LayerInfo]:
        """Return the layers of these kinds, in the order of the file."""
        return [layer for layer in self.layers.values() if layer.kind in kinds]

    def origin(self, name: str) -> LayerInfo | None:
        """Return the layer that made a value: behind split-off activations and reshapes, a convolution."""
        layer = self.layers.get(name)
        for _ in range(8):
            if layer is None or layer.kind not in _PASSING or len(layer.inputs) != 1:
                break
            layer = self.layers.get(layer.inputs[0], layer)
        return layer


def graph_of(document: Any, what: str) -> Graph:
    """Read an HN.

    Parameters
    ----------
    document : object
        As JSON gives it.
    what : str
        Name of the file, for errors.

    Raises
    ------
    FormatError
        When it is no HN, or a value is of the wrong kind; the message names its path.
    """
    root = Node(document, what)
    layers, params = root.node("layers"), root.node("net_params")
    if layers is None:
        raise FormatError(f"{what} has no 'layers'", got=", ".join(list(root.value)[:12]) or "nothing")
    if len(layers.value) > _MOST_LAYERS:
        raise FormatError(f"{what} has {len(layers.value)} layers", wanted=f"at most {_MOST_LAYERS}")
    found: dict[str, LayerInfo] = {}
    settings: dict[str, Mapping[str, Any]] = {}
    for name, value in layers.value.items():
        node = Node(value, f"{layers.path}[{name[:80]!r}]")
        own = node.node("params")
        kind = node.text("type") or ""
        settings[name] = own.value if own else {}
        if kind in _RESULTS:
            settings[name] = {**settings[name], "output_shape": _sizes(node)}
        found[name] = LayerInfo(
            name,
            kind=kind,
            shape=_shape(node),
            activation=own.text("activation") if own else None,
            inputs=node.texts("input"),
            outputs=node.texts("output"),
            original_names=node.texts("original_names"),
        )
    order = params.texts("output_layers_order") if params else ()
    return Graph(root.text("name") or "", found, settings, order, dict(params.value) if params else {})


def _shape(node: Node) -> tuple[int, int, int] | None:
    """Return height, width and channels of the first output; None for results that are no map."""
    sizes = _sizes(node)
    if node.value.get("type") in _RESULTS or len(sizes) not in (1, 3):
        return None
    return (sizes[0], sizes[1], sizes[2]) if len(sizes) == 3 else (1, 1, sizes[0])


def _sizes(node: Node) -> list[int]:
    """Return the shape of the first output without its batch; nothing where it is not written in full."""
    shapes = node.get("output_shapes")
    if not isinstance(shapes, (list, tuple)) or not shapes:
        return []
    sizes = list(shapes[0] if isinstance(shapes[0], (list, tuple)) else shapes)[1:]
    whole = all(isinstance(n, int) and not isinstance(n, bool) and 0 < n < 1 << 31 for n in sizes)
    return sizes if whole else []


def nms_layers(graph: Graph) -> list[LayerInfo]:
    """Return the layers that are a suppression step."""
    return graph.of_kind(*sorted(_RESULTS))


def inputs_of(graph: Graph) -> tuple[OutputInfo, ...]:
    """Return the inputs of the network."""
    return tuple(OutputInfo(layer.name, shape=layer.shape) for layer in graph.of_kind("input_layer"))


def feeders(graph: Graph) -> list[LayerInfo]:
    """Return the layers that the outputs show, in the compiler's order; HailoRT names outputs by them."""
    shown = [
        graph.layers[n] for sink in graph.of_kind("output_layer") for n in sink.inputs if n in graph.layers
    ]
    listed = [graph.layers[n] for n in graph.order if n in graph.layers]
    found = list(dict.fromkeys(layer.name for layer in shown)) or [layer.name for layer in listed]
    place = {name: i for i, name in enumerate(graph.order)}
    return [graph.layers[n] for n in sorted(found, key=lambda n: place.get(n, len(place)))]


def output_of(graph: Graph, layer: LayerInfo, *, scripted: bool, sigmoids: frozenset[str]) -> OutputInfo:
    """Return the output (or head) that a layer gives.

    Parameters
    ----------
    scripted : bool
        Whether the model script is in this graph already. Before that a "linear" says nothing of the device.
    sigmoids : set of str
        Layers that the record of changes lists as given a sigmoid.
    """
    origin = graph.origin(layer.name) or layer
    end = _end_names.first_end_name(origin.original_names)
    activation: str | None = layer.activation or origin.activation
    if layer.kind == "softmax" or {layer.name, origin.name} & sigmoids:
        activation = "softmax" if layer.kind == "softmax" else "sigmoid"
    if activation not in _FINAL or (activation == "linear" and not scripted):
        activation = None
    return OutputInfo(
        layer.name,
        shape=layer.shape,
        activation=activation,
        role=end.role if end else None,
        stride=stride_of(graph, layer),
        original_names=origin.original_names,
        facts={} if origin is layer else {"layer": origin.name},
    )


def stride_of(graph: Graph, layer: LayerInfo) -> int | None:
    """Return input pixels per cell, where one input and equal whole ratios leave no doubt."""
    inputs = [i.shape for i in graph.of_kind("input_layer") if i.shape]
    if len(inputs) != 1 or layer.shape is None or layer.shape[:2] == (1, 1):
        return None
    if any(resize.shape for resize in _input_resizes(graph)):
        return None
    return _end_names.stride_of(inputs[0][:2], layer.shape[:2])


def _input_resizes(graph: Graph) -> Iterator[LayerInfo]:
    """Yield resizes that stand at the input, with nothing but preparation before them."""
    for layer in graph.of_kind("resize"):
        before = graph.layers.get(layer.inputs[0]) if layer.inputs else None
        for _ in range(8):
            if before is None or before.kind not in ("normalization", "format_conversion"):
                break
            before = graph.layers.get(before.inputs[0]) if before.inputs else None
        if before is not None and before.kind == "input_layer":
            yield layer


def nms_of(graph: Graph, layer: LayerInfo) -> NmsInfo:
    """Return the sizes that a suppression layer states (parameters as in Netron, hailo-metadata.json)."""
    node = Node(graph.params.get(layer.name, {}), f"params of {layer.name}")
    shape = node.sizes("output_shape", 0, 3) or (None, None, None)
    return NmsInfo(
        classes=node.whole("classes") or shape[0],
        max_per_class=node.whole("max_proposals_per_class") or node.whole("max_output_size") or shape[2],
        max_total=node.whole("max_total_output_proposals"),
        score_threshold=node.number("scores_threshold"),
        iou_threshold=_first(node.number("iou_th"), node.number("iou_threshold")),
    )


def _first(*values: float | None) -> float | None:
    return next((v for v in values if v is not None), None)
