"""HAR archives and bare HN graphs: what each state of a network says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from networks.build_archives import npy, npz, pack, qparams
from networks.build_har import conv, har, hn, layer, modifications, nms_json, yolov8_hn

from hailo_decode.errors import FormatError
from hailo_decode.networks.har import FORMAT
from hailo_decode.values.network import DecoderInfo, LayerInfo, NetworkInfo, NmsInfo
from hailo_decode.values.quant import Quant

SEED = ((138, 139), (110, 111), (81, 83))


@pytest.fixture
def read(tmp_path: Path):
    def read(data: bytes, name: str = "net.har") -> NetworkInfo:
        path = tmp_path / name
        path.write_bytes(data)
        assert FORMAT.sniff(data[:65536], path)
        return FORMAT.read(path)

    return read


def test_a_parsed_har_gives_the_six_heads_with_shape_role_and_stride(read):
    net = read(har(yolov8_hn("drone", (384, 640), classes=3)))
    assert (net.name, net.source, net.input_size, net.compiler) == ("drone", "har", (384, 640), "3.33.1")
    assert [(o.name, o.shape, o.role, o.stride) for o in net.outputs] == [
        ("drone/conv41", (48, 80, 64), "box", 8),
        ("drone/conv42", (48, 80, 3), "cls", 8),
        ("drone/conv52", (24, 40, 64), "box", 16),
        ("drone/conv53", (24, 40, 3), "cls", 16),
        ("drone/conv62", (12, 20, 64), "box", 32),
        ("drone/conv63", (12, 20, 3), "cls", 32),
    ]
    assert net.outputs[0].original_names == ("/model.22/cv2.0/cv2.0.2/Conv",)
    assert not net.nms_done
    assert not net.ops
    assert net.facts["state"] == "hailo_model"
    assert net.nms_free is False


def test_a_parsed_har_does_not_claim_that_the_device_leaves_logits(read):
    graph = yolov8_hn("drone", 640)
    assert {o.activation for o in read(har(graph)).outputs} == {None}
    assert {o.activation for o in read(har(graph, state="quantized_model")).outputs} == {"linear"}


def test_sigmoids_of_a_parsed_graph_are_told_at_once(read):
    net = read(har(yolov8_hn("drone", 640, sigmoid=("conv53",))))
    assert {o.name: o.activation for o in net.outputs if o.activation} == {"drone/conv53": "sigmoid"}


def test_the_compilers_order_of_outputs_is_kept(read):
    order = ("drone/conv63", "drone/conv41", "drone/conv62", "drone/conv42", "drone/conv53", "drone/conv52")
    assert [o.name for o in read(har(yolov8_hn("drone", 640, order=order))).outputs] == list(order)


def test_a_graph_with_nms_has_one_result_and_six_heads(read):
    graph = yolov8_hn("drone", 640, classes=3, nms=True)
    net = read(
        har(graph, modifications=modifications(graph), nms_json=nms_json(graph), state="quantized_model")
    )
    assert net.nms_done
    sizes = NmsInfo(3, 100, None, 0.2, 0.7, (640, 640))
    assert [(o.name, o.nms) for o in net.outputs] == [("drone/yolov8_nms_postprocess", sizes)]
    assert [(h.name, h.activation) for h in net.heads] == [
        ("drone/conv41", "linear"), ("drone/conv42", "sigmoid"), ("drone/conv52", "linear"),
        ("drone/conv53", "sigmoid"), ("drone/conv62", "linear"), ("drone/conv63", "sigmoid"),
    ]  # fmt: skip
    (op,) = net.ops
    assert (op.kind, op.output, op.nms) == ("yolov8", "drone/yolov8_nms_postprocess", sizes)
    assert op.inputs == tuple(h.name for h in net.heads)
    assert op.decoders == (
        DecoderInfo(8, {"reg": "drone/conv41", "cls": "drone/conv42"}),
        DecoderInfo(16, {"reg": "drone/conv52", "cls": "drone/conv53"}),
        DecoderInfo(32, {"reg": "drone/conv62", "cls": "drone/conv63"}),
    )
    assert op.fields["sigmoid_layers"] == ("drone/conv42", "drone/conv53", "drone/conv63")
    assert op.fields["engine"] == "cpu"


def test_an_activation_that_was_split_off_shows_as_the_feeder_of_the_nms(read):
    graph = yolov8_hn("uav", 640, 1, conv_numbers=SEED, module=29, nms=True, split=("conv111",), sigmoid=True)
    net = read(
        har(graph, modifications=modifications(graph), nms_json=nms_json(graph), state="quantized_model")
    )
    (op,) = net.ops
    assert op.inputs == (
        "uav/conv138", "uav/conv139", "uav/conv110", "uav/ne_activation_conv111", "uav/conv81", "uav/conv83"
    )  # fmt: skip
    assert op.decoders[1].layers == {"reg": "uav/conv110", "cls": "uav/conv111"}
    split = net.heads[3]
    assert split.facts == {"layer": "uav/conv111"}
    assert (split.role, split.activation) == ("cls", "sigmoid")
    assert split.original_names == ("/model.29/cv3.1/cv3.1.2/Conv",)
    assert next(x for x in net.layers if x.name == "uav/ne_activation_conv111") == LayerInfo(
        "uav/ne_activation_conv111", "activation", (40, 40, 1), "sigmoid",
        ("uav/conv111",), ("uav/yolov8_nms_postprocess",),
    )  # fmt: skip


def test_an_nms_configuration_without_a_step_in_the_graph_is_only_a_fact(read):
    graph = yolov8_hn("drone", 640)
    net = read(har(graph, nms_json=nms_json(graph)))
    assert not net.ops
    assert net.facts["nms_json"]["regression_length"] == 16


def test_a_step_without_a_configuration_takes_its_sizes_from_the_graph(read):
    net = read(har(yolov8_hn("drone", 640, classes=7, nms=True)))
    assert net.ops[0].nms == NmsInfo(7, 100, iou_threshold=0.7)


def test_changes_before_the_input_are_listed(read):
    graph = yolov8_hn("cam", 640)
    changed = modifications(graph, nms=False, resize=(640, 640), conversion="nv12_to_rgb")
    facts = read(har(graph, modifications=changed)).facts
    assert [c["cmd_type"] for c in facts["before_input"]] == ["normalization", "resize", "input_conversion"]
    assert facts["before_input"][0]["std"] == [255.0, 255.0, 255.0]
    assert {c["layer"] for c in facts["before_input"]} == {"cam/input_layer1"}


def test_behind_a_resize_of_the_input_no_stride_is_claimed(read):
    layers = {
        "input_layer1": layer("input_layer", (1080, 1920, 3)),
        "resize1": layer("resize", (640, 640, 3), ["input_layer1"]),
        "conv1": conv((40, 40, 18), ["resize1"]),
        "output_layer1": layer("output_layer", (40, 40, 18), ["conv1"]),
    }
    net = read(har(layers=layers, name="cars"))
    assert net.input_size == (1080, 1920)
    assert [(o.shape, o.stride) for o in net.outputs] == [((40, 40, 18), None)]


def test_a_prototype_and_a_third_branch_have_their_roles(read):
    numbers = ((45, 46, 47), (58, 59, 60), (70, 71, 72))
    net = read(har(yolov8_hn("seg", 640, conv_numbers=numbers, extra=32, proto=True)))
    assert [(o.role, o.stride) for o in net.outputs] == [
        *((r, s) for s in (8, 16, 32) for r in ("box", "cls", "extra")), ("proto", 4)
    ]  # fmt: skip


def test_one_to_one_heads_need_no_suppression(read):
    text = (
        json.dumps(yolov8_hn("ten", 640)).replace("/cv2.", "/one2one_cv2.").replace("/cv3.", "/one2one_cv3.")
    )
    net = read(har(json.loads(text)))
    assert net.nms_free is True
    assert [o.role for o in net.outputs] == ["box", "cls"] * 3


def test_names_without_meaning_give_no_roles(read):
    net = read(har(yolov8_hn("plain", 640, original_names=False)))
    assert {o.role for o in net.outputs} == {None}
    assert net.nms_free is None


def test_anchors_of_the_decoders_are_listed_by_stride(read):
    graph = yolov8_hn("old", 640, nms=True)
    decoders = [
        {"name": "d8", "w": [10, 16, 33], "h": [13, 30, 23], "stride": 8, "encoded_layer": "old/conv41"},
        {"name": "d16", "w": [30, 62, 59], "h": [61, 45, 119], "stride": 16, "encoded_layer": "conv52"},
    ]
    net = read(har(graph, nms_json=nms_json(graph, bbox_decoders=decoders)))
    assert net.anchors == {8: ((10, 13), (16, 30), (33, 23)), 16: ((30, 61), (62, 45), (59, 119))}
    assert net.ops[0].decoders[0].layers == {"encoded": "old/conv41"}


@pytest.mark.parametrize(
    ("entry", "roles"),
    [
        ({"reg_layer": "a", "objectness_layer": "b", "cls_layer": "c"}, {"reg": "a", "obj": "b", "cls": "c"}),
        ({"combined_layer": "a"}, {"combined": "a"}),
        ({"reg_layer_h": "a", "reg_layer_w": "b", "cls_layer": ""}, {"reg_h": "a", "reg_w": "b", "cls": ""}),
    ],
)
def test_every_kind_of_decoder_entry_gives_its_layers(read, entry, roles):
    graph = yolov8_hn("a", 640, nms=True)
    assert (
        read(har(graph, nms_json=nms_json(graph, bbox_decoders=[entry]))).ops[0].decoders[0].layers == roles
    )


def test_scripts_are_kept_word_for_word(read):
    text = 'normalization1 = normalization([0.0], [255.0])\nnms_postprocess("x.json", meta_arch=yolov8)\n'
    net = read(har(yolov8_hn("a", 640), script=text, auto_script="remove_node(a)"))
    assert net.facts["scripts"] == {"a.alls": text, "a.auto.alls": "remove_node(a)"}


@pytest.mark.parametrize("compress", [False, True], ids=["tar", "gzip"])
@pytest.mark.parametrize(("bits", "dtype"), [(8, "uint8"), (16, "uint16")])
def test_a_quantised_har_gives_scales_and_zero_points(read, compress, bits, dtype):
    graph = yolov8_hn("a", 640)
    quant = qparams("a", {"conv41": (0.125, 150.0), "conv42": (0.5, 0.0)}, bits)
    net = read(har(graph, state="quantized_model", quant=quant, compress=compress))
    assert [(o.quant, o.dtype) for o in net.outputs[:3]] == [
        (Quant.of(0.125, 150.0), dtype), (Quant.of(0.5, 0.0), dtype), (None, None)
    ]  # fmt: skip
    assert net.facts["quant_source"] == "a.q.npz"


@pytest.mark.parametrize("values", [(0.0, 0.0), (1.0, -0.5), (1.0, 0.5, 2.0), (float("nan"), 1.0)])
def test_quantisation_in_an_unknown_form_is_named_and_not_guessed(read, values):
    quant = npz({"a/conv41/qp_out:0": npy(values)})
    net = read(har(yolov8_hn("a", 640), state="quantized_model", quant=quant))
    assert net.outputs[0].quant is None
    assert list(net.facts["quant_not_understood"]) == ["a/conv41"]


def test_a_bare_hn_is_read_like_the_one_of_an_archive(read):
    graph = yolov8_hn("drone", 640, classes=3)
    bare = read(json.dumps(graph).encode(), "drone.hn")
    packed = read(har(graph))
    assert (bare.name, bare.inputs, bare.outputs, bare.layers) == (
        packed.name, packed.inputs, packed.outputs, packed.layers
    )  # fmt: skip


def test_the_graph_that_the_metadata_names_counts(read):
    graph, native = yolov8_hn("a", 640, classes=3), yolov8_hn("a", 640, classes=9)
    more = {"a.native.hn": json.dumps(native).encode(), "a.fp.hn": json.dumps(native).encode()}
    assert read(har(graph, more=more)).outputs[1].shape == (80, 80, 3)
    assert read(har(graph, more=more, metadata={"hn": "a.native.hn"})).outputs[1].shape == (80, 80, 9)


def test_metadata_that_names_no_graph_is_passed_over(read):
    for name in ("readme.txt", "b.hn", 7):
        net = read(har(yolov8_hn("a", 640), metadata={"hn": name}, more={"readme.txt": b"x"}))
        assert len(net.outputs) == 6


def test_records_of_two_networks_are_refused(read):
    with pytest.raises(FormatError, match=r"holds several \.nms\.json"):
        read(har(yolov8_hn("a", 640), nms_json={}, more={"b.nms.json": b"{}"}))


def test_parameters_too_large_to_unpack_are_passed_over_and_named(read):
    data = har(yolov8_hn("a", 640), quant=bytes(range(256)) * (49 << 12), compress=True)
    net = read(data)
    assert len(net.outputs) == 6
    assert "gunzip the archive" in net.facts["quant_not_read"]


def test_two_graphs_of_which_none_is_named_are_refused(read):
    graph = json.dumps(yolov8_hn("a", 640)).encode()
    with pytest.raises(FormatError, match="several graphs"):
        read(pack({"a.hn": graph, "b.hn": graph}))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"net_params": {}}, "has no 'layers'"),
        ({"net_params": {}, "layers": []}, "layers cannot be used"),
        ({"net_params": {}, "layers": {"a/b": 3}}, r"layers\['a/b'\] cannot be used"),
        ({"net_params": {}, "layers": {"a": {"type": 1}}}, r"layers\['a'\]\.type cannot be used"),
        ({"net_params": {}, "layers": {"a": {"input": "b"}}}, r"layers\['a'\]\.input cannot be used"),
        ({"net_params": {"output_layers_order": 1}, "layers": {}}, "output_layers_order cannot be used"),
        ([], "net.hn cannot be used"),
    ],
)
def test_a_graph_of_another_form_is_refused_with_its_path(read, document, message):
    with pytest.raises(FormatError, match=message):
        read(pack({"net.hn": json.dumps(document).encode()}))


def test_layers_in_a_circle_and_shapes_that_are_none_do_no_harm(read):
    layers = {
        "input_layer1": layer("input_layer", (64, 64, 3)),
        "activation1": layer("activation", (8, 8, 4), ["activation2"]),
        "activation2": layer("activation", (8, 8, 4), ["activation1"]),
        "odd": {**layer("conv", None, ["input_layer1"]), "output_shapes": [[-1, -1, True, 0]]},
        "fc1": {**layer("dense", None, ["odd"]), "output_shapes": [[-1, 10]]},
        "output_layer1": layer("output_layer", (8, 8, 4), ["activation1"]),
        "output_layer2": layer("output_layer", None, ["fc1"]),
    }
    net = read(har(hn("loop", layers)))
    assert [(o.name, o.shape) for o in net.outputs] == [
        ("loop/activation1", (8, 8, 4)),
        ("loop/fc1", (1, 1, 10)),
    ]
