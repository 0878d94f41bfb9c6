"""The end nodes of a head in an ONNX graph: by their names, and by their place before the outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hailo_decode.networks._end_names import EndName, end_name
from hailo_decode.networks._onnx_graph import Graph, Node

# A head of five scales and three branches has fifteen; more is no head.
_MOST_ENDS = 40

# What decoding a head is made of; anything else between a convolution and the outputs is no decoding.
_LAYOUT = frozenset(
    {
        "Concat", "Reshape", "Transpose", "Split", "Slice", "Unsqueeze", "Squeeze", "Flatten", "Identity",
        "Cast", "Gather", "QuantizeLinear", "DequantizeLinear",
    }
)  # fmt: skip
_DECODING = _LAYOUT | frozenset(
    {
        "Sigmoid", "Softmax", "HardSigmoid", "Exp", "Mul", "Add", "Sub", "Div", "Pow", "Clip", "Sqrt", "Neg",
        "Tanh", "Softplus", "MatMul", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean", "ArgMax", "TopK",
        "GatherElements", "GatherND", "ScatterND", "Tile", "Expand", "Where", "Max", "Min", "Mod", "Floor",
        "Greater", "Less", "Equal", "Not", "NonMaxSuppression", "NonZero", "EfficientNMS_TRT", "Cos", "Sin",
    }
)  # fmt: skip

_ORDER = {"box": 0, "cls": 1, "obj": 2, None: 3, "extra": 4, "proto": 5}


@dataclass(frozen=True, slots=True)
class End:
    """One end node.

    Attributes
    ----------
    node : Node
    role : str or None
        As its name, or its way through the decoding, proves it.
    scale : int or None
    one_to_one : bool or None
        Whether it is of a head that needs no suppression; None where its name does not say.
    """

    node: Node
    role: str | None
    scale: int | None = None
    one_to_one: bool | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """The end nodes of one head, and by what they were found.

    Attributes
    ----------
    ends : tuple of End
        Scale by scale; in a scale box, class, objectness, extra; a prototype last.
    found_by : {"names", "structure"}
    notes : tuple of str
        What is odd about it.
    """

    ends: tuple[End, ...]
    found_by: str
    notes: tuple[str, ...] = ()


def head_of(graph: Graph) -> Head | None:
    """Return the head of a graph, None where there is none.

    Parameters
    ----------
    graph : Graph
    """
    last = last_convolutions(graph)
    return _by_name(graph, {node.label for node in last}) or _by_structure(graph, last)


def _by_name(graph: Graph, last: set[str]) -> Head | None:
    groups: dict[str, list[tuple[Node, EndName]]] = {}
    for node in graph.nodes:
        name = node.label.removesuffix("_output_0")
        if (
            node.outputs
            and node.op in ("Conv", "Mul")
            and (found := end_name(name))
            and (node.op == "Conv" or found.role == "proto")
        ):
            groups.setdefault(found.head, []).append((node, found))
    complete = [g for g in groups.values() if _complete({n.branch for _, n in g}, {n.role for _, n in g})]
    if not complete:
        return None
    group = complete[-1]  # in the graph's order: a head stands behind the parts that are named alike
    single = any(n.one_to_one for _, n in group)
    chosen = [(node, n) for node, n in group if n.one_to_one == single or n.role == "proto"]
    branches = {n.branch for _, n in chosen}
    trusted = "cv5" not in branches
    ends = [
        End(node, n.role if trusted else None, n.scale, n.one_to_one if n.branch.startswith("cv") else None)
        for node, n in _one_prototype(chosen)
    ]
    notes = []
    if not trusted:
        notes.append("branches cv2 to cv5: which of them counts, names do not tell")
    if single and len(chosen) < len(group):
        notes.append("the one-to-many head is in the graph too; the one-to-one head was chosen")
    beyond = [e.node.label for e in ends if e.role != "proto" and e.node.label not in last]
    if beyond:
        notes.append("more than decoding stands behind " + ", ".join(beyond[:6]))
    ends.sort(key=lambda e: (e.scale is None, e.scale or 0, _ORDER.get(e.role, 3)))
    return Head(tuple(ends), "names", tuple(notes)) if len(ends) <= _MOST_ENDS else None


def _complete(branches: set[str], roles: set[str | None]) -> bool:
    return branches == {"m"} or branches == {"m", "proto"} or {"box", "cls"} <= roles


def _one_prototype(chosen: Sequence[tuple[Node, EndName]]) -> Iterable[tuple[Node, EndName]]:
    """Keep the prototype behind its activation, where both are there: that is what masks are made of."""
    behind = any(n.role == "proto" and node.op == "Mul" for node, n in chosen)
    return [(node, n) for node, n in chosen if n.role != "proto" or (node.op == "Mul") == behind]


def last_convolutions(graph: Graph) -> list[Node]:
    """Return the convolutions behind which nothing but decoding stands, in the graph's order.

    The convolution that averages the bins of a distribution (one filter, behind a softmax) is decoding too.
    """
    found: dict[int, Node] = {}
    seen: set[str] = set()
    left = list(graph.outputs)
    while left:
        name = left.pop()
        node = graph.producers.get(name)
        if name in seen or node is None:
            continue
        seen.add(name)
        if node.op == "Conv" and not _averages_bins(graph, node):
            found[id(node)] = node
        elif node.op in _DECODING or node.op == "Conv":
            left.extend(n for n in node.inputs if n and n not in graph.tensors)
    return [node for node in graph.nodes if id(node) in found]


def _averages_bins(graph: Graph, node: Node) -> bool:
    weight = graph.dims(node.inputs[1]) if len(node.inputs) > 1 else None
    if weight is None or weight[:1] != (1,):
        return False
    before = graph.producers.get(node.inputs[0])
    for _ in range(3):
        if before is None or before.op not in _LAYOUT or not before.inputs:
            break
        before = graph.producers.get(before.inputs[0])
    return before is not None and before.op == "Softmax"


def _by_structure(graph: Graph, last: Sequence[Node]) -> Head | None:
    if not 0 < len(last) <= _MOST_ENDS:
        return None
    ends = [
        End(_behind_activation(graph, node), "box" if _first_steps(graph, node) == {"Softmax"} else None)
        for node in last
    ]
    return Head(tuple(ends), "structure")


def _behind_activation(graph: Graph, node: Node) -> Node:
    """Return the product that ends a convolution's own activation, x * sigmoid(x), or the node itself."""
    after = graph.consumers.get(node.outputs[0], ()) if node.outputs else ()
    sigmoid = next((n for n in after if n.op == "Sigmoid"), None)
    mul = next((n for n in after if n.op == "Mul"), None)
    if sigmoid is None or mul is None or len(after) != 2:
        return node
    return mul if set(mul.inputs) == {node.outputs[0], *sigmoid.outputs} else node


def _first_steps(graph: Graph, node: Node) -> set[str]:
    """Return the operators that first change the numbers of a convolution, behind reshaping and joining."""
    steps: set[str] = set()
    left, seen = list(node.outputs), set(node.outputs)
    while left:
        for after in graph.consumers.get(left.pop(), ()):
            if after.op not in _LAYOUT:
                steps.add(after.op)
                continue
            fresh = [n for n in after.outputs if n not in seen]
            seen.update(fresh)
            left.extend(fresh)
    return steps


def with_roles(head: Head, graph: Graph, grids: Mapping[str, tuple[int, int] | None]) -> Head:
    """Return a head that was found by structure, with the roles that its decoding proves.

    In a grid with one tensor whose numbers go into a softmax or into no sigmoid, and others that go into
    sigmoids, the first is the box; a single other one is the class. Of two others nothing tells which is
    which: objectness and angle go through a sigmoid like a class.

    Parameters
    ----------
    grids : mapping of str to (int, int)
        Height and width by label of the node.
    """
    if head.found_by != "structure":
        return head
    roles: dict[str, str | None] = {e.node.label: e.role for e in head.ends}
    for grid in {g for g in grids.values() if g}:
        group = [e.node for e in head.ends if grids.get(e.node.label) == grid]
        steps = {n.label: _first_steps(graph, n) for n in group}
        scores = [n for n in group if steps[n.label] == {"Sigmoid"}]
        boxes = [n for n in group if steps[n.label] and "Sigmoid" not in steps[n.label]]
        if len(boxes) != 1 or len(scores) + 1 != len(group):
            continue
        roles[boxes[0].label] = "box"
        if len(scores) == 1:
            roles[scores[0].label] = "cls"
    ends = [End(e.node, roles[e.node.label], e.scale, e.one_to_one) for e in head.ends]
    return Head(tuple(ends), head.found_by, head.notes)
