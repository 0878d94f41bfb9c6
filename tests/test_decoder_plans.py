"""Plans are made once for frames that look alike, anew for others, and no more of them are kept than have a use."""

import tracemalloc

import heads
import numpy as np
import pytest

from hailo_decode import Decoder, decoder
from hailo_decode.values.network import NetworkInfo

OBJECTS = ((8, 1, 2, 0, 0.9), (16, 2, 1, 2, 0.8), (32, 0, 1, 1, 0.7))


@pytest.fixture
def frame():
    return heads.dfl_frame(objects=OBJECTS)


def rows(dets):
    return dets.xyxy.tolist(), dets.confidence.tolist(), dets.class_id.tolist()


def wanted():
    return (
        [heads.box_of(*one[:3]) for one in OBJECTS],
        [np.float32(round(one[4] * 255) / 255) for one in OBJECTS],
        [one[3] for one in OBJECTS],
    )


def test_a_plan_is_made_once_for_frames_that_look_alike(frame, monkeypatch):
    outputs, quant = frame
    made = []
    real = decoder.make_plan
    monkeypatch.setattr(decoder, "make_plan", lambda *args: made.append(1) or real(*args))
    one = Decoder.from_outputs(outputs, 64, quant=quant)
    for _ in range(5):
        assert rows(one(outputs)) == wanted()
    assert rows(one(dict(reversed(outputs.items())))) == wanted()
    assert len(made) == 1


def test_other_shapes_get_a_plan_of_their_own_and_the_first_is_kept(frame, monkeypatch):
    outputs, quant = frame
    made = []
    real = decoder.make_plan
    monkeypatch.setattr(decoder, "make_plan", lambda *args: made.append(1) or real(*args))
    one = Decoder.from_outputs(outputs, 64, quant=quant)
    batched = {name: array[None] for name, array in outputs.items()}
    for frame_ in (outputs, batched, outputs, batched):
        assert rows(one(frame_)) == wanted()
    assert len(made) == 2


def test_other_dtypes_get_a_plan_of_their_own(frame):
    outputs, quant = frame
    one = Decoder.from_outputs(outputs, 64, quant=quant)
    real = {n: ((a - quant[n][1]) * quant[n][0]).astype(np.float32) for n, a in outputs.items()}
    assert rows(one(outputs))[2] == rows(one(real))[2] == [0, 2, 1]


def test_a_decoder_made_from_one_frame_reads_the_next_ones_numbers(frame):
    outputs, quant = frame
    one = Decoder.from_outputs({n: np.zeros_like(a) for n, a in outputs.items()}, 64, quant=quant)
    assert rows(one(outputs)) == wanted()


def test_a_level_in_which_nothing_differs_does_not_make_each_frame_plan_anew(monkeypatch):
    outputs, quant = heads.dfl_frame(objects=[(8, 1, 2, 0, 0.9)])
    real = {n: ((a - quant[n][1]) * quant[n][0]).astype(np.float32) for n, a in outputs.items()}
    assert real["net/cls32"].max() == 0
    made = []
    plain = decoder.make_plan
    monkeypatch.setattr(decoder, "make_plan", lambda *args: made.append(1) or plain(*args))
    one = Decoder.from_outputs(real, 64)
    for _ in range(5):
        assert one(real).class_id.tolist() == [0]
    assert len(made) == 1


def test_a_decoder_keeps_no_more_memory_than_its_plans_want(frame):
    outputs, _ = frame
    one = Decoder.from_network(
        NetworkInfo("net", "x", input_size=(64, 64)), quant=(0.01, 128.0), family="yolov8"
    )

    def turn():
        for k in range(20):  # more kinds of frames than plans are kept
            one({f"kind{k}/{name.partition('/')[2]}": array for name, array in outputs.items()})
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first = turn()
        turns = [turn() for _ in range(3)]
    finally:
        tracemalloc.stop()
    assert max(turns) < first * 1.2
