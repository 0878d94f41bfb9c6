"""Steps whose own image size is not the network's input: every kind, written as HailoRT writes it, comes out in pixels."""

import numpy as np
import pytest
from networks.build_hef import hef, layer, logits, planes, ssd, yolov5, yolov5_seg, yolov8, yolox
from nms import hailort_steps as hailort
from nms import write_nms as write

from hailo_decode import Decoder, Letterbox, decode_nms
from hailo_decode.errors import AmbiguousError, PairingError
from hailo_decode.networks.hef import network_of
from hailo_decode.networks.parse_hef import parse
from hailo_decode.step_scale import Scale, scale_of
from hailo_decode.values.network import DecoderInfo, NetworkInfo, NmsInfo, OpInfo, OutputInfo

STRIDES = (8, 16, 32)
ANCHORS = {
    8: [(10, 13), (16, 30), (33, 23)],
    16: [(30, 61), (62, 45), (59, 119)],
    32: [(116, 90), (156, 198), (373, 326)],
}
CLASSES = 3
CELLS = [(8, (3, 5), 0), (16, (4, 1), 1), (32, (2, 3), 2)]  # stride, (row, column), class
NUMBERS = (0.3, 0.6, 0.55, 0.4)  # tx, ty, tw, th behind their sigmoid
DISTANCES = (1.5, 2.0, 3.25, 0.5)


def head(name, stride, channels, inner, **rest):
    return layer(f"net/{name}{stride}", (inner[0] // stride, inner[1] // stride, channels), **rest)


def read(heads, op, size):
    return network_of(memoryview(hef(heads, op=op, inputs=[layer("net/in", (*size, 3), order="NHWC")])))


def of_bins(size, inner, said, strides=STRIDES, **more):
    heads = [one for s in STRIDES for one in (head("reg", s, 64, inner), head("cls", s, CLASSES, inner))]
    decoders = [(told, f"net/reg{s}", f"net/cls{s}") for s, told in zip(STRIDES, strides, strict=True)]
    return read(heads, yolov8(decoders, said, classes=CLASSES, most=10, **more), size)


def of_anchors(size, inner, said, strides=STRIDES, **more):
    heads = [head("conv", s, 3 * (5 + CLASSES), inner) for s in STRIDES]
    decoders = [(told, f"net/conv{s}", ANCHORS[s]) for s, told in zip(STRIDES, strides, strict=True)]
    return read(heads, yolov5(decoders, said, classes=CLASSES, most=10, **more), size)


def scored(boxes):
    """Rows of a result: a box each, falling scores, the class of its cell."""
    return [(*box, write.f4(0.9 - 0.1 * i), CELLS[i][2]) for i, box in enumerate(boxes)]


def result_of_bins(inner, said, strides=STRIDES):
    told = dict(zip(STRIDES, strides, strict=True))
    return scored([hailort.bins(cell, told[s], DISTANCES, said) for s, cell, _ in CELLS])


def result_of_anchors(inner, said):
    grids = {s: (inner[0] // s, inner[1] // s) for s in STRIDES}
    return scored([hailort.anchors(cell, grids[s], NUMBERS, ANCHORS[s][1], said) for s, cell, _ in CELLS])


def true_bins(size, inner):
    """The boxes in pixels of the input, from cells alone."""
    left, top, right, bottom = DISTANCES
    made = []
    for s, (row, col), _ in CELLS:
        x, y = s * size[1] / inner[1], s * size[0] / inner[0]
        made.append(
            [(col + 0.5 - left) * x, (row + 0.5 - top) * y, (col + 0.5 + right) * x, (row + 0.5 + bottom) * y]
        )
    return np.array(made)


def true_anchors(size, inner):
    tx, ty, tw, th = NUMBERS
    made = []
    for s, (row, col), _ in CELLS:
        x, y = (2 * tx - 0.5 + col) * s, (2 * ty - 0.5 + row) * s
        w, h = 4 * tw**2 * ANCHORS[s][1][0], 4 * th**2 * ANCHORS[s][1][1]
        made.append([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
    return np.array(made) * np.array([size[1], size[0]] * 2) / np.array([inner[1], inner[0]] * 2)


SIZES = {  # the input, what the heads look at, what the record says
    "as it should be": ((320, 320), (320, 320), (320, 320)),
    "record of another size": ((320, 320), (320, 320), (640, 640)),
    "record turned": ((384, 640), (384, 640), (640, 384)),
    "scaled inside": ((1080, 1920), (640, 640), (640, 640)),
}


@pytest.mark.parametrize(("size", "inner", "said"), SIZES.values(), ids=SIZES)
def test_boxes_of_every_step_that_divides_come_out_where_they_are(size, inner, said):
    dets = decode_nms(
        write.by_class(result_of_bins(inner, said), CLASSES, 10), network=of_bins(size, inner, said)
    )
    np.testing.assert_allclose(dets.xyxy, true_bins(size, inner), atol=2e-3)
    dets = Decoder.from_network(of_anchors(size, inner, said), conf=0.1)(
        write.by_class(result_of_anchors(inner, said), CLASSES, 10)
    )
    np.testing.assert_allclose(dets.xyxy, true_anchors(size, inner), atol=2e-3)
    assert ("scale" in dets.meta) == (not size == inner == said)


def test_a_result_by_score_is_put_right_alike():
    size, inner, said = SIZES["record of another size"]
    dets = decode_nms(
        write.by_score(result_of_anchors(inner, said), 30), network=of_anchors(size, inner, said)
    )
    np.testing.assert_allclose(dets.xyxy, true_anchors(size, inner), atol=2e-3)


def test_what_was_put_right_is_told():
    wrong = SIZES["record of another size"]
    buffer = write.by_class([], CLASSES, 10)
    assert decode_nms(buffer, network=of_bins(*wrong)).meta["scale"] == (
        "the step 'yolov8_nms_postprocess' divides boxes by 640x640, the network's input is 320x320: put right here"
    )
    assert decode_nms(buffer, network=of_anchors(*wrong)).meta["scale"] == (
        "the step 'yolov5_nms_postprocess' divides the sizes of boxes by 640x640, and their middles by the network's input, "
        "320x320: put right here, but it suppressed by boxes of 0.5 times their size"
    )
    inside = SIZES["scaled inside"]
    for network in (of_bins(*inside), of_anchors(*inside)):
        assert (
            decode_nms(buffer, network=network)
            .meta["scale"]
            .endswith("works at 640x640, the network's input is 1080x1920: boxes are fractions of the input")
        )
    turned = decode_nms(buffer, network=of_anchors(*SIZES["record turned"])).meta["scale"]
    assert turned.endswith("boxes of 0.6 (down) and 1.667 (across) times their size")


@pytest.mark.parametrize("strides", [(16, 32, 64), (4, 8, 16)])
@pytest.mark.parametrize("said", [(320, 320), (640, 640)])
def test_strides_that_are_all_wrong_by_one_factor_cancel_out(strides, said):
    network = of_bins((320, 320), (320, 320), said, strides)
    buffer = write.by_class(result_of_bins((320, 320), said, strides), CLASSES, 10)
    np.testing.assert_allclose(
        decode_nms(buffer, network=network).xyxy, true_bins((320, 320), (320, 320)), atol=2e-3
    )


def test_strides_that_the_step_for_anchors_never_uses_change_nothing():
    size, inner, said = SIZES["as it should be"]
    network = of_anchors(size, inner, said, strides=(32, 16, 8))
    dets = decode_nms(write.by_class(result_of_anchors(inner, said), CLASSES, 10), network=network)
    np.testing.assert_allclose(dets.xyxy, true_anchors(size, inner), atol=2e-3)
    assert "scale" not in dets.meta


def test_steps_that_never_divide_by_their_record_are_fractions_of_the_input():
    size, grid = (300, 600), (10, 20)
    names = [f"net/{role}" for role in ("reg", "cls", "obj")]
    heads = [layer(name, (*grid, n)) for name, n in zip(names, (4, CLASSES, 1), strict=True)]
    network = read(heads, yolox([(30, *names)], (640, 640), classes=CLASSES, most=10), size)
    box = hailort.objectness((3, 5), grid, (0.25, 0.75, 0.5, 1.0))
    dets = decode_nms(write.by_class([(*box, write.f4(0.9), 1)], CLASSES, 10), network=network)
    x, y, w, h = 5.25 * 30, 3.75 * 30, np.exp(0.5) * 30, np.exp(1.0) * 30
    np.testing.assert_allclose(dets.xyxy, [[x - w / 2, y - h / 2, x + w / 2, y + h / 2]], atol=2e-3)

    heads = [layer("net/reg", (*grid, 4)), layer("net/cls", (*grid, CLASSES))]
    op = ssd([("net/reg", "net/cls", [(0.2, 0.1)])], (640, 640), classes=CLASSES, most=10)
    box = hailort.default_boxes((3, 5), grid, (1.0, -2.0, 0.5, 1.0), (0.2, 0.1))
    dets = decode_nms(write.by_class([(*box, write.f4(0.9), 1)], CLASSES, 10), network=read(heads, op, size))
    x, y = (-0.2 * 0.2 + 5.5 / 20) * 600, (0.1 * 0.1 + 3.5 / 10) * 300
    w, h = np.exp(0.2) * 0.2 * 600, np.exp(0.1) * 0.1 * 300
    np.testing.assert_allclose(dets.xyxy, [[x - w / 2, y - h / 2, x + w / 2, y + h / 2]], atol=2e-3)
    assert "scale" not in dets.meta


def of_masks(size, inner, said):
    heads = [head("conv", s, 3 * (5 + CLASSES + 32), inner) for s in STRIDES]
    proto = layer("net/proto", (inner[0] // 4, inner[1] // 4, 32))
    decoders = [(s, f"net/conv{s}", ANCHORS[s]) for s in STRIDES]
    return read([*heads, proto], yolov5_seg(decoders, "net/proto", said, classes=CLASSES, most=10), size)


def test_masks_are_put_where_they_were_cut_and_boxes_where_they_are():
    size, inner, said = SIZES["record of another size"]
    boxes = [(*box[:5], box[5]) for box in result_of_anchors(inner, said)]
    picture = np.random.default_rng(5).random(said) < 0.5
    dets = decode_nms(write.byte_mask(boxes, picture, said), network=of_masks(size, inner, said))
    np.testing.assert_allclose(dets.xyxy, true_anchors(size, inner), atol=2e-3)
    assert dets.mask.shape == (3, *size)
    for mask, box in zip(dets.mask, boxes, strict=True):
        whole = write.mask_of(
            box, picture, said
        )  # at the record's size: a pixel of the input has 2 x 2 of it
        np.testing.assert_array_equal(mask, whole[1::2, 1::2])
    assert dets.meta["scale"].endswith("times their size, and cut the masks by them")


def test_masks_of_a_network_that_scales_its_picture_are_as_large_as_its_input():
    size, inner, said = (640, 1280), (320, 320), (320, 320)
    boxes = result_of_anchors(inner, said)
    picture = np.random.default_rng(6).random(said) < 0.5
    buffer = write.byte_mask(boxes, picture, said)
    network = of_masks(size, inner, said)
    dets = decode_nms(buffer, network=network)
    np.testing.assert_allclose(dets.xyxy, true_anchors(size, inner), atol=2e-3)
    for mask, box in zip(dets.mask, boxes, strict=True):
        np.testing.assert_array_equal(mask, write.mask_of(box, picture, said).repeat(2, 0).repeat(4, 1))
    photo = decode_nms(buffer, network=network, letterbox=Letterbox.stretch((160, 160), size))
    for mask, box in zip(photo.mask, boxes, strict=True):
        np.testing.assert_array_equal(mask, write.mask_of(box, picture, said)[1::2, 1::2])


def test_a_letterbox_is_undone_from_the_input_that_the_photo_was_put_into():
    size, inner, said = SIZES["scaled inside"]
    buffer = write.by_class(result_of_anchors(inner, said), CLASSES, 10)
    decoder = Decoder.from_network(of_anchors(size, inner, said), conf=0.1)
    dets = decoder(buffer, letterbox=Letterbox.stretch((540, 960), size))
    np.testing.assert_allclose(
        dets.xyxy, np.clip(true_anchors(size, inner) / 2, 0, [960, 540] * 2), atol=2e-3
    )


TEXT = """
Network group name: net, Single Context
    Network name: net/net
        VStream infos:
            Input  net/in UINT8, NHWC(320x320x3)
            Output net/nms FLOAT32, HAILO NMS BY CLASS(number of classes: 3, maximum bounding boxes per class: 10)
            Operation:
                Op YOLOV5
                Name: YOLOv5-Post-Process
                Classes: 3
                Image height: 640
                Image width: 640
"""


def test_two_sizes_without_strides_are_asked_about():
    network = parse(TEXT)
    buffer = write.by_class(result_of_anchors((640, 640), (640, 640)), CLASSES, 10)
    with pytest.raises(AmbiguousError, match="divides by 640x640, the network's input is 320x320") as caught:
        decode_nms(buffer, network=network)
    assert len(caught.value.readings) == 2
    assert caught.value.hint.startswith(
        "image_size=(320, 320) or image_size=(640, 640) takes boxes for fractions of that"
    )
    for size in ((320, 320), (640, 640)):
        dets = decode_nms(buffer, network=network, image_size=size)
        np.testing.assert_allclose(dets.xyxy, true_anchors(size, (640, 640)), atol=2e-3)


def op_of(kind, *decoders, said=(640, 640)):
    return OpInfo("step", kind, "net/nms", nms=NmsInfo(image_size=said), decoders=decoders)


def test_grids_that_were_rounded_up_tell_one_size_of_two():
    heads = tuple(
        OutputInfo(f"net/c{s}", (-(-360 // s), 640 // s, 3 * 85)) for s in STRIDES
    )  # 45, 23 and 12 rows
    op = op_of("yolov5", *(DecoderInfo(s, {"encoded": f"c{s}"}) for s in STRIDES))
    network = NetworkInfo("net", "json", heads=heads)
    scale = scale_of(op, (640, 640), network, (360, 640))
    assert (scale.middle, scale.side) == ((360.0, 640.0), (640.0, 640.0))
    bare = scale_of(op_of("yolov5"), (640, 640), network, None)  # nothing but the record
    assert bare == Scale.of((640, 640))
    assert scale_of(None, None, network, None) is None


def test_levels_that_disagree_settle_nothing():
    heads = (OutputInfo("net/a", (40, 40, 64)), OutputInfo("net/b", (20, 20, 64)))
    op = op_of("yolov8", DecoderInfo(8, {"reg": "net/a"}), DecoderInfo(32, {"reg": "net/b"}))
    network = NetworkInfo("net", "json", heads=heads)
    with pytest.raises(AmbiguousError, match="no strides tell why"):
        scale_of(op, (640, 640), network, (320, 320))
    assert scale_of(op, (320, 320), network, (320, 320)) == Scale.of((320, 320))


def rows_of(boxes, n, numbers):
    made = np.zeros((1, n, numbers), np.float32)
    for i, (box, (_, _, class_id)) in enumerate(zip(boxes, CELLS, strict=True)):
        made[0, 7 * i, :4] = box[:4]
        made[0, 7 * i, numbers - CLASSES + class_id] = box[4]
        if numbers == 5 + CLASSES:
            made[0, 7 * i, 4] = 1.0
    return made


@pytest.mark.parametrize(("size", "inner", "said"), SIZES.values(), ids=SIZES)
def test_rows_of_a_step_that_only_decodes_are_read_by_the_file_alone(size, inner, said):
    network = of_bins(size, inner, said, bbox_only=True)
    (output,) = network.outputs
    held = {output.name: rows_of(result_of_bins(inner, said), output.shape[1], 4 + CLASSES)}
    dets = Decoder.from_network(network)(held)
    np.testing.assert_allclose(dets.xyxy, true_bins(size, inner), atol=2e-3)
    assert dets.class_id.tolist() == [0, 1, 2]
    assert ("scale" in dets.meta) == (not size == inner == said)


def test_rows_with_sizes_of_another_scale_are_refused_and_can_be_taken_as_they_are():
    size, inner, said = SIZES["record of another size"]
    network = of_anchors(size, inner, said, bbox_only=True)
    (output,) = network.outputs
    held = {output.name: rows_of(result_of_anchors(inner, said), output.shape[1], 5 + CLASSES)}
    with pytest.raises(PairingError, match="have boxes of two scales") as caught:
        Decoder.from_network(network)(held)
    assert caught.value.hint.endswith(
        'family="rows_yxyx_obj" takes the rows for fractions of input_size= as they are'
    )
    raw = Decoder.from_network(network, family="rows_yxyx_obj")(held)
    np.testing.assert_allclose(
        raw.xyxy[:, :2] + raw.xyxy[:, 2:], (lambda t: t[:, :2] + t[:, 2:])(true_anchors(size, inner))
    )
    good = of_anchors(size, inner, size, bbox_only=True)
    held = {output.name: rows_of(result_of_anchors(inner, size), output.shape[1], 5 + CLASSES)}
    np.testing.assert_allclose(Decoder.from_network(good)(held).xyxy, true_anchors(size, inner), atol=2e-3)


def test_raw_heads_of_a_network_with_such_rows_are_decoded_as_heads():
    network = of_bins((320, 320), (320, 320), (640, 640), bbox_only=True)
    heads = {one.name: np.zeros(one.shape, np.uint8) for one in network.heads}
    plan = Decoder.from_network(network, logits=True).plan(heads)
    assert [(level.stride, level.grid) for level in plan.reading.levels] == [
        ((8, 8), (40, 40)),
        ((16, 16), (20, 20)),
        ((32, 32), (10, 10)),
    ]
    del heads["net/cls16"]
    with pytest.raises(PairingError, match="1 of the network's 6 outputs are missing"):
        Decoder.from_network(network, logits=True).plan(heads)


def test_the_result_of_a_softmax_on_the_host_needs_no_head_beside_it():
    network = read([layer("net/fc", (1, 1, 4), order="NC")], logits(1, "net/fc"), (64, 64))
    dets = Decoder.from_network(network, family="classify")(
        {"net/softmax": np.array([0.1, 0.7, 0.1, 0.1], np.float32)}
    )
    assert (int(dets.class_id[0]), dets.confidence[0]) == (1, np.float32(0.7))


@pytest.mark.parametrize(("order", "shape"), [("YYUV", (160, 320, 3)), ("NHWC", (320, 320, 3))])
def test_an_input_of_luma_and_chroma_has_the_height_of_its_picture(order, shape):
    read_ = network_of(
        memoryview(hef([layer("net/a", (8, 8, 4))], inputs=[layer("net/in", shape, order=order)]))
    )
    assert (read_.input_size, read_.inputs[0].shape) == ((320, 320), (320, 320, 3))
    parts = [layer("y", (64, 80, 1)), layer("uv", (32, 40, 2))]
    read_ = network_of(
        memoryview(hef([layer("net/a", (8, 8, 4))], inputs=[planes("net/in", (32, 80, 3), parts)]))
    )
    assert read_.input_size == (64, 80)
