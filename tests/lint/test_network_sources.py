"""Whatever file tells of the network, a right configuration is left alone and a wrong one is found."""

from __future__ import annotations

import json

import pytest
from lint.texts import SNAIL, codes, remarks, told, with_changes
from networks.build_har import har, modifications, nms_json, yolov8_hn
from networks.build_hef import hef, layer, yolov8
from networks.build_onnx import network as onnx

from hailo_decode.networks import read_network

GRAPH = yolov8_hn("snail", (480, 640), classes=3, normalization=False)
PAIRS = ((41, 42), (52, 53), (62, 63))
GRIDS = ((60, 80), (30, 40), (15, 20))
PARSE_HEF = "\n".join(
    [
        "Architecture HEF was compiled for: HAILO8L",
        "Network group name: snail, Multi Context - Number of contexts: 2",
        "    Network name: snail/snail",
        "        VStream infos:",
        "            Input  snail/input_layer1 UINT8, NHWC(480x640x3)",
        *(
            f"            Output snail/conv{n} UINT8, FCR({h}x{w}x{c})"
            for (h, w), (box, cls) in zip(GRIDS, PAIRS, strict=True)
            for n, c in ((box, 64), (cls, 3))
        ),
        "",
    ]
)
ENDS = [
    (f"/model.22/cv{branch}.{i}/cv{branch}.{i}.2/Conv", channels, 8 << i)
    for i in range(3)
    for branch, channels in ((2, 64), (3, 3))
]
INPUTS = [layer("snail/input_layer1", (480, 640, 3))]


def raw_hef() -> bytes:
    outputs = []
    for (h, w), (box, cls) in zip(GRIDS, PAIRS, strict=True):
        outputs += [layer(f"snail/conv{box}", (h, w, 64)), layer(f"snail/conv{cls}", (h, w, 3))]
    return hef(outputs, inputs=INPUTS, name="snail")


def nms_hef() -> bytes:
    """As the compiler writes it with an NMS step: outputs have a number behind the layer's name."""
    outputs, decoders = [], []
    for i, ((h, w), (box, cls)) in enumerate(zip(GRIDS, PAIRS, strict=True)):
        names = [f"snail/conv{n}_{100 + 2 * i + k}" for k, n in enumerate((box, cls))]
        outputs += [
            layer(names[0], (h, w, 64)),
            layer(names[1], (h, w, 3), scale=1 / 255, zero_point=0.0, limits=(0.0, 1.0)),
        ]
        decoders.append((8 << i, *names))
    return hef(outputs, inputs=INPUTS, name="snail", ops=[yolov8(decoders, (480, 640), classes=3)])


def optimized() -> bytes:
    graph = yolov8_hn("snail", (480, 640), classes=3, nms=True, sigmoid=True)
    return har(graph, modifications=modifications(graph), nms_json=nms_json(graph), state="quantized_model")


FILES = {
    "a parsed HAR": ("a.har", har(GRAPH)),
    "a packed HAR": ("a.har", har(GRAPH, compress=True)),
    "an optimized HAR": ("a.har", optimized()),
    "a HAR without names of nodes": (
        "a.har",
        har(yolov8_hn("snail", (480, 640), classes=3, normalization=False, original_names=False)),
    ),
    "an HN": ("a.hn", json.dumps(GRAPH).encode()),
    "an ONNX file": ("a.onnx", onnx(ENDS, (480, 640))),
    "a HEF with raw outputs": ("a.hef", raw_hef()),
    "a HEF with the step": ("a.hef", nms_hef()),
    "the text of parse-hef": ("a.txt", PARSE_HEF.encode()),
}


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    found = {}
    for name, (file, data) in FILES.items():
        path = tmp_path_factory.mktemp("network") / file
        path.write_bytes(data)
        found[name] = read_network(path)
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_right_configuration_is_left_alone(networks, name):
    assert told(remarks(SNAIL, network=networks[name])) == []
    assert told(remarks(json.dumps(SNAIL).replace("snail/", ""), network=networks[name])) == []


def exchanged() -> dict:
    config = with_changes(SNAIL)
    first, _, last = config["bbox_decoders"]
    first["stride"], last["stride"] = last["stride"], first["stride"]
    return config


@pytest.mark.parametrize("name", FILES)
def test_wrong_numbers_are_found(networks, name):
    network = networks[name]
    assert codes(remarks(with_changes(SNAIL, classes=80), network=network), "error") == {"HD404"}
    assert codes(remarks(with_changes(SNAIL, regression_length=15), network=network), "error") == {"HD405"}
    assert codes(remarks(with_changes(SNAIL, image_dims=[640, 480]), network=network), "error") == {"HD406"}
    fewer = with_changes(SNAIL, bbox_decoders=SNAIL["bbox_decoders"][1:])
    assert codes(remarks(fewer, network=network), "error") == {"HD413"}


@pytest.mark.parametrize("name", [name for name in FILES if name != "an ONNX file"])
def test_wrong_strides_and_names_are_found_where_the_file_has_layer_names(networks, name):
    network = networks[name]
    assert codes(remarks(exchanged(), network=network), "error") == {"HD401"}
    stale = json.loads(json.dumps(SNAIL).replace("conv53", "conv57"))
    assert codes(remarks(stale, network=network), "error") == {"HD402"}


def test_a_stride_that_an_onnx_file_has_no_scale_for_is_found(networks):
    config = with_changes(SNAIL)
    config["bbox_decoders"][2]["stride"] = 64
    found = remarks(config, network=networks["an ONNX file"])
    assert codes(found, "error") == {"HD409", "HD413"}


def test_an_onnx_file_cannot_tell_names_and_exchanged_strides_and_does_not_claim_to(networks):
    assert codes(remarks(exchanged(), network=networks["an ONNX file"]), "error") == set()
    assert codes(remarks(exchanged(), network=networks["an ONNX file"]), "warning") == set()


def test_an_optimized_network_made_with_another_file_is_told(networks):
    found = remarks(with_changes(SNAIL, max_proposals_per_class=50), network=networks["an optimized HAR"])
    assert told(found) == ["warning HD426"]
    assert found[0].message == "max_proposals_per_class is 50 here, and 100 in the network"
