"""Every number of a HEF, against a second reader on top of the protobuf package."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import naive_hef
from networks.build_hef import (
    CHANNEL_SCALE,
    HW_PADDING,
    MULTI_NETWORK,
    hef,
    iou_only,
    layer,
    logits,
    mux,
    planes,
    ssd,
    yolov5,
    yolov5_seg,
    yolov8,
    yolox,
)

from hailo_decode.networks import read_network
from hailo_decode.networks.hef import network_of

HEFS = sorted((Path(__file__).parents[2].parent / "shared" / "hefs").glob("*.hef"))


def agree(data):
    """Read with both and compare; layers without steps' results, which are no layers."""
    network, twin = network_of(memoryview(data)), naive_hef.read(data)
    ours = naive_hef.flat(network)
    made = {op["output"] for op in ours["ops"]}
    ours["layers"] = [one for one in ours["layers"] if one["name"] not in made]
    twin["layers"].sort(key=lambda one: one["name"])
    for one in (*twin["layers"], *twin["inputs"]):
        pairs = one.get("quant")
        if pairs and len(set(pairs)) == 1:  # equal for all channels: kept once
            one["quant"] = pairs[:1]
        if pairs and any(scale <= 0 for scale, _ in pairs):
            one["quant"] = None
    assert ours == twin
    return network


@pytest.mark.skipif(not HEFS, reason="the real HEF files are not beside this checkout")
@pytest.mark.parametrize("path", HEFS, ids=lambda p: p.name)
def test_every_number_of_a_real_file_is_protobufs(path):
    data = path.read_bytes()
    network = agree(data)
    top = naive_hef.parse(data)
    assert network == read_network(path)
    assert network.facts["timestamp"] == top.header.timestamp
    assert network.facts["hw_arch"] == top.header.arch
    assert network.facts["sdk_text"] == top.header.sdk_text
    sdk = top.header.sdk
    assert network.compiler == (
        f"{sdk.major}.{sdk.minor}.{sdk.revision}" if sdk.major else top.header.sdk_text
    )
    assert len(network.facts["extensions"]) == len(top.extensions)
    metadata = top.groups[0].metadata
    told = network.facts["network_groups"][0]
    assert (told["bottleneck_fps"], told["latency"]) == (metadata.bottleneck_fps, metadata.latency)
    assert network.facts["hailort_refuses"] == []
    assert read_network(path, verify=True).facts["integrity"]["checked"] is True


A, B, C = ("net/conv41", "net/conv42", "net/conv43")
BOX, CLS, OBJ = (layer(A, (8, 10, 64)), layer(B, (8, 10, 5), hw_shape=(8, 16, 5)), layer(C, (8, 10, 1)))
ANCHORS = [(10, 13), (16, 30), (33, 23)]
CHIP = {"classes": 7, "max_output": 30, "bbox_size": 8, "division": 2, "burst_size": 3, "burst_type": 1}
FILES = {
    "raw heads": {"outputs": [BOX, CLS, OBJ]},
    "the last output first": {"outputs": [BOX, CLS], "sorted_outputs": [B, A]},
    "yolov8": {"outputs": [BOX, CLS, OBJ], "op": yolov8([(8, A, B)], (64, 80), classes=5)},
    "yolov8, boxes only": {"outputs": [BOX, CLS], "op": yolov8([(8, A, B)], bbox_only=True, classes=5)},
    "yolov8, background": {"outputs": [BOX, CLS], "op": yolov8([(8, A, B)], background=0, classes=5)},
    "yolox": {"outputs": [BOX, CLS, OBJ], "op": yolox([(8, A, B, C)], (64, 80), classes=5)},
    "yolov5": {"outputs": [BOX], "op": yolov5([(8, A, ANCHORS)], (64, 80), classes=5)},
    "yolov5seg": {"outputs": [BOX, OBJ], "op": yolov5_seg([(8, A, ANCHORS)], C, (64, 80), classes=5)},
    "ssd": {
        "outputs": [BOX, CLS],
        "op": ssd([(A, B, [(0.25, 0.5), (0.75, 0.5)])], order=(1, 0, 3, 2), classes=5),
    },
    "two ops": {"outputs": [BOX, CLS, OBJ], "ops": [yolov8([(8, A, B)]), logits(1, C, scale=0.5)]},
    "argmax": {"outputs": [BOX], "op": logits(0, A, order=5, dtype=2)},
    "nms on chip": {"outputs": [layer(A, (1, 1, 1), order="NMS", dtype="uint16", nms=CHIP)]},
    "iou behind it": {
        "outputs": [layer(A, (1, 1, 1), order="NMS", dtype="uint16", nms=CHIP)],
        "op": iou_only(A, classes=7),
    },
    "mux": {"outputs": [mux("net/mux1", [BOX, mux("net/mux0", [CLS, OBJ])])]},
    "planes": {
        "inputs": [planes("net/in", (64, 80, 3), [layer("y", (64, 80, 1)), layer("uv", (32, 40, 2))])],
        "outputs": [BOX],
    },
    "transposed network": {"outputs": [BOX, layer(B, (1, 1, 9), order="NC")], "transposed": True},
    "transposed layer": {"outputs": [layer(A, (8, 10, 64), transposed=True), CLS]},
    "a scale for each channel": {
        "outputs": [layer(A, (4, 4, 3), scales=(0.1, 0.2, 0.3), zero_points=(1, 2, 3))],
        "extensions": [CHANNEL_SCALE],
    },
    "vectors without the extension": {"outputs": [layer(A, (4, 4, 3), scales=(0.1, 0.2, 0.3))]},
    "partial groups": {"outputs": [BOX, CLS], "arch": "hailo8l", "partial": [3, 12]},
    "partial cores": {"outputs": [BOX, CLS], "arch": "hailo15m", "partial": [3], "op": yolov8([(8, A, B)])},
    "two networks": {
        "outputs": [BOX, layer(B, (8, 10, 5), network=1)],
        "inputs": [layer("a/in", (64, 80, 3)), layer("b/in", (32, 40, 3), network=1)],
        "networks": ["a", "b"],
    },
    "two groups": {"outputs": [BOX], "groups": 2, "op": yolov8([(8, A, A)])},
    "contexts": {
        "outputs": [BOX, layer(B, (8, 10, 5), context=2), layer("inner", (1, 1, 1), context=1, connection=1)],
        "sorted_outputs": [A, B],
    },
    "no list of outputs but the context's": {"outputs": [BOX]},
    "16 bits, F8CR and FCR": {
        "outputs": [
            layer(A, (5, 7, 9), dtype="uint16", order="F8CR", hw_shape=(5, 8, 16)),
            layer(B, (5, 7, 9), order="FCR", hw_shape=(5, 8, 9)),
        ]
    },
    "without the multi-network extension": {"outputs": [BOX], "networks": ["x"], "optional": []},
    "header version 0": {"outputs": [BOX], "header_version": 0, "version": 0},
}


@pytest.mark.parametrize("spec", FILES.values(), ids=FILES)
@pytest.mark.parametrize("version", [0, 1, "4.17", 2, 3])
def test_every_number_of_a_made_up_file_is_protobufs(spec, version):
    agree(hef(**{"version": version, **spec}))


sizes = st.integers(1, 70)
layers = st.builds(
    lambda i, shape, pad, order, width, scale, zero, turned, buffers, fifo: layer(
        f"net/conv{i}",
        shape,
        hw_shape=tuple(map(sum, zip(shape, pad, strict=True))),
        order=order,
        dtype=width,
        scale=scale,
        zero_point=zero,
        transposed=turned,
        base={"buffers_per_frame": buffers or shape[0], "shmifo_size": fifo},
    ),
    st.integers(0, 99),
    st.tuples(sizes, sizes, st.integers(1, 300)),
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 7)),
    st.sampled_from(["NHWC", "NHCW", "NC", "FCR", "NHW", "F8CR"]),
    st.sampled_from(["uint8", "uint16"]),
    st.floats(0.001, 2),
    st.floats(0, 255),
    st.booleans(),
    st.sampled_from([0, 0, 1]),
    st.sampled_from([0, 64, 4096, 65536]),
)


@given(
    st.lists(layers, min_size=1, max_size=4, unique_by=lambda one: one.name),
    st.sampled_from([(), (HW_PADDING,), (HW_PADDING, MULTI_NETWORK)]),
    st.booleans(),
    st.sampled_from([0, 1, 2, 3]),
)
def test_padding_order_and_type_of_any_layer_are_protobufs(outputs, optional, transposed, version):
    agree(hef(outputs, optional=optional, transposed=transposed, version=version))
