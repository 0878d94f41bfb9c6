"""Turned boxes with the plain-distance head of YOLO26: one angle for each cell.

``angle = raw``, radians. The four distances are those of the box before it is turned; its centre is off the cell's by half
their differences, turned by the angle.
"""

from hailo_decode.families._family import Extra
from hailo_decode.families._ultralytics import with_extra
from hailo_decode.families.yolo26 import FAMILY as DETECT

FAMILY = with_extra(
    DETECT,
    name="yolo26_obb",
    title="plain-distance head with angles (YOLO26 OBB)",
    task="obb",
    role="angle",
    kind=Extra("angle", ()),
    order=("box", "angle", "cls"),
)
