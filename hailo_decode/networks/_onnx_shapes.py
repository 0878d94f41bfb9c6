"""Shapes inside an ONNX graph: those the exporter wrote, and those that follow from weights and strides.

Only the nodes on which a wanted tensor depends are looked at. What cannot be known stays None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hailo_decode.networks import _onnx_layout, _onnx_windows
from hailo_decode.networks._onnx_call import MOST_SIZES, Call, Numbers
from hailo_decode.networks._onnx_graph import Graph, Node, Shape, value_shape

RULES = {**_onnx_layout.RULES, **_onnx_windows.RULES}


def shapes_of(
    graph: Graph, wanted: Iterable[str], inputs: Mapping[str, Shape | None]
) -> dict[str, Shape | None]:
    """Return the shapes of tensors.

    Parameters
    ----------
    graph : Graph
    wanted : iterable of str
        Names of tensors.
    inputs : mapping of str to shape
        Shapes of the graph's inputs, as they are or as they will be.
    """
    names = list(wanted)
    known: dict[str, Shape | None] = dict(inputs)
    values: dict[str, Numbers] = {}
    for node in _needed(graph, names, known):
        _evaluate(Call(graph, node, known, values))
    return {name: known.get(name) for name in names}


def _needed(graph: Graph, names: list[str], known: dict[str, Shape | None]) -> list[Node]:
    """Return the nodes before the wanted tensors, in the graph's order; note the shapes that are written."""
    seen: set[str] = set(known)
    chosen: set[int] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name in seen or name in graph.tensors:
            continue
        seen.add(name)
        written = value_shape(graph.values[name]) if name in graph.values else None
        if written and len(written) <= MOST_SIZES and all(written):
            known[name] = written
            continue
        node = graph.producers.get(name)
        if node is not None and id(node) not in chosen:
            chosen.add(id(node))
            left.extend(n for n in node.inputs if n)
    return [node for node in graph.nodes if id(node) in chosen]


def _evaluate(call: Call) -> None:
    """Fill in the shapes, and where they are small numbers the values, of what a node makes."""
    node = call.node
    rule = RULES.get(node.op)
    shapes = rule(call) if rule else []
    for name, shape in zip(node.outputs, shapes, strict=False):
        if name not in call.known and shape is not None and len(shape) <= MOST_SIZES:
            call.known[name] = tuple(n if n is not None and n > 0 else None for n in shape)
    value = _onnx_layout.value_of(call)
    if value is not None and len(value) <= _onnx_layout.MOST_NUMBERS and node.outputs:
        call.values[node.outputs[0]] = value
