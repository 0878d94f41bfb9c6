"""Every kind of head: its channels, what they hold, and its twin."""

from collections.abc import Callable
from dataclasses import dataclass

from families.naive_heads import (
    Cell,
    Counts,
    Row,
    anchored,
    background_behind,
    bins_of,
    darknet,
    distributions,
    joined,
    plain,
    raw_angle,
    rows,
    squashed_angle,
    ssd,
    whole,
    with_angle,
    with_keypoints,
    with_masks,
    yolov4,
    yolov4_split,
    yolox,
)


@dataclass(frozen=True)
class Head:
    """One kind of head.

    Attributes
    ----------
    channels : callable
        Counts to channels by role.
    row : callable
        A `Cell` to a `Row`.
    holds : dict of str to str
        What the tensor of a role holds, in the words of `head_strategies`.
    grid : str
        How grids follow from the input: exact, ceil, fraction, list, unit list, whole.
    bins : tuple of int
        Numbers of bins that may be; empty where there are none.
    priors : bool
        Whether anchors have sizes.
    fewest : int
        Anchors of a cell, at least.
    extra : str or None
        masks, keypoints, angle.
    classes : int
        Classes, at least.
    """

    channels: Callable[[Counts], dict[str, int]]
    row: Callable[[Cell], Row]
    holds: dict[str, str]
    grid: str = "exact"
    bins: tuple[int, ...] = ()
    priors: bool = False
    fewest: int = 1
    extra: str | None = None
    classes: int = 1


def _split(n):
    return {"box": 4 * n.bins, "cls": n.classes}


def _plain(n):
    return {"box": 4, "cls": n.classes}


def _cells(n):
    return {"cells": n.anchors * (5 + (0 if n.bare else n.classes) + n.extra)}


def _and(channels, role):
    return lambda n: {**channels(n), role: n.extra}


def _ssd(n):
    return {"box": 4 * n.anchors, "cls": n.anchors * (n.classes + 1)}


BOX = {"box": "bins", "cls": "scores"}
SIDES = {"box": "distances", "cls": "scores"}
DFL_BINS = (2, 8, 16, 17, 32)
MANY_BINS = Head(_split, distributions, BOX, bins=DFL_BINS)
NO_BINS = Head(_plain, plain, SIDES)
V5 = Head(_cells, anchored, {"cells": "scores"}, priors=True)
V3 = Head(_cells, darknet, {"cells": "exponents"}, priors=True)
SSD = Head(_ssd, ssd, {"box": "exponents", "cls": "scores"}, grid="fraction", priors=True, fewest=2)


HEADS = {
    "yolov8": MANY_BINS,
    "picodet": Head(_split, distributions, BOX, grid="ceil", bins=(8, 11)),
    "yolo_nas": Head(_split, distributions, BOX, bins=(17,)),
    "damoyolo": Head(lambda n: {"box": 68, "cls": n.classes + 1}, background_behind, BOX, bins=(17,)),
    "picodet_joined": Head(lambda n: {"joint": n.classes + 32}, joined, {"joint": "logits"}, "ceil", (8,)),
    "nanodet_joined": Head(lambda n: {"joint": n.classes + 44}, joined, {"joint": "logits"}, "ceil", (11,)),
    "yolo26": NO_BINS,
    "yolov6": NO_BINS,
    "yolov5": V5,
    "yolov7": V5,
    "yolov3": V3,
    "yolov4": Head(_cells, yolov4, {"cells": "exponents"}, priors=True),
    "yolov4_split": Head(
        lambda n: {
            "centre": 2 * n.anchors,
            "size": 2 * n.anchors,
            "obj": n.anchors,
            "cls": n.anchors * n.classes,
        },
        yolov4_split,
        {"centre": "scores", "size": "exponents", "obj": "scores", "cls": "scores"},
        priors=True,
    ),
    "yolov2": Head(_cells, lambda cell: darknet(cell, softmax=True), {"cells": "exponents"}, priors=True),
    "yolox": Head(
        lambda n: {"cls": n.classes, "box": 4, "obj": 1},
        yolox,
        {"cls": "scores", "box": "exponents", "obj": "scores"},
    ),
    "ssd": SSD,
    "efficientdet": Head(
        _ssd,
        lambda cell: ssd(cell, 1.0, 1.0, background=-1),
        {"box": "exponents", "cls": "scores"},
        grid="fraction",
        priors=True,
        fewest=2,
    ),
    "rows_xywh": Head(lambda n: {"rows": 4 + n.classes}, rows, {"rows": "pixels"}, "list"),
    "rows_xywh_obj": Head(
        lambda n: {"rows": 5 + n.classes},
        lambda cell: rows(cell, objectness=True),
        {"rows": "pixels"},
        "list",
    ),
    "rows_yxyx": Head(
        lambda n: {"rows": 4 + n.classes},
        lambda cell: rows(cell, corners=True),
        {"rows": "fractions"},
        "unit list",
    ),
    "rows_yxyx_obj": Head(
        lambda n: {"rows": 5 + n.classes},
        lambda cell: rows(cell, corners=True, objectness=True),
        {"rows": "fractions"},
        "unit list",
    ),
    "classify": Head(lambda n: {"cls": n.classes}, whole, {"cls": "scores"}, "whole", classes=2),
    "yolov5_seg": Head(_cells, anchored, {"cells": "scores"}, priors=True, extra="masks"),
    "yolov8_seg": Head(
        _and(_split, "mask"), with_masks(distributions), BOX | {"mask": "any"}, bins=DFL_BINS, extra="masks"
    ),
    "yolo26_seg": Head(_and(_plain, "mask"), with_masks(plain), SIDES | {"mask": "any"}, extra="masks"),
    "yolov8_pose": Head(
        _and(_split, "kpt"),
        with_keypoints(distributions, 2.0, 0.0),
        BOX | {"kpt": "any"},
        bins=DFL_BINS,
        extra="keypoints",
    ),
    "yolo26_pose": Head(
        _and(_plain, "kpt"), with_keypoints(plain, 1.0, 0.5), SIDES | {"kpt": "any"}, extra="keypoints"
    ),
    "yolov8_obb": Head(
        _and(_split, "angle"),
        with_angle(bins_of, squashed_angle),
        BOX | {"angle": "any"},
        bins=DFL_BINS,
        extra="angle",
    ),
    "yolo26_obb": Head(
        _and(_plain, "angle"), with_angle(list, raw_angle), SIDES | {"angle": "any"}, extra="angle"
    ),
}
