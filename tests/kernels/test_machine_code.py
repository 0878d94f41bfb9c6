"""Kernels as kept machine code: with an empty, a damaged, a read-only cache, by many processes, and by the interpreter."""

import contextlib
import json
import lzma
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import strategies
from families import head_strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from hailo_decode import Decoder, Letterbox, decode
from hailo_decode.errors import DtypeError, SizeError
from hailo_decode.families import ANCHOR_FREE
from hailo_decode.kernels import _lowered, _maker, _store
from hailo_decode.kernels._jit import all_kernels
from hailo_decode.kernels._kernel import Kernel
from hailo_decode.kernels.scan import holds_bad

ROOT = Path(__file__).parents[2]
NAME = "frame_by_table.code"  # what the demo wants
DUMP = ROOT / "hailo_decode" / "demo" / "coffee.npz"
# Decodes the demo until it runs compiled, and tells what came first, what came then, and whether numba was there.
STREAM = """
import json, sys
from hailo_decode import Decoder, Recording
recording = Recording.load(sys.argv[1])
decoder = Decoder.from_network(recording.network)
first = last = decoder(recording.outputs)
while "kernels" in last.meta:
    last = decoder(recording.outputs)
same = all((getattr(first, name) == getattr(last, name)).all() for name in ("xyxy", "confidence", "class_id"))
print(json.dumps([first.meta.get("kernels", ""), len(last), same, "numba" in sys.modules]))
"""


def stream(cache, **more):
    """Start a process that decodes the demo with kernels of a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HAILO_DECODE_CACHE": str(cache), **more}
    environment = {name: value for name, value in environment.items() if value}
    command = [sys.executable, "-c", STREAM, str(DUMP)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def told(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return json.loads(out)


def kept(cache):
    """Return the folder under a cache that holds machine code."""
    return next((cache / "hailo_decode").glob("kernels-*"))


@pytest.fixture(scope="module")
def warmed(tmp_path_factory):
    """A cache that two processes have filled at the same time, and what both told."""
    cache = tmp_path_factory.mktemp("kernels")
    return cache, [told(process) for process in [stream(cache, HAILO_DECODE_WAIT="") for _ in range(2)]]


def test_with_an_empty_cache_the_interpreter_gives_the_boxes_that_machine_code_gives(warmed):
    _, both = warmed
    for first, found, same, _ in both:
        assert first.startswith("run by the interpreter")
        assert found > 0
        assert same


def test_two_processes_fill_one_cache_and_leave_nothing_half_done(warmed):
    cache, _ = warmed
    for _ in range(600):  # those that compiled may be tidying up still
        names = {path.name for path in kept(cache).iterdir()}
        if all(name.endswith(".code") for name in names):
            break
        time.sleep(0.1)
    assert names == {NAME}


def test_the_next_process_finds_them_and_loads_no_numba(warmed):
    cache, _ = warmed
    assert told(stream(cache)) == ["", warmed[1][0][1], True, False]


def test_a_damaged_file_is_made_anew(warmed, tmp_path):
    folder = tmp_path / "hailo_decode" / kept(warmed[0]).name
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes((kept(warmed[0]) / NAME).read_bytes()[:-100])
    first, found, same, _ = told(stream(tmp_path, HAILO_DECODE_WAIT=""))
    assert (found, same) == (warmed[1][0][1], True)
    assert first
    assert (folder / NAME).read_bytes() == (kept(warmed[0]) / NAME).read_bytes()


@pytest.mark.parametrize("damage", [b"", b"x", b"{}\n", b"[]\n", b"null\n"])
def test_what_is_no_machine_code_is_not_loaded(damage, tmp_path, monkeypatch):
    monkeypatch.setenv("HAILO_DECODE_CACHE", str(tmp_path))
    (_store.cache_folder() / NAME).write_bytes(damage)
    assert _store._loaded(NAME.removesuffix(".code")) == 0


def test_code_that_wants_an_unknown_function_is_not_loaded(warmed, tmp_path, monkeypatch):
    """LLVM would end the process."""
    monkeypatch.setenv("HAILO_DECODE_CACHE", str(tmp_path))
    _, _, code = (kept(warmed[0]) / NAME).read_bytes().partition(b"\n")
    _store._write(_store.cache_folder() / NAME, code, ("no_such_function_anywhere",))
    assert _store._loaded(NAME.removesuffix(".code")) == 0


def test_without_any_folder_kernels_are_compiled_in_the_process(monkeypatch):
    monkeypatch.setattr(_store, "cache_folder", lambda: None)
    alone = Kernel(holds_bad.function, holds_bad.types)
    values = np.array([1, np.nan, 2], np.float32)
    assert _store.machine_code(alone) is not None
    assert alone(values.ctypes.data, 3) == 1
    assert alone(values.ctypes.data, 1) == 0


def test_the_shipped_text_is_that_of_the_source():
    """Where this fails, a kernel has changed: run ``tools/lower_kernels.py``."""
    told = json.loads(lzma.decompress(_lowered.FILE.read_bytes()))
    assert told["sources"] == _lowered.source_digest()
    assert sorted(told["kernels"]) == list(all_kernels())


KEEP = """
import sys
from pathlib import Path
from hailo_decode.kernels import _jit, _lowered, _store
_lowered.FILE = Path(sys.argv[1])
_store.keep(_jit.all_kernels()["holds_bad"])
print("numba" in sys.modules)
"""


@pytest.mark.parametrize("damage", [None, b"", b"no lzma", lzma.compress(b"{}"), "another source"])
def test_without_a_text_that_can_be_used_numba_makes_it_anew(damage, tmp_path, monkeypatch):
    file, cache = tmp_path / "lowered.xz", tmp_path / "cache"
    if damage == "another source":
        told = json.loads(lzma.decompress(_lowered.FILE.read_bytes()))
        damage = lzma.compress(json.dumps(told | {"sources": damage}).encode())
    if damage is not None:
        file.write_bytes(damage)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HAILO_DECODE_CACHE": str(cache)}
    command = [sys.executable, "-c", KEEP, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == ["True"]
    monkeypatch.setenv("HAILO_DECODE_CACHE", str(cache))
    made = Kernel(holds_bad.function, holds_bad.types)
    made.load(_store._loaded("holds_bad"))
    values = np.array([1, np.nan, 2], np.float32)
    assert [made(values.ctypes.data, n) for n in (1, 2)] == [0, 1]


def test_where_nothing_can_be_compiled_the_interpreter_goes_on(monkeypatch):
    def fails(one):
        raise RuntimeError("LLVM has changed")

    wanted = decode(
        [np.zeros((2, 2, 64), np.float32), np.full((2, 2, 3), 1, np.float32)], 64, family=ANCHOR_FREE
    )
    with interpreted():
        monkeypatch.setattr(_store, "emit", fails)
        monkeypatch.setattr(_maker, "is_being_made", lambda name: False)
        monkeypatch.setattr(_store, "_HOPELESS", set())
        for _ in range(2):
            assert _store._made(all_kernels()["frame_scored"], wait=False) == 0
        found = decode(
            [np.zeros((2, 2, 64), np.float32), np.full((2, 2, 3), 1, np.float32)], 64, family=ANCHOR_FREE
        )
    assert found.xyxy.tolist() == wanted.xyxy.tolist()
    assert found.meta["kernels"] == (
        "run by the interpreter, with the same results: they cannot be compiled here"
    )


def test_a_program_that_is_no_python_is_never_started(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/usr/bin/true")
    assert not _maker.start(["holds_bad"])


def test_a_read_only_cache_gives_way_to_another_place(tmp_path, monkeypatch):
    closed = tmp_path / "a file, no folder"
    closed.write_text("")
    monkeypatch.setenv("HAILO_DECODE_CACHE", str(closed))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "open"))
    assert _store.cache_folder().parts[: len(tmp_path.parts) + 1] == (tmp_path / "open").parts


@settings(max_examples=25)
@given(st.data())
def test_the_interpreter_gives_the_numbers_of_the_machine(data):
    network = data.draw(strategies.networks(dtypes=["uint8", "uint16", "float32"]))
    told = {**network.told, "conf": data.draw(strategies.thresholds(network)), "family": ANCHOR_FREE}
    compiled = decode(network.outputs, network.input_size, **told)
    with interpreted():
        plain = decode(network.outputs, network.input_size, **told)
    assert plain.meta.get("kernels")
    for name in ("xyxy", "confidence", "class_id"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(compiled, name))


@pytest.mark.parametrize("family", tuple(head_strategies.HEADS))
@settings(max_examples=5)
@given(data=st.data())
def test_every_task_comes_out_alike_from_the_interpreter(family, data):
    frame = data.draw(head_strategies.frames((family,)))
    told = frame.told | {"conf": 0.05, "max_det": 12}
    letterbox = Letterbox.fit((50, 70), frame.input_size)
    compiled = decode(frame.outputs, frame.input_size, letterbox=letterbox, **told)
    with interpreted():
        plain = decode(frame.outputs, frame.input_size, letterbox=letterbox, **told)
    for name in ("xyxy", "confidence", "class_id", "mask", "keypoints", "corners"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(compiled, name))


@contextlib.contextmanager
def interpreted():
    """Have the interpreter run every kernel for a while; what is waited for is loaded all the same."""
    made = {name: one.native for name, one in all_kernels().items()}
    load = _store._loaded
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_store, "_loaded", lambda name: 0)
        patch.setattr(_maker, "start", lambda names: True)
        patch.setattr(
            _store, "machine_code", lambda one, wait=False: one.load(load(one.name)) if wait else None
        )
        for one in all_kernels().values():
            patch.setattr(one, "native", None)
        yield
    assert {name: one.native for name, one in all_kernels().items()} == made


def test_where_python_arithmetic_raises_the_machine_goes_on():
    """The exponential of 1000 is too much for Python, and infinite to the machine: the score is 0."""
    outputs = [np.zeros((2, 2, 64), np.float32), np.full((2, 2, 3), -1000, np.float32)]
    told = {"family": ANCHOR_FREE, "logits": True, "conf": 0.0, "suppress": False}
    compiled = decode(outputs, 64, **told)
    with interpreted():
        plain = decode(outputs, 64, **told)
    assert plain.confidence.tolist() == compiled.confidence.tolist() == [0.0] * 4
    assert plain.xyxy.tolist() == compiled.xyxy.tolist()


def test_arguments_that_compiled_code_would_misread_are_refused():
    walk = all_kernels()["count_faults"]
    boxes, class_id, faults = np.zeros((2, 5), np.float32), np.zeros(2, np.int32), np.zeros((5, 2), np.int64)
    assert walk(boxes, class_id, 1, 0.0, 2.0, faults) == 0
    with pytest.raises(DtypeError, match="float64 of 2 axes"):
        walk(boxes.astype(float), class_id, 1, 0.0, 2.0, faults)
    with pytest.raises(DtypeError, match="wanted: float32 of 2, contiguous"):
        walk(np.zeros((5, 2), np.float32).T, class_id, 1, 0.0, 2.0, faults)
    with pytest.raises(SizeError, match="got 2 arguments"):
        walk(boxes, class_id)


@pytest.mark.parametrize("change", ["fresh", "read-only", "offset", "strided", "misaligned"])
def test_nothing_is_compiled_in_the_middle_of_a_stream(change):
    """One machine code serves arrays of every kind, and gives the same boxes."""
    import heads

    outputs, quant = heads.dfl_frame(size=64, objects=[(8, 1, 1, 1, 0.9), (16, 2, 1, 0, 0.8)])
    decoder = Decoder.from_outputs(outputs, 64, quant=quant)
    wanted = decoder(outputs)
    changed = {name: CHANGES[change](array) for name, array in outputs.items()}
    before = {name: made.native for name, made in all_kernels().items()}
    found = decoder(changed)
    assert found.xyxy.tolist() == wanted.xyxy.tolist()
    assert len(found) == 2
    assert {name: made.native for name, made in all_kernels().items()} == before


def _read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def _offset(array):
    room = np.zeros(array.size + 3, array.dtype)
    room[3:] = array.reshape(-1)
    return room[3:].reshape(array.shape)


def _strided(array):
    return np.stack([array, array], axis=-1)[..., 0]


def _misaligned(array):
    room = bytearray(array.nbytes + 1)
    view = np.frombuffer(room, array.dtype, array.size, offset=1).reshape(array.shape)
    view[...] = array
    return view


CHANGES = {
    "fresh": np.copy,
    "read-only": _read_only,
    "offset": _offset,
    "strided": _strided,
    "misaligned": _misaligned,
}
