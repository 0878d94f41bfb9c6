"""The anchor head of YOLOv2 and its tiny net: YOLOv3's cells with a softmax over the classes.

``x = (s(x) + column) * stride``, ``w = exp(w) * anchor width``; score = objectness * share of the softmax; a net of one
class may have no class channel at all, then the objectness is the score (Redmon, Farhadi, "YOLO9000", 2016). Anchors are
given in input pixels; darknet lists them in cells.
"""

from dataclasses import replace

from hailo_decode.families import _anchors
from hailo_decode.families.yolov3 import FAMILY as YOLOV3

FAMILY = replace(
    YOLOV3,
    name="yolov2",
    title="anchor head (YOLOv2)",
    archs=("tiny_yolov2", "yolov2_tiny"),
    sizes=_anchors.sizes_of(5, bare=True),
    softmax=True,
    channels={"cells": "anchors (5 unless told) x (5 + classes)"},
    anchors=(
        {
            32: tuple(
                (32 * w, 32 * h)
                for w, h in (
                    (0.57273, 0.677385),
                    (1.87446, 2.06253),
                    (3.33843, 5.47434),
                    (7.88282, 3.52778),
                    (9.77052, 9.16828),
                )
            )
        },
    ),
    source="YOLO9000 paper; anchors of darknet's yolov2.cfg",
)
