"""Shapes inside an ONNX graph that follow from weights and strides, operator by operator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks.build_onnx import model, node, numbers, weight

from hailo_decode.networks._message import Message
from hailo_decode.networks._onnx_graph import Graph
from hailo_decode.networks._onnx_shapes import shapes_of


def shape(nodes, x, tensors=(), *, wanted="y", values=None):
    """Shape of one tensor of a graph whose input is ``x``."""
    data = model(nodes if isinstance(nodes, list) else [nodes], {"x": x}, [wanted], tensors, values=values)
    graph = Graph(Message(memoryview(data)))
    return shapes_of(graph, [wanted], graph.inputs)[wanted]


# The sizes are those that onnx.shape_inference (ONNX 1.23) gives for the same graphs.
@pytest.mark.parametrize(
    ("op", "attributes", "tensors", "x", "wanted"),
    [
        ("Conv", {"strides": [2, 2], "pads": [1, 1, 1, 1]}, [weight("w", (8, 3, 3, 3))], (1, 3, 65, 64), (1, 8, 33, 32)),
        ("Conv", {"dilations": [2, 2]}, [weight("w", (8, 3, 3, 3))], (1, 3, 64, 64), (1, 8, 60, 60)),
        ("Conv", {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, [weight("w", (8, 3, 5, 5))], (1, 3, 65, 64),
         (1, 8, 33, 32)),
        ("Conv", {"auto_pad": "VALID"}, [weight("w", (8, 3, 5, 5))], (1, 3, 65, 64), (1, 8, 61, 60)),
        ("Conv", {"group": 3}, [weight("w", (6, 1, 1, 1))], (1, 3, 8, 8), (1, 6, 8, 8)),
        ("ConvTranspose", {"strides": [2, 2]}, [weight("w", (3, 16, 2, 2))], (1, 3, 80, 40), (1, 16, 160, 80)),
        ("ConvTranspose", {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]},
         [weight("w", (3, 4, 3, 3))], (1, 3, 5, 5), (1, 4, 10, 10)),
        ("MaxPool", {"kernel_shape": [5, 5], "pads": [2, 2, 2, 2]}, [], (1, 3, 20, 20), (1, 3, 20, 20)),
        ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}, [], (1, 3, 5, 5), (1, 3, 3, 3)),
        ("AveragePool", {"kernel_shape": [2, 2]}, [], (1, 3, 80, 80), (1, 3, 79, 79)),
        ("GlobalAveragePool", {}, [], (1, 3, 7, 9), (1, 3, 1, 1)),
        ("DepthToSpace", {"blocksize": 2}, [], (1, 12, 4, 4), (1, 3, 8, 8)),
        ("SpaceToDepth", {"blocksize": 2}, [], (1, 3, 8, 8), (1, 12, 4, 4)),
        ("Transpose", {"perm": [0, 2, 3, 1]}, [], (1, 3, 8, 9), (1, 8, 9, 3)),
        ("Transpose", {}, [], (1, 2, 3), (3, 2, 1)),
        ("Flatten", {"axis": 2}, [], (1, 3, 8, 9), (3, 72)),
        ("Softmax", {"axis": 1}, [], (1, 3, 8, 9), (1, 3, 8, 9)),
        ("ReduceMax", {"axes": [1], "keepdims": 0}, [], (1, 3, 8, 9), (1, 8, 9)),
        ("ReduceMax", {"axes": [-1]}, [], (1, 3, 8, 9), (1, 3, 8, 1)),
        ("ArgMax", {"axis": 1, "keepdims": 0}, [], (1, 3, 8, 9), (1, 8, 9)),
        ("Unsqueeze", {"axes": [0, 2]}, [], (3, 8), (1, 3, 1, 8)),
        ("Squeeze", {}, [], (1, 3, 1, 8), (3, 8)),
        ("Squeeze", {"axes": [2]}, [], (1, 3, 1, 8), (1, 3, 8)),
        ("Upsample", {"scales": [1.0, 1.0, 2.0, 2.0]}, [], (1, 3, 8, 9), (1, 3, 16, 18)),
        ("Add", {}, [weight("w", (3, 1, 1))], (1, 3, 8, 9), (1, 3, 8, 9)),
        ("MatMul", {}, [weight("w", (9, 5))], (1, 3, 8, 9), (1, 3, 8, 5)),
        ("Gather", {"axis": 2}, [weight("w", (4,))], (1, 3, 8, 9), (1, 3, 4, 9)),
    ],
)  # fmt: skip
def test_an_operator_gives_the_shape_of_its_definition(op, attributes, tensors, x, wanted):
    made = node(op, ["x", *(t.name for t in tensors)], ["y"], **attributes)
    assert shape(made, x, tensors) == wanted


@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
@pytest.mark.parametrize(
    ("op", "inputs", "x", "wanted"),
    [
        ("Reshape", [[1, 4, 16, -1]], (1, 64, 8400), (1, 4, 16, 8400)),
        ("Reshape", [[0, 0, -1]], (1, 85, 80, 80), (1, 85, 6400)),
        ("Resize", [[], [1.0, 1.0, 2.0, 2.0]], (1, 3, 20, 12), (1, 3, 40, 24)),
        ("Resize", [[], [], [1, 3, 33, 44]], (1, 3, 20, 12), (1, 3, 33, 44)),
        ("Slice", [[1], [2], [1], [1]], (1, 4, 8, 8), (1, 1, 8, 8)),
        ("Slice", [[0], [9223372036854775807], [2], [2]], (1, 3, 9, 8), (1, 3, 5, 8)),
        ("Slice", [[-1], [-9223372036854775807], [2], [-1]], (1, 3, 9, 8), (1, 3, 9, 8)),
        ("Pad", [[0, 0, 0, 0, 0, 0, 1, 1]], (1, 3, 8, 8), (1, 3, 9, 9)),
        ("Unsqueeze", [[0]], (3, 8), (1, 3, 8)),
        ("Expand", [[2, 3, 8]], (1, 3, 8), (2, 3, 8)),
    ],
)
def test_an_operator_that_takes_its_sizes_as_a_constant(op, inputs, x, wanted, raw):
    tensors = [numbers(f"n{i}", values, raw=raw) for i, values in enumerate(inputs) if values]
    made = node(op, ["x", *(f"n{i}" if values else "" for i, values in enumerate(inputs))], ["y"])
    assert shape(made, x, tensors) == wanted


@pytest.mark.parametrize(
    ("attributes", "tensors", "sizes"),
    [
        ({"axis": 1, "split": [64, 3]}, [], (64, 3)),
        ({"axis": 1}, [numbers("s", [60, 7])], (60, 7)),
        ({"axis": 1, "num_outputs": 2}, [], (34, 33)),
    ],
)
def test_split_gives_each_part_its_size(attributes, tensors, sizes):
    made = node("Split", ["x", *(t.name for t in tensors)], ["a", "b"], **attributes)
    assert shape(made, (1, 67, 80), tensors, wanted="a") == (1, sizes[0], 80)
    assert shape(made, (1, 67, 80), tensors, wanted="b") == (1, sizes[1], 80)


def test_concat_adds_up_along_its_axis():
    nodes = [node("Relu", ["x"], ["r"]), node("Concat", ["x", "r", "w"], ["y"], axis=-3)]
    assert shape(nodes, (1, 64, 80, 80), [weight("w", (1, 5, 80, 80))]) == (1, 133, 80, 80)


def test_sizes_that_are_computed_inside_the_graph_are_followed():
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "two"], ["h"]),
        node("Mul", ["h", "two"], ["h2"]),
        node("Unsqueeze", ["h2"], ["u"], axes=[0]),
        node("Concat", ["one", "three", "u", "u"], ["sizes"], axis=0),
        node("Resize", ["x", "", "", "sizes"], ["y"]),
    ]
    tensors = [numbers("two", [2]), numbers("one", [1]), numbers("three", [3])]
    assert shape(nodes, (1, 3, 20, 20), tensors) == (1, 3, 40, 40)


def test_padding_as_pytorch_turns_it_round_inside_the_graph_is_followed():
    """ZeroPad2d(left 0, right 1, top 0, bottom 1) of YOLOv3-tiny: zeros are put behind, then pairs are reversed."""
    nodes = [
        node("ConstantOfShape", ["four"], ["zeros"], value=numbers("v", [0])),
        node("Concat", ["given", "zeros"], ["eight"], axis=0),
        node("Reshape", ["eight", "pairs"], ["table"]),
        node("Slice", ["table", "last", "beginning", "first", "back"], ["reversed"]),
        node("Transpose", ["reversed"], ["turned"], perm=[1, 0]),
        node("Reshape", ["turned", "flat"], ["row"]),
        node("Cast", ["row"], ["pads"], to=7),
        node("Pad", ["x", "pads"], ["y"], mode="constant"),
    ]
    constants = {
        "four": [4], "given": [0, 1, 0, 2], "pairs": [-1, 2], "last": [-1], "beginning": [-(2**63) + 1],
        "first": [0], "back": [-1], "flat": [-1],
    }  # fmt: skip
    tensors = [numbers(name, values) for name, values in constants.items()]
    assert shape(nodes, (1, 8, 20, 30), tensors) == (1, 8, 22, 31)


def test_a_constant_node_counts_like_a_weight():
    nodes = [
        node("Constant", [], ["n"], value=numbers("", [1, -1])),
        node("Reshape", ["x", "n"], ["y"]),
    ]
    assert shape(nodes, (2, 3, 4)) == (1, 24)


def test_shapes_that_the_exporter_wrote_are_taken_and_nothing_before_them_is_looked_at():
    nodes = [node("Strange", ["x"], ["s"]), node("Relu", ["s"], ["y"])]
    assert shape(nodes, None, values={"s": (1, 8, 7, 7)}) == (1, 8, 7, 7)
    assert shape(nodes, (1, 3, 8, 8)) is None


@pytest.mark.parametrize(
    ("made", "x"),
    [
        (node("Conv", ["x", "w"], ["y"], strides=[0, 0]), (1, 3, 8, 8)),
        (node("Conv", ["x", "w"], ["y"], strides=[1]), (1, 3, 8, 8)),
        (node("Conv", ["x", "nothing"], ["y"]), (1, 3, 8, 8)),
        (node("Conv", ["x"], ["y"]), (1, 3, 8, 8)),
        (node("Conv", [], ["y"]), (1, 3, 8, 8)),
        (node("Concat", ["x", "w"], ["y"], axis=9), (1, 3, 8, 8)),
        (node("Concat", [], ["y"]), (1, 3, 8, 8)),
        (node("Reshape", ["x", "w"], ["y"]), (1, 3, 8, 8)),
        (node("Transpose", ["x"], ["y"], perm=[0, 0, 1]), (1, 3, 8)),
        (node("MaxPool", ["x"], ["y"]), (1, 3, 8, 8)),
        (node("Slice", ["x", "n", "n", "n", "zero"], ["y"]), (1, 3, 8, 8)),
        (node("DepthToSpace", ["x"], ["y"]), (1, 3, 8, 8)),
        (node("Squeeze", ["y"], ["y"]), (1, 3, 8, 8)),
    ],
)
def test_operators_that_cannot_be_give_no_whole_shape(made, x):
    tensors = [weight("w", (8, 3, 3, 3)), numbers("n", [1]), numbers("zero", [0])]
    found = shape(made, x, tensors)
    assert found is None or None in found


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=9),
    st.sampled_from(["Reshape", "Expand", "Slice", "Pad", "Tile"]),
)
def test_any_constant_gives_sizes_above_nothing_or_none(values, op):
    tensors = [numbers("n", values)]
    found = shape(node(op, ["x", "n", "n", "n"], ["y"]), (1, 3, 8, 8), tensors)
    assert found is None or all(n is None or n > 0 for n in found)
