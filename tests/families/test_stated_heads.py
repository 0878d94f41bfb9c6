"""Cases that users ran into with heads of other kinds, each with its numbers."""

import math

import numpy as np
import pytest

from hailo_decode import decode
from hailo_decode.errors import AmbiguousError, PairingError

V5 = {
    8: [(10, 13), (16, 30), (33, 23)],
    16: [(30, 61), (62, 45), (59, 119)],
    32: [(116, 90), (156, 198), (373, 326)],
}
BACKGROUND = -9.0
RNG = np.random.default_rng(7)


def maps(grids, channels, value=BACKGROUND, name="out"):
    """Return one output a grid, all of one value."""
    return {f"{name}{h}x{w}": np.full((h, w, channels), value, np.float32) for h, w in grids}


def square(*sides):
    return [(side, side) for side in sides]


def centre_and_size(dets):
    """Return (n, 4): centre x, centre y, width, height."""
    left, top, right, bottom = dets.xyxy.T
    return np.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top], axis=1)


@pytest.mark.parametrize(
    ("grid", "anchor", "centre", "size"),
    [((80, 80), 0, (4, 4), (10, 13)), ((20, 20), 0, (16, 16), (116, 90)), ((40, 40), 2, (8, 8), (59, 119))],
)
def test_raw_zeros_of_a_v5_head_are_the_middle_of_the_cell_and_the_anchor_itself(grid, anchor, centre, size):
    outputs = maps(square(80, 40, 20), 255)
    cell = outputs[f"out{grid[0]}x{grid[1]}"][0, 0]
    cell[anchor * 85 : anchor * 85 + 4] = 0
    cell[anchor * 85 + 4 : anchor * 85 + 6] = 9
    dets = decode(outputs, 640, family="yolov5")
    np.testing.assert_allclose(centre_and_size(dets), [[*centre, *size]], atol=1e-3)
    assert dets.class_id.tolist() == [0]


def test_doubled_anchors_double_the_size_and_leave_centre_and_score_alone():
    outputs = maps(square(80, 40, 20), 255)
    for k, name in enumerate(outputs):
        outputs[name][3 + k, 4 + k, :4] = RNG.uniform(-2, 2, 4)
        outputs[name][3 + k, 4 + k, 4:7] = 4
    usual = decode(outputs, 640, family="yolov5", anchors=V5)
    twice = decode(
        outputs, 640, family="yolov5", anchors={s: [(2 * w, 2 * h) for w, h in v] for s, v in V5.items()}
    )
    assert len(usual) == 3
    assert twice.confidence.tolist() == usual.confidence.tolist()
    np.testing.assert_allclose(
        centre_and_size(twice), centre_and_size(usual) * [1, 1, 2, 2], rtol=1e-5, atol=1e-3
    )
    assert twice.meta["anchors"] == "as told"
    assert "published" in decode(outputs, 640, family="yolov5").meta["anchors"]


def test_a_rectangular_v5_net_of_one_class_keeps_height_and_width_apart():
    grids = [(44, 80), (22, 40), (11, 20)]
    outputs = maps(grids, 18)
    cell = outputs["out11x20"][5, 17]
    cell[6:10] = 0
    cell[10:12] = 6
    dets = decode(outputs, (352, 640), family="yolov5")
    np.testing.assert_allclose(centre_and_size(dets), [[17.5 * 32, 5.5 * 32, 156, 198]], atol=1e-3)
    assert dets.class_id.tolist() == [0]
    assert "1 class, 3 anchors, strides 8/16/32 of an input of 352x640" in dets.meta["head"]
    with pytest.raises(PairingError) as caught:
        decode(outputs, (640, 352), family="yolov5")
    assert "640x352" in str(caught.value)
    assert "(height, width)" in caught.value.hint


def test_21_channels_are_three_anchors_of_two_classes():
    outputs = maps(square(80, 40, 20), 21)
    outputs["out40x40"][2, 3, 14 + 4 : 14 + 7] = [7, -9, 7]
    for family in ("yolov7", "yolov7_tiny", "yolov5", "yolov3"):
        dets = decode(outputs, 640, family=family)
        assert dets.class_id.tolist() == [1]
        assert "2 classes, 3 anchors" in dets.meta["head"]
    with pytest.raises(AmbiguousError) as caught:
        decode(outputs, 640)
    assert all("2 classes" in reading for reading in caught.value.readings)


def with_proto(channels, coefficients=32):
    outputs = maps(square(80, 40, 20), channels)
    outputs["net/proto"] = RNG.uniform(-1, 1, (160, 160, coefficients)).astype(np.float32)
    return outputs


@pytest.mark.parametrize(("channels", "classes"), [(351, 80), (255, 48), (117, 2)])
def test_three_anchors_with_a_prototype_of_32_are_v5_segmentation(channels, classes):
    outputs = with_proto(channels)
    each = channels // 3
    cell = outputs["out20x20"][4, 5]
    cell[2 * each : 2 * each + 4] = 0
    cell[2 * each + 4] = cell[2 * each + 4 + classes] = (
        8  # the last class, so that coefficients begin right behind it
    )
    cell[2 * each + 5 + classes :][:32] = RNG.uniform(-1, 1, 32)
    dets = decode(outputs, 640)
    assert dets.class_id.tolist() == [classes - 1]
    assert dets.mask.shape == (1, 640, 640)
    assert f"{classes} class" in dets.meta["head"]
    np.testing.assert_allclose(centre_and_size(dets), [[5.5 * 32, 4.5 * 32, 373, 326]], atol=1e-3)


def test_logits_of_a_v5_segmentation_head_never_become_scores_beyond_1():
    outputs = with_proto(351)
    outputs["out80x80"][10, 10, 4:85] = 12
    dets = decode(outputs, 640)
    assert len(dets) == 1
    assert 0.99 < dets.confidence[0] <= 1


def test_yolox_adds_no_half_cell_and_takes_exponentials():
    outputs = {"reg": maps([(80, 80)], 4, 0.0), "obj": maps([(80, 80)], 1), "cls": maps([(80, 80)], 80)}
    outputs = {role: array["out80x80"] for role, array in outputs.items()}
    outputs["reg"][4, 10] = [0.5, 0.25, 1, 0]
    outputs["obj"][4, 10] = 2
    outputs["cls"][4, 10, 3] = 3
    dets = decode(outputs, 640, family="yolox")
    np.testing.assert_allclose(centre_and_size(dets), [[84.0, 34.0, 21.746, 8.0]], atol=1e-3)
    assert dets.confidence[0] == pytest.approx(1 / (1 + math.exp(-2)) / (1 + math.exp(-3)), rel=1e-6)
    assert dets.class_id.tolist() == [3]


def pose(points, grid=(80, 80), classes=1, box=64):
    """Return outputs of one level with an object of 7.5 cells to each side at row 40, column 50."""
    outputs = {
        "cv2.0": np.zeros((*grid, box), np.float32),
        "cv3.0": np.full((*grid, classes), -9, np.float32),
    }
    outputs["cv4.0"] = np.zeros((*grid, len(points)), np.float32)
    outputs["cv4.0"][40, 50] = points
    outputs["cv3.0"][40, 50] = 3
    return outputs


def test_a_keypoint_of_v8_is_twice_the_raw_number_and_the_column_in_strides():
    dets = decode(pose([1.0, 1.0, 0.0] * 17), 640, family="yolov8_pose")
    assert dets.keypoints.shape == (1, 17, 3)
    np.testing.assert_allclose(dets.keypoints[0], [[416, 336, 0.5]] * 17)


def test_a_keypoint_of_26_is_the_raw_number_and_the_cells_middle_in_strides():
    dets = decode(pose([1.0, -0.5, 20.0] * 17, box=4), 640, family="yolo26_pose")
    np.testing.assert_allclose(dets.keypoints[0], [[(1 + 50.5) * 8, (-0.5 + 40.5) * 8, 1.0]] * 17, atol=1e-6)


def test_twelve_keypoint_channels_are_asked_about():
    outputs = pose([1.0, 1.0, 2.0] * 4)
    with pytest.raises(AmbiguousError) as caught:
        decode(outputs, 640, family="yolov8_pose")
    assert "12" in caught.value.message
    assert "4 points of x, y and visibility" in str(caught.value)
    assert "6 points of x and y" in str(caught.value)
    assert "keypoints=(4, 3) or keypoints=(6, 2)" in caught.value.hint
    four = decode(outputs, 640, family="yolov8_pose", keypoints=(4, 3)).keypoints
    six = decode(outputs, 640, family="yolov8_pose", keypoints=(6, 2)).keypoints
    np.testing.assert_allclose(four[0], [[416, 336, 0.880797]] * 4, atol=1e-5)
    x = [(v * 2 + 50) * 8 for v in (1, 2, 1, 1, 2, 1)]
    y = [(v * 2 + 40) * 8 for v in (1, 1, 2, 1, 1, 2)]
    np.testing.assert_allclose(six[0], np.stack([x, y, [1.0] * 6], axis=1))


@pytest.mark.parametrize(("channels", "points"), [(51, 17), (63, 21), (34, 17), (10, 5), (15, 5), (8, 4)])
def test_other_keypoint_channels_divide_one_way(channels, points):
    dets = decode(pose(np.zeros(channels)), 640, family="yolov8_pose")
    assert dets.keypoints.shape == (1, points, 3)
    assert f"{channels} channels divide" in dets.meta["keypoints"]


def test_keypoints_of_16_bits_beside_bytes_are_each_dequantised_by_their_own_numbers():
    grid = (20, 20)
    box, cls, kpt = (
        np.zeros((*grid, 64), np.uint8),
        np.zeros((*grid, 1), np.uint8),
        np.full((*grid, 51), 20_000, np.uint16),
    )
    cls[3, 7] = 230
    kpt[3, 7, :3] = [21_000, 19_500, 24_000]
    quant = {"net/box": (0.125, 100.0), "net/cls": (1 / 255, 0.0), "net/kpt": (0.0005, 20_000.0)}
    outputs = {"net/box": box, "net/cls": cls, "net/kpt": kpt}
    dets = decode(outputs, 640, family="yolov8_pose", quant=quant)
    first, rest = dets.keypoints[0, 0], dets.keypoints[0, 1:]
    np.testing.assert_allclose(
        first, [(2 * 0.5 + 7) * 32, (2 * -0.25 + 3) * 32, 1 / (1 + math.exp(-2))], rtol=1e-6
    )
    np.testing.assert_allclose(rest, [[7 * 32, 3 * 32, 0.5]] * 16)
    assert dets.confidence.tolist() == [np.float32(230 / 255)]


@pytest.mark.parametrize(("raw", "angle"), [(0.0, 0.7854), (-20.0, -0.7854), (20.0, 2.3562)])
def test_an_angle_of_v8_is_a_sigmoid_less_a_quarter_times_pi(raw, angle):
    outputs = {"cv2.0": np.zeros((80, 80, 64), np.float32), "cv3.0": np.full((80, 80, 15), -9, np.float32)}
    outputs["cv4.0"] = np.full((80, 80, 1), raw, np.float32)
    outputs["cv2.0"][40, 50, 1:16], outputs["cv2.0"][40, 50, 32:47] = -99, -99  # no cell to the left or right
    outputs["cv3.0"][40, 50, 3] = 3
    corners = decode(outputs, 640, family="yolov8_obb").corners[0]
    down = (corners[0] - corners[1]) / (15 * 8)  # from right top to right bottom: the box's own y
    np.testing.assert_allclose(down, [-math.sin(angle), math.cos(angle)], atol=1e-4)


def test_an_angle_of_26_is_the_raw_number():
    outputs = {"cv2.0": np.full((80, 80, 4), 2, np.float32), "cv3.0": np.full((80, 80, 15), -9, np.float32)}
    outputs["cv4.0"] = np.full((80, 80, 1), 0.3, np.float32)
    outputs["cv3.0"][40, 50, 3] = 3
    corners = decode(outputs, 640, family="yolo26_obb").corners[0]
    np.testing.assert_allclose((corners[0] - corners[1]) / 32, [-math.sin(0.3), math.cos(0.3)], atol=1e-5)


@pytest.mark.parametrize(
    ("size", "strides"),
    [(416, (8, 16, 32, 64)), (480, (8, 16, 32, 64)), (224, (8, 16, 32, 64)), ((320, 200), (8, 16, 32, 64))],
    ids=str,
)
def test_grids_that_are_rounded_up_keep_strides_that_are_powers_of_two(size, strides):
    high, wide = (size, size) if isinstance(size, int) else size
    outputs = {}
    for stride in strides:
        grid = math.ceil(high / stride), math.ceil(wide / stride)
        outputs[f"box{stride}"] = np.zeros((*grid, 32), np.float32)
        outputs[f"cls{stride}"] = np.full((*grid, 80), -9, np.float32)
        outputs[f"cls{stride}"][1, 2, stride // 8] = 4
    dets = decode(outputs, size, family="picodet", suppress=False)
    found = dict(zip(dets.class_id.tolist(), centre_and_size(dets)[:, :2].tolist(), strict=True))
    assert found == {s // 8: [2.5 * s, 1.5 * s] for s in strides}


def test_nine_outputs_never_pass_for_a_detection_head_of_six():
    grids = square(8, 4, 2)
    outputs = maps(grids, 64, 0.5, "cv2.") | maps(grids, 3, -6, "cv3.") | maps(grids, 51, 0.25, "cv4.")
    with pytest.raises(PairingError) as caught:
        decode(outputs, 64, family="yolov8", task="detect")
    assert "cv4.8x8 8x8x51" in caught.value.got
    dets = decode(outputs, 64, family="yolov8", conf=0.001)
    assert dets.keypoints.shape == (len(dets), 17, 3)
    assert len(dets) > 0
