"""Networks of any content, as a file by hand may describe them: for tests of what takes a NetworkInfo."""

from __future__ import annotations

from hypothesis import strategies as st

from hailo_decode.values.network import DecoderInfo, NetworkInfo, NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

NAMES = st.sampled_from(["net/conv1", "conv1", "net/conv2", "", "ne_activation_conv1", "é\n\x1b[2J"])
SHAPES = st.none() | st.tuples(*[st.sampled_from([1, 3, 4, 8, 64, 80, 255])] * 3)
ODD = (
    st.none()
    | st.booleans()
    | st.integers(-1, 80)
    | st.text(max_size=3)
    | st.lists(st.integers())
    | st.just({})
)
QUANTS = st.none() | st.sampled_from([Quant.of(0.1, 3.0), Quant.of([0.1, 0.2], [-9.0, 40_000.0])])
NMS = st.none() | st.builds(
    NmsInfo,
    *[st.none() | st.integers(0, 80)] * 3,
    st.none() | st.floats(0, 1),
    st.none() | st.floats(0, 1),
    st.none() | st.just((640, 320)),
)
OUTPUTS = st.builds(
    OutputInfo,
    NAMES,
    SHAPES,
    SHAPES,
    st.none() | st.sampled_from(FormatOrder),
    st.sampled_from([None, "uint8", "uint16", "float32"]),
    QUANTS,
    st.sampled_from([None, "linear", "sigmoid"]),
    role=st.sampled_from([None, "box", "cls", "proto"]),
    network=st.sampled_from([None, "a", "b"]),
    nms=NMS,
    device_order=st.none() | st.sampled_from(FormatOrder),
    facts=st.dictionaries(st.sampled_from(["limits", "layer", "order"]), ODD, max_size=2),
)
WORDS = st.sampled_from(["reg", "cls", "obj", "encoded", "combined", "odd"])
DECODERS = st.builds(
    DecoderInfo,
    st.none() | st.sampled_from([0, 8, 16]),
    st.dictionaries(WORDS, NAMES, max_size=3),
    st.lists(st.just((1.0, 2.0)), max_size=3).map(tuple),
)
KINDS = st.sampled_from(["yolov8", "yolov5", "yolov5seg", "yolox", "ssd", "damoyolo", "iou", ""])
OPS = st.builds(
    OpInfo,
    NAMES,
    KINDS,
    st.none() | NAMES,
    st.lists(NAMES, max_size=3).map(tuple),
    NMS,
    st.lists(DECODERS, max_size=3).map(tuple),
    st.dictionaries(st.sampled_from(["regression_length", "proto_info"]), ODD | st.just({"number": 32})),
)
FACTS = st.sampled_from(
    [
        *("hailort_refuses", "disagreements", "extensions", "network_groups", "integrity", "before_input"),
        *("file_bytes", "metadata_bytes", "header_version", "opsets", "producer", "state", "head", "no_head"),
    ]
)
NETWORKS = st.builds(
    NetworkInfo,
    st.just("net"),
    st.sampled_from(["hef", "har", "json"]),
    st.none() | st.just((640, 640)),
    *[st.lists(OUTPUTS, max_size=4).map(tuple)] * 3,
    classes=st.lists(NAMES, max_size=2).map(tuple),
    devices=st.lists(st.just("hailo8"), max_size=1).map(tuple),
    ops=st.lists(OPS, max_size=3).map(tuple),
    facts=st.dictionaries(FACTS, ODD | st.just(["it is odd"])),
)
