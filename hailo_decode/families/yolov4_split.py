"""The anchor head of YOLOv4 in four tensors a level: centres, sizes, objectness and classes, each of all anchors.

The Hailo Model Zoo cuts the last convolutions of yolov4_leaky so (``outputs_to_split``), in this order, and its decode takes
all but the sizes for probabilities: their sigmoid is on the chip. Anchors stand side by side in each tensor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hailo_decode.families._family import Part, Sizes
from hailo_decode.families.yolov4 import FAMILY as YOLOV4


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read anchors from the objectness, classes from the rest."""
    count = channels["obj"]
    classes, rest = divmod(channels["cls"], count)
    if rest or not classes or not channels["centre"] == channels["size"] == 2 * count:
        return None
    return Sizes(classes=classes, anchors=count) if anchors in (None, count) else None


def fields(s: Sizes) -> dict[str, Part]:
    """Each tensor has the first anchor's channels, then the next one's."""
    return {
        "box": Part("centre", 0, 2, 2),
        "size": Part("size", 0, 2, 2),
        "obj": Part("obj", 0, 1, 1),
        "cls": Part("cls", 0, s.classes, s.classes),
    }


FAMILY = replace(
    YOLOV4,
    name="yolov4_split",
    title="anchor head in four tensors a level (YOLOv4 of the Hailo Model Zoo)",
    archs=("yolov4_leaky", "yolo_v4", "yolov4"),
    roles=("centre", "size", "obj", "cls"),
    sizes=sizes,
    fields=fields,
    box_code="cells_apart",
    channels={"centre": "anchors x 2", "size": "anchors x 2", "obj": "anchors", "cls": "anchors x classes"},
    words={
        "centre": ("centre", "centres", "center", "centers", "xy"),
        "size": ("size", "sizes", "scales", "wh"),
        "obj": ("obj",),
        "cls": ("cls", "probs"),
    },
    unit=("centre",),
    squashable=True,
    source="Hailo Model Zoo v2.18, yolov4_leaky.yaml and its post-processing of detections (yolo.py)",
)
