"""ONNX models to NetworkInfo: inputs, metadata, end nodes of the head with shapes; never the weights."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hailo_decode.errors import FormatError
from hailo_decode.networks._end_names import stride_of
from hailo_decode.networks._format import Format
from hailo_decode.networks._literal import literal
from hailo_decode.networks._message import Message
from hailo_decode.networks._metadata import Metadata, metadata_of
from hailo_decode.networks._onnx_graph import MODEL, OPSET, TENSOR, Graph, Node, Shape
from hailo_decode.networks._onnx_heads import Head, head_of, with_roles
from hailo_decode.networks._onnx_shapes import shapes_of
from hailo_decode.networks._wire import varint
from hailo_decode.values.network import LayerInfo, NetworkInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

# The largest YOLO takes some 60,000.
_MOST_FIELDS = 500_000
_PLANES = (1, 3, 4)
_LONGEST_PROPERTY = 1 << 20


def _read(path: Path) -> NetworkInfo:
    with path.open("rb") as file:
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise FormatError(f"{path.name!r} is empty") from error
    return network_of(memoryview(mapped), path.stem)


def network_of(buffer: memoryview, name: str = "network") -> NetworkInfo:
    """Read an ONNX model that lies in memory or in a mapped file.

    Parameters
    ----------
    buffer : memoryview of bytes
    name : str
        What to call the network: the graph's own name says nothing.

    Raises
    ------
    FormatError
        With the offset at which the bytes stop being an ONNX model.
    """
    model = Message(buffer, name="ONNX", max_fields=_MOST_FIELDS)
    graph = Graph(model)
    metadata = _metadata(model)
    inputs, planned = _inputs(graph, metadata)
    head = head_of(graph)
    ends = [end.node for end in head.ends] if head else []
    shapes = shapes_of(graph, [*(n.outputs[0] for n in ends if n.outputs), *graph.outputs], planned)
    size = inputs[0].shape[:2] if len(inputs) == 1 and inputs[0].shape else None
    if head and _is_none(graph, head, shapes):
        head = None
    outputs: Iterable[OutputInfo]
    if head:
        grids = {n.label: _grid(shapes.get(n.outputs[0])) for n in ends}
        head = with_roles(head, graph, grids)
        outputs = [_end(graph, e.node, e.role, shapes, size) for e in head.ends]
    else:
        outputs = [_plain(n, shapes.get(n) or s) for n, s in graph.outputs.items()]
    free = {e.one_to_one for e in head.ends if e.role != "proto"} if head else {None}
    return NetworkInfo(
        name=name,
        source="onnx",
        input_size=size,
        inputs=inputs,
        outputs=tuple(outputs),
        task=metadata.task,
        classes=metadata.classes,
        nms_free=free.pop() if len(free) == 1 else None,
        nms_done=head is None and any(n.op == "NonMaxSuppression" for n in graph.nodes),
        keypoints=metadata.keypoints,
        layers=tuple(_layers(graph, head)),
        facts=_facts(model, graph, head, shapes, metadata, planned),
    )


def _metadata(model: Message) -> Metadata:
    """Read the properties of a model; the Ultralytics exporter writes each value as Python's text of it."""
    props = {m.text(1): m.text(2, _LONGEST_PROPERTY) for m in model.messages(MODEL.METADATA)}
    values: dict[str, Any] = dict(props)
    for key in ("names", "imgsz", "kpt_shape"):
        if key in props:
            values[key] = literal(props[key], f"the property {key!r}")
    return metadata_of(values, props)


def _inputs(graph: Graph, metadata: Metadata) -> tuple[tuple[OutputInfo, ...], Mapping[str, Shape | None]]:
    """Return the inputs as pictures, and their shapes with free sizes set to those of the metadata."""
    infos, planned = [], dict(graph.inputs)
    for name, shape in graph.inputs.items():
        is_free = shape is not None and len(shape) == 4 and shape[1] in _PLANES and None in shape[2:]
        if shape and is_free and metadata.size:
            planned[name] = shape = (shape[0], shape[1], *metadata.size)
        infos.append(OutputInfo(name, shape=_picture(shape), facts=_written(graph.inputs[name])))
    return tuple(infos), planned


def _picture(shape: Shape | None) -> tuple[int, int, int] | None:
    """Return height, width and channels of an input; exporters from TensorFlow write the channels last."""
    if shape is None or len(shape) != 4:
        return None
    _, a, b, c = shape
    if a in _PLANES and a and b and c:
        return b, c, a
    return (a, b, c) if c in _PLANES and a and b and c else None


def _grid(shape: Shape | None) -> tuple[int, int] | None:
    if shape is None or len(shape) != 4 or not shape[2] or not shape[3]:
        return None
    return shape[2], shape[3]


def _is_none(graph: Graph, head: Head, shapes: Mapping[str, Shape | None]) -> bool:
    """Tell whether what structure found is no head: a classifier's last map, or no maps at all."""
    if head.found_by == "names":
        return False
    for node in (end.node for end in head.ends):
        weight = graph.dims(node.inputs[1]) if node.op == "Conv" and len(node.inputs) > 1 else (0,) * 4
        if weight is None or len(weight) != 4 or _grid(shapes.get(node.outputs[0])) == (1, 1):
            return True
    return False


def _end(
    graph: Graph,
    node: Node,
    role: str | None,
    shapes: Mapping[str, Shape | None],
    size: tuple[int, int] | None,
) -> OutputInfo:
    shape = shapes.get(node.outputs[0])
    grid = _grid(shape)
    weight = graph.dims(node.inputs[1]) if node.op == "Conv" and len(node.inputs) > 1 else None
    channels = weight[0] if weight else (shape[1] if shape and len(shape) == 4 else None)
    facts: dict[str, Any] = {"op": node.op}
    if grid is None and channels:
        facts["channels"] = channels
    return OutputInfo(
        node.label,
        shape=(*grid, channels) if grid and channels else None,
        order=FormatOrder.NCHW,
        role=role,
        stride=stride_of(size, grid),
        original_names=tuple(dict.fromkeys((node.label, *node.outputs[:1]))),
        facts=facts,
    )


def _plain(name: str, shape: Shape | None) -> OutputInfo:
    """Return an output of the whole graph: a map, or a row of numbers such as those of a classifier."""
    grid = (1, 1) if shape and len(shape) == 2 else _grid(shape)
    channels = shape[1] if shape and len(shape) in (2, 4) else None
    whole = (*grid, channels) if grid and channels else None
    return OutputInfo(name, shape=whole, order=FormatOrder.NCHW if whole else None, facts=_written(shape))


def _written(shape: Shape | None) -> dict[str, Any]:
    return {} if shape is None else {"shape": list(shape)}


def _layers(graph: Graph, head: Head | None) -> Iterable[LayerInfo]:
    """Yield the end nodes and the nodes right behind them."""
    ends = [end.node for end in head.ends] if head else []
    behind = [after for node in ends for name in node.outputs for after in graph.consumers.get(name, ())]
    for node in {id(n): n for n in [*ends, *behind]}.values():
        before = [graph.producers[i].label for i in node.inputs if i in graph.producers]
        after = [n.label for name in node.outputs for n in graph.consumers.get(name, ())]
        yield LayerInfo(node.label, node.op, inputs=tuple(before), outputs=tuple(dict.fromkeys(after)))


def _facts(
    model: Message,
    graph: Graph,
    head: Head | None,
    shapes: Mapping[str, Shape | None],
    metadata: Metadata,
    planned: Mapping[str, Shape | None],
) -> dict[str, Any]:
    opsets = {m.text(OPSET.DOMAIN) or "ai.onnx": m.u64(OPSET.VERSION) for m in model.messages(MODEL.OPSETS)}
    producer = f"{model.text(MODEL.PRODUCER)} {model.text(MODEL.PRODUCER_VERSION)}".strip()
    ends = [e.node for e in head.ends] if head else []
    unknown = [n.label for n in ends if _grid(shapes.get(n.outputs[0])) is None]
    said = {
        "graph_outputs": {n: list(shapes.get(n) or s or ()) for n, s in graph.outputs.items()},
        "head": {"found_by": head.found_by if head else None, "notes": list(head.notes) if head else []},
        "no_head": None if head else "no end nodes were found; the outputs are those of the whole graph",
        "shapes_not_known": unknown,
        "size_from_metadata": dict(planned) != dict(graph.inputs),
        "metadata": metadata.props,
        "ir_version": model.u64(MODEL.IR),
        "opsets": opsets,
        "producer": producer,
        "nodes": len(graph.nodes),
        "external_data": any(t.u64(TENSOR.PLACE) == 1 for t in graph.tensors.values()),
    }
    return {key: value for key, value in said.items() if value not in (None, False, "", [], {})}


def _sniff(head: bytes, path: Path) -> bool:
    """An ONNX file starts with its IR version, and its small fields come before the graph."""
    view, at = memoryview(head), 0
    version = 0
    try:
        while at < len(view):
            tag, at = varint(view, at, len(view))
            number, wire = tag >> 3, tag & 7
            if (number, wire) == (MODEL.GRAPH, 2):
                return 0 < version < 64
            value, at = varint(view, at, len(view))
            if (number, wire) == (MODEL.IR, 0):
                version = value
            elif wire == 2 and number in (2, 3, 4, 6, 8, 14):
                at += value
            elif (number, wire) != (5, 0):
                return False
    except FormatError:
        return False
    return False


FORMAT = Format("ONNX", _sniff, _read)
