"""What a process pays before its first boxes: imports, and kernels to load. Bytecode is there, as pip leaves it."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.frames import dfl_scene
from bench.objects import Shape
from bench.rows._row import OURS, Claim, Figures, Row
from bench.timing import Budget, Samples
from hailo_decode import Recording

ROOT = Path(__file__).resolve().parents[2]
_MODULES = ("hailo_decode", "numpy", "cv2", "numba", "edgefirst.decoder", "torch")
_IMPORT = "import time; t = time.perf_counter(); import {}; print(1e3 * (time.perf_counter() - t))"
# Decodes until it is as fast as it gets: prints when the first boxes stood, and when the first compiled frame did.
_DECODE = """
import sys, time
from hailo_decode import Decoder, Recording
recording = Recording.load(sys.argv[1])
decoder = Decoder.from_network(recording.network)
found = decoder(recording.outputs)
print(time.monotonic(), flush=True)
while "kernels" in found.meta:
    found = decoder(recording.outputs)
print(time.monotonic(), open("/proc/self/status").read().partition("VmRSS:")[2].split()[0])
"""
_CACHED, _EMPTY, _COMPILED = (
    "first boxes, kernels cached",
    "first boxes, empty cache",
    "first compiled frame, empty cache",
)


def rows() -> list[Row]:
    """Return the rows of this file."""
    return [
        Row(
            "import",
            "import in a fresh process, milliseconds",
            _imports,
            (Claim("milliseconds of `import hailo_decode`", "hailo_decode", at_most=60),),
        ),
        Row(
            "first-boxes",
            "from the start of a process to its first boxes, milliseconds",
            _first_boxes,
            (
                Claim("milliseconds with kernels cached", _CACHED, at_most=600),
                Claim("milliseconds with an empty cache", _EMPTY, at_most=1000),
                Claim("milliseconds until kernels are compiled", _COMPILED, at_most=5000),
                Claim("MB resident after a frame with cached kernels", "memory resident", at_most=200),
            ),
        ),
        Row(
            "inspect",
            "`hailo-decode inspect` on a HEF of 4 MB, milliseconds",
            _inspect,
            (Claim("milliseconds", OURS, at_most=150),),
        ),
    ]


def _imports(budget: Budget) -> Figures:
    figures = Figures()
    present = [name for name in _MODULES if _is_there(name)]
    figures.samples = {name: Samples("ms") for name in present}
    for name in present:
        _python("-c", _IMPORT.format(name))
    for _ in range(2 if budget.quick else 9):
        for name in present:
            figures.samples[name].values.append(float(_python("-c", _IMPORT.format(name))))
    return figures


def _first_boxes(budget: Budget) -> Figures:
    figures = Figures({name: Samples("ms") for name in (_CACHED, _EMPTY, _COMPILED)})
    resident = Samples("MB")
    with tempfile.TemporaryDirectory() as folder:
        scene = dfl_scene(Shape(), 1)
        dump = Recording(scene.network, scene.frames[0]).save(Path(folder) / "frame.npz")
        _decode(dump, Path(folder) / "cache")
        for turn in range(1 if budget.quick else 3):
            cache = Path(folder) / f"cache{turn}"
            first, compiled, _ = _decode(dump, cache)
            figures.samples[_EMPTY].values.append(first)
            figures.samples[_COMPILED].values.append(compiled)
            for _ in range(2 if budget.quick else 5):
                first, _, kilobytes = _decode(dump, cache)
                figures.samples[_CACHED].values.append(first)
                resident.values.append(kilobytes / 1024)
    figures.samples["memory resident"] = resident
    return figures


def _decode(dump: Path | str, cache: Path) -> tuple[float, float, float]:
    """Return ms to the first boxes and first compiled frame, and KB resident then."""
    start = time.monotonic()
    first, compiled, kilobytes = map(float, _python("-c", _DECODE, str(dump), cache=cache).split())
    return 1e3 * (first - start), 1e3 * (compiled - start), kilobytes


def _inspect(budget: Budget) -> Figures:
    hef = _made_hef()
    figures = Figures({name: Samples("ms") for name in (OURS, "python that does nothing")})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.hef"
        file.write_bytes(hef())
        commands: tuple[tuple[str, tuple[str, ...]], ...] = (
            (OURS, ("-m", "hailo_decode", "inspect", str(file))),
            ("python that does nothing", ("-c", "")),
        )
        _python(*commands[0][1])
        for _ in range(2 if budget.quick else 9):
            for name, words in commands:
                start = time.perf_counter()
                _python(*words)
                figures.samples[name].values.append(1e3 * (time.perf_counter() - start))
    return figures


def _made_hef() -> Callable[[], bytes]:
    """Return what makes a HEF: the tests', which need protobuf and xxhash."""
    sys.path.insert(0, str(ROOT / "tests"))
    try:
        from networks.build_hef import hef, layer
    finally:
        sys.path.remove(str(ROOT / "tests"))
    heads = [layer(f"conv{40 + k}", (80 >> k // 2, 80 >> k // 2, 64 if k % 2 else 80)) for k in range(6)]
    return lambda: hef(heads, weights=bytes(4_000_000))


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@functools.cache
def _bytecode() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for bytecode that lasts as long as this process."""
    return tempfile.TemporaryDirectory()


def _python(*words: str, cache: Path | None = None) -> str:
    """Run this Python on this tree, and return what it prints.

    Raises
    ------
    RuntimeError
        With the end of its complaint, when it fails.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": _bytecode().name}
    for name in ("PYTHONDONTWRITEBYTECODE", "HAILO_DECODE_WAIT"):
        environment.pop(name, None)
    if cache is not None:
        environment["HAILO_DECODE_CACHE"] = str(cache)
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tempfile.gettempdir(),
        env=environment,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)[:60]}: {done.stderr.strip()[-500:]}")
    return done.stdout
