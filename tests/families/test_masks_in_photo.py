"""Detections.in_photo of a result that holds masks of the input's size: they come along, resampled to the photo's."""

import numpy as np
import pytest
from families.test_masks import SIZE, scene
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode import Detections, Letterbox, decode


def result(mask):
    """Return a result whose one box is all of the input, with that mask."""
    high, wide = mask.shape
    box = np.array([[0, 0, wide, high]], np.float32)
    return Detections(box, np.ones(1, np.float32), np.zeros(1, np.int32), mask=mask[None])


def nearest(mask, letterbox):
    """Return the mask at every pixel of the photo: that of the input pixel in which the pixel's middle lies."""
    out = np.zeros(letterbox.image_size, bool)
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            u = int(np.floor((x + 0.5) * letterbox.scale[0] + letterbox.pad[0]))
            v = int(np.floor((y + 0.5) * letterbox.scale[1] + letterbox.pad[1]))
            if 0 <= u < mask.shape[1] and 0 <= v < mask.shape[0]:
                out[y, x] = mask[v, u]
    return out


@pytest.mark.parametrize("image", [(128, 192), (64, 96), (192, 288)], ids=str)
def test_masks_come_along_into_the_photo_at_its_size(image):
    mask = np.random.default_rng(1).random(SIZE) < 0.5
    dets = result(mask).in_photo(Letterbox.stretch(image, SIZE))
    times = image[0] // SIZE[0]
    assert dets.mask.dtype == np.bool_
    assert dets.mask.shape == (1, *image)
    assert (dets.mask[0] == mask.repeat(times, axis=0).repeat(times, axis=1)).all()


def test_what_is_padding_in_the_input_is_nowhere_in_the_photo():
    mask = np.zeros((96, 96), bool)
    mask[24:72] = True  # the photo; the rest is padding
    letterbox = Letterbox.fit((48, 96), (96, 96))
    assert result(mask).in_photo(letterbox).mask.all()
    assert not result(~mask).in_photo(letterbox).mask.any()


def test_what_was_cut_off_the_photo_has_no_mask():
    letterbox = Letterbox.crop((96, 300), (96, 96))
    mask = result(np.ones((96, 96), bool)).in_photo(letterbox).mask[0]
    assert mask[:, 102:198].all()
    assert not mask[:, :102].any()
    assert not mask[:, 198:].any()


@given(st.data())
def test_each_pixel_of_the_photo_has_the_mask_of_the_input_pixel_in_which_its_middle_lies(data):
    size = data.draw(st.tuples(st.integers(1, 20), st.integers(1, 20)))
    image = data.draw(st.tuples(st.integers(1, 30), st.integers(1, 30)))
    way = data.draw(st.sampled_from([Letterbox.fit, Letterbox.crop, Letterbox.stretch]))
    mask = np.random.default_rng(data.draw(st.integers(0, 99))).random(size) < 0.5
    letterbox = way(image, size)
    found = result(mask).in_photo(letterbox).mask[0]
    # A middle that falls on the border between two input pixels may go either way.
    x = (np.arange(image[1]) + 0.5) * letterbox.scale[0] + letterbox.pad[0]
    y = (np.arange(image[0]) + 0.5) * letterbox.scale[1] + letterbox.pad[1]
    sure = (np.abs(y - y.round()) > 1e-9)[:, None] & (np.abs(x - x.round()) > 1e-9)[None, :]
    assert (found == nearest(mask, letterbox))[sure].all()


def test_no_masks_are_still_no_masks_of_the_photos_size():
    none = result(np.ones(SIZE, bool))[np.zeros(1, bool)]
    assert none.in_photo(Letterbox.stretch((30, 40), SIZE)).mask.shape == (0, 30, 40)


def test_masks_brought_into_the_photo_are_nearly_those_painted_there():
    rng = np.random.default_rng(3)
    smooth = np.stack(
        [np.sin(np.add.outer(np.arange(16) / a, np.arange(24) / b)) for a, b in rng.uniform(2, 6, (8, 2))]
    )
    outputs = scene([(8, 8, 60, 60), (50, 3, 96, 50)], smooth.transpose(1, 2, 0), rng.normal(size=(2, 8)))
    letterbox = Letterbox.fit((480, 500), SIZE)
    painted = decode(outputs, SIZE, family="yolo26_seg", letterbox=letterbox)
    brought = decode(outputs, SIZE, family="yolo26_seg").in_photo(letterbox)
    assert brought.mask.shape == painted.mask.shape == (2, 480, 500)
    assert brought.xyxy.tolist() == painted.xyxy.tolist()
    for one, other in zip(brought.mask, painted.mask, strict=True):
        assert (one & other).sum() > 0.9 * (one | other).sum() > 0
