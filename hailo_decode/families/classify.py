"""Classification: one vector of classes for the whole picture.

A result has one row for each of the best classes, with the whole picture as its box. Logits get a softmax, probabilities
none.
"""

from __future__ import annotations

from collections.abc import Mapping

from hailo_decode.families._family import Family, Part, Sizes


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Every channel is a class; one alone would be no choice."""
    return Sizes(classes=channels["cls"]) if channels["cls"] > 1 else None


def fields(s: Sizes) -> dict[str, Part]:
    """There is no box to read; its field stands for the vector."""
    whole = Part("cls", 0, s.classes, s.classes)
    return {"cls": whole, "box": whole}


FAMILY = Family(
    name="classify",
    title="classifier",
    archs=("yolov8", "yolov8_cls", "yolo11", "yolo11_cls", "yolo26", "classification"),
    task="classify",
    roles=("cls",),
    sizes=sizes,
    fields=fields,
    box_code="whole",
    channels={"cls": "classes"},
    softmax=True,
    grid="whole",
    suppress=False,
    defaults={"conf": 0.0, "max_det": 5, "multi_label": True},
    source="Ultralytics classify head; HailoRT 5.2 softmax_post_process.cpp",
)
