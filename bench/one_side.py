"""One side of a comparison: a process that decodes with the package of one tree.

    python one_side.py ROOT

``ROOT`` is the tree whose `hailo_decode` is used; `bench` is always this one. Answers each line on standard input with one
on standard output: ``cases`` with names, ``time CASE CALLS`` with microseconds a call, ``run CASE CALLS`` with ``done``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_FRAMES = 4


def cases() -> dict[str, Callable[[], Callable[[int], Any]]]:
    """Return what is compared: each name makes a function that decodes frame k."""
    from bench.frames import dfl_scene
    from bench.heads import anchor_scene, centre_scene, mask_scene, plain_scene, pose_scene, turned_scene
    from bench.layouts import on_device
    from bench.objects import Shape
    from bench.peers._peer import Choice
    from bench.rows._decoding import our_way
    from bench.stored_as import as_dtype
    from hailo_decode import Letterbox

    far = Shape(background=(-11.0, 1.5))
    everything = Choice(conf=0.001, multi_label=True)
    letterbox = Letterbox.fit((720, 1280), (640, 640))
    return {
        "sparse": lambda: our_way(dfl_scene(Shape(objects=5), _FRAMES), Choice()).run,
        "typical": lambda: our_way(dfl_scene(Shape(), _FRAMES), Choice()).run,
        "multi-label": lambda: our_way(dfl_scene(Shape(), _FRAMES), Choice(multi_label=True)).run,
        "crowded": lambda: our_way(dfl_scene(Shape(objects=300), _FRAMES), Choice()).run,
        "evaluation": lambda: our_way(dfl_scene(far, _FRAMES), everything).run,
        "1-class": lambda: our_way(dfl_scene(Shape(classes=1), _FRAMES), Choice()).run,
        "nhcw": lambda: our_way(on_device(dfl_scene(Shape(), _FRAMES), "NHCW"), Choice()).run,
        "uint16": lambda: our_way(as_dtype(dfl_scene(Shape(), _FRAMES), "uint16"), Choice()).run,
        "float32": lambda: our_way(as_dtype(dfl_scene(Shape(), _FRAMES), "float32"), Choice()).run,
        "anchors": lambda: our_way(anchor_scene(Shape(), _FRAMES), Choice()).run,
        "centres": lambda: our_way(centre_scene(Shape(), _FRAMES), Choice()).run,
        "plain": lambda: our_way(plain_scene(Shape(), _FRAMES), Choice()).run,
        "pose": lambda: our_way(pose_scene(Shape(classes=1), _FRAMES), Choice()).run,
        "turned": lambda: our_way(turned_scene(Shape(classes=15), _FRAMES), Choice()).run,
        "masks": lambda: our_way(mask_scene(Shape(), _FRAMES), Choice(), letterbox=letterbox).run,
    }


def main(root: str) -> int:
    """Answer until standard input ends."""
    here = str(Path(__file__).resolve().parents[1])
    sys.path[:] = [str(Path(root).resolve()), here, *(p for p in sys.path if Path(p).resolve() != Path(here))]
    ready: dict[str, Callable[[int], Any]] = {}
    for line in sys.stdin:
        order, *rest = line.split()
        if order == "cases":
            print(" ".join(cases()), flush=True)
            continue
        name, calls = rest[0], int(rest[1])
        try:
            if name not in ready:
                ready[name] = cases()[name]()
                for k in range(_FRAMES):
                    ready[name](k)
            times = _timed(ready[name], calls)
        except Exception as error:  # an older tree may not know the case: that is an answer too
            print(f"failed {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
            continue
        print(" ".join(f"{t:.3f}" for t in times) if order == "time" else "done", flush=True)
    return 0


def _timed(run: Callable[[int], Any], calls: int) -> list[float]:
    clock = time.perf_counter_ns
    times = []
    for k in range(calls):
        start = clock()
        run(k % _FRAMES)
        times.append((clock() - start) / 1e3)
    return times


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
