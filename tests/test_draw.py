"""Drawing: pixels change where a detection is, labels stay inside and apart, bad pictures are named."""

import sys

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode import Detections
from hailo_decode.draw import annotate, colour_of
from hailo_decode.errors import FormatError, MissingPackage, OptionError, SizeError
from hailo_decode.labels import Pen, label_texts, place_labels
from hailo_decode.pictures import opencv, read_image, write_image

GREY = 90


def ground(height=200, width=300):
    return np.full((height, width, 3), GREY, np.uint8)


def found(*boxes, names=(), **more):
    xyxy = np.array(boxes, np.float32).reshape(-1, 4)
    scores = np.linspace(0.9, 0.5, len(xyxy), dtype=np.float32)
    return Detections(xyxy, scores, np.arange(len(xyxy), dtype=np.int32), names=names, **more)


def changed(picture, before):
    return (picture != before).any(axis=2)


def test_a_box_is_drawn_on_its_edges_and_nowhere_else():
    picture = annotate(ground(), found((50, 60, 150, 160)), labels=False)
    touched = changed(picture, ground())
    assert (picture[60, 50:151] == colour_of(0)).all()
    assert (picture[60:161, 150] == colour_of(0)).all()
    assert not touched[70:150, 60:140].any()
    assert not touched[:50].any()
    assert not touched[:, 170:].any()


def test_the_picture_given_is_left_as_it_is():
    before = ground()
    annotate(before, found((50, 60, 150, 160)))
    assert (before == GREY).all()


def test_no_detection_changes_nothing():
    assert (annotate(ground(), Detections.empty()) == GREY).all()


def test_the_best_box_is_drawn_last():
    picture = annotate(ground(), found((50, 50, 150, 150), (50, 50, 150, 150)), labels=False)
    assert tuple(picture[100, 50]) == colour_of(0)


@pytest.mark.parametrize("shape", [(64, 64), (64, 64, 1), (64, 64, 4)])
def test_grey_and_transparent_pictures_become_three_channels(shape):
    picture = annotate(np.full(shape, GREY, np.uint8), found((10, 10, 50, 50)), labels=False)
    assert picture.shape == (64, 64, 3)
    assert tuple(picture[30, 30]) == (GREY, GREY, GREY)
    assert tuple(picture[30, 10]) == colour_of(0)


def test_a_view_with_odd_strides_is_drawn_into_a_copy():
    base = ground(400, 600)
    picture = annotate(base[::2, ::-2], found((50, 60, 150, 160)), labels=False)
    assert tuple(picture[100, 50]) == colour_of(0)
    assert (base == GREY).all()


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (np.zeros((4, 4, 3), np.float32), "float32 of shape"),
        (np.zeros((4, 4, 2), np.uint8), r"shape \(4, 4, 2\)"),
        (np.zeros((0, 4, 3), np.uint8), "is empty"),
        (None, "object of shape"),
    ],
)
def test_what_is_no_picture_is_named(image, words):
    with pytest.raises(OptionError) as caught:
        annotate(image, Detections.empty())
    assert caught.match(words)


def test_boxes_far_outside_and_endless_ones_are_drawn_as_far_as_they_are_seen():
    far = found((-1e9, 50, 1e9, 150), (-np.inf, -np.inf, np.inf, np.inf), (np.nan, 1, 2, 3))
    picture = annotate(ground(), far)
    assert tuple(picture[150, 100]) == colour_of(0)


def test_a_mask_tints_its_pixels_and_is_bordered():
    mask = np.zeros((1, 200, 300), bool)
    mask[0, 80:120, 100:200] = True
    picture = annotate(ground(), found((100, 80, 200, 120), mask=mask), labels=False)
    wanted = np.rint(0.6 * GREY + 0.4 * np.array(colour_of(0)))
    assert (picture[90:110, 110:190] == wanted).all()
    assert (picture[140:, 210:] == GREY).all()


def test_a_mask_of_another_size_is_refused():
    with pytest.raises(SizeError, match="masks and picture differ in size"):
        annotate(ground(), found((1, 1, 9, 9), mask=np.zeros((1, 64, 64), bool)))


def test_a_turned_box_is_drawn_in_place_of_the_upright_one():
    corners = np.array([[[100, 40], [160, 100], [100, 160], [40, 100]]], np.float32)
    picture = annotate(ground(), found((40, 40, 160, 160), corners=corners), labels=False)
    assert tuple(picture[70, 130]) == colour_of(0)
    assert not changed(picture, ground())[40:60, 40:60].any()


def test_keypoints_that_are_not_visible_are_left_out():
    points = np.array([[[50, 100, 0.9], [100, 100, 0.1]]], np.float32)
    picture = annotate(ground(), found((5, 5, 6, 6), keypoints=points), labels=False)
    assert tuple(picture[100, 50]) == colour_of(0)
    assert (picture[90:110, 90:110] == GREY).all()


def test_seventeen_points_are_joined_to_a_person():
    points = np.zeros((1, 17, 3), np.float32)
    points[0, 5], points[0, 6] = (50, 100, 1), (150, 100, 1)  # the shoulders
    picture = annotate(ground(), found((5, 5, 6, 6), keypoints=points), labels=False)
    np.testing.assert_allclose(picture[100, 100], colour_of(0), atol=30)  # its edges are soft
    others = annotate(ground(), found((5, 5, 6, 6), keypoints=points[:, :16]), labels=False)
    assert (others[100, 100] == GREY).all()


def test_classes_have_colours_of_their_own_that_can_be_seen():
    colours = [colour_of(i) for i in range(200)]
    apart = np.abs(np.array(colours[:12])[:, None].astype(int) - np.array(colours[:12])[None]).sum(axis=2)
    assert apart[~np.eye(12, dtype=bool)].min() > 60
    assert len(set(colours)) > 190
    assert min(np.dot(c, (0.114, 0.587, 0.299)) for c in colours) > 100


def test_lines_and_letters_grow_with_the_picture_and_never_get_too_small():
    pens = [Pen.fitting(cv2, side, side) for side in (32, 160, 640, 1080, 3000)]
    heights = [pen.size("x")[1] for pen in pens]
    assert heights == sorted(heights)
    assert heights[0] >= 10
    assert heights[-1] >= 50
    assert pens[1].line == 1
    assert pens[-1].line >= 8


BOXES = st.lists(st.tuples(*[st.integers(-50, 400)] * 4), max_size=60)


def shared(a, b):
    return max(min(a[2], b[2]) - max(a[0], b[0]), 0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0)


@given(BOXES, st.integers(20, 300), st.integers(20, 400))
def test_labels_lie_inside_the_picture_and_cover_little_of_each_other(boxes, height, width):
    pen = Pen.fitting(cv2, height, width)
    detections = found(*boxes, names=("a", "dining table", "x" * 90))
    placed = place_labels(
        pen, label_texts(detections), np.array(boxes, np.int64).reshape(-1, 4), (height, width)
    )
    rects = []
    for _, (text, box) in sorted(placed.items()):
        assert text
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= width
        assert box[3] <= height
        covered = sum(shared(box, other) for other in rects)
        assert covered <= 0.25 * (box[2] - box[0]) * (box[3] - box[1])
        rects.append(box)


def test_the_best_box_keeps_its_label_in_a_crowd():
    crowd = found(*[(100, 100, 140, 140)] * 50)
    pen = Pen.fitting(cv2, 200, 300)
    placed = place_labels(pen, label_texts(crowd), crowd.xyxy.astype(int), (200, 300))
    assert placed[0][0] == "class_0 0.90"
    assert 1 < len(placed) < 50


def test_a_long_name_is_cut_until_it_fits():
    pen = Pen.fitting(cv2, 100, 100)
    long = found((0, 0, 50, 50), names=("a very long name of a class",))
    assert (
        place_labels(pen, label_texts(long), np.array([[0, 0, 50, 50]]), (100, 100))[0][0] == "a very.. 0.90"
    )


def test_letters_that_cannot_be_drawn_are_replaced():
    names = ("café", "猫", "a\nb")
    assert [texts[0] for texts in label_texts(found(*[(0, 0, 9, 9)] * 3, names=names))] == [
        "cafe 0.90",
        "class 1 0.70",
        "ab 0.50",
    ]


def test_a_picture_survives_a_file(tmp_path):
    picture = annotate(ground(), found((50, 60, 150, 160)))
    write_image(tmp_path / "grün.png", picture)
    np.testing.assert_array_equal(read_image(tmp_path / "grün.png"), picture)


@pytest.mark.parametrize("data", [b"", b"no picture at all", b"\x89PNG\r\n\x1a\n" + bytes(40)])
def test_a_file_that_is_no_picture_is_named(tmp_path, data):
    (tmp_path / "x.png").write_bytes(data)
    with pytest.raises(FormatError, match=r"x\.png.* is no picture"):
        read_image(tmp_path / "x.png")


def test_a_missing_picture_is_named(tmp_path):
    with pytest.raises(FormatError, match="there is no file"):
        read_image(tmp_path / "none.png")


def test_a_format_that_cannot_be_written_is_named(tmp_path):
    for name in ("x.docx", "x"):
        with pytest.raises(OptionError, match="no picture can be written as"):
            write_image(tmp_path / name, ground())


def broken(message):
    def find_spec(name, path=None, target=None):
        if name == "cv2":
            raise ImportError(message)

    return type("Finder", (), {"find_spec": staticmethod(find_spec)})


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        ("libGL.so.1: cannot open shared object file: No such file or directory", "opencv-python-headless"),
        ("numpy.core.multiarray failed to import", "pip install --upgrade opencv-python"),
    ],
)
def test_an_opencv_that_cannot_be_loaded_says_why_and_what_helps(monkeypatch, message, hint):
    monkeypatch.delitem(sys.modules, "cv2")
    monkeypatch.setattr(sys, "meta_path", [broken(message), *sys.meta_path])
    with pytest.raises(MissingPackage, match="drawing needs the package 'opencv-python'") as caught:
        opencv("drawing")
    assert message in caught.value.got
    assert hint in caught.value.hint


def test_an_opencv_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingPackage) as caught:
        opencv("drawing")
    assert caught.value.hint == "pip install opencv-python"
