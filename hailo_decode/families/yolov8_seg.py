"""Instance segmentation with the DFL head of YOLOv8, v9, 11, 12: mask coefficients for each cell, prototypes once.

A mask is the sum of the prototypes weighed by a box's coefficients; a pixel belongs to it where that sum, resized to the
picture, is above 0 (that is where its sigmoid is above one half), inside the box.
"""

from hailo_decode.families._family import Extra
from hailo_decode.families._ultralytics import with_extra
from hailo_decode.families.yolov8 import FAMILY as DETECT

FAMILY = with_extra(
    DETECT,
    name="yolov8_seg",
    title="DFL head with masks (YOLOv8, v9, 11, 12 segmentation)",
    task="segment",
    role="mask",
    kind=Extra("masks"),
    order=("box", "cls", "mask"),
    once=("proto",),
)
