"""A decoder for networks whose outputs are NMS results: what the model file says is used, and can be overruled."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from nms import write_nms as write
from nms.write_nms import f4, found, pixels

from hailo_decode import Decoder, Letterbox, NetworkInfo, decode_nms
from hailo_decode.errors import AmbiguousError, OptionError, PairingError
from hailo_decode.nms import nms_decoder, nms_hint
from hailo_decode.nms_forms import forms
from hailo_decode.nms_network import facts_of, nms_outputs
from hailo_decode.options import Options
from hailo_decode.values.network import NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

SIZE = (48, 80)
BOXES = [
    (f4(0.1), f4(0.2), f4(0.3), f4(0.4), f4(0.9), 0),
    (f4(0.5), f4(0.5), f4(0.6), f4(0.6), f4(0.8), 0),
    (f4(0.0), f4(0.0), f4(0.25), f4(0.25), f4(0.3), 2),
]


def result(name="net/nms", order=FormatOrder.NMS_BY_CLASS, **sizes):
    return OutputInfo(name, order=order, nms=NmsInfo(**{"classes": 3, "max_per_class": 4, **sizes}))


def network(*outputs, **changes):
    told = {
        "outputs": outputs or (result(),),
        "input_size": SIZE,
        "nms_done": True,
        "classes": ("a", "b", "c"),
    }
    return NetworkInfo("net", "hef", **{**told, **changes})


def packed():
    return write.by_class(BOXES, 3, 4)


@pytest.mark.parametrize(
    "held",
    [
        packed(),
        {"net/nms": packed()},
        {"nms": packed()},
        [[*write.as_lists(BOXES, 3)]],
        {"net/nms": write.by_score(BOXES, 12)},
        {"net/nms": write.cube(BOXES, 3, 4)},
        {"net/nms": packed(), "net/conv41": np.zeros((8, 8, 64), np.uint8)},
        {"net/nms": packed().tobytes()},
    ],
    ids=str.split("flat dict bare-name lists by-score cube beside-raw bytes"),
)
def test_a_decoder_reads_the_result_in_any_form(held):
    dets = Decoder.from_network(network(), conf=0.25)(held)
    assert found(dets) == pixels(BOXES, SIZE)
    assert dets.names == ("a", "b", "c")


def test_a_decoders_threshold_and_limits_are_heeded():
    assert len(Decoder.from_network(network(), conf=0.5)(packed())) == 2
    assert len(Decoder.from_network(network(), max_det=1)(packed())) == 1
    dets = Decoder.from_network(network(), max_per_class=1)(packed())
    assert dets.class_id.tolist() == [0, 2]
    assert dets.meta["limit"] == "max_per_class=1 was reached: 1 boxes were left out"
    one_each = Decoder.from_network(network(), max_per_class=1, max_det=1)(packed())
    assert one_each.confidence.tolist() == [f4(0.9)]


def test_a_decoder_takes_a_letterbox_for_each_frame():
    decoder = Decoder.from_network(network())
    photo = decoder(packed(), letterbox=Letterbox.stretch((96, 160), SIZE))
    np.testing.assert_allclose(photo.xyxy[0], [32, 9.6, 64, 28.8], atol=1e-3)
    np.testing.assert_allclose(decoder(packed()).xyxy[0], [16, 4.8, 32, 14.4], atol=1e-3)


def test_frames_of_several_threads_do_not_disturb_each_other():
    decoder = nms_decoder(network(), Options())
    frames = [write.by_class(BOXES[:k], 3, 4) for k in (0, 1, 2, 3)] * 25
    with ThreadPoolExecutor(4) as pool:
        lengths = [len(dets) for dets in pool.map(decoder, frames)]
    assert lengths == [0, 1, 2, 3] * 25


def test_raw_heads_of_a_network_with_an_nms_step_are_left_to_others():
    decoder = nms_decoder(network(), Options())
    assert decoder.takes({"net/nms": packed()})
    assert decoder.takes({"nms": packed()})
    assert decoder.takes([packed()])
    assert not decoder.takes({"net/conv41": np.zeros((8, 8, 64), np.uint8)})
    assert not decoder.takes([np.zeros((8, 8, 64), np.uint8), np.zeros((8, 8, 3), np.uint8)])


def test_a_network_of_raw_heads_has_no_nms_decoder():
    raw = network(OutputInfo("net/conv41", shape=(8, 8, 64)), nms_done=False)
    assert nms_decoder(raw, Options()) is None
    with pytest.raises(PairingError, match="the network 'net' has no NMS result"):
        decode_nms(packed(), network=raw)


def test_two_results_of_one_file_are_told_apart_by_name():
    both = network(
        result("left/nms", max_per_class=4), result("right/nms", classes=1, max_per_class=20), classes=()
    )
    right = write.by_class([(*box[:5], 0) for box in BOXES], 1, 20)
    assert decode_nms({"left/nms": packed()}, network=both).class_id.tolist() == [0, 0, 2]
    assert decode_nms({"right/nms": right}, network=both).class_id.tolist() == [0, 0, 0]
    with pytest.raises(AmbiguousError, match="the network 'net' has 2 NMS results"):
        decode_nms(packed(), network=both)


def test_what_the_output_does_not_say_is_taken_from_its_step():
    step = OpInfo(
        "op", "yolov8", "net/nms", nms=NmsInfo(classes=9, score_threshold=0.2, image_size=(480, 800))
    )
    told = network(result(), ops=(step,), input_size=None)
    sizes = facts_of(told).sizes
    assert (sizes.classes, sizes.score_threshold, sizes.image_size) == (3, 0.2, (480, 800))
    np.testing.assert_allclose(decode_nms(packed(), network=told).xyxy[0], [160, 48, 320, 144], atol=1e-3)
    assert decode_nms(packed(), network=told, image_size=SIZE).xyxy[0].tolist() == pixels(BOXES, SIZE)[0][0]


def test_a_lone_output_of_a_finished_network_is_its_result():
    told = network(OutputInfo("net/nms"))
    assert [o.name for o in nms_outputs(told)] == ["net/nms"]
    assert found(decode_nms(packed(), network=told, max_per_class=4)) == pixels(BOXES, SIZE)


def test_a_limit_of_the_model_is_told_when_it_is_reached():
    dets = decode_nms(write.by_score(BOXES, 3), network=network())
    assert dets.meta["cut"] == "max_proposals_total=3 was reached: weaker boxes may be missing"


def test_every_form_is_one_file_and_knows_its_orders():
    assert sorted(forms()) == [
        "bursts",
        "by_class",
        "by_score",
        "byte_mask",
        "cube",
        "list",
        "mask_cube",
        "objects",
        "on_chip",
    ]
    covered = {order for form in forms().values() for order in form.orders}
    assert covered == {order for order in FormatOrder if order.is_nms}


def test_no_form_takes_what_is_no_result():
    for held in (None, "text", 3, object(), SimpleNamespace(shape=(3, 4))):
        assert not any(form.takes(held) for form in forms().values())


def test_a_decoders_letterbox_tells_the_size_where_nothing_else_does():
    bare = network(input_size=None)
    box = Letterbox.stretch(SIZE, SIZE)
    assert found(nms_decoder(bare, Options(conf=0.1))(packed(), letterbox=box)) == pixels(BOXES, SIZE)
    with pytest.raises(OptionError, match="whose size is not known"):
        nms_decoder(bare, Options())(packed())


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ({"net/nms": write.by_class(BOXES, 80, 100)}, "by class, packed: 80 classes of at most 100 boxes"),
        ([np.zeros(1503, np.float32)], "by class, packed: 3 classes of at most 100 boxes"),
        ([write.as_lists(BOXES, 3)], "by class, a list of 3 classes"),
        ({"net/nms": write.as_lists(BOXES, 3)}, "by class, a list of 3 classes"),
        ({"net/nms": write.cube(BOXES, 3, 7)}, "by class, a cube: 3 classes of 7 places"),
        (write.by_score(BOXES, 9), "by score, packed: 3 boxes of at most 9"),
    ],
)
def test_a_result_that_was_handed_in_as_raw_outputs_is_recognised(held, told):
    assert nms_hint(held) == f"this looks like an NMS result ({told}): read it with decode_nms"


def test_raw_outputs_are_not_taken_for_a_result(rng):
    for shape in ((80, 80, 64), (80, 80, 5), (1, 8400, 85), (1, 84, 8400), (1, 300, 6), (1000,), (1001,)):
        assert nms_hint({"net/conv41": rng.random(shape).astype(np.float32)}) is None
    assert nms_hint({"a": packed(), "b": packed()}) is None
    assert nms_hint(None) is None
    assert nms_hint(rng.integers(0, 256, 409600).astype(np.uint8)) is None
