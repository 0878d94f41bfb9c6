"""A steady frame allocates its result and nothing else."""

import tracemalloc

import heads
import numpy as np
import pytest

from hailo_decode import Decoder, Letterbox, Room, decode_nms
from hailo_decode.errors import OptionError, SizeError

OBJECTS = [
    (stride, 3 * k, 2 * k, k % 3, 0.5 + k / 40) for stride, n in ((8, 6), (16, 3), (32, 2)) for k in range(n)
]


def frames(dtype):
    """Return the outputs of a 320 x 320 network, what is said of them, and how much memory they take."""
    outputs, quant = heads.dfl_frame(size=320, objects=OBJECTS)
    if dtype == "uint16":
        outputs = {n: a.astype(np.uint16) for n, a in outputs.items()}
        return outputs, {"quant": quant, "logits": False}
    if dtype == "float32":
        return {n: ((a - quant[n][1]) * quant[n][0]).astype(np.float32) for n, a in outputs.items()}, {}
    return outputs, {"quant": quant}


def measured(decoder, outputs):
    """Return the bytes held more after thirty steady frames whose results are dropped, and the peak over them.

    The least of three tries: Python keeps spare tuples and dicts of its own, and gives them up at times.
    """
    tries = []
    tracemalloc.start()
    try:
        for _ in range(3):
            for _ in range(30):
                decoder(outputs)
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            for _ in range(30):
                decoder(outputs)
            after, peak = tracemalloc.get_traced_memory()
            tries.append((after - before, peak - before))
    finally:
        tracemalloc.stop()
    return min(tries)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize(
    "options",
    [{}, {"conf": 0.0, "multi_label": True, "max_nms": 100_000}, {"max_det": 3}, {"agnostic": True}],
    ids=str,
)
def test_a_steady_frame_allocates_its_result_and_nothing_else(dtype, options):
    outputs, told = frames(dtype)
    decoder = Decoder.from_outputs(outputs, 320, **told, **options)
    for _ in range(3):
        dets = decoder(outputs)
    result = dets.xyxy.nbytes + dets.confidence.nbytes + dets.class_id.nbytes
    assert len(dets) > 0
    input_bytes = sum(array.nbytes for array in outputs.values())
    left, peak = measured(decoder, outputs)
    # Python's own objects take some kilobytes whatever the frame holds: the views, the meta, the result's shell.
    small = 16_000
    assert left < 1000
    assert peak < 2 * result + small < input_bytes / 5 + 2 * result


def test_memory_for_the_call_does_not_grow_with_the_picture():
    peaks = []
    for size in (64, 1280):
        outputs, quant = heads.dfl_frame(size=size, objects=[(16, 1, 1, 1, 0.9)])
        decoder = Decoder.from_outputs(outputs, size, quant=quant)
        for _ in range(3):
            decoder(outputs)
        peaks.append(measured(decoder, outputs)[1])
    assert abs(peaks[0] - peaks[1]) < 500


def test_device_buffers_are_not_copied_to_be_read():
    outputs, quant = heads.dfl_frame(size=320, objects=OBJECTS)
    formats = {n: {"order": "NHCW", "shape": a.shape, "hw_shape": a.shape} for n, a in outputs.items()}
    raw = {n: np.ascontiguousarray(a.transpose(0, 2, 1)).reshape(-1) for n, a in outputs.items()}
    decoder = Decoder.from_outputs(raw, 320, quant=quant, formats=formats)
    for _ in range(3):
        assert len(decoder(raw)) == len(OBJECTS)
    _, peak = measured(decoder, raw)
    assert peak < 16_000 < sum(array.nbytes for array in raw.values()) / 5


def test_a_result_can_be_written_into_arrays_that_are_there(rng):
    outputs, told = frames("uint8")
    decoder = Decoder.from_outputs(outputs, 320, **told)
    room, wanted = Room.of(len(OBJECTS)), decoder(outputs)
    for _ in range(3):
        dets = decoder(outputs, out=room)
        for column in ("xyxy", "confidence", "class_id"):
            assert getattr(dets, column).tolist() == getattr(wanted, column).tolist()
            assert np.shares_memory(getattr(dets, column), getattr(room, column))
    box = Letterbox.fit((480, 640), (320, 320))
    placed = decoder(outputs, letterbox=box, out=room)
    assert placed.xyxy.tolist() == decoder(outputs, letterbox=box).xyxy.tolist()


def test_more_boxes_than_there_is_room_for_are_refused_with_their_number():
    outputs, told = frames("uint8")
    with pytest.raises(OptionError, match=f"{len(OBJECTS)} boxes were found, and out has room for 2"):
        Decoder.from_outputs(outputs, 320, **told)(outputs, out=Room.of(2))


def test_an_nms_result_is_written_into_them_too():
    buffer = np.zeros(2 * (1 + 5 * 4), np.float32)
    buffer[:6] = (1, 0.1, 0.2, 0.3, 0.4, 0.9)
    room = Room.of(4)
    dets = decode_nms(buffer, classes=2, image_size=100).within(room)
    np.testing.assert_allclose(dets.xyxy, [[20, 10, 40, 30]], rtol=1e-6)
    assert np.shares_memory(dets.xyxy, room.xyxy)


@pytest.mark.parametrize(
    "arrays",
    [
        (np.empty((3, 4)), np.empty(3, np.float32), np.empty(3, np.int32)),
        (np.empty((3, 4), np.float32), np.empty(2, np.float32), np.empty(3, np.int32)),
    ],
)
def test_arrays_that_cannot_hold_boxes_are_refused(arrays):
    with pytest.raises(SizeError, match="cannot hold boxes"):
        Room(*arrays)
