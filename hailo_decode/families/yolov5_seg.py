"""Instance segmentation with YOLOv5's anchor head: mask coefficients behind the classes of each anchor, prototypes once.

Channels of an anchor: x, y, w, h, objectness, classes, coefficients (HailoRT 5.2, yolov5_seg_post_process.cpp, multiplies
the coefficients by the objectness, which moves no mask's edge).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hailo_decode.families import _anchors
from hailo_decode.families._family import Extra, Part, Sizes
from hailo_decode.families.yolov5 import FAMILY as YOLOV5


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read the classes that are left beside as many coefficients as there are prototypes."""
    count, masks = anchors or _anchors.USUAL, channels["proto"]
    each, rest = divmod(channels["cells"], count)
    classes = each - 5 - masks
    return Sizes(classes=classes, anchors=count, extra=masks) if rest == 0 and classes > 0 else None


def fields(s: Sizes) -> dict[str, Part]:
    """Coefficients stand behind the classes."""
    step = 5 + s.classes + s.extra
    return {**_anchors.fields(s), "extra": Part("cells", 5 + s.classes, step, s.extra)}


FAMILY = replace(
    YOLOV5,
    name="yolov5_seg",
    title="anchor head with masks (YOLOv5 segmentation)",
    archs=("yolov5", "yolov5seg"),
    task="segment",
    sizes=sizes,
    fields=fields,
    once=("proto",),
    channels={"cells": "anchors (3 unless told) x (5 + classes + prototypes)"},
    extra=Extra("masks"),
    words={"proto": ("proto", "protos", "prototypes")},
    source="HailoRT 5.2 yolov5_seg_post_process.cpp",
)
