"""Our own description: read, written, and every complaint with the key's path."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.errors import FormatError, HailoDecodeError, QuantError
from hailo_decode.networks import read_network
from hailo_decode.networks.description import description_of, network_from_description
from hailo_decode.values.network import DecoderInfo, LayerInfo, NetworkInfo, NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

SHARED = Path(__file__).parents[2].parent / "shared"
GIVEN = sorted([*SHARED.glob("goldens/*/network.json"), *SHARED.glob("demo/*/network.json")])

names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
texts = st.lists(names, max_size=3).map(tuple)
wholes = st.integers(1, 9999)
reals = st.floats(-1e6, 1e6)
pairs = st.lists(st.tuples(reals, reals), max_size=3).map(tuple)
shapes = st.none() | st.tuples(wholes, wholes, wholes)
sizes = st.none() | st.tuples(wholes, wholes)
said = st.none() | names.filter(bool)
facts = st.dictionaries(names, st.none() | st.booleans() | reals | names | st.lists(wholes), max_size=3)
quants = st.none() | st.lists(st.tuples(st.floats(1e-6, 9), reals), min_size=1, max_size=4).map(
    lambda entries: Quant.of([s for s, _ in entries], [z for _, z in entries])
)
nms_blocks = st.none() | st.builds(
    NmsInfo,
    classes=st.none() | wholes,
    max_per_class=st.none() | wholes,
    max_total=st.none() | wholes,
    score_threshold=st.none() | reals,
    iou_threshold=st.none() | reals,
    image_size=sizes,
    frame_bytes=st.none() | wholes,
    mask_threshold=st.none() | reals,
)


@st.composite
def outputs(draw, name=names):
    order = draw(st.none() | st.sampled_from(list(FormatOrder)))
    return OutputInfo(
        name=draw(name),
        shape=None if order and order.is_nms else draw(shapes),
        hw_shape=draw(shapes),
        device_order=draw(st.none() | st.sampled_from(list(FormatOrder))),
        order=order,
        dtype=draw(st.sampled_from([None, "uint8", "uint16", "float32"])),
        quant=draw(quants),
        activation=draw(st.sampled_from([None, "linear", "sigmoid", "softmax"])),
        layout=draw(st.sampled_from([None, "host", "device"])),
        role=draw(said),
        stride=draw(st.none() | wholes),
        network=draw(said),
        original_names=draw(texts),
        nms=draw(nms_blocks),
        arrays=draw(texts),
        facts=draw(facts),
    )


decoders = st.builds(
    DecoderInfo,
    stride=st.none() | wholes,
    layers=st.dictionaries(st.sampled_from(["reg", "cls", "obj"]), names),
    anchors=pairs,
)
ops = st.builds(
    OpInfo,
    name=names,
    kind=names,
    output=said,
    inputs=texts,
    nms=nms_blocks,
    decoders=st.lists(decoders, max_size=3).map(tuple),
    fields=facts,
)
layers = st.builds(
    LayerInfo,
    name=names,
    kind=names,
    shape=shapes,
    activation=said,
    inputs=texts,
    outputs=texts,
    original_names=texts,
)
networks = st.builds(
    NetworkInfo,
    name=names,
    source=st.sampled_from(["json", "hef", "har"]),
    input_size=sizes,
    inputs=st.lists(outputs(), max_size=2).map(tuple),
    outputs=st.lists(outputs(), max_size=3, unique_by=lambda o: o.name).map(tuple),
    heads=st.lists(outputs(), max_size=2).map(tuple),
    family=said,
    task=said,
    classes=texts,
    nms_free=st.none() | st.booleans(),
    nms_done=st.booleans(),
    anchors=st.dictionaries(wholes, pairs, max_size=2),
    keypoints=sizes,
    devices=texts,
    compiler=said,
    layers=st.lists(layers, max_size=2).map(tuple),
    ops=st.lists(ops, max_size=2).map(tuple),
    image_size=sizes,
    letterbox=st.none() | st.just({"mode": "letterbox", "scale": 0.5, "pad_x": 0, "pad_y": 10}),
    facts=facts,
)


@given(networks)
def test_a_network_comes_back_from_its_description(network):
    assert network_from_description(json.loads(json.dumps(description_of(network)))) == network


@pytest.mark.skipif(not GIVEN, reason="the golden cases are not beside this checkout")
@pytest.mark.parametrize("path", GIVEN, ids=lambda p: p.parent.name)
def test_every_key_of_a_golden_description_is_kept(path):
    raw = json.loads(path.read_text())
    network = read_network(path)
    back = description_of(network)
    told = {**back, **back.get("facts", {})}
    for key in raw.keys() - {"outputs"}:
        assert told.get(key) == raw[key], key
    for was, now in zip(raw["outputs"], back["outputs"], strict=True):
        told = {**now, **now.get("facts", {})}
        for key in was.keys() - {"nms"}:
            assert told.get(key) == was[key], key
        nms = {**now.get("nms", {}), **now.get("facts", {}).get("nms", {})}
        for key, value in was.get("nms", {}).items():
            assert nms.get(key) == value, key
    assert network_from_description(json.loads(json.dumps(back))) == network


def test_layout_words_become_layout_and_order():
    words = ("host", "device", "host_nchw", "host_nchw_pyshape", "host_list", "host_cube")
    given = [{"name": word, "layout": word} for word in words]
    read = network_from_description({"outputs": given}).outputs
    assert [(o.layout, o.order) for o in read] == [
        ("host", None),
        ("device", None),
        ("host", FormatOrder.NCHW),
        ("host", FormatOrder.NCHW),
        ("host", None),
        ("host", None),
    ]
    assert [o.facts.get("layout") for o in read] == [None, None, *words[2:]]


def test_an_nms_order_says_that_nms_is_done():
    network = network_from_description({"outputs": [{"name": "nms", "order": "HAILO NMS BY CLASS"}]})
    assert network.nms_done is True


def test_an_output_without_scale_has_no_quantisation():
    assert network_from_description({"outputs": [{"name": "a", "zero_point": 3}]}).outputs[0].quant is None


def test_one_scale_for_each_channel_is_kept():
    given = {"name": "a", "scale": [0.5, 0.25], "zero_point": [1, 2]}
    assert network_from_description({"outputs": [given]}).outputs[0].quant == Quant((0.5, 0.25), (1.0, 2.0))


WRONG = {
    "outputs": {"outputs": {}},
    "outputs[0]": {"outputs": [3]},
    "outputs[0].name": {"outputs": [{"name": 3}]},
    "outputs[0] has no name": {"outputs": [{}]},
    "outputs[1].shape": {"outputs": [{"name": "a"}, {"name": "b", "shape": [80, 80]}]},
    "outputs[0].shape": {"outputs": [{"name": "a", "shape": [80, -1, 3]}]},
    "outputs[0].hw_shape": {"outputs": [{"name": "a", "hw_shape": [80, 80, 1 << 40]}]},
    "outputs[0].order": {"outputs": [{"name": "a", "order": "NHCC"}]},
    "outputs[0].dtype": {"outputs": [{"name": "a", "dtype": "u8"}]},
    "outputs[0].layout": {"outputs": [{"name": "a", "layout": "raw"}]},
    "outputs[0].activation": {"outputs": [{"name": "a", "activation": 1}]},
    "outputs[0].stride": {"outputs": [{"name": "a", "stride": 0}]},
    "outputs[0] has a scale": {"outputs": [{"name": "a", "scale": "1"}]},
    "outputs[1] has the name": {"outputs": [{"name": "a"}, {"name": "a"}]},
    "outputs[0].nms.image_dims": {"outputs": [{"name": "a", "nms": {"image_dims": 320}}]},
    "outputs[0].nms.score_threshold": {"outputs": [{"name": "a", "nms": {"score_threshold": True}}]},
    "input": {"outputs": [], "input": [320]},
    "classes": {"outputs": [], "classes": ["a", 1]},
    "nms_free": {"outputs": [], "nms_free": 1},
    "stride": {"outputs": [], "anchors": {"eight": []}},
    "anchors.8": {"outputs": [], "anchors": {"8": [[10]]}},
    "letterbox.mode": {"outputs": [], "letterbox": {"mode": "squash"}},
    "letterbox.pad_x": {"outputs": [], "letterbox": {"mode": "letterbox", "pad_x": "x"}},
    "has outputs": {"name": "net"},
}


@pytest.mark.parametrize(("place", "given"), WRONG.items(), ids=WRONG)
def test_a_wrong_value_is_named_by_its_path(place, given):
    with pytest.raises(FormatError) as caught:
        network_from_description(given)
    assert place in caught.value.message


def test_an_impossible_scale_is_named_by_its_path():
    with pytest.raises(QuantError, match=r"^outputs\[0\]: a scale must be a positive number"):
        network_from_description({"outputs": [{"name": "a", "scale": 0}]})


TEXTS = {
    "a key twice": (b'{"outputs": [{"name": "a", "shape": 1, "shape": 2}]}', "outputs[0].shape"),
    "not JSON": (b'{"outputs": [,]}', "line 1, column 14"),
    "nan": (b'{"outputs": [], "x": NaN}', "NaN"),
    "endless": (b'{"outputs": [], "x": 1e999}', "1e999"),
    "many digits": (b'{"outputs": [], "x": ' + b"9" * 5000 + b"}", "number"),
    "deep": (b'{"outputs": ' + b"[" * 100_000, "deep"),
    "not UTF-8": (b'{"outputs": "\xff"}', "UTF-8"),
    "a list": (b'{"outputs": [[]]}', "outputs[0]"),
}


@pytest.mark.parametrize(("data", "said"), TEXTS.values(), ids=TEXTS)
def test_broken_text_is_told_with_its_place(tmp_path, data, said):
    path = tmp_path / "network.json"
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        read_network(path)
    assert said in str(caught.value)


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "network.json"
    path.write_bytes(b'\xef\xbb\xbf{"name": "net", "outputs": []}')
    assert read_network(path).name == "net"


@given(
    st.recursive(
        st.none() | st.booleans() | reals | names,
        lambda inner: (
            st.lists(inner)
            | facts
            | st.dictionaries(
                st.sampled_from(
                    ["outputs", "name", "shape", "order", "nms", "layers", "ops", "facts", "scale"]
                ),
                inner,
            )
        ),
    )
)
def test_any_json_is_read_or_refused_by_an_error_of_ours(value):
    with suppress(HailoDecodeError):
        network_from_description(value if isinstance(value, dict) else {"outputs": value})
