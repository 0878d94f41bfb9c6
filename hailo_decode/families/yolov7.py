"""The anchor head of YOLOv7: YOLOv5's maths with anchors of its own."""

from dataclasses import replace

from hailo_decode.families._family import pairs
from hailo_decode.families.yolov5 import FAMILY as YOLOV5

FAMILY = replace(
    YOLOV5,
    name="yolov7",
    title="anchor head (YOLOv7)",
    archs=("yolov7_tiny", "yolov7e6"),
    anchors=(
        {
            8: pairs(12, 16, 19, 36, 40, 28),
            16: pairs(36, 75, 76, 55, 72, 146),
            32: pairs(142, 110, 192, 243, 459, 401),
        },
        YOLOV5.anchors[1],  # the nets with a level of stride 64 share theirs
    ),
    source="anchors of the published yolov7 configurations",
)
