"""Call: one node of an ONNX graph with what is known of its inputs, for the rules that tell its shape."""

from __future__ import annotations

from functools import cached_property

from hailo_decode.networks._message import Message
from hailo_decode.networks._onnx_graph import ATTRIBUTE, Graph, Node, Shape, numbers_of

Numbers = tuple[float | None, ...]
"""Values of a small tensor; None where one is not known."""

# No tensor of an image network has more; keeps a hostile one from growing.
MOST_SIZES = 8


class Call:
    """One node and its surroundings.

    Parameters
    ----------
    graph : Graph
    node : Node
    known : dict of str to shape
        Shapes of tensors so far.
    values : dict of str to numbers
        Values of small tensors so far.
    """

    def __init__(
        self, graph: Graph, node: Node, known: dict[str, Shape | None], values: dict[str, Numbers]
    ) -> None:
        self.graph, self.node, self.known, self.values = graph, node, known, values

    @cached_property
    def _attributes(self) -> dict[str, Message]:
        return self.node.attributes()

    def input(self, index: int) -> str:
        """Return the name of an input, ``""`` where it is left out."""
        return self.node.inputs[index] if index < len(self.node.inputs) else ""

    def shape(self, index: int = 0) -> Shape | None:
        """Return the shape of an input, be it a tensor or a weight."""
        name = self.input(index)
        if not name:
            return None
        return self.known[name] if name in self.known else self.graph.dims(name)

    def numbers(self, index: int) -> Numbers | None:
        """Return the values of a small input."""
        name = self.input(index)
        if not name:
            return None
        return self.values[name] if name in self.values else self.graph.numbers(name)

    def wholes(self, index: int) -> tuple[int, ...] | None:
        """Return the values of a small input where all are known, as whole numbers."""
        found = self.numbers(index)
        if found is None or None in found:
            return None
        return tuple(int(n) for n in found if n is not None)

    def whole(self, name: str, default: int = 0) -> int:
        """Return an attribute that is a whole number."""
        found = self._attributes.get(name)
        return default if found is None else found.i64(ATTRIBUTE.I)

    def list(self, name: str) -> tuple[int, ...] | None:
        """Return an attribute that is a list of whole numbers, None when absent."""
        found = self._attributes.get(name)
        return None if found is None else found.i64s(ATTRIBUTE.INTS)

    def reals(self, name: str) -> tuple[float, ...] | None:
        """Return an attribute that is a list of numbers, None when absent."""
        found = self._attributes.get(name)
        return None if found is None else found.floats(ATTRIBUTE.FLOATS)

    def text(self, name: str) -> str:
        """Return an attribute that is a text, empty when absent."""
        found = self._attributes.get(name)
        return "" if found is None else found.text(ATTRIBUTE.S)

    def constant(self, name: str) -> Numbers | None:
        """Return the numbers of an attribute that is a small tensor, None when absent."""
        found = self._attributes.get(name)
        return None if found is None else numbers_of(found.message(ATTRIBUTE.T))

    def axes(self, index: int) -> tuple[int, ...] | None:
        """Return axes, an attribute up to opset 12 and an input since."""
        found = self.list("axes")
        return self.wholes(index) if found is None else found


def axis_of(axis: int, rank: int) -> int | None:
    """Return an axis counted from the front, None where there is no such axis."""
    place = axis + rank if axis < 0 else axis
    return place if 0 <= place < rank else None


def product(sizes: Shape) -> int | None:
    """Return how many numbers a shape holds, None where a size is not known."""
    total = 1
    for size in sizes:
        if size is None:
            return None
        total *= size
    return total
