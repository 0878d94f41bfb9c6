"""The head with distances as distributions: YOLOv8 to YOLO12, and the anchor-free v3u, v5u, v6u.

Each level has a box tensor of 4 x bins channels and a class tensor. A side's distance is the mean bin of a softmax (Li et
al., "Generalized Focal Loss", 2020), in cells from the cell's centre, in the order left, top, right, bottom.
"""

from __future__ import annotations

from collections.abc import Mapping

from hailo_decode.families._family import Family, Part, Sizes
from hailo_decode.families._ultralytics import DFL_SPELLINGS, WORDS


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read bins and classes from the channels; a softmax over one bin would say nothing, so two are the least."""
    bins, rest = divmod(channels["box"], 4)
    return Sizes(classes=channels["cls"], bins=bins) if rest == 0 and bins > 1 else None


def fields(s: Sizes) -> dict[str, Part]:
    """Both fields fill their tensor."""
    return {
        "cls": Part("cls", 0, s.classes, s.classes),
        "box": Part("box", 0, 4 * s.bins, 4 * s.bins),
    }


FAMILY = Family(
    name="yolov8",
    title="DFL head (YOLOv8, v9, v10, 11, 12 and v3u, v5u, v6u)",
    archs=DFL_SPELLINGS[1:],
    task="detect",
    roles=("box", "cls"),
    sizes=sizes,
    fields=fields,
    box_code="dfl",
    channels={"box": "4 x bins", "cls": "classes"},
    words=WORDS,
    usual=lambda s: s.bins == 16,  # reg_max of every model that Ultralytics published up to YOLO12
    source="Ultralytics YOLOv8 head; HailoRT 5.2 yolov8_post_process.cpp",
)
