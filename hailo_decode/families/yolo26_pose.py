"""Keypoints with the plain-distance head of YOLO26: K points of x, y and, mostly, visibility for each cell.

``x = (raw + column + 0.5) * stride``, y alike; a sigmoid gives the visibility.
"""

from hailo_decode.families._family import Extra
from hailo_decode.families._ultralytics import with_extra
from hailo_decode.families.yolo26 import FAMILY as DETECT

FAMILY = with_extra(
    DETECT,
    name="yolo26_pose",
    title="plain-distance head with keypoints (YOLO26 pose)",
    task="pose",
    role="kpt",
    kind=Extra("keypoints", (1.0, 0.5)),
    order=("box", "cls", "kpt"),
)
