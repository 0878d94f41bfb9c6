"""ONNX models: the end nodes of every head, by name and by structure, with their shapes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks.build_onnx import Network, model, network, node, numbers, value, weight

from hailo_decode.errors import FormatError
from hailo_decode.networks.onnx import FORMAT, network_of
from hailo_decode.values.network import NetworkInfo


def read(data: bytes) -> NetworkInfo:
    return network_of(memoryview(data), "net")


def ultralytics(
    module: int, classes: int = 80, box: int = 64, strides=(8, 16, 32), extra=None, one=""
) -> list:
    """End nodes of a head as Ultralytics names them, scale by scale."""
    ends = []
    for i, stride in enumerate(strides):
        for branch, channels in (("cv2", box), ("cv3", classes), *([("cv4", extra)] if extra else [])):
            ends.append((f"/model.{module}/{one}{branch}.{i}/{one}{branch}.{i}.2/Conv", channels, stride))
    return ends


V8 = ultralytics(22, classes=3)
# Heads as real exports have them, in the order of their graphs; roles in the order that is wanted.
HEADS = {
    "v3-tiny": (ultralytics(20, strides=(16, 32))[2:] + ultralytics(20, strides=(16, 32))[:2], "box cls", (16, 32)),
    "v5u": (ultralytics(24), "box cls", (8, 16, 32)),
    "v6u": (ultralytics(28), "box cls", (8, 16, 32)),
    "v8": (ultralytics(22), "box cls", (8, 16, 32)),
    "v8-p2": (ultralytics(28, strides=(4, 8, 16, 32)), "box cls", (4, 8, 16, 32)),
    "v8-p6": (ultralytics(30, strides=(8, 16, 32, 64)), "box cls", (8, 16, 32, 64)),
    "v8 by branch": (sorted(ultralytics(22)), "box cls", (8, 16, 32)),
    "v10 one2one": (ultralytics(23, one="one2one_"), "box cls", (8, 16, 32)),
    "11": (ultralytics(23), "box cls", (8, 16, 32)),
    "12": (ultralytics(21), "box cls", (8, 16, 32)),
    "26": (ultralytics(23, box=4), "box cls", (8, 16, 32)),
    "26 one2one": (ultralytics(23, box=4, one="one2one_"), "box cls", (8, 16, 32)),
    "custom": (ultralytics(29, classes=1), "box cls", (8, 16, 32)),
    "64 classes": (ultralytics(22, classes=64), "box cls", (8, 16, 32)),
    "pose": (ultralytics(22, classes=1, extra=51), "box cls extra", (8, 16, 32)),
    "obb": (ultralytics(23, classes=1, extra=1), "box cls extra", (8, 16, 32)),
    "pose 26": (
        [e for i, s in enumerate((8, 16, 32)) for e in (
            (f"/model.23/one2one_cv2.{i}/one2one_cv2.{i}.2/Conv", 4, s),
            (f"/model.23/one2one_cv4_kpts.{i}/Conv", 51, s),
            (f"/model.23/one2one_cv3.{i}/one2one_cv3.{i}.2/Conv", 80, s),
        )], "box cls extra", (8, 16, 32),
    ),
    "anchors": ([(f"/model.24/m.{i}/Conv", 255, s) for i, s in enumerate((8, 16, 32))], "None", (8, 16, 32)),
    "yolox": (
        [(f"/head/{b}_preds.{i}/Conv", c, s) for i, s in enumerate((8, 16, 32))
         for b, c in (("cls", 80), ("reg", 4), ("obj", 1))], "box cls obj", (8, 16, 32),
    ),
    "v6": (
        [(f"/detect/{b}_preds.{i}/Conv", c, s) for i, s in enumerate((8, 16, 32)) for b, c in (("cls", 80), ("reg", 4))],
        "box cls", (8, 16, 32),
    ),
    "damoyolo": (
        [(f"/head/gfl_{b}.{i}/Conv", c, s) for i, s in enumerate((8, 16, 32)) for b, c in (("cls", 81), ("reg", 68))],
        "box cls", (8, 16, 32),
    ),
    "nas": (
        [(f"/heads/head{i + 1}/{b}_pred/Conv", c, s) for i, s in enumerate((8, 16, 32))
         for b, c in (("cls", 80), ("reg", 68))],
        "box cls", (8, 16, 32),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADS)
def test_end_nodes_of_every_head_are_found_by_name(name):
    ends, roles, strides = HEADS[name]
    net = read(network(ends, (384, 640)))
    assert net.facts["head"]["found_by"] == "names"
    assert [(str(o.role), o.stride) for o in net.outputs] == [(r, s) for s in strides for r in roles.split()]
    sizes = {n: (384 // s, 640 // s, c) for n, c, s in ends}
    assert {o.name: o.shape for o in net.outputs} == sizes
    assert net.nms_free is FREE.get(name, False)


# Heads whose names tell that no suppression is wanted, or do not tell.
FREE = {"v10 one2one": True, "26 one2one": True, "pose 26": True} | dict.fromkeys(
    ("anchors", "yolox", "v6", "damoyolo", "nas")
)


def test_the_prototype_is_cut_behind_its_activation_and_comes_last():
    net = read(network(ultralytics(22, extra=32), proto="/model.22/proto"))
    assert [o.role for o in net.outputs] == ["box", "cls", "extra"] * 3 + ["proto"]
    assert net.outputs[-1].name == "/model.22/proto/cv3/act/Mul"
    assert (net.outputs[-1].shape, net.outputs[-1].stride) == ((160, 160, 32), 4)


@given(st.permutations(V8), st.sampled_from(["branches", "scales", "none"]))
def test_the_order_of_the_graph_changes_nothing(order, decoding):
    assert read(network(order, decoding=decoding)).outputs == read(network(V8)).outputs


@pytest.mark.parametrize("prefix", ["", "/model", "/module/model"])
def test_a_wrapper_around_the_model_changes_no_role(prefix):
    net = read(network([(prefix + n, c, s) for n, c, s in V8]))
    assert [o.role for o in net.outputs] == ["box", "cls"] * 3


def test_the_one_to_one_head_counts_where_both_are_in_the_graph():
    both = ultralytics(23, one="one2one_") + ultralytics(23)
    net = read(network(both))
    assert [o.name for o in net.outputs] == [n for n, *_ in ultralytics(23, one="one2one_")]
    assert net.nms_free is True
    assert net.facts["head"]["notes"] == [
        "the one-to-many head is in the graph too; the one-to-one head was chosen"
    ]


def test_four_branches_with_cv5_give_no_roles():
    ends = [
        (f"/model.22/cv{b}.{i}/cv{b}.{i}.2/Conv", c, s)
        for i, s in enumerate((8, 16, 32)) for b, c in ((2, 64), (3, 80), (4, 64), (5, 80))
    ]  # fmt: skip
    net = read(network(ends))
    assert {o.role for o in net.outputs} == {None}
    assert "names do not tell" in net.facts["head"]["notes"][0]


def test_without_names_the_decoding_tells_box_from_class():
    net = read(network(V8, labels=False))
    assert net.facts["head"]["found_by"] == "structure"
    assert [(o.shape, o.role, o.stride) for o in net.outputs] == [
        ((80, 80, 64), "box", 8), ((80, 80, 3), "cls", 8), ((40, 40, 64), "box", 16),
        ((40, 40, 3), "cls", 16), ((20, 20, 64), "box", 32), ((20, 20, 3), "cls", 32),
    ]  # fmt: skip
    assert net.nms_free is None


@pytest.mark.parametrize("decoding", ["scales", "none"])
def test_without_names_and_proof_no_role_is_given(decoding):
    net = read(network(V8, labels=False, decoding=decoding))
    assert [(o.shape, o.role) for o in net.outputs] == [
        ((n, n, c), None) for n in (80, 40, 20) for c in (64, 3)
    ]


def test_a_third_score_tensor_leaves_the_class_open():
    net = read(network(ultralytics(22, classes=5, extra=1), labels=False))
    assert [o.role for o in net.outputs] == ["box", None, None] * 3


def test_a_quantised_graph_keeps_its_channels():
    nodes = [
        node("DequantizeLinear", ["w8", "s"], ["w"], "dq"),
        node("Conv", ["x", "w"], ["c"], "/model.22/m.0/Conv", kernel_shape=[1, 1]),
        node("QuantizeLinear", ["c", "s"], ["q"], "q"),
        node("DequantizeLinear", ["q", "s"], ["y"], "dq2"),
    ]
    tensors = [weight("w8", (255, 3, 1, 1)), numbers("s", [0.5])]
    net = read(model(nodes, {"x": (1, 3, 20, 20)}, ["y"], tensors))
    assert [(o.name, o.shape, o.stride) for o in net.outputs] == [("/model.22/m.0/Conv", (20, 20, 255), 1)]


def test_a_graph_without_a_head_shows_its_own_outputs_and_says_so():
    net = Network()
    before = net.conv("x", "/stem", 16, 3, 3, 2)
    pooled = net.add("Flatten", [net.add("GlobalAveragePool", [before], "/pool")], "/flat")
    net.tensors.append(weight("fc", (16, 10)))
    last = net.add("Softmax", [net.add("MatMul", [pooled, "fc"], "/fc")], "/softmax")
    found = read(model(net.nodes, {"x": (1, 3, 224, 224)}, {last: (1, 10)}, net.tensors))
    assert [(o.name, o.shape) for o in found.outputs] == [("/softmax_output_0", (1, 1, 10))]
    assert found.facts["no_head"].startswith("no end nodes were found")
    assert found.facts["head"]["found_by"] is None


def test_the_outputs_of_the_whole_graph_are_facts():
    net = read(network(V8))
    assert net.facts["graph_outputs"] == {"/head/out_output_0": [1, 7, 8400]}
    assert net.facts["opsets"] == {"ai.onnx": 17}
    assert net.facts["producer"] == "pytorch 2.8.0"


def test_end_nodes_know_their_neighbours():
    net = read(network(V8))
    first = next(x for x in net.layers if x.name == V8[0][0])
    assert (first.kind, first.inputs, first.outputs) == (
        "Conv", (f"{V8[0][0]}/act/Mul",), (f"{V8[0][0]}/Reshape",)
    )  # fmt: skip


def test_metadata_gives_names_task_keypoints_and_says_the_rest():
    metadata = {
        "names": "{0: 'person', 1: \"dog's\"}", "task": "pose", "imgsz": "[640, 640]", "stride": "32",
        "kpt_shape": "[17, 3]", "author": "Ultralytics",
    }  # fmt: skip
    net = read(network(ultralytics(22, classes=2, extra=51), metadata=metadata))
    assert (net.classes, net.task, net.keypoints) == (("person", "dog's"), "pose", (17, 3))
    assert net.facts["metadata"] == metadata


@pytest.mark.parametrize(
    ("imgsz", "size"), [("[384, 640]", (384, 640)), ("320", (320, 320)), ("(480, 640)", (480, 640))]
)
def test_a_free_input_takes_the_size_of_the_metadata(imgsz, size):
    net = read(network(V8, free=True, metadata={"imgsz": imgsz}))
    assert net.input_size == size
    assert net.facts["size_from_metadata"] is True
    assert net.inputs[0].facts == {"shape": [1, 3, None, None]}
    assert net.outputs[0].shape == (size[0] // 8, size[1] // 8, 64)


def test_a_free_input_without_metadata_leaves_shapes_open_but_not_channels():
    net = read(network(V8, free=True))
    assert net.input_size is None
    assert {(o.shape, o.stride) for o in net.outputs} == {(None, None)}
    assert [o.facts["channels"] for o in net.outputs] == [64, 3] * 3
    assert net.facts["shapes_not_known"] == [n for n, *_ in V8]


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("names", "{0: 'a', 2: 'b'}", "none has the number 1"),
        ("names", "__import__('os')", "the property 'names' cannot be read"),
        ("imgsz", "[0, 640]", "'imgsz' cannot be read"),
        ("imgsz", "[640, 640, 3]", "'imgsz' cannot be read"),
        ("kpt_shape", "17", "'kpt_shape' cannot be read"),
    ],
)
def test_metadata_that_cannot_be_meant_is_refused(key, text, message):
    with pytest.raises(FormatError, match=message):
        read(network(V8, metadata={key: text}))


def test_an_input_with_channels_last_is_a_picture_too():
    nodes = [
        node("Transpose", ["x"], ["t"], "t", perm=[0, 3, 1, 2]),
        node("Conv", ["t", "w"], ["y"], "/model.24/m.0/Conv", strides=[8, 8]),
    ]
    net = read(model(nodes, {"x": (1, 480, 640, 3)}, ["y"], [weight("w", (255, 3, 8, 8))]))
    assert (net.input_size, net.outputs[0].shape, net.outputs[0].stride) == ((480, 640), (60, 80, 255), 8)


def test_weights_that_are_listed_as_inputs_are_none():
    assert [i.name for i in read(network(V8, weights_are_inputs=True)).inputs] == ["images"]


def test_a_model_file_is_known_by_its_first_fields(tmp_path: Path):
    path = tmp_path / "best.onnx"
    path.write_bytes(network(V8))
    assert FORMAT.sniff(path.read_bytes()[:65536], path)
    assert FORMAT.read(path).name == "best"
    for other in (b"", b"\x08", b"{}", b"\x01HEF" + bytes(60), b"PK\3\4" + bytes(60), b"\x08\x00\x3a\x00"):
        assert not FORMAT.sniff(other, path)


def test_a_value_without_a_shape_is_no_obstacle():
    made = value("x", None)
    assert made.name == "x"
    net = read(
        model(
            [node("Conv", ["x", "w"], ["y"], "/model.24/m.0/Conv")],
            {"x": None},
            ["y"],
            [weight("w", (9, 3, 1, 1))],
        )
    )
    assert (net.input_size, net.outputs[0].shape, net.outputs[0].facts["channels"]) == (None, None, 9)
