"""The anchor-free head of YOLOX, also of YOLOv6 1.0: box, objectness and classes in three tensors a level.

``x = (x + column) * stride``, ``w = exp(w) * stride``, no half cell; score = objectness * class (HailoRT 5.2,
yolox_post_process.cpp).
"""

from __future__ import annotations

from collections.abc import Mapping

from hailo_decode.families._family import Family, Part, Sizes


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read the classes from the channels."""
    return Sizes(classes=channels["cls"]) if channels["box"] == 4 and channels["obj"] == 1 else None


def fields(s: Sizes) -> dict[str, Part]:
    """Each field fills its tensor."""
    return {
        "box": Part("box", 0, 4, 4),
        "obj": Part("obj", 0, 1, 1),
        "cls": Part("cls", 0, s.classes, s.classes),
    }


FAMILY = Family(
    name="yolox",
    title="anchor-free head with objectness (YOLOX)",
    archs=("yolox_s", "yolox_tiny", "yolov6_1.0"),
    task="detect",
    roles=("cls", "box", "obj"),
    sizes=sizes,
    fields=fields,
    box_code="centre_exp",
    channels={"box": "4", "obj": "1", "cls": "classes"},
    constants=(0.0,),
    words={
        "box": ("reg", "regs", "bbox", "box"),
        "cls": ("cls", "class", "classes", "score", "scores"),
        "obj": ("obj", "objectness", "object"),
    },
    source="YOLOX paper; HailoRT 5.2 yolox_post_process.cpp",
)
