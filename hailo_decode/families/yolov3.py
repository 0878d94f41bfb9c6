"""The anchor head of YOLOv3: sigmoids for the centre, exponentials for the size.

``x = (s(x) + column) * stride``, ``w = exp(w) * anchor width``; score = objectness * class (Redmon, Farhadi, "YOLOv3",
2018).
"""

from hailo_decode.families import _anchors
from hailo_decode.families._family import Family, pairs

TINY = {
    16: pairs(23, 27, 37, 58, 81, 82),
    32: pairs(81, 82, 135, 169, 344, 319),
}

FAMILY = Family(
    name="yolov3",
    title="anchor head (YOLOv3)",
    archs=("yolo_v3", "tiny_yolov3", "yolov3_tiny", "yolov3_gluon"),
    task="detect",
    roles=("cells",),
    sizes=_anchors.sizes_of(_anchors.USUAL),
    fields=_anchors.fields,
    box_code="cells",
    channels={"cells": "anchors (3 unless told) x (5 + classes)"},
    constants=(0.0, 1.0),
    squashable=False,
    anchors=(
        {
            8: pairs(10, 13, 16, 30, 33, 23),
            16: pairs(30, 61, 62, 45, 59, 119),
            32: pairs(116, 90, 156, 198, 373, 326),
        },
        TINY,
    ),
    source="YOLOv3 paper; anchors as the Hailo Model Zoo's yaml files give them",
)
