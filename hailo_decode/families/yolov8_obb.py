"""Turned boxes with the DFL head of YOLOv8, v9, 11, 12: one angle for each cell.

``angle = (sigmoid(raw) - 0.25) * pi``, radians. The four distances are those of the box before it is turned; its centre is
off the cell's by half their differences, turned by the angle.
"""

import math

from hailo_decode.families._family import Extra
from hailo_decode.families._ultralytics import with_extra
from hailo_decode.families.yolov8 import FAMILY as DETECT

FAMILY = with_extra(
    DETECT,
    name="yolov8_obb",
    title="DFL head with angles (YOLOv8, v9, 11, 12 OBB)",
    task="obb",
    role="angle",
    kind=Extra("angle", (0.25, math.pi)),
    order=("box", "angle", "cls"),
)
