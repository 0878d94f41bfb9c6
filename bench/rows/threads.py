"""Several threads: one camera's frames in a batch, several cameras at once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from bench.frames import dfl_scene
from bench.objects import Shape
from bench.peers._peer import Choice, Way
from bench.rows._decoding import our_way, own_row
from bench.rows._row import OURS, Row, faster

_CALLS = 256  # frames in one batch
_ONE, _TWO = f"{OURS}, batch on 1 thread", f"{OURS}, batch on 2 threads"
_CAMERAS = 4


def rows() -> list[Row]:
    """Return the rows of this file; a call is a batch of 256 frames."""
    return [
        own_row(
            "batch",
            "256 frames in a batch",
            lambda n, notes: (_batches(n, 20), None),
            faster(_ONE, 1.8, "2 threads over 1", _TWO),
        ),
        own_row(
            "batch-crowded",
            "256 frames of 300 objects in a batch",
            lambda n, notes: (_batches(n, 300), None),
            faster(_ONE, 1.8, "2 threads over 1", _TWO),
        ),
        own_row("cameras", "4 cameras, 4 decoders, 64 frames of each", lambda n, notes: (_cameras(n), None)),
    ]


def _batches(count: int, objects: int) -> list[Way]:
    from hailo_decode import Decoder

    scene = dfl_scene(Shape(objects=objects), count)
    decoder = Decoder.from_network(scene.network, **scene.options)
    frames = [scene.frames[k % count] for k in range(_CALLS)]

    def run(workers: int) -> int:
        return sum(len(found) for found in decoder.batch(frames, workers=workers))

    return [Way(_ONE, lambda k: run(1)), Way(_TWO, lambda k: run(2))]


def _cameras(count: int) -> list[Way]:
    scenes = [dfl_scene(Shape(), count, first=100 * i) for i in range(_CAMERAS)]
    cameras = [our_way(scene, Choice()).run for scene in scenes]

    def stream(i: int) -> None:
        for k in range(_CALLS // _CAMERAS):
            cameras[i](k % count)

    pool = ThreadPoolExecutor(min(_CAMERAS, os.cpu_count() or 1))
    return [
        Way(f"{OURS}, one after the other", lambda k: list(map(stream, range(_CAMERAS)))),
        Way(f"{OURS}, a thread for each processor", lambda k: list(pool.map(stream, range(_CAMERAS)))),
    ]
