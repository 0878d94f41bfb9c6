"""Steps of the host in a HEF: every field, every pad led to its layer, and what the caller receives."""

import pytest
from networks.build_hef import hef, iou_only, layer, logits, ssd, yolov5, yolov5_seg, yolov8, yolox

from hailo_decode.networks.hef import network_of
from hailo_decode.values.network import DecoderInfo, NmsInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

ANCHORS = [(10, 13), (16, 30), (33, 23)]
CHIP = {"classes": 7, "max_output": 30, "bbox_size": 8}


def network(*outputs, **rest):
    return network_of(memoryview(hef(outputs, **rest)))


def tensor(name, channels, grid=8, **rest):
    return layer(f"net/{name}", (grid, grid, channels), **rest)


def probabilities(name, channels, grid=8, **rest):
    return tensor(name, channels, grid, scale=1 / 255, zero_point=0, limits=(0, 1), **rest)


def test_yolov8_tells_its_layers_thresholds_and_result():
    outs = [
        probabilities("cls8", 5),
        tensor("reg8", 64),
        tensor("reg16", 64, 4),
        probabilities("cls16", 5, 4),
    ]
    op = yolov8(
        [(8, "net/reg8", "net/cls8"), (16, "net/reg16", "net/cls16")],
        (64, 80),
        score=0.25,
        iou=0.5,
        classes=5,
        most=30,
        division=2,
    )
    read = network(*outs, op=op)
    (step,) = read.ops
    assert (step.name, step.kind, step.output) == (
        "yolov8_nms_postprocess",
        "yolov8",
        "net/yolov8_nms_postprocess",
    )
    assert step.decoders == (
        DecoderInfo(8, {"reg": "net/reg8", "cls": "net/cls8"}),
        DecoderInfo(16, {"reg": "net/reg16", "cls": "net/cls16"}),
    )
    assert step.nms == NmsInfo(5, 30, 150, 0.25, 0.5, (64, 80))
    assert (step.fields["regression_length"], step.fields["input_division_factor"]) == (16, 2)
    (output,) = read.outputs
    assert (output.name, output.order, output.dtype) == (step.output, FormatOrder.NMS_BY_CLASS, "float32")
    assert (output.nms.frame_bytes, output.quant) == (4 * 5 * (1 + 5 * 30), Quant.of(1.0))
    roles = [(one.name, one.role, one.stride, one.activation) for one in read.heads]
    assert roles == [
        ("net/reg8", "box", 8, None),
        ("net/cls8", "cls", 8, "sigmoid"),
        ("net/reg16", "box", 16, None),
        ("net/cls16", "cls", 16, "sigmoid"),
    ]
    assert (read.family, read.task, read.nms_done) == ("yolov8", "detect", True)


def test_classes_beyond_probabilities_are_not_called_so():
    read = network(tensor("reg8", 64), tensor("cls8", 5), op=yolov8([(8, "net/reg8", "net/cls8")]))
    assert [one.activation for one in read.heads] == [None, None]


def test_yolox_tells_objectness_too():
    outs = [tensor("reg", 4), probabilities("cls", 5), probabilities("obj", 1)]
    read = network(*outs, op=yolox([(8, "net/reg", "net/cls", "net/obj")], classes=5))
    assert read.ops[0].decoders == (DecoderInfo(8, {"reg": "net/reg", "cls": "net/cls", "obj": "net/obj"}),)
    assert [one.role for one in read.heads] == ["box", "cls", "obj"]
    assert (read.family, read.task) == ("yolox", "detect")


@pytest.mark.parametrize(
    ("op", "divides"),
    [
        (yolox([(8, "net/reg", "net/cls", "net/obj")], (320, 480)), False),
        (ssd([("net/reg", "net/cls", [])], (320, 480)), False),
        (yolov8([(8, "net/reg", "net/cls")], (320, 480)), True),
        (yolov5([(8, "net/reg", [(10, 13)])], (320, 480)), True),
    ],
    ids=["yolox", "ssd", "yolov8", "yolov5"],
)
def test_the_image_size_counts_where_the_step_divides_by_it(op, divides):
    outs = [layer(f"net/{role}", (8, 8, 4)) for role in ("reg", "cls", "obj")]
    read = network(*outs, op=op)
    (step,) = read.ops
    size = (320, 480) if divides else None
    assert (step.nms.image_size, read.output(step.output).nms.image_size) == (size, size)
    assert (step.fields["image_height"], step.fields["image_width"]) == (320.0, 480.0)


def test_yolov5_tells_anchors_in_pixels_by_stride():
    read = network(probabilities("c8", 30), op=yolov5([(8, "net/c8", ANCHORS)], classes=5, division=3))
    assert read.ops[0].decoders == (DecoderInfo(8, {"encoded": "net/c8"}, tuple(ANCHORS)),)
    assert read.anchors == {8: tuple(ANCHORS)}
    assert read.ops[0].fields["input_division_factor"] == 3
    assert [(one.role, one.activation) for one in read.heads] == [(None, "sigmoid")]


def test_yolov5_seg_tells_its_prototypes_by_name_and_gives_a_byte_mask():
    outs = [probabilities("c8", 126), tensor("proto", 32, 16)]
    op = yolov5_seg([(8, "net/c8", ANCHORS)], "net/proto", (64, 64), mask=0.4, count=32, stride=4, classes=5)
    read = network(*outs, op=op)
    (step,) = read.ops
    assert (step.kind, step.nms.mask_threshold) == ("yolov5seg", 0.4)
    assert step.fields["proto_info"] == {"number": 32, "stride": 4, "proto_layer": "net/proto"}
    assert [(one.name, one.role, one.activation) for one in read.heads] == [
        ("net/c8", None, None),  # the one step that applies the sigmoid itself
        ("net/proto", "proto", None),
    ]
    (output,) = read.outputs
    assert (output.order, output.dtype, output.nms.frame_bytes) == (FormatOrder.NMS_BYTE_MASK, "uint8", None)
    assert (read.family, read.task) == ("yolov5", "segment")


def test_prototypes_that_nothing_feeds_are_told():
    op = yolov5_seg([(8, "net/c8", ANCHORS)], "net/proto", classes=5)
    told = network(tensor("c8", 126), tensor("other", 32), op=op).facts["hailort_refuses"]
    assert told == [
        "pad 102 of the step 'yolov5seg_nms' is fed by no output of the chip",
        "the step 'yolov5seg_nms' wants the prototypes 'net/proto', which no pad of it feeds",
    ]


def test_ssd_tells_scales_order_and_fractions():
    op = ssd(
        [("net/reg", "net/cls", [(0.25, 0.5), (0.75, 0.125)])],
        scales=(10, 5),
        order=(1, 0, 3, 2),
        classes=21,
        background=0,
    )
    read = network(tensor("reg", 8), probabilities("cls", 42), op=op)
    (step,) = read.ops
    assert step.decoders == (
        DecoderInfo(None, {"reg": "net/reg", "cls": "net/cls"}, ((0.25, 0.5), (0.75, 0.125))),
    )
    wanted = {
        "centers_scale_factor": 10,
        "bbox_dimensions_scale_factor": 5,
        "ty": 1,
        "tx": 0,
        "th": 3,
        "tw": 2,
    }
    assert wanted.items() <= step.fields.items()
    assert (step.nms.classes, read.outputs[0].nms.classes, read.anchors) == (21, 20, {})


def test_suppression_alone_reads_the_nms_of_the_chip():
    chip = layer("net/nms", (1, 1, 1), order="NMS", dtype="uint16", nms=CHIP)
    read = network(chip, op=iou_only("net/nms", classes=7, most=30, score=0.1))
    (step,) = read.ops
    assert (step.kind, step.inputs, step.decoders) == ("iou", ("net/nms",), ())
    assert (step.nms.score_threshold, step.nms.image_size) == (0.1, None)
    assert [one.name for one in read.outputs] == ["net/iou_nms_postprocess"]
    assert (read.family, read.task) == (None, "detect")


@pytest.mark.parametrize(
    ("op", "rows", "numbers"),
    [
        (yolov8([(8, "net/a", "net/b")], bbox_only=True, classes=5), 64, 9),
        (yolov5([(8, "net/a", ANCHORS), (16, "net/b", ANCHORS)], bbox_only=True, classes=5), 384, 10),
    ],
    ids=["yolov8", "yolov5"],
)
def test_decoding_alone_gives_rows_of_boxes(op, rows, numbers):
    read = network(tensor("a", 64), tensor("b", 64), op=op)
    (output,) = read.outputs
    assert (output.shape, output.order, output.dtype) == ((1, rows, numbers), FormatOrder.NHWC, "float32")
    assert (output.nms, read.nms_done) == (None, False)


def test_background_removal_announces_one_class_less():
    op = yolov8([(8, "net/reg8", "net/cls8")], classes=5, most=10, background=2)
    read = network(tensor("reg8", 64), tensor("cls8", 5), op=op)
    fields = read.ops[0].fields
    assert (fields["background_removal"], fields["background_removal_index"], fields["classes"]) == (
        True,
        2,
        5,
    )
    assert (read.outputs[0].nms.classes, read.outputs[0].nms.frame_bytes) == (4, 4 * 4 * 51)


def test_softmax_keeps_the_shape_and_takes_the_pads_quantisation():
    read = network(tensor("fc", 10), op=logits(1, "net/fc", order=1, dtype=1, scale=0.5, zero_point=3))
    (output,) = read.outputs
    assert (output.shape, output.order, output.dtype) == ((8, 8, 10), FormatOrder.NHWC, "uint8")
    assert (output.quant, output.activation) == (Quant.of(0.5, 3), "softmax")
    assert (read.ops[0].kind, read.task, read.family) == ("softmax", None, None)


def test_argmax_gives_a_map_of_indices():
    (output,) = network(tensor("fc", 10), op=logits(0, "net/fc", order=5, dtype=2)).outputs
    assert (output.shape, output.order, output.dtype) == ((8, 8, 1), FormatOrder.NHW, "uint16")


def test_outputs_that_no_step_reads_stay_beside_its_result():
    outs = [tensor("reg8", 64), tensor("aux", 3), tensor("cls8", 5)]
    read = network(*outs, op=yolov8([(8, "net/reg8", "net/cls8")]))
    assert [one.name for one in read.outputs] == ["net/aux", "net/yolov8_nms_postprocess"]


def test_a_decoder_may_read_pads_in_any_order():
    outs = [tensor("cls8", 5, pad=7), tensor("reg8", 64, pad=3)]
    read = network(*outs, op=yolov8([(8, "net/reg8", "net/cls8")]))
    assert dict(read.ops[0].decoders[0].layers) == {"reg": "net/reg8", "cls": "net/cls8"}


def test_a_pad_that_leads_nowhere_is_told_and_the_rest_still_reads():
    outs = [tensor("reg8", 64), tensor("cls8", 5, pad=-1)]  # no pad index at all
    read = network(*outs, op=yolov8([(8, "net/reg8", "net/cls8")]))
    assert dict(read.ops[0].decoders[0].layers) == {"reg": "net/reg8", "cls": ""}
    assert read.facts["hailort_refuses"][:2] == [
        "pad 102 of the step 'yolov8_nms_postprocess' is fed by no output of the chip",
        "a decoder of the step 'yolov8_nms_postprocess' reads pad 9999, which no layer is on",
    ]


def test_anchors_without_a_partner_are_told():
    op = yolov5([(8, "net/c8", ANCHORS)], classes=5)
    op.fields["yolov5"]["decoders"][0]["h"].append(9)
    read = network(tensor("c8", 30), op=op)
    assert len(read.ops[0].decoders[0].anchors) == 3
    assert read.facts["hailort_refuses"] == [
        "a decoder of the step 'yolov5_nms_postprocess' has 3 anchor widths and 4 heights"
    ]


def test_an_nms_step_of_no_known_kind_is_told():
    op = yolov8([(8, "net/reg8", "net/cls8")], classes=5)
    del op.fields["yolov8"]
    read = network(tensor("reg8", 64), tensor("cls8", 5), op=op)
    assert (read.ops[0].kind, read.family) == ("unknown", None)
    assert read.facts["hailort_refuses"] == ["the NMS step 'yolov8_nms_postprocess' is of an unknown kind"]


def test_a_threshold_that_is_no_number_is_left_out_and_kept_among_the_fields():
    op = yolov8([(8, "net/reg8", "net/cls8")], score=float("nan"))
    (step,) = network(tensor("reg8", 64), tensor("cls8", 5), op=op).ops
    assert (step.nms.score_threshold, step.fields["nms_score_th"]) == (None, "nan")


def test_the_result_belongs_to_the_network_of_its_heads():
    outs = [tensor("reg8", 64, network=1), tensor("cls8", 5, network=1)]
    read = network(*outs, op=yolov8([(8, "net/reg8", "net/cls8")]), networks=["a", "b"])
    assert read.outputs[0].network == "net/b"
