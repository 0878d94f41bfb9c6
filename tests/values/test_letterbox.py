"""Placing a photo in the input and the way back: exact in float, whatever the sizes and the side of the pad."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode import Detections, Letterbox
from hailo_decode.errors import HailoDecodeError, OptionError

SIZES = st.tuples(st.integers(1, 4000), st.integers(1, 4000))
PLACES = st.sampled_from(["centre", "topleft", "bottomright"])


@st.composite
def letterboxes(draw):
    image, size = draw(SIZES), draw(SIZES)
    kind = draw(st.sampled_from(["fit", "crop", "stretch"]))
    if kind == "stretch":
        return Letterbox.stretch(image, size)
    return getattr(Letterbox, kind)(image, size, draw(PLACES), draw(st.booleans()))


@given(letterboxes(), st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_the_way_back_ends_where_the_way_in_began(letterbox, fractions):
    points = np.array(fractions) * np.array(letterbox.image_size[::-1])
    back = letterbox.undo(letterbox.apply(points))
    # Both ways end in float32: a pixel of the input may be that many of the photo.
    step = max(letterbox.input_size) * 2**-23 / min(letterbox.scale) + max(letterbox.image_size) * 2**-23
    np.testing.assert_allclose(back, points, atol=4 * step)


@given(SIZES, SIZES, PLACES)
def test_a_fitted_photo_is_seen_whole_and_touches_two_sides(image, size, place):
    letterbox = Letterbox.fit(image, size, place)
    left, top = letterbox.apply(np.array([[0, 0]]))[0].tolist()
    right, bottom = letterbox.apply(np.array([image[::-1]]))[0].tolist()
    slack = 1e-3
    assert left >= -slack
    assert top >= -slack
    assert right <= size[1] + slack
    assert bottom <= size[0] + slack
    assert abs(right - left - size[1]) < slack or abs(bottom - top - size[0]) < slack
    assert letterbox.scale[0] == letterbox.scale[1]


@given(SIZES, SIZES, PLACES)
def test_a_cropped_photo_fills_the_input(image, size, place):
    letterbox = Letterbox.crop(image, size, place)
    left, top = letterbox.apply(np.array([[0, 0]]))[0].tolist()
    right, bottom = letterbox.apply(np.array([image[::-1]]))[0].tolist()
    slack = 1e-3 + max(right - left, bottom - top) * 2**-22
    assert left <= slack
    assert top <= slack
    assert right >= size[1] - slack
    assert bottom >= size[0] - slack


@given(SIZES, SIZES)
def test_a_stretched_photo_has_its_corners_in_the_inputs_corners(image, size):
    letterbox = Letterbox.stretch(image, size)
    corners = np.array([[0, 0], image[::-1]])
    np.testing.assert_allclose(letterbox.apply(corners), [[0, 0], size[::-1]], rtol=1e-6)


@pytest.mark.parametrize(
    ("place", "pad"), [("centre", (0.0, 140.0)), ("topleft", (0.0, 0.0)), ("bottomright", (0.0, 280.0))]
)
def test_the_pad_lies_on_the_side_that_is_asked_for(place, pad):
    assert Letterbox.fit((1080, 1920), (640, 640), place).pad == pytest.approx(pad)


def test_a_whole_pad_is_that_of_a_picture_copied_into_grey():
    letterbox = Letterbox.fit((427, 640), (640, 640), whole=True)
    assert letterbox.pad == (0.0, 106.0)
    assert Letterbox.fit((427, 640), (640, 640)).pad == (0.0, 106.5)


@pytest.mark.parametrize(
    ("description", "scale", "pad"),
    [
        ({"mode": "letterbox"}, (0.5, 0.5), (0.0, 16.0)),
        ({"mode": "topleft"}, (0.5, 0.5), (0.0, 0.0)),
        ({"mode": "stretch"}, (0.5, 1.0), (0.0, 0.0)),
        ({"mode": "crop"}, (1.0, 1.0), (-32.0, 0.0)),
        ({"scale": 0.25, "pad_x": 3, "pad_y": 4}, (0.25, 0.25), (3.0, 4.0)),
        ({"scale_x": 0.25, "scale_y": 0.5}, (0.25, 0.5), (0.0, 0.0)),
    ],
    ids=str,
)
def test_a_description_is_read_by_its_numbers_or_its_mode(description, scale, pad):
    letterbox = Letterbox.read(description, (64, 128), (64, 64))
    assert letterbox.scale == scale
    assert letterbox.pad == pad


@pytest.mark.parametrize(
    "description",
    [
        {},
        {"mode": "zoom"},
        {"mode": None},
        {"scale": "x"},
        {"scale": 0},
        {"scale": -1},
        {"scale": float("nan")},
        {"scale_x": None},
    ],
    ids=str,
)
def test_a_description_that_says_no_placement_is_refused(description):
    with pytest.raises(OptionError):
        Letterbox.read(description, (64, 128), (64, 64))


@pytest.mark.parametrize(
    "make", [Letterbox.fit, Letterbox.crop, Letterbox.stretch], ids=lambda make: make.__name__
)
@pytest.mark.parametrize(
    ("image", "size"),
    [
        ((0, 10), (64, 64)),
        ((10, 0), (64, 64)),
        ((10, 10), (0, 64)),
        ((-5, 10), (64, 64)),
        ("ab", (64, 64)),
        ((10,), (64, 64)),
        (None, 64),
    ],
)
def test_sizes_that_no_picture_has_are_refused(make, image, size):
    with pytest.raises(HailoDecodeError):
        make(image, size)


def test_an_unknown_place_is_refused_with_the_known_ones():
    with pytest.raises(OptionError, match="middle") as caught:
        Letterbox.fit((10, 10), (64, 64), "middle")
    assert "centre, topleft, bottomright" in caught.value.wanted


@given(letterboxes())
def test_boxes_in_the_photo_are_clipped_to_it_and_nothing_else_is(letterbox):
    height, width = letterbox.image_size
    inside = [[0.25 * width, 0.25 * height, 0.5 * width, 0.75 * height]]
    xyxy = letterbox.apply(np.array(inside).reshape(2, 2)).reshape(1, 4)
    outside = letterbox.apply(np.array([[-width, -height], [3 * width, 3 * height]])).reshape(1, 4)
    dets = Detections(
        np.concatenate([xyxy, outside]), np.array([0.9, 0.8], np.float32), np.zeros(2, np.int32)
    )
    found = dets.in_photo(letterbox).xyxy
    step = 8 * (max(letterbox.input_size) * 2**-23 / min(letterbox.scale) + max(height, width) * 2**-23)
    np.testing.assert_allclose(found[0], inside[0], atol=step)
    assert found[1].tolist() == [0, 0, width, height]


def test_the_photo_is_entered_once():
    letterbox = Letterbox.fit((10, 10), (64, 64))
    dets = Detections.empty().in_photo(letterbox)
    assert dets.xyxy.shape == (0, 4)
    with pytest.raises(OptionError, match="already"):
        dets.in_photo(letterbox)
