"""The main job: scenes, thresholds, sizes and class counts of a head with bins, every peer on the same u1 tensors."""

from __future__ import annotations

from collections.abc import Callable

from bench.frames import Scene, dfl_scene
from bench.layouts import on_device
from bench.objects import Shape
from bench.peers import edgefirst, expert_numpy, floor, hailo_numpy, plain_numpy, torch_ops
from bench.peers._peer import Choice, Way
from bench.rows._decoding import STREAMED, Decoding, decoding_row, our_way
from bench.rows._row import Claim, Row, faster, within
from bench.stored_as import sigmoided

LOADED = f"{edgefirst.NAME}, tensors loaded"
_FAR = (-11.0, 1.5)  # background that a low threshold meets in real frames
_TYPICAL = Shape()
_LIKE_HAILORT = "hailo_decode, NHCW probabilities, multi-label"
_EVALUATION = Choice(conf=0.001, multi_label=True)


def rows() -> list[Row]:
    """Return the rows of this file."""
    return [
        decoding_row("sparse", "5 objects", Decoding(_of(Shape(objects=5))), *_claims(2.6, 3.1, 109, 430)),
        decoding_row(
            "typical",
            "20 objects",
            Decoding(_of(_TYPICAL), more=_as_hailort),
            faster(
                plain_numpy.NAME,
                140,
                "faster than plain NumPy, which stands in for 10 times HailoRT's C++ step",
            ),
            faster(
                plain_numpy.NAME,
                91,
                "like for like (NHCW, probabilities, multi-label) faster than plain NumPy, in place of 6.5 times HailoRT",
                ours=_LIKE_HAILORT,
            ),
            faster(LOADED, 6),
            faster(torch_ops.NAME, 100),
            faster(
                plain_numpy.NAME,
                165,
                "faster than plain NumPy, in place of 200 times Hailo's own Python example",
            ),
            within(floor.NAME, 4),
        ),
        decoding_row(
            "streamed",
            "20 objects, 64 frames streamed from memory",
            Decoding(_of(_TYPICAL), frames=STREAMED),
            faster(LOADED, 2.5),
            faster(expert_numpy.NAME, 6),
            within(floor.NAME, 3.6),
        ),
        decoding_row(
            "multi-label",
            "20 objects, multi-label",
            Decoding(_of(_TYPICAL), Choice(multi_label=True)),
            *_claims(4.4, 5.5, 71, 131),
        ),
        decoding_row("crowded", "300 objects", Decoding(_of(Shape(objects=300))), *_claims(13.4, 24, 45, 72)),
        decoding_row(
            "evaluation",
            "conf 0.001, multi-label, some 4,000 candidates",
            Decoding(_of(Shape(background=_FAR)), _EVALUATION),
            *_claims(13.2, 25, 95, 120),
        ),
        decoding_row(
            "evaluation-dense",
            "conf 0.001, multi-label, some 55,000 candidates",
            Decoding(
                _of(_TYPICAL),
                _EVALUATION,
                without=(plain_numpy.NAME, expert_numpy.NAME, hailo_numpy.NAME, torch_ops.NAME),
            ),
            faster(LOADED, 130),
            within(floor.NAME, 12),
        ),
        decoding_row("320", "320x320, 20 objects", Decoding(_of(Shape(size=320))), faster(LOADED, 3)),
        decoding_row(
            "1280", "1280x1280, 20 objects", Decoding(_of(Shape(size=1280))), *_claims(2.9, 4.4, 200, 200)
        ),
        decoding_row(
            "1-class", "1 class, 20 objects", Decoding(_of(Shape(classes=1))), *_claims(8.1, 1.9, 78, 156)
        ),
        decoding_row(
            "2-classes", "2 classes, 20 objects", Decoding(_of(Shape(classes=2))), faster(LOADED, 2)
        ),
        decoding_row(
            "1011-classes",
            "1011 classes, 20 objects",
            Decoding(_of(Shape(classes=1011))),
            within(floor.NAME, 3),
        ),
    ]


def _of(shape: Shape) -> Callable[[int], Scene]:
    return lambda count: dfl_scene(shape, count)


def _claims(floors: float, loaded: float, torch: float, plain: float) -> tuple[Claim, ...]:
    return (
        within(floor.NAME, floors),
        faster(LOADED, loaded),
        faster(torch_ops.NAME, torch),
        faster(plain_numpy.NAME, plain),
    )


def _as_hailort(scene: Scene, choice: Choice) -> list[Way]:
    """Decode what HailoRT's own step is given: device order NHCW, probabilities, every class of a cell."""
    given = on_device(sigmoided(scene), "NHCW")
    way = our_way(given, Choice(choice.conf, choice.iou, choice.max_det, True), _LIKE_HAILORT)
    return [Way(way.name, way.run)]
