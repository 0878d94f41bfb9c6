"""What a HEF says of layers, networks and devices: one case for each rule of HailoRT."""

from pathlib import Path

import pytest
from networks.build_hef import (
    CHANNEL_SCALE,
    HW_PADDING,
    MULTI_NETWORK,
    PERIPH,
    hef,
    layer,
    mux,
    planes,
    yolov8,
)

from hailo_decode.networks import read_network
from hailo_decode.networks.description import description_of, network_from_description
from hailo_decode.networks.hef import network_of
from hailo_decode.values.network import NmsInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

A, B = "net/conv41", "net/conv42"


def network(*outputs, **rest):
    return network_of(memoryview(hef(outputs, **rest)))


def test_a_file_is_known_by_its_bytes_and_not_by_its_name(tmp_path):
    path = tmp_path / "model.bin"
    path.write_bytes(hef([layer(A, (8, 8, 4))]))
    read = read_network(path)
    assert (read.source, read.name, read.input_size) == ("hef", "net", (640, 640))


ORDERS = {
    "NHWC": ("NHWC", "NHWC"),
    "NHCW": ("NHCW", "NHWC"),
    "FCR": ("FCR", "FCR"),
    "F8CR": ("F8CR", "F8CR"),
    "NC": ("NC", "NC"),
    "NHW": ("NHW", "NHW"),
    13: ("NHWC", "NHWC"),
}


@pytest.mark.parametrize(("order", "wanted"), ORDERS.items(), ids=map(str, ORDERS))
def test_the_device_order_and_what_a_caller_gets_are_both_told(order, wanted):
    (read,) = network(layer(A, (8, 8, 4), order=order)).outputs
    assert (read.device_order.value, read.order.value) == wanted


def test_an_rgb888_input_is_nhwc_for_the_caller():
    (read,) = network(layer(A, (8, 8, 4)), inputs=[layer("in", (64, 64, 3), order="RGB888")]).inputs
    assert (read.order, read.device_order, read.facts["device_order"]) == (FormatOrder.NHWC, None, "RGB 888")


def test_an_order_that_is_no_tensor_goes_by_name():
    (read,) = network(layer(A, (8, 8, 4)), inputs=[layer("in", (64, 64, 3), order="YYUV")]).inputs
    assert (read.order, read.facts["order"], read.facts["device_order"]) == (None, "NV12", "YYUV")


@pytest.mark.parametrize("number", [9, 10, 12, 17, 4000])
def test_an_unknown_order_is_told_and_the_rest_still_reads(number):
    read = network(layer(A, (8, 8, 4), order=number))
    assert read.outputs[0].order is None
    assert read.facts["hailort_refuses"] == [f"'net/conv41' has the unknown format {number}"]


# The chip takes padding off: NHCW, a buffer for each row, rows of whole 8 bytes that fit into it, no mux.
SMALL, BIG = 1001, 0
PADDED = {
    "taken off by the chip": ("NHCW", (20, 20, 4), 20, SMALL, (), (20, 20, 4)),
    "settled when compiled": ("NHCW", (20, 20, 4), 20, SMALL, (HW_PADDING,), (20, 24, 4)),
    "another order": ("FCR", (20, 20, 4), 20, SMALL, (), (20, 24, 4)),
    "buffers that are no rows": ("NHCW", (20, 20, 4), 10, SMALL, (), (20, 24, 4)),
    "rows of no whole 8 bytes": ("NHCW", (20, 21, 3), 20, SMALL, (), (20, 24, 4)),
    "rows that just fit": ("NHCW", (20, 20, 50), 20, SMALL, (), (20, 20, 50)),
    "rows that just do not": ("NHCW", (20, 20, 50), 20, SMALL - 1, (), (20, 24, 4)),
    "rows under 8192 bytes": ("NHCW", (20, 20, 408), 20, BIG, (), (20, 20, 408)),
    "rows over 8192 bytes": ("NHCW", (20, 20, 410), 20, BIG, (), (20, 24, 4)),
}


@pytest.mark.parametrize(
    ("order", "shape", "rows", "buffer", "optional", "wanted"), PADDED.values(), ids=PADDED
)
def test_padding_of_the_device_follows_hailort(order, shape, rows, buffer, optional, wanted):
    base = {"buffers_per_frame": rows, "shmifo_size": buffer}
    one = layer(A, shape, order=order, hw_shape=(20, 24, 4), base=base)
    (read,) = network(one, optional=optional).outputs
    assert (read.shape, read.hw_shape) == (shape, wanted)


def test_a_part_of_a_mux_keeps_its_padding():
    base = {"buffers_per_frame": 20, "shmifo_size": SMALL}
    inside = layer(A, (20, 20, 4), hw_shape=(20, 24, 4), base=base)
    (read,) = network(mux("net/mux1", [inside]), optional=()).outputs
    assert (read.hw_shape, read.facts["stream"]) == ((20, 24, 4), "net/mux1")


def test_a_mux_in_a_mux_gives_every_layer():
    parts = [mux("inner", [layer(A, (8, 8, 4)), layer(B, (8, 8, 4))]), layer("net/c", (4, 4, 4))]
    read = network(mux("outer", parts))
    assert [(one.name, one.facts["stream"]) for one in read.outputs] == [
        (A, "inner"),
        (B, "inner"),
        ("net/c", "outer"),
    ]


@pytest.mark.parametrize("where", ["network", "layer"])
def test_a_transposed_layer_swaps_the_shape_and_leaves_the_device_alone(where):
    one = layer(A, (10, 20, 4), hw_shape=(10, 24, 4), transposed=where == "layer")
    (read,) = network(one, transposed=where == "network").outputs
    assert (read.shape, read.hw_shape, read.facts["transposed"]) == ((20, 10, 4), (10, 24, 4), True)


def test_a_vector_is_never_transposed():
    (read,) = network(layer(A, (1, 2, 9), order="NC"), transposed=True).outputs
    assert read.shape == (1, 2, 9)


def test_planes_are_one_input():
    parts = [layer("y", (64, 80, 1), original=["image"]), layer("uv", (32, 40, 2))]
    read = network(layer(A, (8, 8, 4)), inputs=[planes("net/in", (64, 80, 3), parts, layout=1)])
    (one,) = read.inputs
    assert (one.name, one.shape, one.dtype, one.facts["order"]) == ("net/in", (64, 80, 3), "uint8", "NV21")
    assert (one.facts["planes"], one.original_names, read.input_size) == (["y", "uv"], ("image",), (64, 80))


def test_a_scale_for_each_channel_counts_with_the_extension():
    one = layer(A, (4, 4, 3), scale=0.5, scales=(0.1, 0.2, 0.3), zero_points=(1, 2, 3))
    (read,) = network(one, extensions=[CHANNEL_SCALE]).outputs
    assert read.quant.scale == pytest.approx((0.1, 0.2, 0.3))
    assert (read.quant.zero_point, read.quant.scale[0] == 0.1) == (
        (1.0, 2.0, 3.0),
        False,
    )  # as float32 has it


def test_without_the_extension_the_single_scale_counts():
    one = layer(A, (4, 4, 3), scale=0.5, zero_point=7, scales=(0.1, 0.2, 0.3), zero_points=(1, 2, 3))
    assert network(one).outputs[0].quant == Quant.of(0.5, 7)


def test_an_empty_vector_falls_back_to_the_single_number():
    one = layer(A, (4, 4, 3), zero_point=7, scales=(0.25, 0.5, 1))
    quant = network(one, extensions=[CHANNEL_SCALE]).outputs[0].quant
    assert quant == Quant((0.25, 0.5, 1.0), (7.0, 7.0, 7.0))


def test_a_vector_of_the_wrong_length_is_what_hailort_refuses():
    read = network(layer(A, (4, 4, 3), scales=(0.1, 0.2)), extensions=[CHANNEL_SCALE])
    assert read.facts["hailort_refuses"] == ["'net/conv41' has 2 scales or zero points for 3 channels"]


def test_an_input_of_different_scales_is_what_hailort_refuses():
    one = layer("net/in", (64, 64, 3), scales=(0.1, 0.2, 0.3))
    read = network(layer(A, (8, 8, 4)), inputs=[one], extensions=[CHANNEL_SCALE])
    assert read.facts["hailort_refuses"] == ["the input 'net/in' has channels of different scale"]


def test_four_zeros_are_no_quantisation():
    (read,) = network(layer(A, (4, 4, 3), scale=0, zero_point=0, limits=(0, 0))).outputs
    assert (read.quant, read.facts) == (None, {})


def test_an_impossible_scale_is_kept_among_the_facts():
    (read,) = network(
        layer(A, (4, 4, 3), scale=float("nan"), zero_point=3, limits=(float("-inf"), 1))
    ).outputs
    assert read.quant is None
    assert read.facts == {"limits": ["-inf", 1.0], "quant": {"scale": ["nan"], "zero_point": [3.0]}}


def test_nms_on_the_chip_is_a_by_class_buffer_for_the_caller():
    nms = {"classes": 7, "max_output": 30, "bbox_size": 8, "division": 2, "burst_size": 3, "burst_type": 1}
    (read,) = network(layer(A, (1, 1, 1), order="NMS", dtype="uint16", nms=nms)).outputs
    assert (read.order, read.device_order) == (FormatOrder.NMS_BY_CLASS, FormatOrder.NMS_ON_CHIP)
    assert (read.dtype, read.shape) == ("float32", None)
    assert read.nms == NmsInfo(classes=7, max_per_class=60, max_total=420, frame_bytes=4 * 7 * (1 + 5 * 60))
    assert read.facts["chip_nms"] == {"bbox_bytes": 8, "chunks": 2, "burst_size": 3, "burst_type": 1}


def test_an_nms_in_parts_is_one_output():
    def part(i):
        nms = {
            "classes": 40,
            "max_output": 10,
            "bbox_size": 8,
            "is_defused": True,
            "defuse": {"group_index": i, "original_name": "net/nms"},
        }
        return layer(f"net/nms_{i}", (1, 1, 1), order="NMS", dtype="uint16", scale=0.25, nms=nms)

    whole = {
        "layer": {"name": "net/nms"},
        "defused": ["net/nms_0", "net/nms_1"],
        "nms": {"classes": 80, "max_output": 10},
    }
    fused = {"has_fused": True, "sorted_outputs": [A, "net/nms"], "layers": [whole]}
    read = network(part(0), part(1), layer(A, (8, 8, 4)), fused=fused)
    assert [one.name for one in read.outputs] == [A, "net/nms"]
    assert (read.outputs[1].nms.classes, read.outputs[1].quant.scale, read.nms_done) == (80, (0.25,), True)
    missing = network(part(0), fused={**fused, "layers": []})
    assert missing.outputs == ()
    assert missing.facts["hailort_refuses"] == ["'net/nms_0' is a part of 'net/nms', which is not there"]


def test_outputs_come_in_the_sorted_order_and_not_in_that_of_the_file():
    read = network(layer(A, (8, 8, 4)), layer(B, (8, 8, 4)), sorted_outputs=[B, A])
    assert [one.name for one in read.outputs] == [B, A]


def test_an_output_that_the_sorted_list_lacks_comes_last_and_is_told():
    read = network(layer(A, (8, 8, 4)), layer(B, (8, 8, 4)), sorted_outputs=[B])
    assert [one.name for one in read.outputs] == [B, A]
    assert read.facts["hailort_refuses"] == ["the list of sorted outputs lacks 'net/conv41'"]


def test_only_what_crosses_the_boundary_is_listed_over_all_contexts():
    inner = layer("net/inner", (8, 8, 4), context=0, connection=1)
    read = network(inner, layer(A, (8, 8, 4), context=2), sorted_outputs=[A])
    assert [(one.name, one.facts["context"]) for one in read.outputs] == [(A, 2)]
    assert read.facts["network_groups"][0]["contexts"] == 3


def test_two_layers_of_one_name_are_what_hailort_refuses():
    read = network(layer(A, (8, 8, 4)), layer(A, (4, 4, 4)))
    assert [one.shape for one in read.outputs] == [(8, 8, 4)]
    assert read.facts["hailort_refuses"] == ["two layers have the name 'net/conv41'"]


def test_networks_of_one_group_are_told_apart_by_their_index():
    ins = [layer("a/in", (64, 64, 3)), layer("b/in", (32, 32, 3), network=1)]
    outs = [layer("a/conv", (8, 8, 4)), layer("b/conv", (4, 4, 4), network=1)]
    read = network(*outs, inputs=ins, networks=["a", "b"], optional=[MULTI_NETWORK])
    assert [one.network for one in (*read.inputs, *read.outputs)] == ["net/a", "net/b"] * 2
    assert read.input_size is None


def test_without_the_extension_a_group_is_one_network():
    read = network(layer(A, (8, 8, 4)), networks=["a", "b"], optional=[])
    assert read.outputs[0].network == "net/net"


@pytest.mark.parametrize("op", [None, yolov8([(8, A, B)])], ids=["raw", "with a step"])
def test_a_group_for_several_layouts_is_read_once(op):
    outs = [layer(A, (8, 8, 64)), layer(B, (8, 8, 5))]
    read = network(*outs, arch="hailo8l", partial=[3, 12], op=op)
    assert (read.name, read.facts["network_groups"][0]["layouts"]) == ("net", [3, 12])
    assert len(read.outputs) == (1 if op else 2)
    assert read.facts["hailort_refuses"] == []


DEVICES = {
    0: "hailo8",
    2: "hailo8",
    3: "hailo8l hailo8",
    4: "hailo15m hailo15h hailo10h",
    6: "hailo15l",
    101: "hailo8",
    103: "hailo15h hailo10h",
    106: "hailo15l",
    108: "hailo12l",
    999: "",
}


@pytest.mark.parametrize(("arch", "wanted"), DEVICES.items())
def test_devices_follow_the_architecture(arch, wanted):
    assert network(layer(A, (8, 8, 4)), arch=arch).devices == tuple(wanted.split())


def test_the_compiler_is_told_by_number_or_by_text():
    assert network(layer(A, (8, 8, 4)), sdk=(5, 2, 1), sdk_text="x").compiler == "5.2.1"
    assert network(layer(A, (8, 8, 4)), sdk=None, sdk_text="3.29.0").compiler == "3.29.0"
    assert network(layer(A, (8, 8, 4)), sdk=None).compiler is None


def test_an_unknown_extension_is_what_hailort_refuses():
    read = network(layer(A, (8, 8, 4)), extensions=[77])
    assert read.facts["extensions"] == ["PERIPH_CALCULATION_IN_HAILORT", "unknown extension 77"]
    assert read.facts["hailort_refuses"] == ["it needs the extension 77, which HailoRT 5.2 does not have"]


def test_a_file_of_an_old_compiler_is_told():
    told = network(layer(A, (8, 8, 4)), drop=[PERIPH]).facts["hailort_refuses"]
    assert told == ["it lacks the extension PERIPH_CALCULATION_IN_HAILORT: an old compiler made it"]


def test_extensions_of_a_file_of_header_version_0_are_flags():
    read = network(layer(A, (4, 4, 3), scales=(0.1, 0.2, 0.3)), extensions=[CHANNEL_SCALE], header_version=0)
    assert read.facts["extensions"] == []
    assert not read.outputs[0].quant.per_channel


@pytest.mark.parametrize("width", [0, 3, 4])
def test_numbers_of_another_width_are_told(width):
    read = network(layer(A, (8, 8, 4), dtype=width))
    assert read.outputs[0].dtype is None
    assert read.facts["hailort_refuses"] == [f"'net/conv41' has numbers of {width} bytes"]


def test_argmax_of_old_compilers_is_what_hailort_refuses():
    told = network(layer(A, (8, 8, 4), base={"host_argmax": True})).facts["hailort_refuses"]
    assert told == ["'net/conv41' wants an argmax on the host, which no newer HailoRT does: compile again"]


LIMITS = {
    "a long name": (
        layer("n" * 128, (8, 8, 4)),
        "the name of the layer 'nnnnnnnnnnnnnnnnnnnnnnnn'... has 128 bytes, more than 127",
    ),
    "an index of 9 bits": (
        layer(A, (8, 8, 4), base={"sys_index": 256}),
        "sys_index of 'net/conv41' is 256, too big for 8 bits",
    ),
    "17 bits": (
        layer(A, (8, 8, 4), base={"bytes_per_buffer": 65536}),
        "core_bytes_per_buffer of 'net/conv41' is 65536, too big for 16 bits",
    ),
    "4 gigabytes": (
        layer(A, (8, 8, 4), hw_shape=(65536, 65536, 1)),
        "'net/conv41' has 4294967296 bytes with padding, too many for 32 bits",
    ),
    "the tenth part": (
        layer(A, (8, 8, 4), nms={"defuse": {"group_index": 9}}),
        "'net/conv41' is part 9 of an NMS, of at most 9",
    ),
    "a long burst": (
        layer(A, (8, 8, 4), nms={"burst_size": 8193, "bbox_size": 8}),
        "'net/conv41' sends bursts of 65544 bytes, more than 65536",
    ),
}


@pytest.mark.parametrize(("one", "said"), LIMITS.values(), ids=LIMITS)
def test_what_goes_beyond_hailorts_limits_is_told(one, said):
    assert network(one).facts["hailort_refuses"] == [said]


def test_what_fills_the_limits_is_fine():
    nms = {"defuse": {"group_index": 8}, "burst_size": 8192, "bbox_size": 8}
    base = {"sys_index": 255, "engine": 255, "bytes_per_buffer": 65535, "buffers_per_frame": 65535}
    read = network(layer("n" * 127, (8, 8, 4), hw_shape=(65536, 65535, 1), base=base, nms=nms))
    assert read.facts["hailort_refuses"] == []


def test_every_fact_is_documented():
    parts = [
        mux("m", [layer(A, (8, 8, 4), hn_name="x", context=0)]),
        layer(B, (4, 4, 4), context=1, transposed=True),
    ]
    read = network(*parts, inputs=[planes("in", (8, 8, 3), [layer("y", (8, 8, 1))])], sorted_outputs=[A, B])
    told = {*read.facts, *(key for one in (*read.inputs, *read.outputs) for key in one.facts)}
    page = (Path(__file__).parents[2] / "docs" / "model-files.md").read_text()
    assert [key for key in sorted(told) if f"`{key}`" not in page] == []


def test_original_names_are_kept():
    (read,) = network(layer(A, (8, 8, 4), original=["Conv_1", "Mul_2"], hn_name="net/conv40")).outputs
    assert (read.original_names, read.facts["hn_layer"]) == (("Conv_1", "Mul_2"), "net/conv40")


def test_a_hef_survives_its_own_description():
    read = network(
        layer(A, (8, 8, 64)), layer(B, (8, 8, 5)), op=yolov8([(8, A, B)]), arch="hailo8l", partial=[1]
    )
    assert network_from_description(description_of(read)) == read
