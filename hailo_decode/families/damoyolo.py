"""The head of DAMO-YOLO: distributions of 17 bins measured from the cell's corner, and one class channel that is empty.

The Hailo Model Zoo's DAMO-YOLO networks give 81 class channels for 80 classes; the last is background and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hailo_decode.families._family import Part, Sizes
from hailo_decode.families.yolov8 import FAMILY as DFL

BINS = 17  # reg_max 16


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read the classes, the background left out."""
    if channels["box"] != 4 * BINS or channels["cls"] < 2:
        return None
    return Sizes(classes=channels["cls"] - 1, bins=BINS)


def fields(s: Sizes) -> dict[str, Part]:
    """The class tensor has one channel more than there are classes."""
    return {"cls": Part("cls", 0, s.classes + 1, s.classes), "box": Part("box", 0, 4 * s.bins, 4 * s.bins)}


FAMILY = replace(
    DFL,
    name="damoyolo",
    title="DFL head of 17 bins (DAMO-YOLO)",
    archs=("damo_yolo", "damoyolo_tinynas", "nanodet_split"),
    sizes=sizes,
    fields=fields,
    constants=(0.0,),
    channels={"box": "4 x 17 bins", "cls": "classes + background"},
    usual=None,
    source="DAMO-YOLO paper and repository; the Hailo Model Zoo's base/damoyolo.yaml "
    "(scale_factors 0, regression_length 16)",
)
