"""Exports: the numbers that other programs read, against those programs where they are installed."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hailo_decode import Detections, Letterbox
from hailo_decode.errors import MissingPackage, OptionError
from hailo_decode.export import to_coco, to_dict, to_yolo_txt
from hailo_decode.rle import packed, run_lengths

MASKS = hnp.arrays(np.bool_, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=40))
H, W = 50, 60


def two(**more):
    return Detections(
        np.array([[1, 2, 30.1, 40], [-5, 5, 9, 66]], np.float32),
        np.array([0.9, 0.4], np.float32),
        np.array([3, 1], np.int32),
        names=("cat", "dog"),
        **more,
    )


def filled(*boxes):
    mask = np.zeros((H, W), bool)
    for left, top, right, bottom in boxes:
        mask[top:bottom, left:right] = True
    return mask


def unpacked(text):
    """Read COCO's compressed run lengths by their definition."""
    runs, number, shift = [], 0, 0
    for letter in text:
        group = ord(letter) - 48
        number |= (group & 0x1F) << shift
        shift += 5
        if not group & 0x20:
            if group & 0x10:
                number -= 1 << shift
            runs.append(number + (runs[-2] if len(runs) > 2 else 0))
            number = shift = 0
    return runs


def painted(runs, shape):
    flat = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return flat.reshape(shape[::-1]).T


@given(MASKS)
def test_run_lengths_paint_the_mask_again(mask):
    np.testing.assert_array_equal(painted(run_lengths(mask), mask.shape), mask)


@given(st.lists(st.integers(0, 1 << 20), min_size=1, max_size=30))
def test_packed_run_lengths_unpack_to_themselves(runs):
    assert unpacked(packed(runs)) == runs


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its own making
@given(MASKS)
def test_run_lengths_are_those_of_pycocotools(mask):
    coco = pytest.importorskip("pycocotools.mask", reason="pycocotools is not installed")
    runs = run_lengths(mask)
    theirs = coco.frPyObjects({"size": list(mask.shape), "counts": runs}, *mask.shape)
    np.testing.assert_array_equal(coco.decode(theirs), mask)
    assert packed(runs) == theirs["counts"].decode()


def test_plain_values_are_json_and_read_back_to_the_same_floats():
    points = np.array([[[1.5, 2.25, 1.0]], [[0.1, 0.2, 0.3]]], np.float32)
    made = two(keypoints=points, corners=np.zeros((2, 4, 2), np.float32), mask=np.stack([filled()] * 2))
    told = json.loads(json.dumps(to_dict(made)))
    first, second = told["detections"]
    assert told["frame"] == "input"
    assert (first["class_id"], first["name"], second["name"]) == (3, "class_3", "dog")
    assert first["xyxy"] == [1.0, 2.0, 30.1, 40.0]  # not 30.100000381469727
    assert np.float32(second["confidence"]) == made.confidence[1]
    assert second["keypoints"] == [[0.1, 0.2, 0.3]]
    assert first["corners"] == [[0.0, 0.0]] * 4
    assert first["mask"] == {"size": [H, W], "counts": [H * W]}


def test_what_a_task_has_not_is_left_out():
    assert set(to_dict(two())["detections"][0]) == {"xyxy", "confidence", "class_id", "name"}


def test_the_frame_is_the_photo_behind_a_letterbox():
    placed = two().in_photo(Letterbox.stretch((H, W), (H, W)))
    assert to_dict(placed)["frame"] == "photo"
    assert "frame" in to_dict(placed)["meta"]


def test_coco_rows_have_left_top_width_height():
    first, second = to_coco(two(), image_id=7)
    assert first["image_id"] == 7
    assert first["category_id"] == 3
    assert first["bbox"] == pytest.approx([1.0, 2.0, 29.1, 38.0])
    assert second["score"] == 0.4
    assert "segmentation" not in first


def test_coco_categories_are_looked_up():
    assert [row["category_id"] for row in to_coco(two(), category_ids=[1, 2, 3, 90])] == [90, 2]
    with pytest.raises(OptionError, match="class 3 has no category"):
        to_coco(two(), category_ids=[1, 2])


def test_coco_rows_carry_masks_and_keypoints():
    made = two(mask=np.stack([filled((3, 4, 10, 20)), filled()]), keypoints=np.ones((2, 5, 3), np.float32))
    first, second = to_coco(made)
    assert first["segmentation"]["size"] == [H, W]
    np.testing.assert_array_equal(painted(unpacked(first["segmentation"]["counts"]), (H, W)), made.mask[0])
    assert unpacked(second["segmentation"]["counts"]) == [H * W]
    assert first["keypoints"] == [1.0] * 15


def test_yolo_lines_are_fractions_cut_to_the_image():
    first, second = to_yolo_txt(two(), (H, W)).splitlines()
    assert [float(word) for word in first.split()] == pytest.approx(
        [3, 15.55 / 60, 0.42, 29.1 / 60, 0.76], abs=1e-6
    )
    assert second == "1 0.075 0.55 0.15 0.9"


def test_yolo_lines_may_end_in_the_confidence():
    assert to_yolo_txt(two(), (H, W), with_confidence=True).splitlines()[1].split()[-1] == "0.4"


def test_yolo_lines_of_keypoints_follow_the_box():
    made = two(keypoints=np.array([[[6, 5, 0.5]], [[-9, 5, 0.25]]], np.float32))
    words = [line.split()[5:] for line in to_yolo_txt(made, (H, W)).splitlines()]
    assert words == [["0.1", "0.1", "0.5"], ["0", "0.1", "0.25"]]


def test_yolo_lines_of_turned_boxes_are_their_corners():
    corners = np.array([[[6, 5], [12, 10], [6, 15], [0, 10]]] * 2, np.float32)
    assert to_yolo_txt(two(corners=corners), (H, W)).splitlines()[0] == "3 0.1 0.1 0.2 0.2 0.1 0.3 0 0.2"


def area(points):
    x, y = np.array(points).T
    return abs(float(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))) / 2


def test_yolo_lines_of_masks_join_their_parts_and_add_nothing():
    made = two(mask=np.stack([filled((2, 5, 12, 15), (30, 25, 42, 35)), filled()]))
    joined, empty = (
        np.array(line.split()[1:], float).reshape(-1, 2) for line in to_yolo_txt(made, (H, W)).splitlines()
    )
    assert area(joined * (W, H)) == pytest.approx(9 * 9 + 11 * 9, abs=1e-2)  # between the middles of pixels
    assert empty.tolist() == [[0, 0.1], [0, 1], [0.15, 1], [0.15, 0.1]]  # of no mask the box is left


def test_frigate_rows_stand_by_confidence_and_are_filled_up():
    rows = two()[[1, 0]].to_frigate((H, W), rows=3)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows[0], [3, 0.9, 0.04, 1 / 60, 0.8, 30.1 / 60], rtol=1e-6)
    np.testing.assert_allclose(rows[1], [1, 0.4, 0.1, 0, 1, 0.15], rtol=1e-6)
    assert rows[2].tolist() == [0] * 6


def test_frigate_rows_are_the_best_where_there_are_too_many():
    assert two().to_frigate((H, W), rows=1)[:, 0].tolist() == [3]
    with pytest.raises(OptionError, match="rows is 0"):
        two().to_frigate((H, W), rows=0)


def test_supervision_gets_all_columns(monkeypatch):
    monkeypatch.setitem(sys.modules, "supervision", SimpleNamespace(Detections=lambda **columns: columns))
    corners = np.ones((2, 4, 2), np.float32)
    made = two(corners=corners, mask=np.stack([filled()] * 2))
    columns = made.to_supervision()
    assert columns["data"]["class_name"].tolist() == ["class_3", "dog"]
    assert columns["data"]["xyxyxyxy"] is corners
    assert columns["mask"] is made.mask


def test_supervision_takes_what_it_gets():
    pytest.importorskip("supervision", reason="supervision is not installed")
    theirs = two(mask=np.stack([filled()] * 2)).to_supervision()
    assert len(theirs) == 2
    assert theirs["class_name"].tolist() == ["class_3", "dog"]
    assert len(Detections.empty().to_supervision()) == 0


def test_without_supervision_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "supervision", None)
    with pytest.raises(MissingPackage, match="needs the package 'supervision'") as caught:
        two().to_supervision()
    assert caught.value.hint == "pip install supervision"


def test_nothing_is_exported_as_nothing():
    none = Detections.empty()
    assert to_dict(none)["detections"] == to_coco(none) == []
    assert to_yolo_txt(none, 64) == ""
    assert not none.to_frigate(64).any()
