"""An ONNX graph as the wire holds it: nodes, names and the sizes of weights, never their numbers.

Field numbers: onnx.proto, ONNX 1.x (IR versions 3 to 13).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

from hailo_decode.errors import FormatError
from hailo_decode.networks._message import Message

Shape = tuple[int | None, ...]
"""Sizes of a tensor; None where a size is not known."""

MODEL = SimpleNamespace(IR=1, PRODUCER=2, PRODUCER_VERSION=3, GRAPH=7, OPSETS=8, METADATA=14)
OPSET = SimpleNamespace(DOMAIN=1, VERSION=2)
GRAPH = SimpleNamespace(NODES=1, NAME=2, INITIALIZERS=5, INPUTS=11, OUTPUTS=12, VALUES=13)
NODE = SimpleNamespace(INPUTS=1, OUTPUTS=2, NAME=3, OP=4, ATTRIBUTES=5)
ATTRIBUTE = SimpleNamespace(NAME=1, F=2, I=3, S=4, T=5, FLOATS=7, INTS=8)
TENSOR = SimpleNamespace(DIMS=1, TYPE=2, FLOATS=4, INT32S=5, INT64S=7, NAME=8, RAW=9, DOUBLES=10, PLACE=14)
VALUE = SimpleNamespace(NAME=1, TYPE=2)

_MOST_NODES = 100_000
_MOST_CONSTANTS = 64
# data_type of a TensorProto to a struct code, for the few types that shapes are written in.
_CODES = {1: "f", 6: "i", 7: "q", 11: "d"}
_EXTERNAL = 1
_PASSING = frozenset({"Identity", "Cast", "DequantizeLinear"})


@dataclass(frozen=True, slots=True)
class Node:
    """One operation.

    Attributes
    ----------
    name, op : str
        ``op`` is the ONNX operator, such as ``"Conv"``.
    inputs, outputs : tuple of str
        Names of tensors; an input that is left out is ``""``.
    message : Message
    """

    name: str
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    message: Message

    @property
    def label(self) -> str:
        """The node's name, or where it has none, that of its output."""
        return self.name or (self.outputs[0] if self.outputs else self.op)

    def attributes(self) -> dict[str, Message]:
        """Return the attributes by name."""
        return {a.text(ATTRIBUTE.NAME): a for a in self.message.messages(NODE.ATTRIBUTES)}


class Graph:
    """The graph of a model.

    Parameters
    ----------
    model : Message
        A ModelProto.

    Raises
    ------
    FormatError
        When the graph is missing or its parts cannot be read; with the offset.
    """

    def __init__(self, model: Message) -> None:
        self.message = model.message(MODEL.GRAPH)
        found = self.message.messages(GRAPH.NODES)
        if not found:
            raise FormatError("this ONNX model has no graph", offset=self.message.start)
        if len(found) > _MOST_NODES:
            raise FormatError(f"the graph has {len(found)} nodes", wanted=f"at most {_MOST_NODES}")
        self.nodes = [
            Node(m.text(NODE.NAME), m.text(NODE.OP), m.texts(NODE.INPUTS), m.texts(NODE.OUTPUTS), m)
            for m in found
        ]
        self.tensors = {m.text(TENSOR.NAME): m for m in self.message.messages(GRAPH.INITIALIZERS)}

    @cached_property
    def producers(self) -> dict[str, Node]:
        """The node that makes each tensor."""
        return {name: node for node in self.nodes for name in node.outputs if name}

    @cached_property
    def consumers(self) -> dict[str, list[Node]]:
        """The nodes that read each tensor."""
        found: dict[str, list[Node]] = {}
        for node in self.nodes:
            for name in node.inputs:
                found.setdefault(name, []).append(node)
        return found

    @cached_property
    def values(self) -> dict[str, Message]:
        """Type and shape of the tensors inside, where the exporter wrote them."""
        return {m.text(VALUE.NAME): m for m in self.message.messages(GRAPH.VALUES)}

    @cached_property
    def inputs(self) -> dict[str, Shape | None]:
        """Shapes of the inputs; up to IR version 3 weights are listed among them, here they are not."""
        listed = self.message.messages(GRAPH.INPUTS)
        named = {m.text(VALUE.NAME): m for m in listed}
        return {name: value_shape(m) for name, m in named.items() if name not in self.tensors}

    @cached_property
    def outputs(self) -> dict[str, Shape | None]:
        """Shapes of the outputs."""
        listed = self.message.messages(GRAPH.OUTPUTS)
        return {m.text(VALUE.NAME): value_shape(m) for m in listed}

    def dims(self, name: str) -> tuple[int, ...] | None:
        """Return the sizes of a weight or another constant."""
        tensor = self._constant(name)
        return None if tensor is None else tensor.i64s(TENSOR.DIMS)

    def numbers(self, name: str) -> tuple[float, ...] | None:
        """Return the numbers of a small constant, such as a shape; None for anything else."""
        tensor = self._constant(name)
        return None if tensor is None else numbers_of(tensor)

    def _constant(self, name: str) -> Message | None:
        """Return the tensor behind a name, through the nodes that quantising tools put before weights."""
        for _ in range(4):
            if name in self.tensors:
                return self.tensors[name]
            node = self.producers.get(name)
            if node is None or node.op not in _PASSING or not node.inputs:
                break
            name = node.inputs[0]
        if node is None or node.op != "Constant":
            return None
        value = node.attributes().get("value")
        return value.message(ATTRIBUTE.T) if value is not None else None


def value_shape(value: Message) -> Shape | None:
    """Return the shape in a ValueInfoProto, None where it has none."""
    tensor = value.message(VALUE.TYPE).message(1)
    if 2 not in tensor:
        return None
    return tuple(_size(dim) for dim in tensor.message(2).messages(1))


def _size(dim: Message) -> int | None:
    size = dim.i64(1) if 1 in dim else 0
    return size if size > 0 else None


def numbers_of(tensor: Message) -> tuple[float, ...] | None:
    """Return the numbers of a small TensorProto; None for a large one, one in another file, or one of texts."""
    count = 1
    for size in tensor.i64s(TENSOR.DIMS):
        count *= max(size, 0)
    code = _CODES.get(tensor.u64(TENSOR.TYPE))
    if count > _MOST_CONSTANTS or code is None or tensor.u64(TENSOR.PLACE) == _EXTERNAL:
        return None
    raw = tensor.data(TENSOR.RAW)
    if len(raw):
        if len(raw) != count * struct.calcsize(code):
            return None
        return tuple(float(v) if code in "fd" else v for v in struct.unpack(f"<{count}{code}", raw))
    field, read = {
        "f": (TENSOR.FLOATS, tensor.floats),
        "d": (TENSOR.DOUBLES, tensor.doubles),
        "i": (TENSOR.INT32S, tensor.i64s),
        "q": (TENSOR.INT64S, tensor.i64s),
    }[code]
    found: tuple[float, ...] = read(field)
    return found if len(found) == count else None
