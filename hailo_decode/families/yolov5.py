"""The anchor head of YOLOv5: one tensor a level, anchors side by side, sigmoids everywhere.

``x = (2 * s(x) - 0.5 + column) * stride``, ``w = (2 * s(w))**2 * anchor width``, with s the sigmoid; score = objectness *
class (HailoRT 5.2, yolov5_post_process.cpp).
"""

from hailo_decode.families import _anchors
from hailo_decode.families._family import Family, pairs

FAMILY = Family(
    name="yolov5",
    title="anchor head (YOLOv5)",
    archs=("yolo", "yolov5_anchor"),
    task="detect",
    roles=("cells",),
    sizes=_anchors.sizes_of(_anchors.USUAL),
    fields=_anchors.fields,
    box_code="anchors",
    channels={"cells": "anchors (3 unless told) x (5 + classes)"},
    anchors=(
        {
            8: pairs(10, 13, 16, 30, 33, 23),
            16: pairs(30, 61, 62, 45, 59, 119),
            32: pairs(116, 90, 156, 198, 373, 326),
        },
        {
            8: pairs(19, 27, 44, 40, 38, 94),
            16: pairs(96, 68, 86, 152, 180, 137),
            32: pairs(140, 301, 303, 264, 238, 542),
            64: pairs(436, 615, 739, 380, 925, 792),
        },
    ),
    source="HailoRT 5.2 yolov5_post_process.cpp; anchors of the published yolov5 configurations",
)
