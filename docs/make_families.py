"""Write families.md from the family objects: ``python docs/make_families.py``."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "families.md"
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from hailo_decode.families._family import Family, Part, Sizes

INPUT = 640
STRIDES = (8, 16, 32)
ROWS = 8400  # of a list: the cells of these strides
BINS = (16, 8, 11, 17, 0)
CLASSES = {"classify": 1000, "pose": 1, "obb": 15}
EXTRA = {"masks": 32, "keypoints": 51, "angle": 1}
S = "; s is the sigmoid, or nothing where the tensor holds probabilities"
DISTANCES = (
    "`x1 = (column{shift} - left) * stride`, `x2 = (column{shift} + right) * stride`; "
    "y alike, with rows, top and bottom"
)
# What each box code does with the numbers of a cell.
MATHS = {
    "dfl": "a side's distance is the mean bin of its softmax, `sum(k * softmax(bins)[k])`, in cells; "
    + DISTANCES,
    "distances": "channels are the distances left, top, right, bottom, in cells; " + DISTANCES,
    "anchors": "`x = (2 * s(x) - 0.5 + column) * stride`, `w = (2 * s(w))**2 * anchor width`; y and h alike"
    + S,
    "cells": "`x = ({swing} + column) * stride`, `w = exp(w) * anchor width`; y and h alike" + S,
    "cells_apart": "x and y of one tensor, w and h of another; `x = ({swing} + column) * stride`, "
    "`w = exp(w) * anchor width`; y and h alike" + S,
    "centre_exp": "`x = (x{shift} + column) * stride`, `w = exp(w) * stride`; y and h alike",
    "ssd": "channels are y, x, h, w; `x = x{centres} * anchor width + (column + 0.5) * stride`, "
    "`w = exp(w{sides}) * anchor width`; y and h alike",
    "corners": "left, top, right, bottom, as they are, in {unit}",
    "corners_yx": "top, left, bottom, right, as they are, in {unit}",
    "centre_size": "centre x, centre y, width, height, as they are, in {unit}",
    "whole": "the whole picture",
}
GRIDS = {
    "exact": "The size of a grid times its stride is the size of the input.",
    "ceil": "Grids are the input's size divided by the stride, rounded up.",
    "fraction": "A grid may have any size; a cell is the fraction of the input that follows.",
    "list": "One row for each box, boxes in pixels; `(1, rows, numbers)` or `(1, numbers, rows)`.",
    "unit list": "One row for each box, boxes in fractions of the input; `(1, rows, numbers)` or `(1, numbers, rows)`.",
    "whole": "One cell, for the whole picture; `(classes,)`, `(1, classes)` or `(1, 1, classes)`.",
}


class Example(NamedTuple):
    """Outputs that a family may have.

    Attributes
    ----------
    sizes : Sizes
    levels : list of (float or None, dict of str to (int, int, int))
        Stride, where there is one, and the shape of each role.
    once : dict of str to (int, int, int)
    """

    sizes: Sizes
    levels: list[tuple[int | None, dict[str, tuple[int, int, int]]]]
    once: dict[str, tuple[int, int, int]]


def example_of(family: Family) -> Example:
    """Return the outputs of a family for an input of 640x640, with the numbers that published networks have."""
    sizes = next(_sizes(family))
    channels = channels_of(family, sizes)
    levels = [
        (stride, {role: (*grid, channels[role]) for role in family.roles}) for stride, grid in _grids(family)
    ]
    return Example(sizes, levels, {role: (INPUT // 4, INPUT // 4, channels[role]) for role in family.once})


def channels_of(family: Family, sizes: Sizes) -> dict[str, int]:
    """Return how many channels each output has."""
    parts = family.fields(sizes)
    found = {
        role: max(sizes.anchors * part.step for part in parts.values() if part.role == role)
        for role in family.roles
    }
    return found | dict.fromkeys(family.once, sizes.extra)


def _sizes(family: Family) -> Iterator[Sizes]:
    """Yield the sizes that lead to channels from which the family reads the same sizes again."""
    from hailo_decode.families._family import Sizes

    extra = EXTRA[family.extra.kind] if family.extra else 0
    anchors = [len(next(iter(one.values()))) for one in family.anchors[:1]] or [1, 6]
    for usual, bins, count in product((True, False), BINS, anchors):
        sizes = Sizes(CLASSES.get(family.task, 80), bins, count, extra)
        read = family.sizes(channels_of(family, sizes), count)
        if read == sizes and (family.usual is None or not usual or family.usual(sizes)):
            yield sizes


def _grids(family: Family) -> list[tuple[int | None, tuple[int, int]]]:
    if family.grid == "whole":
        return [(None, (1, 1))]
    if "list" in family.grid:
        return [(None, (1, ROWS))]
    strides = tuple(family.anchors[0]) if family.anchors else STRIDES
    return [(stride, (ceil(INPUT / stride), ceil(INPUT / stride))) for stride in strides]


def formulas_of(family: Family) -> dict[str, str]:
    """Return the channels of each output in letters: A anchors, C classes, R bins, M prototypes, K points."""
    sizes = next(_sizes(family))
    parts = {role: _longest(family, sizes, role) for role in family.roles}
    found = {}
    for role, part in parts.items():
        terms = _terms(family, sizes, role, part)
        found[role] = f"A * ({' + '.join(terms)})" if sizes.anchors > 1 else " + ".join(terms)
        if sizes.anchors > 1 and len(terms) == 1:
            found[role] = "A" if terms == ["1"] else f"A * {terms[0]}"
    return found | dict.fromkeys(family.once, "M")


def _longest(family: Family, sizes: Sizes, role: str) -> Part:
    return max((p for p in family.fields(sizes).values() if p.role == role), key=lambda part: part.step)


def _terms(family: Family, sizes: Sizes, role: str, part: Part) -> list[str]:
    """Return what the channels of one anchor add up from, by looking at what one more of each count changes."""

    def step(**more: int) -> int:
        return _longest(family, replace(sizes, **more), role).step

    classes = step(classes=sizes.classes + 1) - part.step
    bins = step(bins=sizes.bins + 1) - part.step
    extra = step(extra=sizes.extra + 1) - part.step
    rest = part.step - classes * sizes.classes - bins * sizes.bins - extra * sizes.extra
    letter = {"masks": "M", "keypoints": "K * 3 or K * 2", "angle": "1", None: ""}
    more = replace(sizes, bins=sizes.bins + 1)
    fixed = family.sizes(channels_of(family, more), sizes.anchors) != more
    terms = [
        "C" if classes else "",
        f"{bins} * {sizes.bins if fixed else 'R'}" if bins and sizes.bins else "",
        letter[family.extra.kind if family.extra else None] if extra else "",
    ]
    behind = part.first == 0 and part == family.fields(sizes)["cls"]
    terms.insert(len(terms) if behind else 0, str(rest) if rest else "")
    return [term for term in terms if term]


def page() -> str:
    """Return the text of families.md."""
    from hailo_decode.families import families

    every = sorted(families().values(), key=lambda family: (_TASKS.index(family.task), family.name))
    parts = [_HEAD, *_overview(every)]
    for family in every:
        parts += [f"\n## {family.name}\n\n", *_section(family)]
    return "".join([*parts, _FINISHED])


_TASKS = ("detect", "segment", "pose", "obb", "classify")
_FINISHED = """
## Finished rows

Networks that end in a selection of their own (YOLOv10 and YOLO26 exports without a separate suppression) give one list of
rows, best score first, float32. They are of no family: nothing is left to decode or to suppress, and `conf`, `max_det` and a
letterbox are all that is applied.

| numbers of a row | task | beside |
|---|---|---|
| left, top, right, bottom, score, class | detect | |
| the same, and M mask coefficients | segment | the prototypes, (M, height, width) or (height, width, M) |
| the same, and K keypoints of x, y and, mostly, visibility | pose | |
| **centre x, centre y, width, height**, score, class, angle | obb | |

Boxes and keypoints are pixels of the input, angles radians. One number behind the class is an angle. Several are keypoints
where no prototypes stand beside the rows: `keypoints=(points, numbers)`, a model file or `task="pose"` tells how they divide
where they do so in two ways, or where they may be coefficients whose prototypes are missing; else an `AmbiguousError` asks.

Source: Ultralytics 8.4, `nn/modules/head.py` and `utils/tal.py`.
"""
_HEAD = """<!-- Written by docs/make_families.py from the family objects. Do not edit. -->

# Families

A family is one kind of head: which tensors it has, how their channels divide, and how numbers become boxes. Each is one file
in `hailo_decode/families/`; this page is written from them. [Add a family](add-a-family.md) shows how to make one.

`decode(outputs, input_size, family="...")` and every way to make a `Decoder` take a family's name or any other spelling.
Families of several tasks may share a spelling; the outputs tell which it is, or `task="segment"` does. Without `family`
every family is tried, and the one that fits is taken; where several fit, an `AmbiguousError` names them. `decode_yolov8`
tries the anchor-free heads alone.

Letters: C classes, R bins, A anchors in a cell, M mask prototypes, K keypoints. Shapes are (height, width, channels) for an
input of 640x640. Tensors may come in any order and under any name, in any [layout](layouts.md).

"""


def _overview(every: list[Family]) -> Iterator[str]:
    yield "| family | task | outputs of a level, with their channels | once |\n|---|---|---|---|\n"
    for family in every:
        formulas = formulas_of(family)
        level = ", ".join(f"{role} {formulas[role]}" for role in family.roles)
        once = ", ".join(f"{role} {formulas[role]}" for role in family.once)
        yield f"| [{family.name}](#{family.name}) | {family.task} | {level} | {once} |\n"


def _section(family: Family) -> Iterator[str]:
    module = importlib.import_module(f"hailo_decode.families.{family.name}")
    yield f"{family.title[0].upper()}{family.title[1:]}.\n"
    about = inspect.getdoc(module) or ""
    more = about.partition("\n")[2].strip()
    if more:
        yield f"\n{more}\n"
    yield "\n| | |\n|---|---|\n"
    for key, text in _rows(family):
        yield f"| {key} | {text} |\n"
    yield "\n"
    yield from _shapes(family)
    yield from _anchors(family)


def _rows(family: Family) -> Iterator[tuple[str, str]]:
    yield "task", family.task
    yield "also called", ", ".join(f"`{name}`" for name in family.archs) or "nothing else"
    yield "scores", _scores(family)
    yield "box", _maths(family)
    if family.extra is not None:
        yield (
            {"masks": "masks", "keypoints": "keypoints", "angle": "angle"}[family.extra.kind],
            _extra(family),
        )
    yield "grid", GRIDS[family.grid]
    yield "suppression", _suppression(family)
    if family.defaults:
        yield "defaults", ", ".join(f"`{name}={value!r}`" for name, value in family.defaults.items())
    yield "source", family.source


def _scores(family: Family) -> str:
    parts = family.fields(next(_sizes(family)))
    product_ = "objectness * class" if "obj" in parts else "the class's own"
    if family.scores_ready:
        return f"{product_}; probabilities already, never a sigmoid"
    squash = "softmax" if family.softmax else "sigmoid"
    told = f"{product_}; {squash} where the tensor holds logits, none where it holds probabilities"
    classes = parts["cls"]
    alone = [part.role for part in parts.values()].count(classes.role) == 1
    if alone and classes.step > classes.count:
        told += (
            f"; the {'first' if classes.first else 'last'} channel of an anchor is background and left out"
        )
    return told


def _maths(family: Family) -> str:
    first, *rest = family.constants
    swing = rest[0] if rest else 1.0
    told = "s(x)" if swing == 1 else f"{swing:g} * s(x) - {(swing - 1) / 2:g}"
    more = ""
    if family.swings:
        told = "a * s(x) - (a - 1) / 2"
        here = ("/".join(f"{n:g}" for n in numbers) for numbers in (family.swings.values(), family.swings))
        more = "; a is {} at strides {} of a network with just these, else {:g}".format(*here, swing)
    return _written(family, first, rest, told) + more


def _written(family: Family, first: float, rest: list[float], swing: str) -> str:
    return MATHS[family.box_code].format(
        shift=f" + {first:g}" if first else "",
        swing=swing,
        centres=f" / {rest[0]:g}" if rest and rest[0] != 1 else "",
        sides=f" / {rest[1]:g}" if len(rest) > 1 and rest[1] != 1 else "",
        unit="fractions of the input" if family.grid == "unit list" else "pixels of the input",
    )


def _extra(family: Family) -> str:
    kind, numbers = family.extra.kind, family.extra.constants  # type: ignore[union-attr]
    if kind == "masks":
        return (
            "the prototypes, weighed by the box's coefficients and resized: a pixel inside the box belongs to the "
            "mask where the sum is above 0"
        )
    if kind == "keypoints":
        scale = f"{numbers[0]:g} * x" if numbers[0] != 1 else "x"
        shift = f" + {numbers[1]:g}" if numbers[1] else ""
        return (
            f"`x = ({scale} + column{shift}) * stride`, y alike; visibility, where there is one, is a sigmoid"
        )
    if not numbers:
        return "the number itself, radians"
    return f"`(s(angle) - {numbers[0]:g}) * {numbers[1]:.6g}`, radians; s is the sigmoid"


def _suppression(family: Family) -> str:
    if not family.suppress:
        return "none"
    return "yes; none where the network's description or its layers' names say that the head is one-to-one"


def _shapes(family: Family) -> Iterator[str]:
    example = example_of(family)
    yield f"With {example.sizes}, at {INPUT}x{INPUT}:\n\n"
    roles = [*family.roles, *family.once]
    yield f"| | {' | '.join(roles)} |\n|---|{'---|' * len(roles)}\n"
    for stride, shapes in example.levels:
        name = f"stride {stride}" if stride else "all"
        cells = ["x".join(map(str, shapes[role])) if role in shapes else "" for role in roles]
        yield f"| {name} | {' | '.join(cells)} |\n"
    if example.once:
        cells = ["x".join(map(str, example.once[role])) if role in example.once else "" for role in roles]
        yield f"| once | {' | '.join(cells)} |\n"


def _anchors(family: Family) -> Iterator[str]:
    if family.grid == "fraction" and not family.anchors:
        yield "\nAnchors come from the model file or from you: `anchors={stride: [(width, height), ...]}`, input pixels.\n"
    if family.anchors:
        yield "\nAnchors where none are given, width x height in input pixels, for networks of these strides:\n\n"
    for anchors in family.anchors:
        levels = [f"{s}: {', '.join(f'{w:g}x{h:g}' for w, h in pairs)}" for s, pairs in anchors.items()]
        yield f"* {'; '.join(levels)}\n"


def shapes_of(example: Example) -> dict[str, Any]:
    """Return the shape of every output by a name of its own."""
    found: dict[str, Any] = {
        f"{role}{i}": shape for i, (_, level) in enumerate(example.levels) for role, shape in level.items()
    }
    return found | example.once


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
