"""The head of YOLOv6 2.0 and later: plain distances from the cell's centre, or distributions of them."""

from dataclasses import replace

from hailo_decode.families.yolo26 import FAMILY as PLAIN

FAMILY = replace(
    PLAIN,
    name="yolov6",
    title="plain-distance head (YOLOv6 2.0 and later)",
    archs=("yolov6n", "yolov6_0.2.1"),
    source="YOLOv6 paper, section on the decoupled head; the Hailo Model Zoo's yolov6n_0.2.1",
)
