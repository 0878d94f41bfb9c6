"""The head of YOLO-NAS: YOLOv8's distributions with 17 bins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hailo_decode.families._family import Sizes
from hailo_decode.families.yolov8 import FAMILY as DFL

BINS = 17  # reg_max 16


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read the classes."""
    return Sizes(classes=channels["cls"], bins=BINS) if channels["box"] == 4 * BINS else None


FAMILY = replace(
    DFL,
    name="yolo_nas",
    title="DFL head of 17 bins (YOLO-NAS)",
    archs=("yolonas",),
    sizes=sizes,
    channels={"box": "4 x 17 bins", "cls": "classes"},
    usual=None,
    source="YOLO-NAS head of SuperGradients, reg_max 16",
)
