"""Arrays in memory of any kind: read-only, strided, at odd addresses; all are read, none is written to."""

import heads
import numpy as np
import pytest

from hailo_decode import decode_yolov8

OBJECTS = ((8, 1, 2, 0, 0.9), (16, 2, 1, 2, 0.8), (32, 0, 1, 1, 0.7))


@pytest.fixture
def frame():
    return heads.dfl_frame(objects=OBJECTS)


def rows(dets):
    return dets.xyxy.tolist(), dets.confidence.tolist(), dets.class_id.tolist()


@pytest.mark.parametrize(
    "change",
    [
        lambda a: _locked(a.copy()),
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: a[::-1].copy()[::-1],
        lambda a: _shifted(a, 1),
        lambda a: _shifted(a, 3),
        lambda a: _locked(_shifted(a, 5)),
        lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
        lambda a: a.view(type("Own", (np.ndarray,), {})),
    ],
    ids=[
        "read-only",
        "fortran",
        "every second",
        "backwards",
        "odd address",
        "address + 3",
        "read-only, odd",
        "from bytes",
        "subclass",
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_memory_of_any_kind_is_read(frame, change, dtype):
    outputs, quant = frame
    if dtype == "uint16":
        outputs = {n: a.astype(np.uint16) for n, a in outputs.items()}
        told = {"quant": quant, "logits": False}
    elif dtype == "float32":
        outputs = {n: ((a - quant[n][1]) * quant[n][0]).astype(np.float32) for n, a in outputs.items()}
        told = {}
    else:
        told = {"quant": quant}
    plain = rows(decode_yolov8(outputs, 64, **told))
    assert plain[2] == [0, 2, 1]
    assert rows(decode_yolov8({n: change(a) for n, a in outputs.items()}, 64, **told)) == plain


def _locked(array):
    array.flags.writeable = False
    return array


def _shifted(array, offset):
    """Return the same numbers at an address that is no multiple of their size."""
    memory = np.zeros(array.nbytes + offset + 8, np.uint8)
    start = (-memory.ctypes.data) % 8 + offset
    view = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    view[:] = array
    return view


def test_no_input_is_written_to(frame):
    outputs, quant = frame
    before = {name: array.copy() for name, array in outputs.items()}
    decode_yolov8(outputs, 64, quant=quant, conf=0.0, multi_label=True)
    assert all((outputs[name] == before[name]).all() for name in outputs)
