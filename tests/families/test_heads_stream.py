"""Frame after frame of every head: nothing of one is left in the next, on any thread, and results alone are allocated."""

import tracemalloc

import numpy as np
import pytest
from families.naive_table import HEADS
from families.random_frames import SIZE, frame

from hailo_decode import Decoder, Letterbox, decode

each_head = pytest.mark.parametrize("family", sorted(HEADS))
CHOOSE = {"conf": 0.3, "multi_label": True, "max_det": 60}
COLUMNS = ("xyxy", "confidence", "class_id", "mask", "keypoints", "corners")


def same(one, other):
    """Compare two results in every bit."""
    for column in COLUMNS:
        a, b = getattr(one, column), getattr(other, column)
        assert (a is None) == (b is None)
        assert a is None or np.array_equal(a, b), column


def stream(family, count, rng):
    """Return frames that differ in all numbers, the last of them the first again, and what is said of them."""
    frames = [frame(family, "uint8", rng) for _ in range(count)]
    return [outputs for outputs, _ in [*frames, frames[0]]], frames[0][1] | CHOOSE | (
        {"conf": 0.0} if family == "classify" else {}
    )


@each_head
def test_a_decoder_in_use_gives_what_a_new_one_gives(family, rng):
    frames, told = stream(family, 3, rng)
    decoder = Decoder.from_outputs(frames[0], SIZE, **told)
    results = [decoder(outputs) for outputs in frames]
    assert len(results[0]) > 0
    for outputs, result in zip(frames, results, strict=True):
        same(result, decode(outputs, SIZE, **told))


@each_head
def test_threads_do_not_write_into_each_others_results(family, rng):
    frames, told = stream(family, 8, rng)
    decoder = Decoder.from_outputs(frames[0], SIZE, **told)
    letterboxes = [Letterbox.fit((30 + 7 * k, 90), SIZE) for k in range(len(frames))]
    wanted = [decoder(outputs, letterbox=box) for outputs, box in zip(frames, letterboxes, strict=True)]
    found = list(decoder.batch(frames * 3, workers=4, letterboxes=letterboxes * 3))
    assert len(found) == 3 * len(frames)
    for one, other in zip(found, wanted * 3, strict=True):
        same(one, other)


@each_head
def test_a_result_stays_as_it_is_when_the_next_frame_comes(family, rng):
    frames, told = stream(family, 2, rng)
    decoder = Decoder.from_outputs(frames[0], SIZE, **told)
    first = decoder(frames[0])
    kept = {c: None if getattr(first, c) is None else getattr(first, c).copy() for c in COLUMNS}
    decoder(frames[1])
    for column, before in kept.items():
        assert before is None or np.array_equal(before, getattr(first, column)), column


@each_head
def test_a_steady_frame_allocates_its_result_and_little_beside_it(family, rng):
    frames, told = stream(family, 2, rng)
    decoder = Decoder.from_outputs(frames[0], SIZE, **told)
    for outputs in frames:
        decoder(outputs)
    peaks = []
    tracemalloc.start()
    try:
        for _ in range(3):
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            dets = decoder(frames[0])
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
            size = sum(getattr(dets, c).nbytes for c in COLUMNS if getattr(dets, c) is not None)
            del dets
    finally:
        tracemalloc.stop()
    # Coefficients pass through, and corners are worked out in a few arrays of their size; headers of arrays, the meta.
    assert min(peaks) < (5 if HEADS[family].extra == "angle" else 1.5) * size + 12_000
