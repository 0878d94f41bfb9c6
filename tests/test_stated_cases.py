"""Cases that users ran into, each with its numbers."""

import heads
import numpy as np
import pytest

from hailo_decode import Decoder, Letterbox, Quant, decode_yolov8
from hailo_decode.errors import DtypeError
from hailo_decode.readers.tensor import read_tensor
from hailo_decode.values.boxes import Detections
from hailo_decode.values.network import OutputInfo


def one_cell(grid, row, column, box, score=0.9, classes=1):
    """Return outputs of one level in which one cell holds an object with those box channels."""
    channels = np.zeros((*grid, len(box)), np.float32)
    channels[row, column] = box
    cls = np.zeros((*grid, classes), np.float32)
    cls[row, column, 0] = score
    return {"box": channels, "cls": cls}


def bins(*tops, count=16):
    """Return the logits of four sides, -10 but for +10 at one bin each."""
    logits = np.full((4, count), -10.0)
    logits[range(4), tops] = 10.0
    return logits.ravel()


def test_stored_numbers_are_subtracted_as_wide_ones():
    # In uint8 100 - 150 would be 206, and the value 20.6.
    data = np.array([[[200, 100]]], np.uint8)
    tensor = read_tensor(data, OutputInfo("x", quant=Quant.of(0.1, 150)))
    np.testing.assert_allclose(tensor.real(), [[[5.0, -5.0]]])
    wide = read_tensor(np.array([[[65535]]], np.uint16), OutputInfo("x", quant=Quant.of(1.5259e-05)))
    assert wide.real().item() == pytest.approx(1.0, abs=1e-4)


def test_bytes_below_the_zero_point_give_distances_below_zero():
    outputs = {"box": np.array([[[100, 200, 200, 200]]], np.uint8), "cls": np.array([[[255]]], np.uint8)}
    dets = decode_yolov8(outputs, 8, quant={"box": (0.1, 150), "cls": (1 / 255, 0)})
    np.testing.assert_allclose(dets.xyxy, [[(0.5 + 5) * 8, (0.5 - 5) * 8, 5.5 * 8, 5.5 * 8]])


def test_distributions_of_bins_2_3_4_5_are_left_top_right_bottom_of_the_cells_centre():
    dets = decode_yolov8(one_cell((80, 80), 40, 50, bins(2, 3, 4, 5)), 640)
    np.testing.assert_allclose(dets.xyxy, [[388, 300, 436, 364]], atol=0.01)
    # A centre taken from (left + right) / 2 as if both were offsets would lie 36 pixels off.
    centre = dets.xyxy[0, [0, 2]].mean()
    assert centre == pytest.approx(412, abs=0.01)


@pytest.mark.parametrize(("count", "cells"), [(8, 3.5), (16, 7.5), (2, 0.5), (32, 15.5)])
def test_logits_that_are_all_equal_give_the_middle_of_the_bins(count, cells):
    dets = decode_yolov8(one_cell((20, 20), 9, 11, np.full(4 * count, 1.25)), 640)
    x, y = 11.5 * 32, 9.5 * 32
    np.testing.assert_allclose(dets.xyxy, [[x - cells * 32, y - cells * 32, x + cells * 32, y + cells * 32]])
    assert f"{count} bins" in dets.meta["head"]


def test_four_channels_are_the_distances_themselves():
    dets = decode_yolov8(one_cell((80, 80), 40, 50, [2, 3, 4, 5]), 640)
    assert dets.xyxy.tolist() == [[388, 300, 436, 364]]


def test_a_one_to_one_head_is_not_suppressed_and_meta_says_so():
    cls = np.zeros((4, 4, 1), np.float32)
    cls[1, 1] = cls[1, 2] = 0.9
    box = np.full((4, 4, 4), 8, np.float32)
    plain = decode_yolov8({"cv2.0": box, "cv3.0": cls}, 32)
    once = decode_yolov8({"one2one_cv2.0": box, "one2one_cv3.0": cls}, 32)
    assert (len(plain), len(once)) == (1, 2)
    assert "one-to-one" in once.meta["nms"]
    assert len(decode_yolov8({"one2one_cv2.0": box, "one2one_cv3.0": cls}, 32, suppress=True)) == 1
    assert len(decode_yolov8({"cv2.0": box, "cv3.0": cls}, 32, suppress=False)) == 2


@pytest.mark.parametrize(
    ("size", "strides", "cells"),
    [
        (320, (8, 16, 32), 2100),
        (640, (8, 16, 32), 8400),
        (1280, (8, 16, 32), 33_600),
        (1280, (8, 16, 32, 64), 34_000),
        ((384, 640), (8, 16, 32), 5040),
        ((1024, 832), (8, 16, 32), 17_472),
    ],
    ids=str,
)
def test_input_size_and_grids_give_strides_and_cells(size, strides, cells):
    outputs, quant = heads.dfl_frame(size=size, strides=strides, classes=1, bins=2, objects=())
    dets = decode_yolov8(outputs, size, quant=quant, conf=0.0, suppress=False, max_det=40_000, max_nms=40_000)
    assert len(dets) == cells
    assert f"strides {'/'.join(map(str, strides))} of an input" in dets.meta["head"]


@pytest.mark.parametrize(("size", "stride"), [(640, 32), (320, 16), (1280, 64)])
def test_a_grid_of_20_by_20_has_the_stride_that_the_input_gives_it(size, stride):
    dets = decode_yolov8(one_cell((20, 20), 3, 4, [1, 1, 1, 1]), size)
    assert dets.xyxy.tolist() == [[3.5 * stride, 2.5 * stride, 5.5 * stride, 4.5 * stride]]


def test_outputs_of_different_width_are_each_dequantised_by_their_own_numbers():
    outputs, quant = heads.dfl_frame(objects=[(8, 1, 1, 0, 0.8), (16, 1, 1, 1, 0.6)])
    wanted = decode_yolov8(outputs, 64, quant=quant)
    outputs["net/cls16"] = outputs["net/cls16"].astype(np.uint16) * 257
    quant["net/cls16"] = (1 / 65_535, 0.0)
    dets = decode_yolov8(outputs, 64, quant=quant)
    assert dets.class_id.tolist() == wanted.class_id.tolist() == [0, 1]
    np.testing.assert_allclose(dets.confidence, wanted.confidence, atol=1e-6)
    assert dets.xyxy.tolist() == wanted.xyxy.tolist()


def test_an_array_of_eight_times_the_bytes_is_called_float64():
    with pytest.raises(DtypeError) as caught:
        decode_yolov8({"box": np.zeros((20, 20, 64)), "cls": np.zeros((20, 20, 3), np.float32)}, 640)
    assert caught.value.got == "float64"


FRAME, ROW = (1080, 1920), [[0.10 * 640, 0.25 * 640, 0.50 * 640, 0.75 * 640]]


@pytest.mark.parametrize(
    ("letterbox", "box"),
    [
        (Letterbox.fit(FRAME, (640, 640)), [192, 60, 960, 1020]),
        (Letterbox.stretch(FRAME, (640, 640)), [192, 270, 960, 810]),
        (Letterbox.fit(FRAME, (640, 640), "topleft"), [192, 480, 960, 1080]),
    ],
    ids=["centred", "stretched", "padded below"],
)
def test_a_row_in_a_1920x1080_frame_comes_back_as_the_placement_says(letterbox, box):
    dets = Detections(np.array(ROW, np.float32), np.ones(1, np.float32), np.zeros(1, np.int32))
    np.testing.assert_allclose(dets.in_photo(letterbox).xyxy, [box], atol=0.01)


def test_a_centred_letterbox_of_1920x1080_in_640_has_a_third_for_scale_and_140_above():
    letterbox = Letterbox.fit(FRAME, (640, 640))
    assert letterbox.scale == pytest.approx((1 / 3, 1 / 3))
    assert letterbox.pad == (0.0, 140.0)
    assert letterbox.undo(np.array([[0.0, 360 + 140.0]]))[0, 1] == pytest.approx(1080)


def test_boxes_stay_unclipped_until_a_letterbox_is_given():
    outputs = one_cell((20, 20), 0, 0, [3, 3, 1, 1])
    assert decode_yolov8(outputs, 640).xyxy.tolist() == [[-80, -80, 48, 48]]
    whole = Letterbox.stretch((640, 640), (640, 640))
    assert decode_yolov8(outputs, 640, letterbox=whole).xyxy.tolist() == [[0, 0, 48, 48]]


def test_mixed_fcr_and_nhwc_labels_of_a_zoo_file_are_read_alike():
    objects = [(8, 5, 3, 4, 0.9), (16, 3, 3, 1, 0.8), (32, 1, 1, 0, 0.7)]
    numbers = {8: (41, 42), 16: (52, 53), 32: (62, 63)}
    outputs, quant = heads.dfl_frame(
        size=640,
        classes=5,
        objects=objects,
        names=lambda role, s: f"snail_net/conv{numbers[s][role == 'cls']}",
    )
    formats = dict.fromkeys(outputs, "FCR") | {"snail_net/conv62": "NHWC"}
    decoder = Decoder.from_outputs(outputs, 640, quant=quant, formats=formats)
    dets = decoder(outputs)
    assert dets.class_id.tolist() == [4, 1, 0]
    assert dets.xyxy.tolist() == [heads.box_of(*one[:3]) for one in objects]
    pairs = [
        (level.outputs["box"].name, level.outputs["cls"].name)
        for level in decoder.plan(outputs).reading.levels
    ]
    assert pairs == [(f"snail_net/conv{a}", f"snail_net/conv{b}") for a, b in numbers.values()]
