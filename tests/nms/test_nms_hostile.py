"""Buffers cut short, bent and made up: an error of ours or a result, never a crash, a wrong read or a flood of memory."""

import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nms import write_nms as write
from nms.boxes import boxes
from nms.write_nms import f4

from hailo_decode import decode_nms
from hailo_decode.errors import HailoDecodeError

SIZE = (24, 40)
CLASSES, MOST = 3, 4
DRAWN = [
    (f4(0.1), f4(0.2), f4(0.55), f4(0.7), f4(0.9), 2),
    (f4(0.3), f4(0.05), f4(0.9), f4(0.6), f4(0.5), 0),
    (f4(0.0), f4(0.0), f4(0.25), f4(1.0), f4(0.25), 0),
]
SHOWN = np.ones(SIZE, bool)
RUNS = [[write.word(100, 200, 900, 1000, 3000)], [], [write.word(0, 0, 4095, 4095, 4095)] * 2]
QUANT = (1 / 4096, 0.0)
BUFFERS = {
    "by class": write.by_class(DRAWN, CLASSES, MOST),
    "by score": write.by_score(DRAWN, MOST),
    "byte mask 46": write.byte_mask(DRAWN, SHOWN, SIZE, 46, room=1500),
    "byte mask 38": write.byte_mask(DRAWN, SHOWN, SIZE, 38, room=1500),
    "byte mask 30": write.byte_mask(DRAWN, SHOWN, SIZE, 30, room=1500),
    "on chip": write.on_chip(RUNS, 64),
    "bursts of H8": write.bursts_h8(RUNS, 4).view(np.uint8),
    "bursts of H15": write.bursts_h15(RUNS, 3).view(np.uint8),
}
ALL = tuple(BUFFERS)


def attempt(held, **options):
    """Decode, and hold what comes out to what a result always is; None where it is refused."""
    try:
        dets = decode_nms(held, image_size=SIZE, **options)
    except HailoDecodeError:
        return None
    n = len(dets)
    assert (dets.xyxy.shape, dets.confidence.shape, dets.class_id.shape) == ((n, 4), (n,), (n,))
    assert np.isfinite(dets.xyxy).all()
    assert (dets.xyxy[:, 2:] >= dets.xyxy[:, :2]).all()
    assert ((dets.confidence >= -0.02) & (dets.confidence <= 1.02)).all()
    assert (np.diff(dets.confidence) <= 0).all()
    assert (dets.class_id >= 0).all()
    return dets


def known(name):
    return {"classes": CLASSES, "quant": QUANT if "chip" in name or "bursts" in name else None}


def guarded(data):
    """A copy of some bytes with a wall of other ones around it: whoever reads too far finds those."""
    wall = np.full(len(data) + 64, 0xE3, np.uint8)
    wall[32 : 32 + len(data)] = data
    return wall[32 : 32 + len(data)]


@pytest.mark.parametrize("name", ALL)
def test_the_untouched_buffer_gives_its_boxes(name):
    dets = attempt(BUFFERS[name], **known(name))
    assert len(dets) == 3


@pytest.mark.parametrize("name", ALL)
def test_a_buffer_cut_at_any_length_is_refused_or_gives_the_boxes_before_the_cut(name):
    data = BUFFERS[name].view(np.uint8)
    whole = {tuple(row) for row in attempt(BUFFERS[name], **known(name)).xyxy.tolist()}
    for length in [*range(min(len(data), 150)), *range(150, len(data), 41)]:
        for form in (None, {"by": "by_class", "byte": "byte_mask"}.get(name.split()[0])):
            dets = attempt(guarded(data[:length]), **known(name), form=form)
            assert dets is None or {tuple(row) for row in dets.xyxy.tolist()} <= whole


@pytest.mark.parametrize("name", ALL)
def test_any_bit_may_be_flipped(name):
    data = BUFFERS[name].view(np.uint8)
    for bit in range(8 * min(len(data), 64)):
        bent = guarded(data)
        bent[bit // 8] ^= 1 << bit % 8
        attempt(bent, **known(name))
        attempt(bent.view(np.float32) if len(bent) % 4 == 0 else bent, **known(name))


FORMS = ("by_class", "by_score", "byte_mask", "on_chip", "bursts", None)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=200)
@given(
    data=st.binary(max_size=260),
    classes=st.sampled_from([None, 1, 3, 80, 65535]),
    burst=st.sampled_from([None, 1, 4]),
)
def test_any_bytes_may_come(form, data, classes, burst):
    attempt(data, form=form, classes=classes, quant=QUANT, burst=burst)


@given(boxes(CLASSES, MOST), st.binary(min_size=1, max_size=8), st.integers(0, 400))
def test_any_bytes_may_be_overwritten(drawn, patch, at):
    for buffer in (
        write.by_class(drawn, CLASSES, MOST),
        write.by_score(drawn, MOST),
        write.byte_mask(drawn, SHOWN, SIZE),
    ):
        data = buffer.view(np.uint8).copy()
        at = min(at, len(data) - len(patch)) if len(data) > len(patch) else 0
        data[at : at + len(patch)] = np.frombuffer(patch, np.uint8)[: len(data) - at]
        attempt(data, classes=CLASSES)


NUMBERS = st.one_of(st.floats(width=32), st.sampled_from([0.0, 1.0, 2.0, 100.0, 1e9, -1.0]))


@given(st.lists(NUMBERS, max_size=60), st.sampled_from([None, 1, 2, 3]))
def test_any_float32_numbers_may_come(numbers, classes):
    attempt(np.array(numbers, np.float32), classes=classes)


NESTED = st.recursive(
    st.one_of(st.none(), st.floats(), st.integers(), st.text(max_size=3), st.binary(max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=12,
)


@given(NESTED)
def test_any_nesting_of_anything_may_come(held):
    attempt(held)
    attempt({"net/nms": held}, classes=2)


@pytest.mark.parametrize(
    "held",
    [
        np.array(3.0),
        np.array(None),
        np.zeros((2, 3, 4, 5, 6), np.float32),
        np.zeros((3, 0, 5), np.float32),
        np.zeros((0, 5, 3), np.float32),
        np.zeros((1, 7, 0), np.float32),
        np.zeros((0, 40), np.float32),
        np.zeros(40, ">f4"),
        np.zeros(40, complex),
        np.zeros(40, bool),
        np.zeros(40, "M8[s]"),
        np.zeros(6, [("y", "f4"), ("x", "f4")]),
        memoryview(np.zeros((4, 6), np.float32)),
        memoryview(np.zeros(40, np.float32))[::2],
        memoryview(b""),
        b"",
        object(),
        "a buffer",
        {},
        [None],
        [[None, None]],
        [[[[[[[]]]]]]],
        np.array([[1, [2]], [3, [4, 5]]], object),
    ],
    ids=lambda held: type(held).__name__,
)
def test_what_is_no_buffer_is_refused_in_words(held):
    attempt(held)
    attempt(held, classes=3)


def test_a_list_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    attempt(loop)


@pytest.mark.parametrize(
    "buffer",
    [
        struct.pack("<H", 0xFFFF) + bytes(4000),
        struct.pack("<f", 3e38) + bytes(4000),
        struct.pack("<H5fHQQQ", 0xFFFF, 0.1, 0.1, 64.0, 64.0, 0.9, 0, 1 << 62, 0, 48) + bytes(200),
        b"\xff" * 8000,
    ],
    ids=["count", "float count", "mask size", "ends"],
)
def test_a_large_number_in_a_small_buffer_asks_for_little_memory(buffer):
    attempt(buffer, classes=65535, quant=QUANT)
    tracemalloc.start()
    for form in FORMS:
        attempt(buffer, classes=65535, quant=QUANT, form=form)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6
