"""NMS results as people have met them, with the boxes that are in them."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

from hailo_decode import Letterbox, NetworkInfo, decode_nms, decode_nms_batch, explain_size
from hailo_decode.errors import (
    AmbiguousError,
    DtypeError,
    OptionError,
    PairingError,
    QuantError,
    SizeError,
    UnknownName,
    ValuesError,
)
from hailo_decode.values.network import DecoderInfo, NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

# Three classes of at most 100 boxes: two of class 0, none of class 1, one of class 2.
PACKED = np.zeros(1503, np.float32)
PACKED[:18] = [2, 0.1, 0.2, 0.3, 0.4, 0.9, 0.5, 0.5, 0.6, 0.6, 0.8, 0, 1, 0, 0, 0.25, 0.25, 0.7]
FIRST = np.array([[0.1, 0.2, 0.3, 0.4, 0.9], [0.5, 0.5, 0.6, 0.6, 0.8]], np.float32)
LAST = np.array([[0, 0, 0.25, 0.25, 0.7]], np.float32)


def three_boxes(dets):
    """Hold a result to the three boxes of `PACKED`, of an image of 100 pixels."""
    assert dets.class_id.tolist() == [0, 0, 2]
    np.testing.assert_allclose(dets.confidence, [0.9, 0.8, 0.7], atol=1e-6)
    np.testing.assert_allclose(dets.xyxy, [[20, 10, 40, 30], [50, 50, 60, 60], [0, 0, 25, 25]], atol=1e-3)
    assert (dets.xyxy.dtype, dets.confidence.dtype, dets.class_id.dtype) == (np.float32, np.float32, np.int32)


def test_classes_are_packed_and_not_at_fixed_places():
    three_boxes(decode_nms(PACKED, classes=3, image_size=100))


def test_a_size_that_allows_one_number_of_classes_tells_it():
    dets = decode_nms(PACKED, image_size=100)
    three_boxes(dets)
    assert dets.meta["nms"] == "by class, packed: 3 classes of at most 100 boxes"


def test_old_content_behind_the_last_class_is_not_looked_at():
    buffer = PACKED.copy()
    buffer[18:] = np.nan
    three_boxes(decode_nms(buffer, classes=3, image_size=100))


@pytest.mark.parametrize(
    "empty", [[], np.empty(0), np.empty((0, 5)), np.empty((5, 0)), np.empty((0, 5), np.float32)]
)
def test_an_empty_class_may_be_anything_empty(empty):
    three_boxes(decode_nms([FIRST, empty, LAST], image_size=100))


def as_objects(*classes):
    made = np.empty(len(classes), object)
    made[:] = classes
    return made


@pytest.mark.parametrize(
    "held",
    [
        [[FIRST, np.empty((0, 5)), LAST]],
        as_objects(FIRST, np.empty((0, 5)), LAST),
        as_objects(FIRST, np.empty((0, 5)), LAST).reshape(1, 3),
        (FIRST, [], LAST),
        [FIRST.tolist(), [], LAST.tolist()],
        [[FIRST.tolist(), [], LAST.tolist()]],
        [[list(FIRST), [], list(LAST)]],
        {"bolts_net/yolov8_nms_postprocess": [[FIRST, [], LAST]]},
        {"bolts_net/yolov8_nms_postprocess": PACKED},
        PACKED[None],
        [PACKED],
        PACKED.tobytes(),
        bytearray(PACKED.tobytes()),
        memoryview(PACKED),
        [PACKED.tobytes()],
        PACKED.view(np.uint8),
        PACKED.astype(np.float64),
        np.repeat(PACKED, 2)[::2],
    ],
    ids=str.split(
        "batch objects object-batch tuple rows-are-lists batch-of-lists flat-rows dict dict-flat batch-flat list-flat "
        "bytes bytearray memoryview list-of-bytes u1 f8 strided"
    ),
)
def test_every_nesting_of_one_frame_gives_the_same_boxes(held):
    three_boxes(decode_nms(held, classes=3, image_size=100))


def test_a_read_only_buffer_is_read_and_none_is_written_to():
    frozen = np.frombuffer(PACKED.tobytes(), np.float32)
    three_boxes(decode_nms(frozen, classes=3, image_size=100))
    assert frozen.tobytes() == PACKED.tobytes()


def padded_cube():
    cube = np.zeros((80, 5, 100), np.float32)
    cube[62, :, 0] = [0.39044172, 0.01051593, 0.61553806, 0.24089272, 0.91469216]
    cube[62, :, 1] = [0.48778102, 0.8696294, 0.6793776, 0.9998992, 0.5478364]
    return cube


@pytest.mark.parametrize("cube", [padded_cube(), padded_cube().swapaxes(1, 2), padded_cube()[None]])
def test_a_padded_cube_gives_its_boxes_and_no_padding(cube):
    dets = decode_nms(cube, image_size=640)
    assert dets.class_id.tolist() == [62, 62]
    np.testing.assert_allclose(dets.xyxy[0], [6.730, 249.883, 154.171, 393.944], atol=1e-3)
    np.testing.assert_allclose(dets.confidence, [0.91469216, 0.5478364], atol=1e-7)


def test_padding_of_a_dequantised_zero_is_no_box():
    cube = np.full((2, 5, 6), -0.125, np.float32)
    cube[1, :, 0] = [0.25, 0.25, 0.5, 0.5, 0.75]
    dets = decode_nms(cube, image_size=64)
    assert (dets.class_id.tolist(), dets.xyxy.tolist()) == ([1], [[16, 16, 32, 32]])


def test_a_cube_with_two_axes_of_five_asks_which_holds_the_numbers():
    cube = np.zeros((5, 5, 5), np.float32)
    cube[2, :, 0] = [0.25, 0.25, 0.5, 0.5, 0.75]
    with pytest.raises(AmbiguousError, match="can be read two ways") as caught:
        decode_nms(cube, image_size=64)
    assert caught.value.hint == "box_axis=1 or box_axis=2"
    assert decode_nms(cube, image_size=64, box_axis=1).class_id.tolist() == [2]
    assert decode_nms(cube.swapaxes(1, 2), image_size=64, box_axis=2).class_id.tolist() == [2]
    with pytest.raises(SizeError, match="axis 2 of a cube"):
        decode_nms(np.zeros((3, 5, 7), np.float32), image_size=64, box_axis=2)


def test_records_by_score_are_packed_and_unaligned():
    one = struct.pack("<H", 1) + struct.pack("<5fH", 0.1, 0.2, 0.3, 0.4, 0.9, 7)
    dets = decode_nms(one.ljust(2202, b"\x5a"), image_size=100)
    assert dets.class_id.tolist() == [7]
    np.testing.assert_allclose(dets.xyxy, [[20, 10, 40, 30]], atol=1e-3)
    assert decode_nms(one, image_size=100).class_id.tolist() == [7]


def test_more_records_than_bytes_is_an_error_with_both_sizes():
    cut = struct.pack("<H", 9) + struct.pack("<5fH", 0.1, 0.2, 0.3, 0.4, 0.9, 7) * 2
    with pytest.raises(SizeError, match="counts 9 boxes, and has room for 2") as caught:
        decode_nms(cut, image_size=100, form="by_score")
    assert caught.value.got == "46 bytes"
    assert caught.value.wanted == "2 + 22 * 9 = 200 bytes"


def test_one_record_over_the_limit_is_told_and_the_others_are_read():
    records = b"".join(struct.pack("<5fH", 0.1, 0.2, 0.3, 0.4, 0.9 - k / 10, k) for k in range(3))
    dets = decode_nms(struct.pack("<H", 4) + records, image_size=100)
    assert dets.class_id.tolist() == [0, 1, 2]
    assert dets.meta["cut"].startswith("the buffer counts 4 boxes and holds 3")


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (160320, "NMS by class, float32: classes * (1 + 5 * boxes) = 40080 numbers, e.g. 80 x 100"),
        (6012, "NMS by class, float32: classes * (1 + 5 * boxes) = 1503 numbers, e.g. 3 x 100"),
        (3208, "NMS by class, float32: classes * (1 + 5 * boxes) = 802 numbers, e.g. 2 x 80"),
        (8016, "NMS by class, float32: classes * (1 + 5 * boxes) = 2004 numbers, e.g. 4 x 100"),
        (2_026_044, "NMS by class, float32: classes * (1 + 5 * boxes) = 506511 numbers, e.g. 1011 x 100"),
        (2202, "NMS by score: 2 + 22 * 100 boxes"),
        (414202, "NMS with byte masks: 2 + 46 * 100 boxes + 4 * 320 * 320 mask bytes"),
        (208602, "NMS with byte masks: 2 + 38 * 100 boxes + 2 * 320 * 320 mask bytes"),
        (
            409600,
            "raw box map 80x80x64, uint8, 16 bins: stride 8 of 640x640 or 16 of 1280x1280 or 32 of 2560x2560; "
            "a network that gives it has no NMS step",
        ),
    ],
)
def test_a_number_of_bytes_says_what_it_may_be(nbytes, text):
    assert explain_size(nbytes)[0] == text


def test_a_size_that_is_nothing_known_gets_no_guess():
    assert explain_size(7) == []
    assert explain_size(1 << 40) == []
    for wrong in (0, -3, 2.5, True, "160320"):
        with pytest.raises(OptionError):
            explain_size(wrong)


def test_nothing_found_is_arrays_of_length_0():
    for held in (
        np.zeros(1503, np.float32),
        np.zeros(1503),
        [[]] * 3,
        np.zeros((3, 5, 100), np.float32),
        bytes(2202),
        [],
    ):
        dets = decode_nms(held, image_size=100)
        assert (dets.xyxy.shape, dets.confidence.shape, dets.class_id.shape) == ((0, 4), (0,), (0,))
        assert dets.class_id.dtype == np.int32


def test_a_class_that_reached_its_limit_is_told():
    buffer = np.zeros(2 * (1 + 5 * 50), np.float32)
    buffer[0] = 50
    buffer[1:251] = np.tile([0.1, 0.1, 0.2, 0.2, 0.5], 50)
    buffer[251:257] = [1, 0.1, 0.1, 0.2, 0.2, 0.9]
    dets = decode_nms(buffer, classes=2, image_size=100)
    assert len(dets) == 51
    assert dets.meta["cut"] == "class 0 reached max_proposals_per_class=50: weaker boxes may be missing"


def network(**changes):
    nms = NmsInfo(classes=3, max_per_class=100, score_threshold=0.2, iou_threshold=0.7, image_size=(100, 100))
    output = OutputInfo("net/nms", order=FormatOrder.NMS_BY_CLASS, nms=nms)
    told = {"input_size": (100, 100), "outputs": (output,), "nms_done": True, "classes": ("a", "b", "c")}
    return NetworkInfo("net", "hef", **{**told, **changes})


def test_a_threshold_below_the_models_own_is_told():
    dets = decode_nms(PACKED, network=network(), conf=0.15)
    assert len(dets) == 3
    assert dets.meta["threshold"].startswith(
        "the model drops scores under 0.200 before anyone sees them, and conf=0.15"
    )
    assert "threshold" not in decode_nms(PACKED, network=network(), conf=0.2).meta
    assert "threshold" not in decode_nms(PACKED, network=network()).meta


def test_a_threshold_that_was_lowered_at_run_time_is_no_remark():
    buffer = PACKED.copy()
    buffer[17] = 0.17
    dets = decode_nms(buffer, network=network(), conf=0.15)
    assert (len(dets), "threshold" in dets.meta) == (3, False)


def test_a_stricter_threshold_keeps_scores_that_are_equal_to_it():
    assert decode_nms(PACKED, image_size=100, conf=float(np.float32(0.8))).confidence.tolist() == [
        float(np.float32(0.9)),
        float(np.float32(0.8)),
    ]


def test_a_box_slightly_outside_is_kept_and_clipped_to_the_photo():
    rows = [np.array([[-0.0003, 0.5, 1.002, 0.7, 0.9]], np.float32)]
    dets = decode_nms(rows, image_size=640)
    np.testing.assert_allclose(dets.xyxy, [[320, -0.192, 448, 641.28]], atol=1e-3)
    photo = decode_nms(rows, letterbox=Letterbox.stretch((480, 640), (640, 640)))
    np.testing.assert_allclose(photo.xyxy, [[320, 0, 448, 480]], atol=1e-3)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ([0.1, 0.1, 0.5, 0.5, 1.7], "have a score outside 0..1, which is not an NMS row's"),
        ([0.1, 0.1, 0.5, 0.5, -0.3], "have a score outside 0..1, which is not an NMS row's"),
        ([0.5, 0.1, 0.4, 0.5, 0.9], "boxes are inside out, which is not an NMS row's"),
        ([0.1, 0.5, 0.4, 0.4, 0.9], "boxes are inside out, which is not an NMS row's"),
        ([0.1, 0.1, np.nan, 0.5, 0.9], "hold values that are no numbers"),
        ([0.1, 0.1, 0.5, np.inf, 0.9], "hold values that are no numbers"),
        ([0.1, 0.1, 0.5, 0.5, np.nan], "hold values that are no numbers"),
        ([120.0, 80.0, 200.0, 300.0, 0.9], "boxes are no fractions of an image"),
    ],
)
def test_a_row_that_no_nms_step_writes_is_told_with_its_numbers(row, text):
    with pytest.raises(ValuesError, match=f"1 of 3 .*{text}") as caught:
        decode_nms([FIRST, np.array([row], np.float32)], image_size=640)
    assert "row 2, class 1: y " in caught.value.got


def test_a_score_that_rounding_puts_over_1_is_kept_as_it_is():
    dets = decode_nms([np.array([[0, 0, 1, 1, 255 * 0.00394]], np.float32)], image_size=64)
    assert dets.confidence.tolist() == [float(np.float32(255 * 0.00394))]


def test_scores_that_are_logits_name_the_layers_that_lack_a_sigmoid():
    decoders = tuple(DecoderInfo(8, {"reg": f"conv{n - 1}", "cls": f"conv{n}"}) for n in (42, 53, 63))
    step = OpInfo("op", "yolov8", "net/nms", nms=NmsInfo(score_threshold=0.2), decoders=decoders)
    buffer = PACKED.copy()
    buffer[5] = 2.2
    with pytest.raises(ValuesError, match=r"a score outside 0\.\.1") as caught:
        decode_nms(buffer, network=network(ops=(step,)))
    assert caught.value.hint == (
        "the class layers hold logits: the model script lacks the sigmoid lines for conv42, conv53, conv63"
    )
    assert "the highest score is 2.2" in caught.value.got


def raw_tensors():
    shapes = [(80, 80, 64), (80, 80, 5), (40, 40, 64), (40, 40, 5), (20, 20, 64), (20, 20, 5)]
    return {f"snail_net/conv{41 + k}": np.zeros(shape, np.uint8) for k, shape in enumerate(shapes)}


@pytest.mark.parametrize("outputs", [raw_tensors(), list(raw_tensors().values())], ids=["dict", "list"])
def test_six_raw_tensors_are_no_nms_result(outputs):
    with pytest.raises(
        PairingError, match="6 raw tensors, and no NMS result: this network has no NMS step"
    ) as caught:
        decode_nms(outputs, image_size=640)
    assert "Decoder" in caught.value.hint


def test_one_raw_tensor_is_named_for_what_it_is():
    for held in (np.zeros((80, 80, 64), np.uint8), {"conv41": np.zeros((80, 80, 64), np.uint8)}):
        with pytest.raises(PairingError, match=r"shape \(80, 80, 64\) is no NMS result") as caught:
            decode_nms(held, image_size=640)
        assert "raw box map 80x80x64, uint8, 16 bins: stride 8 of 640x640" in caught.value.hint
    with pytest.raises(SizeError, match="none of the forms of NMS result") as caught:
        decode_nms(np.full(409600, 9, np.uint8), image_size=640)
    assert "raw box map 80x80x64" in caught.value.hint


ROW = [np.array([[0.25, 0.10, 0.75, 0.50, 0.9]], np.float32)]


@pytest.mark.parametrize(
    ("letterbox", "xyxy"),
    [
        (Letterbox.fit((1080, 1920), (640, 640)), [192, 60, 960, 1020]),
        (Letterbox.stretch((1080, 1920), (640, 640)), [192, 270, 960, 810]),
        (Letterbox.fit((1080, 1920), (640, 640), place="topleft"), [192, 480, 960, 1080]),
    ],
    ids=["centred", "stretched", "padded below"],
)
def test_boxes_come_back_in_pixels_of_the_photo(letterbox, xyxy):
    dets = decode_nms(ROW, letterbox=letterbox)
    np.testing.assert_allclose(dets.xyxy, [xyxy], atol=1e-3)
    assert dets.meta["frame"].startswith("pixels of the photo (1920x1080)")


def test_classes_that_count_from_1_lose_their_offset():
    detection = SimpleNamespace(y_min=0.1, x_min=0.2, y_max=0.3, x_max=0.4, score=0.9, class_id=1)
    dets = decode_nms([detection], image_size=100, label_offset=1, names=["bolt", "nut"])
    assert (dets.class_id.tolist(), dets.name_of(0)) == ([0], "bolt")
    with pytest.raises(OptionError, match="a box of class 0 cannot have label_offset=1 taken off"):
        decode_nms(PACKED, image_size=100, label_offset=1)


def test_names_of_another_model_are_left_out_and_told():
    buffer = np.zeros(7 * (1 + 5 * 4), np.float32)
    buffer[:7] = [0, 1, 0.1, 0.1, 0.5, 0.5, 0.9]
    dets = decode_nms(buffer, classes=7, image_size=100, names=[f"thing {k}" for k in range(80)])
    assert (dets.names, dets.name_of(1)) == ((), "class_1")
    assert dets.meta["names"] == "80 class names do not go with 7 classes: they were left out"


def test_the_number_of_names_settles_the_number_of_classes():
    dets = decode_nms(np.zeros(40080, np.float32), image_size=640, names=[f"thing {k}" for k in range(80)])
    assert dets.meta["nms"] == "by class, packed: 80 classes of at most 100 boxes"
    assert len(dets.names) == 80


def test_a_size_that_allows_many_numbers_of_classes_asks():
    with pytest.raises(AmbiguousError, match="40080 numbers does not tell its number of classes") as caught:
        decode_nms(np.zeros(40080, np.float32), image_size=640)
    assert caught.value.readings[0] == "80 classes of at most 100 boxes"
    assert "classes=" in caught.value.hint
    assert len(decode_nms(np.zeros(40080, np.float32), image_size=640, max_per_class=100)) == 0


@pytest.mark.parametrize(
    ("changed", "error", "text"),
    [
        ({0: np.nan}, ValuesError, "count of class 0 of 3, at number 0 of 1503, cannot be true"),
        ({0: 1e9}, ValuesError, "count of class 0 of 3"),
        ({0: -1}, ValuesError, "count of class 0 of 3"),
        ({0: 101}, ValuesError, "count of class 0 of 3"),
        ({0: 1.5}, ValuesError, "count of class 0 of 3"),
        ({11: np.inf}, ValuesError, "count of class 1 of 3, at number 11 of 1503, cannot be true"),
    ],
)
def test_counts_that_cannot_be_true_are_told_with_their_place(changed, error, text):
    buffer = PACKED.copy()
    for at, value in changed.items():
        buffer[at] = value
    with pytest.raises(error, match=text):
        decode_nms(buffer, classes=3, image_size=100)


@pytest.mark.parametrize("size", [0, 1, 11, 13, 1502])
def test_a_buffer_that_is_cut_short_is_told(size):
    with pytest.raises(SizeError, match=f"{size} numbers are no by-class buffer of 3 classes"):
        decode_nms(PACKED[:size], classes=3, image_size=100)


def test_a_buffer_longer_than_it_was_said_is_read_as_far_as_it_goes():
    padded = np.concatenate([PACKED, np.full(7, np.nan, np.float32)])
    three_boxes(decode_nms(padded, classes=3, max_per_class=100, image_size=100))


def test_a_wrong_number_of_classes_says_which_would_fit():
    with pytest.raises(SizeError, match="1503 numbers are no by-class buffer of 80 classes") as caught:
        decode_nms(PACKED, classes=80, image_size=100)
    assert caught.value.hint == "this size would be 3 classes of 100 boxes"
    with pytest.raises(SizeError, match="a list for 3 classes"):
        decode_nms([FIRST, [], LAST], classes=80, image_size=100)
    with pytest.raises(SizeError, match="has 3 classes"):
        decode_nms(np.zeros((3, 5, 100), np.float32), classes=80, image_size=100)


def test_a_limit_that_was_changed_at_run_time_is_taken_from_the_size():
    buffer = np.zeros(3 * (1 + 5 * 20), np.float32)
    told = decode_nms(buffer, network=network()).meta["nms"]
    assert told.startswith("by class, packed: 3 classes of at most 20 boxes")


def test_what_the_model_itself_has_suppressed_is_told():
    told = decode_nms(PACKED, network=network()).meta["nms"]
    assert told.endswith("; suppressed by the model's own step (score 0.2, IoU 0.7)")


def test_old_buffers_of_uint16_want_a_scale():
    buffer = np.zeros(2 * (1 + 5 * 4), np.uint16)
    buffer[:7] = [0, 1, 1024, 2048, 2048, 4096, 3072]
    with pytest.raises(QuantError, match="stored as integers"):
        decode_nms(buffer, classes=2, image_size=64)
    dets = decode_nms(buffer, classes=2, image_size=64, quant=(1 / 4096, 0))
    assert (dets.class_id.tolist(), dets.confidence.tolist()) == ([1], [0.75])
    assert dets.xyxy.tolist() == [[32, 16, 64, 32]]
    with pytest.raises(QuantError, match="one scale and one zero point"):
        decode_nms(buffer, classes=2, image_size=64, quant=([0.5, 0.25], 0))


def test_by_score_bytes_that_pyhailort_took_apart_by_class_are_recognised():
    with pytest.raises(DtypeError, match="the boxes of an NMS result are uint8") as caught:
        decode_nms([np.zeros((3, 5), np.uint8), np.empty((0, 5))], image_size=100)
    assert "InferModel" in caught.value.hint


def test_none_is_what_pyhailort_returns_for_byte_masks_in_tensorflow_form():
    with pytest.raises(PairingError, match="NoneType is no NMS result") as caught:
        decode_nms(None, image_size=100)
    assert "tf_format" in caught.value.hint


def test_rows_without_a_class_are_refused():
    with pytest.raises(SizeError, match="does not tell the classes of its boxes"):
        decode_nms(np.zeros((7, 5), np.float32), image_size=100)
    with pytest.raises(SizeError, match="class 0 of a by-class list has the shape \\(5, 3\\)") as caught:
        decode_nms([FIRST.T[:, [0, 0, 1]]], image_size=100)
    assert "transpose" in caught.value.hint


def test_a_class_beyond_the_last_is_told():
    one = struct.pack("<H", 1) + struct.pack("<5fH", 0.1, 0.2, 0.3, 0.4, 0.9, 91)
    with pytest.raises(ValuesError, match="1 of 1 boxes have a class that does not exist") as caught:
        decode_nms(one.ljust(2202, b"\0"), image_size=100, classes=80, form="by_score")
    assert caught.value.wanted == "0 to 79"


def test_several_frames_go_to_decode_nms_batch():
    frames = [[FIRST, [], LAST], [[], LAST, []]]
    with pytest.raises(SizeError, match="a batch of 2 frames") as caught:
        decode_nms(frames, image_size=100)
    assert "decode_nms_batch" in caught.value.hint
    for held in (frames, {"net/nms": frames}, np.stack([PACKED, PACKED])):
        both = decode_nms_batch(held, image_size=100, classes=3)
        assert len(both) == 2
        three_boxes(both[0])
    boxes = [Letterbox.stretch((200, 200), (100, 100)), None]
    first, second = decode_nms_batch(frames, image_size=100, letterboxes=boxes)
    assert (first.xyxy[0].round(3).tolist(), second.class_id.tolist()) == ([40, 20, 80, 60], [1])
    with pytest.raises(OptionError, match="1 letterboxes do not go with 2 frames"):
        decode_nms_batch(frames, image_size=100, letterboxes=boxes[:1])
    with pytest.raises(SizeError, match="no batch"):
        decode_nms_batch(PACKED, image_size=100)
    with pytest.raises(SizeError, match="no batch"):
        decode_nms_batch({1, 2}, image_size=100)
    assert decode_nms_batch([], image_size=100) == []


def test_two_results_in_a_dict_ask_which_is_meant():
    with pytest.raises(AmbiguousError, match="a dict with 2 NMS results"):
        decode_nms({"left/nms": PACKED, "right/nms": PACKED}, image_size=100)
    mixed = {"net/nms": PACKED, "net/logits": np.zeros((1, 1, 10), np.float32)}
    three_boxes(decode_nms(mixed, image_size=100))


def test_the_size_of_the_image_is_never_guessed():
    with pytest.raises(OptionError, match="fractions of an image whose size is not known"):
        decode_nms(PACKED)
    three_boxes(decode_nms(PACKED, network=network()))
    wide = decode_nms(PACKED, image_size=(50, 200)).xyxy[0]
    np.testing.assert_allclose(wide, [40, 5, 80, 15], atol=1e-3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"conf": 25},
        {"conf": float("nan")},
        {"classes": 0},
        {"max_det": 0},
        {"max_per_class": 2.5},
        {"label_offset": -1},
        {"box_axis": 0},
        {"image_size": "640"},
        {"chunks": True},
        {"names": "bolts"},
        {"names": 3},
        {"network": "model.hef"},
        {"form": ["by_class"]},
    ],
    ids=str,
)
def test_an_option_that_cannot_be_is_refused(wrong):
    with pytest.raises(OptionError):
        decode_nms(PACKED, **{"image_size": 100, "classes": 3, **wrong})


def test_an_unknown_option_or_form_names_the_known_ones():
    with pytest.raises(UnknownName, match="no option named 'confidence'") as caught:
        decode_nms(PACKED, image_size=100, confidence=0.5)
    assert "fallback_size" not in caught.value.wanted
    with pytest.raises(UnknownName, match="no form of NMS result named 'by_clas'") as caught:
        decode_nms(PACKED, image_size=100, form="by_clas")
    assert "by_class" in caught.value.hint
    for form in ("by_class", "HAILO NMS BY CLASS", FormatOrder.NMS_BY_CLASS, "HAILO_NMS"):
        three_boxes(decode_nms(PACKED, image_size=100, form=form))


def test_the_best_boxes_stay_when_the_result_is_limited():
    dets = decode_nms(PACKED, image_size=100, max_det=2)
    assert dets.class_id.tolist() == [0, 0]
    assert dets.meta["limit"] == "max_det=2 was reached: 1 weaker boxes were left out"
