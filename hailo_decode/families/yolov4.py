"""The anchor head of YOLOv4: YOLOv3's maths with a centre that reaches a little beyond its cell.

``x = (a * s(x) - (a - 1) / 2 + column) * stride`` with darknet's ``scale_x_y`` for a: 1.2, 1.1 and 1.05 from fine to coarse
in the full net, 1.05 at both levels of the tiny one. The Hailo Model Zoo's own decode has 1.05 at every level of either (its
post-processing of detections, yolo.py), which puts a centre of the full net up to 0.6 pixels off.
"""

from dataclasses import replace

from hailo_decode.families._family import pairs
from hailo_decode.families.yolov3 import FAMILY as YOLOV3
from hailo_decode.families.yolov3 import TINY

FAMILY = replace(
    YOLOV3,
    name="yolov4",
    title="anchor head (YOLOv4)",
    archs=("yolo_v4", "tiny_yolov4", "yolov4_tiny"),
    constants=(0.0, 1.05),
    swings={8: 1.2, 16: 1.1, 32: 1.05},
    anchors=(
        {
            8: pairs(12, 16, 19, 36, 40, 28),
            16: pairs(36, 75, 76, 55, 72, 146),
            32: pairs(142, 110, 192, 243, 459, 401),
        },
        TINY,
    ),
    source="YOLOv4 paper and configuration; anchors as the Hailo Model Zoo's yaml files give them",
)
