"""The main job: a head with bins, every peer on the same u1 tensors."""

from __future__ import annotations

from collections.abc import Callable

from bench.frames import Scene, dfl_scene
from bench.layouts import on_device
from bench.objects import Shape
from bench.peers import edgefirst, expert_numpy, floor, hailo_numpy, plain_numpy, torch_ops
from bench.peers._peer import Choice, Way
from bench.rows._decoding import STREAMED, Decoding, decoding_row, our_way
from bench.rows._row import OURS, Claim, Row, ahead, faster, within
from bench.stored_as import sigmoided

LOADED = f"{edgefirst.NAME}, tensors loaded"
_LIKE_HAILORT = f"{OURS}, NHCW probabilities, multi-label"
_FAR = (-11.0, 1.5)  # background that a low threshold meets in real frames
_TYPICAL = Shape()
_MULTI = Choice(multi_label=True)
_EVALUATION = Choice(conf=0.001, multi_label=True)
# How many times HailoRT's step (5.2, -O2) plain NumPy takes: measured apart, once, where that step could be built.
_PLAIN_OVER_HAILORT = {"typical": 14, "crowded": 2.5, "evaluation": 10.8}
_PLAIN_OVER_EXAMPLE = 0.825  # the same of Hailo's own Python example


def rows() -> list[Row]:
    """Return the rows of this file."""
    slow = (plain_numpy.NAME, expert_numpy.NAME, hailo_numpy.NAME, torch_ops.NAME)
    return [
        _row("sparse", "5 objects", Shape(objects=5), ahead()),
        decoding_row("typical", "20 objects", Decoding(_of(_TYPICAL), more=_as_hailort), *_typical()),
        decoding_row(
            "streamed",
            "20 objects, 64 frames streamed from memory",
            Decoding(_of(_TYPICAL), frames=STREAMED),
            _hailort(4.5, "typical"),
            faster(LOADED, 2.5),
        ),
        decoding_row("multi-label", "20 objects, multi-label", Decoding(_of(_TYPICAL), _MULTI), ahead()),
        _row("crowded", "300 objects", Shape(objects=300), _hailort(20, "crowded"), ahead()),
        decoding_row(
            "evaluation",
            "conf 0.001, multi-label, some 4,000 candidates",
            Decoding(_of(Shape(background=_FAR)), _EVALUATION),
            _hailort(20, "evaluation"),
            ahead(),
        ),
        decoding_row(
            "evaluation-dense",
            "conf 0.001, multi-label, some 55,000 candidates",
            Decoding(_of(_TYPICAL), _EVALUATION, without=slow),
            ahead(),
        ),
        _row("320", "320x320, 20 objects", Shape(size=320), ahead()),
        _row("1280", "1280x1280, 20 objects", Shape(size=1280), ahead()),
        _row("1-class", "1 class, 20 objects", Shape(classes=1), ahead()),
        _row("2-classes", "2 classes, 20 objects", Shape(classes=2), ahead()),
        _row("1011-classes", "1011 classes, 20 objects", Shape(classes=1011), ahead()),
    ]


def _typical() -> tuple[Claim, ...]:
    return (
        _hailort(10, "typical"),
        _hailort(6.5, "typical", _LIKE_HAILORT, "like for like (NHCW, probabilities, multi-label) "),
        faster(LOADED, 6),
        faster(torch_ops.NAME, 100),
        faster(
            plain_numpy.NAME,
            round(200 * _PLAIN_OVER_EXAMPLE),
            "faster than plain NumPy, in place of 200 times Hailo's own Python example",
        ),
        within(floor.NAME, 4),
    )


def _row(name: str, title: str, shape: Shape, *claims: Claim) -> Row:
    return decoding_row(name, title, Decoding(_of(shape)), *claims)


def _of(shape: Shape) -> Callable[[int], Scene]:
    return lambda count: dfl_scene(shape, count)


def _hailort(times: float, scene: str, ours: str = OURS, what: str = "") -> Claim:
    """Claim a ratio to HailoRT's C++ step, for which plain NumPy stands in."""
    text = f"{what}faster than plain NumPy, in place of {times:g} times HailoRT's C++ step"
    return faster(plain_numpy.NAME, round(times * _PLAIN_OVER_HAILORT[scene]), text, ours)


def _as_hailort(scene: Scene, choice: Choice) -> list[Way]:
    """Decode what HailoRT's step is given: NHCW, probabilities, all classes."""
    given = on_device(sigmoided(scene), "NHCW")
    way = our_way(given, Choice(choice.conf, choice.iou, choice.max_det, True), _LIKE_HAILORT)
    return [Way(way.name, way.run)]
