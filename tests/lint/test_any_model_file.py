"""Whatever stands in a model file, the check of it ends, soon, and says the same each time."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st
from networks.odd_networks import NETWORKS

from hailo_decode.lint import check_network
from hailo_decode.values.network import DecoderInfo, NetworkInfo, NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder


@settings(max_examples=200)
@given(
    NETWORKS,
    st.none() | st.just(("a",)),
    st.sampled_from([None, "hailo8", "hailo8l"]),
    st.none() | st.just(3),
)
def test_whatever_a_file_says_the_check_ends_and_its_remarks_are_sentences(network, names, device, classes):
    found = check_network(network, names, device, classes=classes)
    assert all(remark.code.startswith("HD5") and remark.message for remark in found)
    assert found == check_network(network, names, device, classes=classes)


def test_thousands_of_layers_with_one_fault_are_one_short_remark_and_no_long_work():
    many = 5000
    heads = tuple(
        OutputInfo(f"net/c{i}", (8, 8, 3), dtype="uint8", device_order=FormatOrder.FCR) for i in range(many)
    )
    ops = tuple(
        OpInfo(
            f"op{i}",
            "yolov8",
            inputs=(heads[i].name,),
            nms=NmsInfo(80),
            decoders=(DecoderInfo(8, {"cls": heads[i].name}),),
        )
        for i in range(many)
    )
    one = OpInfo("all", "yolov8", inputs=tuple(h.name for h in heads))
    began = time.process_time()
    found = check_network(NetworkInfo("net", "json", (64, 64), heads=heads, ops=(*ops, one)))
    assert time.process_time() - began < 2
    assert max(len(remark.message) for remark in found) < 300
