"""Keypoints with the DFL head of YOLOv8, v9, 11, 12: K points of x, y and, mostly, visibility for each cell.

``x = (2 * raw + column) * stride``, y alike; a sigmoid gives the visibility.
"""

from hailo_decode.families._family import Extra
from hailo_decode.families._ultralytics import with_extra
from hailo_decode.families.yolov8 import FAMILY as DETECT

FAMILY = with_extra(
    DETECT,
    name="yolov8_pose",
    title="DFL head with keypoints (YOLOv8, v9, 11, 12 pose)",
    task="pose",
    role="kpt",
    kind=Extra("keypoints", (2.0, 0.0)),
    order=("box", "cls", "kpt"),
)
