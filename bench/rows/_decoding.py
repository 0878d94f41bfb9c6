"""Rows that decode frames, in every way there is or in several ways of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bench.agreement import compare, recall
from bench.frames import Scene
from bench.peers import ways
from bench.peers._peer import Boxes, Choice, Way
from bench.reference import reference
from bench.rows._row import OURS, Claim, Figures, Row
from bench.timing import Budget, race

WARM, STREAMED, QUICK = 6, 64, 2  # frames that rotate: in the caches, from memory, for a look
_LEAST = 0.9  # share of boxes that a peer must have in common with the reference, to be compared with
_OURS_LEAST = 0.999


@dataclass(frozen=True)
class Decoding:
    """What a decoding row needs beside its name.

    Attributes
    ----------
    scene : callable
        Number of frames to Scene.
    choice : Choice
    frames : int
        How many rotate.
    without : tuple of str
        Peers that are left out, since one of their calls takes seconds; said in the notes.
    more : callable or None
        Scene and choice to further ways.
    """

    scene: Callable[[int], Scene]
    choice: Choice = field(default_factory=Choice)
    frames: int = WARM
    without: tuple[str, ...] = ()
    more: Callable[[Scene, Choice], Iterable[Way]] | None = None


def decoding_row(name: str, title: str, what: Decoding, *claims: Claim) -> Row:
    """Return the row that decodes a scene in every way there is."""
    return Row(name, title, lambda budget: _in_every_way(what, budget), claims)


def own_row(
    name: str, title: str, build: Callable[[int, list[str]], tuple[list[Way], Boxes | None]], *claims: Claim
) -> Row:
    """Return the row of several ways of ours, and perhaps of peers.

    Parameters
    ----------
    name, title : str
    build : callable
        Number of frames and a list for notes to the ways, and what they are held to, if anything.
    *claims : Claim
    """

    def measure(budget: Budget) -> Figures:
        figures, count = Figures(), frames_for(budget)
        contestants, wanted = build(count, figures.notes)
        if wanted is not None:
            contestants = agreeing(contestants, wanted, figures)
        figures.samples = race(contestants, count, budget)
        return figures

    return Row(name, title, measure, claims)


def frames_for(budget: Budget, count: int = WARM) -> int:
    """Return how many frames rotate."""
    return QUICK if budget.quick else count


def _in_every_way(what: Decoding, budget: Budget) -> Figures:
    count = frames_for(budget, what.frames)
    scene = what.scene(count)
    figures = Figures()
    contestants = [our_way(scene, what.choice)]
    if what.more is not None:
        contestants += what.more(scene, what.choice)
    for way in ways("detect", scene, what.choice, notes=figures.notes):
        if any(way.name.startswith(name) for name in what.without):
            figures.notes.append(f"{way.name}: left out, one call takes seconds")
        else:
            contestants.append(way)
    contestants = agreeing(contestants, reference(scene, what.choice), figures)
    figures.samples = race(contestants, count, budget)
    return figures


def our_way(scene: Scene, choice: Choice, name: str = OURS, letterbox: Any = None) -> Way:
    """Return the whole public call of this package."""
    from hailo_decode import Decoder

    decoder = Decoder.from_network(scene.network, **{**scene.options, **choice.options()})
    frames = scene.frames
    if letterbox is None:
        return Way(name, lambda k: decoder(frames[k]), as_found)
    return Way(name, lambda k: decoder(frames[k], letterbox=letterbox), as_found)


def as_found(detections: Any) -> Boxes:
    """Return our result as boxes."""
    return Boxes(detections.xyxy, detections.confidence, detections.class_id)


def agreeing(contestants: Iterable[Way], wanted: Boxes, figures: Figures) -> list[Way]:
    """Return the ways that found what is wanted; note why others are not timed.

    Raises
    ------
    RuntimeError
        When it is this package that disagrees: a fast wrong answer is not worth a figure.
    """
    kept = []
    for way in contestants:
        if way.boxes is not None:
            found = compare(wanted, way.boxes(way.run(0)))
            figures.agreements[way.name] = found
            if way.name.startswith(OURS) and found.share < _OURS_LEAST:
                raise RuntimeError(f"{way.name} disagrees with the float64 decode: {found}")
            if found.share < _LEAST:
                figures.notes.append(f"{way.name}: not timed, it found something else: {found}")
                continue
        kept.append(way)
    return kept


def finding(way: Way, scene: Scene, middles: bool = False) -> Way:
    """Return a way as it is, once it has found what was put into its first frame.

    Raises
    ------
    RuntimeError
        When it has not.
    """
    assert way.boxes is not None
    share = recall(scene.things[0], way.boxes(way.run(0)), middles)
    if share < _LEAST:
        raise RuntimeError(f"{way.name} found {share:.0%} of the objects in its first frame")
    return way
