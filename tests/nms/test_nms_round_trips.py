"""Boxes that are written to a buffer come out of it again, bit for bit, best first."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nms import write_nms as write
from nms.boxes import boxes
from nms.write_nms import found, pixels

from hailo_decode import decode_nms
from hailo_decode.kernels import nms_buffer

SIZE = (48, 80)
CLASSES, MOST = 3, 8


def as_objects(drawn):
    keys = ("y_min", "x_min", "y_max", "x_max", "score", "class_id")
    return [SimpleNamespace(**dict(zip(keys, box, strict=True))) for box in write.best_first(drawn)]


FORMS = {
    "by class": lambda b: write.by_class(b, CLASSES, MOST),
    "by class, as bytes": lambda b: write.by_class(b, CLASSES, MOST).tobytes(),
    "lists": lambda b: write.as_lists(b, CLASSES),
    "lists of lists": lambda b: [rows.tolist() for rows in write.as_lists(b, CLASSES)],
    "cube": lambda b: write.cube(b, CLASSES, MOST),
    "turned cube": lambda b: write.cube(b, CLASSES, MOST).swapaxes(1, 2),
    "by score": lambda b: write.by_score(b, MOST),
    "by score, one over": lambda b: write.by_score(b, len(b), count=len(b) + 1) if b else bytes(2),
    "objects": as_objects,
}


@pytest.mark.parametrize("form", FORMS)
@given(boxes(CLASSES, MOST))
def test_boxes_come_out_as_they_were_written(form, drawn):
    if "cube" in form:  # a box whose five numbers are one is padding
        drawn = [box for box in drawn if len(set(box[:5])) > 1]
    dets = decode_nms(FORMS[form](drawn), classes=CLASSES, image_size=SIZE)
    by_score = form in ("by score", "by score, one over", "objects")
    wanted = pixels(drawn, SIZE)
    if by_score:  # equal scores stand as in the buffer, where classes are mixed
        wanted = pixels([(*box[:5], 0) for box in write.best_first(drawn)], SIZE)
        wanted = [(*one[:2], box[5]) for one, box in zip(wanted, write.best_first(drawn), strict=True)]
    assert found(dets) == wanted


@given(boxes(CLASSES, MOST), st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.9, 1.0]))
def test_a_threshold_takes_the_tail_off_and_nothing_else(drawn, conf):
    buffer = write.by_class(drawn, CLASSES, MOST)
    everything = found(decode_nms(buffer, classes=CLASSES, image_size=SIZE))
    kept = found(decode_nms(buffer, classes=CLASSES, image_size=SIZE, conf=conf))
    assert kept == [one for one in everything if one[1] >= conf]


@given(boxes(CLASSES, MOST), st.integers(1, 9))
def test_a_limit_keeps_the_best(drawn, max_det):
    buffer = write.by_class(drawn, CLASSES, MOST)
    everything = found(decode_nms(buffer, classes=CLASSES, image_size=SIZE))
    dets = decode_nms(buffer, classes=CLASSES, image_size=SIZE, max_det=max_det)
    assert found(dets) == everything[:max_det]
    assert ("limit" in dets.meta) == (len(everything) > max_det)


@given(boxes(CLASSES, MOST))
def test_reading_does_not_write(drawn):
    buffer = write.by_class(drawn, CLASSES, MOST)
    before = buffer.tobytes()
    decode_nms(buffer, classes=CLASSES, image_size=SIZE, conf=0.5)
    assert buffer.tobytes() == before


@given(boxes(CLASSES, MOST), st.data())
def test_what_lies_behind_the_last_class_does_not_matter(drawn, data):
    buffer = write.by_class(drawn, CLASSES, MOST)
    used = CLASSES + 5 * len(drawn)
    other = buffer.copy()
    other[used:] = data.draw(st.sampled_from([np.nan, -1.0, 1e9, 0.0, 3.0]))
    a, b = (decode_nms(one, classes=CLASSES, image_size=SIZE) for one in (buffer, other))
    assert found(a) == found(b)


def test_no_form_makes_a_kernel_compile_anew():
    drawn = [(0.25, 0.25, 0.5, 0.75, 0.5, 1)]
    frozen = write.as_lists(drawn, CLASSES)
    frozen[1].flags.writeable = False
    turned = [np.asfortranarray(rows) for rows in write.as_lists(drawn * 2, CLASSES)]
    held = [make(drawn) for make in FORMS.values()] + [frozen, turned, write.by_score(drawn, 1).tobytes()]
    used = (nms_buffer.walk_by_class, nms_buffer.count_faults, nms_buffer.rank_boxes)
    decode_nms(held[0], classes=CLASSES, image_size=SIZE)
    compiled = [kernel.native for kernel in used]
    for one in held:
        assert len(decode_nms(one, classes=CLASSES, image_size=SIZE)) >= 1
    assert [kernel.native for kernel in used] == compiled


def test_two_thousand_boxes_keep_their_order(rng):
    drawn = [
        (0.0, 0.0, float(np.float32(k / 4096)), 1.0, float(np.float32(rng.integers(1, 40) / 40)), k % 4)
        for k in range(2000)
    ]
    dets = decode_nms(write.by_class(drawn, 4, 600), classes=4, image_size=SIZE)
    assert found(dets) == pixels(drawn, SIZE)
