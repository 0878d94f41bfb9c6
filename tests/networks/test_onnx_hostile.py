"""ONNX files that are damaged, endless or made to hurt, and files larger than memory: refused or read, and soon."""

from __future__ import annotations

import random
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks.build_onnx import model, network, node, weight
from networks.onnx_oracle import MESSAGES

from hailo_decode.errors import FormatError
from hailo_decode.networks.onnx import FORMAT, network_of

ENDS = [(f"/model.22/cv{b}.{i}/cv{b}.{i}.2/Conv", c, 8 << i) for i in range(2) for b, c in ((2, 64), (3, 3))]
METADATA = {"names": "{0: 'a', 1: 'b', 2: 'c'}", "imgsz": "[64, 64]", "task": "detect"}
WHOLE = network(ENDS, (64, 64), metadata=METADATA)


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _with_hole(path: Path, size: int) -> None:
    """Write a model with one weight of `size` bytes that takes no room on disk."""
    plain = MESSAGES["Model"].FromString(WHOLE)
    tensor = MESSAGES["Tensor"](name="huge", dims=[size // 4], data_type=1).SerializeToString()
    inner = tensor + _varint(9 << 3 | 2) + _varint(size)
    graph = plain.graph.SerializeToString() + _varint(5 << 3 | 2) + _varint(len(inner) + size) + inner
    plain.ClearField("graph")
    head = plain.SerializeToString() + _varint(7 << 3 | 2) + _varint(len(graph) + size) + graph
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + size)


@pytest.mark.parametrize("size", [80 << 20, 3 << 30], ids=["80 MB", "3 GB"])
def test_weights_cost_neither_time_nor_memory(tmp_path, size):
    path = tmp_path / "large.onnx"
    _with_hole(path, size)
    with path.open("rb") as file:
        assert FORMAT.sniff(file.read(65536), path)
    tracemalloc.start()
    net = FORMAT.read(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [o.name for o in net.outputs] == [n for n, *_ in ENDS]
    assert most < 4_000_000
    began = time.process_time()
    FORMAT.read(path)
    assert time.process_time() - began < 1


def test_weights_in_another_file_are_not_missed(tmp_path):
    nodes = [node("Conv", ["x", "w"], ["y"], "/model.24/m.0/Conv")]
    data = model(nodes, {"x": (1, 3, 8, 8)}, ["y"], [weight("w", (255, 3, 1, 1), external="weights.bin")])
    net = network_of(memoryview(data))
    assert net.outputs[0].shape == (8, 8, 255)
    assert net.facts["external_data"] is True


@pytest.mark.parametrize("ratio", [0.05, 0.3, 0.6, 0.99])
def test_a_cut_file_is_refused_with_the_place(ratio):
    with pytest.raises(FormatError, match="bytes") as error:
        network_of(memoryview(WHOLE[: int(len(WHOLE) * ratio)]))
    assert error.value.offset is not None
    assert error.value.hint is not None
    assert "cut short" in error.value.hint


def test_an_end_node_without_an_output_is_none():
    nodes = [node("Conv", ["x", "w"], [], "/model.24/m.0/Conv"), node("Relu", ["x"], ["y"])]
    net = network_of(memoryview(model(nodes, {"x": (1, 3, 8, 8)}, ["y"], [weight("w", (9, 3, 1, 1))])))
    assert [o.name for o in net.outputs] == ["y"]


def test_a_model_without_a_graph_is_refused(tmp_path):
    path = tmp_path / "empty.onnx"
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="is empty"):
        FORMAT.read(path)
    with pytest.raises(FormatError, match="has no graph"):
        network_of(memoryview(MESSAGES["Model"](ir_version=8).SerializeToString()))


def test_more_nodes_or_fields_than_any_network_has_are_refused():
    many = model([node("Relu", ["x"], ["x"])] * 100_001, {"x": (1,)}, ["x"])
    with pytest.raises(FormatError, match="100001 nodes"):
        network_of(memoryview(many))
    began = time.process_time()
    empty = b"\x0a\x00" * 1_000_000
    with pytest.raises(FormatError, match="more fields than any real one"):
        network_of(memoryview(b"\x3a" + _varint(len(empty)) + empty))
    assert time.process_time() - began < 2


@pytest.mark.parametrize("width", [1, 40])
def test_a_graph_that_goes_in_circles_or_fans_out_ends(width):
    nodes = [
        node("Concat", [f"{i - 1}_{j}" for j in range(width)] * 2, [f"{i}_{j}" for j in range(width)], axis=1)
        for i in range(1, 400)
    ]
    nodes.append(node("Concat", ["399_0", "y"], ["y"], axis=1))
    began = time.process_time()
    net = network_of(memoryview(model(nodes, {"0_0": (1, 1 << 20, 80, 80)}, ["y"])))
    assert net.facts["head"]["found_by"] is None
    assert time.process_time() - began < 2


def test_sizes_that_double_with_every_node_stay_small():
    nodes = [node("Concat", [f"t{i}", f"t{i}"], [f"t{i + 1}"], axis=0) for i in range(3000)]
    nodes += [node("MatMul", ["t3000", "t3000"], ["y"])]
    began = time.process_time()
    network_of(memoryview(model(nodes, {"t0": (1, 4)}, ["y"])))
    assert time.process_time() - began < 2


def _survives(data: bytes) -> None:
    try:
        assert network_of(memoryview(data)).source == "onnx"
    except FormatError as error:
        place = error.offset
    else:
        place = None
    assert place is None or 0 <= place <= len(data)


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_flipped_and_cut_bytes_are_read_or_refused(seed, cut):
    source = random.Random(seed)
    data = bytearray(WHOLE)
    for _ in range(source.randint(1, 6)):
        data[source.randrange(len(data))] ^= 1 << source.randrange(8)
    _survives(bytes(data[: source.randrange(len(data))] if cut else data))


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_graphs_with_other_operators_and_wiring_are_read_or_refused(data):
    made = MESSAGES["Model"].FromString(WHOLE)
    operators = [
        "Conv",
        "Concat",
        "Reshape",
        "Slice",
        "Split",
        "Resize",
        "Transpose",
        "Squeeze",
        "Pad",
        "Gather",
        "",
    ]
    for _ in range(data.draw(st.integers(1, 4))):
        one = data.draw(st.sampled_from(list(made.graph.node)))
        what = data.draw(st.sampled_from(["op", "inputs", "outputs", "attributes"]))
        if what == "op":
            one.op_type = data.draw(st.sampled_from(operators))
        elif what == "attributes":
            del one.attribute[:]
        else:
            names = one.input if what == "inputs" else one.output
            del names[data.draw(st.integers(0, len(names))) :]
            names.append(data.draw(st.sampled_from(["images", "flat", "twice", "/head/out_output_0", ""])))
    _survives(made.SerializeToString())


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_no_model(data):
    FORMAT.sniff(data, Path("x"))
    _survives(data)
