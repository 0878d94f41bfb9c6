"""What hailortcli parse-hef prints, in every version and in whatever surroundings."""

from __future__ import annotations

from itertools import permutations

import pytest
from networks.parse_hef_texts import BOLTS, DEMO, SNAIL

from hailo_decode.errors import FormatError
from hailo_decode.networks.parse_hef import parse
from hailo_decode.values.network import NmsInfo, OutputInfo
from hailo_decode.values.order import FormatOrder


def test_a_hef_with_nms_tells_its_chip_its_input_and_its_step():
    net = parse(BOLTS)
    assert net.name == "bolts_net"
    assert net.devices == ("hailo8l",)
    assert net.facts["networks"][0]["contexts"] == 3
    assert net.input_size == (640, 640)
    assert net.inputs == (
        OutputInfo("bolts_net/input_layer1", (640, 640, 3), order=FormatOrder.NHWC, dtype="uint8"),
    )
    assert net.nms_done
    (output,) = net.outputs
    assert (output.name, output.dtype) == ("bolts_net/yolov8_nms_postprocess", "float32")
    assert output.order is FormatOrder.NMS_BY_CLASS
    assert output.nms == NmsInfo(3, 100, None, 0.05, 0.7, (640, 640), 4 * 3 * (1 + 5 * 100))
    (op,) = net.ops
    assert (op.kind, op.name, op.output) == ("yolov8", "YOLOV8-Post-Process", output.name)
    assert op.nms == NmsInfo(3, 100, None, 0.05, 0.7, (640, 640))


def test_the_name_of_the_by_class_order_before_4_20_is_read():
    net = parse(
        "Output a/yolov5_nms FLOAT32, HAILO NMS(number of classes: 2, maximum bounding boxes per class: 80, "
        "maximum frame size: 3208)"
    )
    assert net.outputs[0].order is FormatOrder.NMS_BY_CLASS
    assert net.outputs[0].nms == NmsInfo(classes=2, max_per_class=80, frame_bytes=3208)


def test_a_frame_size_that_does_not_go_with_classes_and_boxes_is_refused():
    with pytest.raises(FormatError, match="line 6: the frame size") as error:
        parse(BOLTS.replace("6012", "6016"))
    assert error.value.got == "6016 bytes"
    assert error.value.wanted is not None
    assert error.value.wanted.endswith("= 6012 bytes")


def test_raw_outputs_keep_their_mixed_orders_and_have_no_quantisation():
    net = parse(SNAIL)
    assert net.name == "snail_net"
    assert not net.nms_done
    assert [o.shape for o in net.outputs] == [
        (80, 80, 64), (80, 80, 5), (40, 40, 64), (40, 40, 5), (20, 20, 64), (20, 20, 5)
    ]  # fmt: skip
    assert [o.order for o in net.outputs] == [FormatOrder.FCR] * 4 + [FormatOrder.NHWC, FormatOrder.FCR]
    assert all(o.quant is None and o.hw_shape is None and o.activation is None for o in net.outputs)


def test_any_order_of_the_lines_gives_the_same_outputs():
    first, *rest = SNAIL.splitlines()
    wanted = {o.name: o for o in parse(SNAIL).outputs}
    for order in permutations(rest):
        assert {o.name: o for o in parse("\n".join([first, *order])).outputs} == wanted


@pytest.mark.parametrize("channels", [21, 351, 255])
def test_an_anchor_head_is_read_as_it_stands(channels: int):
    lines = [f"Output seg/conv{i} UINT8, FCR({n}x{n}x{channels})" for i, n in enumerate((80, 40, 20))]
    net = parse("\n".join([*lines, "Output seg/proto UINT8, FCR(160x160x32)"]))
    assert [o.shape for o in net.outputs] == [
        (80, 80, channels), (40, 40, channels), (20, 20, channels), (160, 160, 32)
    ]  # fmt: skip
    assert net.input_size is None


@pytest.mark.parametrize(
    ("printed", "size", "shape"),
    [
        ("NV12(192x640x3)", (384, 640), (384, 640, 3)),
        ("NV12(24x320x3)", (48, 320), (48, 320, 3)),
        ("NV21(240x640x3)", (480, 640), (480, 640, 3)),
        ("I420(240x640x3)", (480, 640), (480, 640, 3)),
        ("YUY2(384x640x2)", (384, 640), (384, 640, 2)),
        ("RGB4(384x642x3)", (384, 642), (384, 642, 3)),
        ("NHWC(384x640x4)", (384, 640), (384, 640, 4)),
        ("RGB 888(384x640x3)", (384, 640), (384, 640, 3)),
    ],
)
def test_camera_formats_give_the_height_of_the_picture(
    printed: str, size: tuple[int, int], shape: tuple[int, int, int]
):
    net = parse(f"Input  hailo_yolov8n_384_640/input_layer1 UINT8, {printed}")
    assert net.input_size == size
    assert net.inputs[0].shape == shape
    order = printed.partition("(")[0]
    assert net.inputs[0].facts == ({} if order == "NHWC" else {"order": order})


def test_stream_lines_give_the_padded_shape_and_the_layers_that_feed_the_step():
    net = parse(DEMO)
    assert net.compiler == "5.2.0"
    assert net.devices == ("hailo8l", "hailo8")
    aux = net.output("aux1")
    assert aux is not None
    assert (aux.shape, aux.hw_shape, aux.dtype) == ((10, 10, 30), (10, 12, 30), "uint16")
    assert [(h.name, h.hw_shape, h.order, h.layout) for h in net.heads] == [
        ("demo_net/conv41", (40, 40, 64), FormatOrder.NHCW, "device"),
        ("demo_net/conv42", (40, 40, 7), FormatOrder.NHCW, "device"),
    ]
    assert net.ops[0].inputs == ("demo_net/conv41", "demo_net/conv42")
    assert net.ops[0].output == "demo_net/yolov8_nms_postprocess"


def test_stream_lines_alone_describe_the_device_side():
    text = DEMO[: DEMO.index("        VStream infos:")]
    net = parse(text)
    assert [(o.name, o.shape, o.hw_shape, o.layout) for o in net.outputs] == [
        ("demo_net/conv41", None, (40, 40, 64), "device"),
        ("demo_net/conv42", None, (40, 40, 7), "device"),
        ("demo_net/aux1", None, (10, 12, 30), "device"),
    ]
    assert net.input_size is None


@pytest.mark.parametrize(
    ("printed", "dtype", "order", "nms"),
    [
        (
            "FLOAT32, HAILO NMS BY SCORE(number of classes: 4, maximum bounding boxes total: 200, maximum "
            "frame size: 4402)", "float32", FormatOrder.NMS_BY_SCORE, NmsInfo(4, None, 200, frame_bytes=4402),
        ),
        (
            "UINT8, HAILO NMS WITH BYTE MASK(number of classes: 80, maximum bounding boxes total: 8000, "
            "maximum frame size: 2006402)", "uint8", FormatOrder.NMS_BYTE_MASK,
            NmsInfo(80, None, 8000, frame_bytes=2006402),
        ),
        (
            "UINT8, HAILO NMS WITH BYTE MASK(number of classes: 80, maximum bounding boxes per class: 100, "
            "maximum frame size: 1123202)", "uint8", FormatOrder.NMS_BYTE_MASK,
            NmsInfo(80, 100, frame_bytes=1123202),
        ),
        ("UINT16, HAILO NMS ON CHIP(maximum frame size: 65536)", "uint16", FormatOrder.NMS_ON_CHIP,
         NmsInfo(frame_bytes=65536)),
    ],
    ids=["by score", "byte mask", "byte mask up to 4.20", "on chip"],
)  # fmt: skip
def test_every_nms_order_is_read(printed: str, dtype: str, order: FormatOrder, nms: NmsInfo):
    (output,) = parse(f"Output a/nms {printed}").outputs
    assert (output.dtype, output.order, output.nms) == (dtype, order, nms)


@pytest.mark.parametrize(
    ("printed", "shape"),
    [("NC(1000)", (1, 1, 1000)), ("NHW(80x60)", (80, 60, 1)), ("F8CR(20x20x85)", (20, 20, 85))],
)
def test_short_shapes_are_filled_up(printed: str, shape: tuple[int, int, int]):
    assert parse(f"Output a/b UINT8, {printed}").outputs[0].shape == shape


@pytest.mark.parametrize(
    ("lines", "kind", "fields", "nms"),
    [
        ("Op YOLOV5SEG|Name: YOLOv5Seg-Post-Process|Score threshold: 0.600|IoU threshold: 0.60|Classes: 80|"
         "Max bboxes total: 8000|Image height: 640|Image width: 640|Mask threshold: 0.50",
         "yolov5seg", {}, NmsInfo(80, None, 8000, 0.6, 0.6, (640, 640), None, 0.5)),
        ("Op SSD|Name: SSD-Post-Process|Score threshold: 0.300|IoU threshold: 0.60|Classes: 91|"
         "Cross classes: false|Max bboxes per class: 20|Background removal index: 0|Image height: 300|"
         "Image width: 300|Centers scales factor: 10|Bbox dimension scale factor: 5|Normalize boxes: false",
         "ssd", {"cross_classes": False, "background_removal_index": 0, "centers_scale_factor": 10,
                 "bbox_dimensions_scale_factor": 5, "normalize_boxes": False, "image_height": 300,
                 "image_width": 300},  # the step never uses them
         NmsInfo(91, 20, None, 0.3, 0.6)),
        ("Op IOU|Name: IoU-Post-Process|Score threshold: 0.001|IoU threshold: 0.60|Classes: 80|"
         "NMS results order: BY_CLASS|Max bboxes per class: 100",
         "iou", {"nms_results_order": "BY_CLASS"}, NmsInfo(80, 100, None, 0.001, 0.6)),
    ],
    ids=["seg", "ssd", "iou"],
)  # fmt: skip
def test_every_step_that_suppresses_is_read(lines: str, kind: str, fields: dict[str, object], nms: NmsInfo):
    head = BOLTS[: BOLTS.index("                Op YOLOV8")]
    (op,) = parse(head + "\n".join(lines.split("|"))).ops
    assert (op.kind, op.fields, op.nms) == (kind, fields, nms)


@pytest.mark.parametrize(("line", "kind"), [("SOFTMAX Op", "softmax"), ("ARGMAX Op", "argmax")])
def test_a_step_without_suppression_feeds_the_only_output(line: str, kind: str):
    text = f"VStream infos:\nOutput a/s FLOAT32, NC(10)\nOperation:\n{line}\nName: X-Post-Process"
    net = parse(text)
    assert (net.ops[0].kind, net.ops[0].output, net.ops[0].nms) == (kind, "a/s", None)
    assert not net.nms_done


def test_boxes_that_are_decoded_but_not_suppressed_are_no_nms_result():
    net = parse(
        "Output a/boxes FLOAT32, NHWC(1x8400x84)\nOperation:\nOp YOLOV8\n"
        "Name: YOLOv8Bbox-Only-Post-Process\nClasses: 80\nImage height: 640\nImage width: 640\n"
    )
    assert net.ops[0].fields["bbox_decoding_only"] is True
    assert net.ops[0].output == "a/boxes"
    assert not net.nms_done
