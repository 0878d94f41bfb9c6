"""Instance masks of the photo's size, and their run lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.frames import Scene
from bench.heads import mask_scene
from bench.objects import Array, Shape
from bench.peers import hailo_numpy, torch_ops, ways
from bench.peers._peer import Choice, Way
from bench.reference import reference
from bench.rows._decoding import agreeing, frames_for, our_way, own_row
from bench.rows._row import OURS, Figures, Row, faster
from bench.timing import Budget, race
from hailo_decode import Letterbox

_PHOTO = (720, 1280)
_SAME_PIXELS = 0.97  # share of set pixels that two ways must have in common
_ENCODED = f"{OURS}, run lengths"


def rows() -> list[Row]:
    """Return the rows of this file."""
    return [
        _row("masks-5", 5),
        _row("masks", 20),
        _row("masks-100", 100),
        own_row(
            "run-lengths",
            "run lengths of the masks of 20 objects, 1280x720",
            lambda count, notes: (_encoders(notes), None),
        ),
    ]


def _row(name: str, objects: int) -> Row:
    title = f"{objects} objects, boolean masks of a 1280x720 photo"
    whole = f"{torch_ops.NAME}, decode and process_mask"
    claims = (
        faster(whole, 10, "faster than torch, in place of 5 times Hailo's own example"),
        faster(f"{torch_ops.NAME}, process_mask alone", 1),
        faster(f"{hailo_numpy.NAME}, masks", 1),
    )
    return Row(name, title, _measure(objects), claims)


def _measure(objects: int) -> Callable[[Budget], Figures]:
    def measure(budget: Budget) -> Figures:
        count = frames_for(budget)
        scene, letterbox, figures = _scene(objects, count), _letterbox(), Figures()
        own = our_way(scene, Choice(), letterbox=letterbox)
        own = Way(own.name, own.run)  # its boxes are the photo's: compared by their masks
        found = [
            own,
            *agreeing(
                ways("masks", scene, Choice(), letterbox, notes=figures.notes),
                reference(scene, Choice()),
                figures,
            ),
        ]
        _check_pixels(found, figures)
        figures.samples = race(found, count, budget)
        boxes = own.run(0).xyxy
        pixels = int((boxes[:, 2:] - boxes[:, :2]).prod(1).sum())
        figures.notes.append(f"first frame: {len(boxes)} masks, {pixels:,} pixels inside their boxes")
        return figures

    return measure


def _scene(objects: int, count: int) -> Scene:
    return mask_scene(Shape(objects=objects), count)


def _letterbox() -> Letterbox:
    return Letterbox.fit(_PHOTO, (640, 640))


def _check_pixels(found: list[Way], figures: Figures) -> None:
    """Hold the pixels that each way sets, over all of its masks, to ours."""
    ours = np.asarray(found[0].run(0).mask).any(0)
    for way in found[1:]:
        painted = _union(way.run(0))
        share = (ours & painted).sum() / max((ours | painted).sum(), 1)
        figures.notes.append(f"{way.name}: {share:.1%} of all set pixels in common")
        if share < _SAME_PIXELS:
            raise RuntimeError(f"{way.name} and {OURS} paint other pixels: {share:.1%} in common")


def _union(result: Any) -> Array:
    masks: Array = np.asarray(result[-1] if isinstance(result, tuple) else result)
    return np.logical_or.reduce(masks, axis=0)  # type: ignore[no-any-return]


def _encoders(notes: list[str]) -> list[Way]:
    from hailo_decode.rle import packed, run_lengths

    scene = _scene(20, 1)
    masks = our_way(scene, Choice(), letterbox=_letterbox()).run(0).mask
    encode = Way(_ENCODED, lambda k: [packed(run_lengths(mask)) for mask in masks])
    return [encode, *ways("run_lengths", masks, notes=notes)]
