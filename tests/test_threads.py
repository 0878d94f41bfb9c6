"""Many frames on many threads: each result is the one that a single thread gives, in order."""

import threading

import heads
import naive
import numpy as np
import pytest

from hailo_decode import Decoder, Letterbox
from hailo_decode.errors import OptionError, PairingError


def rows(dets):
    return dets.xyxy.tolist(), dets.confidence.tolist(), dets.class_id.tolist()


@pytest.fixture(scope="module")
def frames():
    """Forty frames of one network, each with other objects."""
    rng = np.random.default_rng(5)
    made = []
    for _ in range(40):
        objects = [
            (8, *rng.integers(0, 16, 2).tolist(), int(rng.integers(3)), float(rng.uniform(0.3, 1)))
            for _ in range(12)
        ]
        made.append(heads.dfl_frame(size=128, objects=objects)[0])
    return made


@pytest.fixture(scope="module")
def quant():
    return heads.dfl_frame(size=128)[1]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_batch_gives_what_single_calls_give_in_order(frames, quant, workers):
    wanted = [rows(Decoder.from_outputs(frame, 128, quant=quant)(frame)) for frame in frames]
    assert len({str(one) for one in wanted}) == len(frames)
    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    assert [rows(dets) for dets in decoder.batch(frames, workers)] == wanted
    assert [rows(dets) for dets in decoder.batch(iter(frames), workers=workers)] == wanted


def test_a_batch_is_read_as_results_are_taken(frames, quant):
    taken = []

    def stream():
        for k, frame in enumerate(frames):
            taken.append(k)
            yield frame

    results = Decoder.from_outputs(frames[0], 128, quant=quant).batch(stream(), workers=2)
    assert taken == []
    next(results)
    assert len(taken) < 10
    results.close()


def test_a_batch_of_nothing_is_nothing(frames, quant):
    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    assert list(decoder.batch([])) == list(decoder.batch([], workers=3)) == []


@pytest.mark.parametrize("workers", [1, 3])
def test_each_frame_of_a_batch_gets_its_own_letterbox(frames, quant, workers):
    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    boxes = [None, *(Letterbox.fit((200 + k, 300), (128, 128)) for k in range(len(frames) - 1))]
    wanted = [rows(decoder(frame, letterbox=box)) for frame, box in zip(frames, boxes, strict=True)]
    assert [rows(dets) for dets in decoder.batch(frames, workers, letterboxes=boxes)] == wanted


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("count", [1, 5])
def test_as_many_letterboxes_as_frames_are_wanted(frames, quant, workers, count):
    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    boxes = [Letterbox.fit((200, 300), (128, 128))] * count
    with pytest.raises(OptionError, match="letterbox"):
        list(decoder.batch(frames[:3], workers, letterboxes=boxes))


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2", None])
def test_a_number_of_workers_that_is_none_is_refused_at_once(frames, quant, workers):
    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    with pytest.raises(OptionError, match="workers"):
        decoder.batch(frames, workers)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_bad_frame_raises_in_its_turn_and_the_ones_before_it_are_kept(frames, quant, workers):
    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    results = decoder.batch([*frames[:4], {}, *frames[4:]], workers)
    first = [rows(next(results)) for _ in range(4)]
    assert first == [rows(decoder(frame)) for frame in frames[:4]]
    with pytest.raises(PairingError, match="no outputs"):
        next(results)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_letterbox_of_another_input_raises_in_its_turn(frames, quant, workers):
    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    boxes = [Letterbox.fit((200, 300), (128, 128))] * len(frames)
    wanted = [rows(decoder(frame, letterbox=box)) for frame, box in zip(frames, boxes, strict=True)]
    boxes[30] = Letterbox.fit((200, 300), (64, 64))
    results = decoder.batch(frames, workers, letterboxes=boxes)
    assert [rows(next(results)) for _ in range(30)] == wanted[:30]
    with pytest.raises(OptionError, match="another input"):
        next(results)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_source_that_raises_does_so_behind_the_frames_that_it_gave(frames, quant, workers):
    def stream():
        yield from frames[:7]
        raise OSError("the camera is gone")

    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    results = decoder.batch(stream(), workers)
    assert [rows(next(results)) for _ in range(7)] == [rows(decoder(frame)) for frame in frames[:7]]
    with pytest.raises(OSError, match="the camera is gone"):
        next(results)


def test_threads_that_share_a_decoder_do_not_disturb_each_other(frames, quant):
    decoder = Decoder.from_outputs(frames[0], 128, quant=quant)
    wanted = [rows(decoder(frame)) for frame in frames]
    got, gate = {}, threading.Barrier(6)

    def work(k):
        gate.wait()
        order = frames[k:] + frames[:k]
        got[k] = [rows(decoder(frame)) for frame in order for _ in range(3)][::3]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {k: wanted[k:] + wanted[:k] for k in range(6)}


def test_threads_with_a_decoder_each_do_not_disturb_each_other():
    got, wanted, gate = {}, {}, threading.Barrier(4)
    sizes = {0: 64, 1: (64, 128), 2: (128, 64), 3: 160}

    def work(k):
        outputs, quant = heads.dfl_frame(size=sizes[k], classes=k + 1, objects=[(16, 1, 1, k, 0.5 + k / 10)])
        gate.wait()
        got[k] = rows(Decoder.from_outputs(outputs, sizes[k], quant=quant)(outputs))

    threads = [threading.Thread(target=work, args=(k,)) for k in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in sizes:
        score = naive.dequantise(np.array([round((0.5 + k / 10) * 255)]), heads.CLS_QUANT).astype(np.float32)
        wanted[k] = ([heads.box_of(16, 1, 1)], score.tolist(), [k])
    assert got == wanted


def test_threads_that_bring_frames_of_many_kinds_do_not_disturb_each_other(frames, quant):
    decoder = Decoder.from_outputs(frames[0], 128, quant=(1 / 64, 0.0), logits=True, roles=None, conf=0.9)
    kinds = [{f"k{k}/{n.partition('/')[2]}": a for n, a in frames[0].items()} for k in range(12)]
    wanted = rows(decoder(kinds[0]))
    assert len(wanted[0]) > 0
    got, gate = [], threading.Barrier(4)

    def work():
        gate.wait()
        got.extend(rows(decoder(kind)) for _ in range(3) for kind in kinds)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 4 * 3 * 12
    assert all(one == wanted for one in got)
