"""What a frame allocates beside its result."""

from __future__ import annotations

import resource
import tracemalloc
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from bench.frames import Scene, dfl_scene
from bench.heads import mask_scene, pose_scene, turned_scene
from bench.objects import Shape
from bench.peers import ways
from bench.peers._peer import Choice
from bench.rows._decoding import our_way
from bench.rows._row import OURS, Claim, Figures, Row
from bench.timing import Budget, Samples

_FRAMES = 200
_BESIDE = f"{OURS}: most at any time, beside the result"
_KEPT = f"{OURS}: kept of each frame"
_FAULTS = f"{OURS}: page faults a frame"
_TASKS: dict[str, tuple[Callable[[Shape, int], Scene], Shape]] = {
    "boxes": (dfl_scene, Shape()),
    "crowded": (dfl_scene, Shape(objects=300)),
    "keypoints": (pose_scene, Shape(classes=1)),
    "turned": (turned_scene, Shape(classes=15)),
    "masks": (mask_scene, Shape()),
}


def rows() -> list[Row]:
    """Return the rows of this file."""
    return [_row(task, make, shape) for task, (make, shape) in _TASKS.items()]


def _row(task: str, make: Callable[[Shape, int], Scene], shape: Shape) -> Row:
    claims = (
        Claim("bytes at any time beside the result", _BESIDE, at_most=8192),
        Claim("bytes kept of each frame when it is gone", _KEPT, at_most=32),
    )

    def measure(budget: Budget) -> Figures:
        scene = make(shape, 2)
        figures = Figures()
        run = our_way(scene, Choice()).run
        frames = 20 if budget.quick else _FRAMES
        figures.samples = _traced(run, frames)
        figures.samples[_FAULTS] = Samples("faults", [_faults(run, frames)])
        if task == "boxes":
            for way in ways("detect", scene, Choice(), notes=figures.notes):
                way.run(0)
                figures.samples[way.name] = Samples("bytes", _peaks(way.run))
        return figures

    return Row(
        f"memory-{task}",
        f"bytes allocated for a frame with {task}, as Python's allocators and NumPy's see it",
        measure,
        claims,
    )


def _traced(run: Callable[[int], Any], frames: int) -> dict[str, Samples]:
    for k in range(4):
        run(k % 2)
    beside = Samples("bytes")
    tracemalloc.start()
    try:
        beside.values = [_peak_beside(run, k % 2) for k in range(frames)]
        before = tracemalloc.get_traced_memory()[0]
        for k in range(_FRAMES):
            run(k % 2)
        growth = (tracemalloc.get_traced_memory()[0] - before) / _FRAMES
    finally:
        tracemalloc.stop()
    return {_BESIDE: beside, _KEPT: Samples("bytes", [growth])}


def _peak_beside(run: Callable[[int], Any], k: int) -> float:
    """Return the most bytes at any time of a call, less its result's arrays."""
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    found = run(k)
    return max(tracemalloc.get_traced_memory()[1] - before - _bytes_of(found), 0)


def _peaks(run: Callable[[int], Any]) -> list[float]:
    tracemalloc.start()
    try:
        return [_peak_beside(run, k % 2) for k in range(4)]
    finally:
        tracemalloc.stop()


def _bytes_of(found: Any) -> int:
    """Return the bytes of a result's arrays; its notes and itself count as beside."""
    if not hasattr(found, "xyxy"):
        return 0
    arrays = (getattr(found, column.name) for column in fields(found))
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def _faults(run: Callable[[int], Any], frames: int) -> float:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for k in range(frames):
        run(k % 2)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / frames
