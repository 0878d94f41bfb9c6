"""Suppression at its worst: tens of thousands of boxes, a thousand turned ones."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bench.frames import Scene, dfl_scene
from bench.heads import TURN, turned_scene
from bench.objects import Array, Shape
from bench.peers import edgefirst, opencv_turned, ways
from bench.peers._peer import Choice, Way
from bench.rows._decoding import Decoding, decoding_row, finding, our_way, own_row
from bench.rows._row import OURS, Claim, Row, faster

_ALL = Choice(conf=0.001, max_det=30_000, multi_label=True)
_SLOW = ("plain NumPy", "expert NumPy", "NumPy as", "torch", edgefirst.NAME)
_MANY = 95  # objects whose cells give about a thousand turned candidates


def rows() -> list[Row]:
    """Return the rows of this file."""
    return [
        own_row(
            "30000-candidates",
            "30,000 candidates through suppression, none of the places for results used up",
            lambda count, notes: (list(_crowds(count)), None),
            Claim("80 classes, microseconds", f"{OURS}, 80 classes", at_most=10_000),
            Claim("1 class, microseconds", f"{OURS}, 8,400 cells of 1 class", at_most=10_000),
        ),
        decoding_row(
            "evaluation-1-class",
            "1 class, conf 0.001, 300 objects",
            Decoding(lambda n: dfl_scene(Shape(classes=1, objects=300), n), Choice(conf=0.001)),
            faster(f"{edgefirst.NAME}, tensors loaded", 10),
        ),
        own_row(
            "turned-1000",
            "about 1,000 turned candidates of one class: our whole frame, others their suppression alone",
            lambda count, notes: (_turned(count, notes), None),
            faster(f"{opencv_turned.NAME} loop", 10),
        ),
    ]


def _crowds(count: int) -> Iterator[Way]:
    yield our_way(dfl_scene(Shape(), count), _ALL, f"{OURS}, 80 classes")
    low = Choice(conf=1e-5, max_det=30_000)
    yield our_way(dfl_scene(Shape(classes=1), count), low, f"{OURS}, 8,400 cells of 1 class")


def _turned(count: int, notes: list[str]) -> list[Way]:
    scene = turned_scene(Shape(classes=1, objects=_MANY), count)
    own = finding(our_way(scene, Choice()), scene, middles=True)
    boxes = [(_candidates(scene, k), np.zeros(0)) for k in range(count)]
    return [own, *ways("turned_nms", boxes, Choice().iou, notes=notes)]


def _candidates(scene: Scene, k: int) -> Array:
    """Return a frame's turned candidates, best first, as centre, size, angle."""
    from hailo_decode import Decoder

    everything = {**scene.options, "suppress": False, "max_det": 30_000}
    found = Decoder.from_network(scene.network, **everything)(scene.frames[k])
    corners = np.asarray(found.corners, np.float64)
    wide = np.hypot(*(corners[:, 1] - corners[:, 0]).T)
    high = np.hypot(*(corners[:, 2] - corners[:, 1]).T)
    turn = np.full(len(corners), TURN % math.pi)
    return np.column_stack([corners.mean(1), wide, high, turn])
