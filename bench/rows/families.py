"""Other heads and tasks against the head with bins, with the same objects."""

from __future__ import annotations

from collections.abc import Callable

from bench.frames import Scene, dfl_scene
from bench.heads import anchor_scene, centre_scene, plain_scene, pose_scene, turned_scene
from bench.objects import Shape
from bench.peers._peer import Choice, Way
from bench.rows._decoding import finding, our_way, own_row
from bench.rows._row import OURS, Row, within

_HEADS: dict[str, tuple[Callable[[Shape, int], Scene], int, float]] = {
    "anchors (YOLOv5)": (anchor_scene, 80, 2.0),
    "centres (YOLOX)": (centre_scene, 80, 2.0),
    "plain distances (YOLO26)": (plain_scene, 80, 2.0),
    "pose": (pose_scene, 1, 1.5),
    "turned boxes": (turned_scene, 15, 1.5),
}
_SAME_CLASSES = {"head with bins, 1 class": 1, "head with bins, 15 classes": 15}


def rows() -> list[Row]:
    """Return the rows of this file."""
    claims = [
        within(OURS, times, f"{head} over the head with bins and 80 classes", f"{OURS}, {head}")
        for head, (_, _, times) in _HEADS.items()
    ]
    return [
        own_row(
            "families",
            "heads of other families, 20 objects",
            lambda count, notes: (_heads(count), None),
            *claims,
        )
    ]


def _heads(count: int) -> list[Way]:
    base = dfl_scene(Shape(), count)
    found = [finding(our_way(base, Choice()), base)]
    for name, classes in _SAME_CLASSES.items():
        scene = dfl_scene(Shape(classes=classes), count)
        found.append(finding(our_way(scene, Choice(), f"{OURS}, {name}"), scene))
    for head, (make, classes, _) in _HEADS.items():
        scene = make(Shape(classes=classes), count)
        way = our_way(scene, Choice(), f"{OURS}, {head}")
        found.append(finding(way, scene, middles=make is turned_scene))
    return found
