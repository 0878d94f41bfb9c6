"""Frames of random integers for every kind of head, on one grid of 5 x 6 cells: crowded, and alike in all but numbers."""

import numpy as np
from families.naive_heads import Counts
from families.naive_table import HEADS

COUNTS = {
    "yolov8": Counts(classes=7, bins=16),
    "picodet": Counts(classes=7, bins=8),
    "yolo_nas": Counts(classes=7, bins=17),
    "damoyolo": Counts(classes=4, bins=17),
    "picodet_joined": Counts(classes=10, bins=8),
    "nanodet_joined": Counts(classes=3, bins=11),
    "yolo26": Counts(classes=7),
    "yolov6": Counts(classes=7),
    "yolov5": Counts(classes=7, anchors=3),
    "yolov7": Counts(classes=80, anchors=3),
    "yolov3": Counts(classes=2, anchors=3),
    "yolov4": Counts(classes=20, anchors=2),
    "yolov4_split": Counts(classes=7, anchors=3),
    "yolov2": Counts(classes=20, anchors=5),
    "yolox": Counts(classes=7),
    "ssd": Counts(classes=2, anchors=3),
    "efficientdet": Counts(classes=4, anchors=3),
    "rows_xywh": Counts(classes=3),
    "rows_xywh_obj": Counts(classes=3),
    "rows_yxyx": Counts(classes=3),
    "rows_yxyx_obj": Counts(classes=3),
    "classify": Counts(classes=20),
    "yolov5_seg": Counts(classes=7, anchors=3, extra=12),
    "yolov8_seg": Counts(classes=7, bins=16, extra=12),
    "yolo26_seg": Counts(classes=7, extra=12),
    "yolov8_pose": Counts(classes=1, bins=16, extra=51),
    "yolo26_pose": Counts(classes=1, extra=51),
    "yolov8_obb": Counts(classes=7, bins=16, extra=1),
    "yolo26_obb": Counts(classes=7, extra=1),
}
GRID, STRIDE = (5, 6), 8
SIZE = GRID[0] * STRIDE, GRID[1] * STRIDE


def frame(family, dtype, rng):
    """Return outputs in which some of every anchor and class are found, and what is said of them."""
    head, counts, top = HEADS[family], COUNTS[family], np.iinfo(dtype).max
    ready = family.startswith("rows")
    grid = {"list": (1, 30), "unit list": (1, 30), "whole": (1, 1)}.get(head.grid, GRID)
    outputs, quant = {}, {}
    for role, channels in head.channels(counts).items():
        outputs[role] = rng.integers(0, top + 1, (*grid, channels), dtype)
        quant[role] = (1 / top, 0.0) if ready else (6.0 / top, float(round(top / 2)))
    told = {"family": family, "roles": {role: role for role in outputs}, "quant": quant}
    if head.extra == "masks":
        told["roles"]["proto"] = "proto"
        outputs["proto"] = rng.integers(0, top + 1, (20, 24, counts.extra), dtype)
        quant["proto"] = (1 / top, float(top // 2))
    if head.priors:
        key = next(iter(outputs))
        told["anchors"] = {key: [(5.0 + 7 * a, 9.0 + 4 * a) for a in range(counts.anchors)]}
    return outputs, told
