"""The decoder's calls: forms of outputs, options, letterboxes, and what meta says."""

import heads
import numpy as np
import pytest

from hailo_decode import Decoder, FormatOrder, Letterbox, Quant, decode_yolov8
from hailo_decode.errors import OptionError
from hailo_decode.values.network import NetworkInfo, OutputInfo

OBJECTS = ((8, 1, 2, 0, 0.9), (16, 2, 1, 2, 0.8), (32, 0, 1, 1, 0.7))
BOXES = [heads.box_of(*one[:3]) for one in OBJECTS]


def rows(dets):
    return dets.xyxy.tolist(), dets.confidence.tolist(), dets.class_id.tolist()


def wanted():
    return BOXES, [np.float32(round(one[4] * 255) / 255) for one in OBJECTS], [one[3] for one in OBJECTS]


@pytest.fixture
def frame():
    return heads.dfl_frame(objects=OBJECTS)


def test_a_dict_gives_the_boxes_best_first(frame):
    outputs, quant = frame
    dets = decode_yolov8(outputs, 64, quant=quant)
    assert rows(dets) == wanted()
    assert (dets.xyxy.dtype, dets.confidence.dtype, dets.class_id.dtype) == (np.float32, np.float32, np.int32)
    assert dets.mask is dets.keypoints is dets.corners is None


def test_a_list_and_a_tuple_give_what_the_dict_gives(frame):
    outputs, quant = frame
    real = [((a - quant[n][1]) * quant[n][0]).astype(np.float32) for n, a in outputs.items()]
    for form in (real, tuple(real)):
        dets = decode_yolov8(form, 64)
        assert dets.class_id.tolist() == [0, 2, 1]
        np.testing.assert_allclose(dets.xyxy, BOXES, atol=1e-3)


def test_one_quantisation_serves_all_outputs():
    cls = np.zeros((4, 4, 3), np.uint8)
    cls[1, 2, 0] = 255
    dets = decode_yolov8(
        [np.full((4, 4, 4), 16, np.uint8), cls], 32, quant=(1 / 16, 0.0), logits=True, conf=0.6
    )
    assert dets.xyxy.tolist() == [[12.0, 4.0, 28.0, 20.0]]


@pytest.mark.parametrize(
    "form",
    [
        lambda scale, zero: Quant.of(scale, zero),
        lambda scale, zero: {"scale": scale, "zero_point": zero},
        lambda scale, zero: {"qp_scale": scale, "qp_zp": zero},
        lambda scale, zero: [np.float32(scale), np.float32(zero)],
        lambda scale, zero: type("QuantInfo", (), {"qp_scale": scale, "qp_zp": zero})(),
    ],
    ids=["Quant", "mapping", "hailort mapping", "list", "hailort object"],
)
def test_quantisation_is_read_in_every_form_that_callers_hold(frame, form):
    outputs, quant = frame
    assert rows(decode_yolov8(outputs, 64, quant={n: form(*q) for n, q in quant.items()}))[2] == [0, 2, 1]


def test_names_match_with_and_without_the_networks_prefix(frame):
    outputs, quant = frame
    bare = {name.removeprefix("net/"): q for name, q in quant.items()}
    assert rows(decode_yolov8(outputs, 64, quant=bare)) == wanted()
    short = {name.removeprefix("net/"): a for name, a in outputs.items()}
    assert rows(decode_yolov8(short, 64, quant=quant)) == wanted()


class StreamInfo:
    """The fields of HailoRT's stream info that count."""

    def __init__(self, shape, hw_shape, order):
        self.shape, self.hw_shape, self.order = shape, hw_shape, order


@pytest.mark.parametrize("kind", ["name", "member", "mapping", "object", "nested object"])
def test_formats_are_read_by_name_and_by_object(frame, kind):
    outputs, quant = frame
    name = "net/cls8"
    plain = outputs[name]
    if kind in ("name", "member"):
        outputs[name] = np.ascontiguousarray(plain.transpose(2, 0, 1))
        given = "NCHW" if kind == "name" else FormatOrder.NCHW
    else:
        outputs[name] = np.ascontiguousarray(plain.transpose(0, 2, 1)).reshape(-1)
        given = {"order": "NHCW", "shape": plain.shape, "hw_shape": plain.shape}
        if kind == "object":
            given = StreamInfo(plain.shape, plain.shape, "NHCW")
        if kind == "nested object":
            given = StreamInfo(plain.shape, plain.shape, None)
            given.format = StreamInfo(None, None, type("Order", (), {"name": "NHCW"})())
    dets = decode_yolov8(outputs, 64, quant=quant, formats={name: given})
    assert rows(dets) == wanted()
    assert name in dets.meta["layout"]


def test_a_network_description_gives_quantisation_layout_names_and_size(frame):
    outputs, quant = frame
    infos = tuple(OutputInfo(n, shape=a.shape, quant=Quant.of(*quant[n])) for n, a in outputs.items())
    network = NetworkInfo("net", "json", input_size=(64, 64), outputs=infos, classes=("cat", "dog", "snail"))
    dets = Decoder.from_network(network)(outputs)
    assert rows(dets) == wanted()
    assert [dets.name_of(c) for c in dets.class_id] == ["cat", "snail", "dog"]


def test_what_the_caller_says_counts_before_the_description(frame):
    outputs, quant = frame
    infos = tuple(OutputInfo(n, quant=Quant.of(9, 9)) for n in outputs)
    network = NetworkInfo("net", "json", input_size=(640, 640), outputs=infos, classes=("x",))
    dets = Decoder.from_network(network, quant=quant, input_size=64, names=["a", "b", "c"])(outputs)
    assert rows(dets) == wanted()
    assert dets.names == ("a", "b", "c")


@pytest.mark.parametrize(
    "names", [["a", "b", "c"], ("a", "b", "c"), {0: "a", 1: "b", 2: "c"}, {2: "c", 0: "a", 1: "b"}], ids=str
)
def test_names_may_be_a_list_or_a_mapping_by_number(frame, names):
    outputs, quant = frame
    assert decode_yolov8(outputs, 64, quant=quant, names=names).names == ("a", "b", "c")


def test_nothing_found_is_arrays_of_length_zero(frame):
    outputs, quant = frame
    dets = decode_yolov8(outputs, 64, quant=quant, conf=0.99)
    assert len(dets) == 0
    assert (dets.xyxy.shape, dets.confidence.shape, dets.class_id.shape) == ((0, 4), (0,), (0,))
    assert (dets.xyxy.dtype, dets.confidence.dtype, dets.class_id.dtype) == (np.float32, np.float32, np.int32)
    photo = decode_yolov8(outputs, 64, quant=quant, conf=0.99, letterbox=Letterbox.fit((10, 10), (64, 64)))
    assert photo.xyxy.shape == (0, 4)


def test_meta_says_what_was_decided_and_why(frame):
    outputs, quant = frame
    meta = decode_yolov8(outputs, 64, quant=quant).meta
    assert meta["head"].endswith("3 classes, 16 bins, strides 8/16/32 of an input of 64x64")
    assert meta["activation"] == (
        "all 3 class outputs: probabilities, no sigmoid applied (quantisation limits 0 to 1)"
    )
    assert "cut" not in meta
    assert "frame" not in meta


@pytest.mark.parametrize(
    ("options", "left", "said"),
    [
        ({"max_det": 2}, [0, 2], "max_det=2 was reached: weaker boxes were left out"),
        ({"max_nms": 1}, [0], "max_nms=1 was reached: weaker candidates were not looked at"),
        ({"max_det": 3, "max_nms": 3}, [0, 2, 1], None),
    ],
    ids=str,
)
def test_meta_says_which_limit_cut_the_result(frame, options, left, said):
    outputs, quant = frame
    dets = decode_yolov8(outputs, 64, quant=quant, **options)
    assert dets.class_id.tolist() == left
    assert dets.meta.get("cut") == said


def test_meta_says_how_many_of_a_class_were_turned_away():
    outputs, quant = heads.dfl_frame(
        objects=[(8, 0, 0, 1, 0.9), (8, 4, 4, 1, 0.8), (8, 7, 7, 1, 0.7), (8, 0, 7, 0, 0.5)]
    )
    dets = decode_yolov8(outputs, 64, quant=quant, max_per_class=1)
    assert dets.class_id.tolist() == [1, 0]
    assert dets.meta["cut"] == "max_per_class=1 was reached: 2 candidates were turned away"


def test_what_a_caller_writes_into_meta_stays_in_that_result(frame):
    outputs, quant = frame
    one = Decoder.from_outputs(outputs, 64, quant=quant)
    one(outputs).meta["mine"] = "yes"
    assert "mine" not in one(outputs).meta


def test_a_result_is_the_callers_own_memory(frame):
    outputs, quant = frame
    one = Decoder.from_outputs(outputs, 64, quant=quant)
    first = one(outputs)
    kept = rows(first)
    one({name: np.zeros_like(array) for name, array in outputs.items()})
    first_again = rows(first)
    assert first_again == kept


def test_a_letterbox_takes_boxes_to_the_photo_and_clips_them(frame):
    outputs, quant = frame
    letterbox = Letterbox.fit((100, 200), (64, 64))
    dets = decode_yolov8(outputs, 64, quant=quant, letterbox=letterbox)
    scale, pad = 64 / 200, 16.0
    for box, (x1, y1, x2, y2) in zip(dets.xyxy.tolist(), BOXES, strict=True):
        plain = [x1 / scale, (y1 - pad) / scale, x2 / scale, (y2 - pad) / scale]
        inside = np.clip(plain, 0, [200, 100, 200, 100])
        np.testing.assert_allclose(box, inside, atol=1e-3)
    assert dets.meta["frame"] == "pixels of the photo (200x100): scale 0.32, pad 0, 16 taken off"


def test_a_letterbox_of_another_input_size_is_refused(frame):
    outputs, quant = frame
    with pytest.raises(OptionError) as caught:
        decode_yolov8(outputs, 64, quant=quant, letterbox=Letterbox.fit((100, 100), (640, 640)))
    assert "640x640" in str(caught.value)
    assert "64x64" in str(caught.value)
