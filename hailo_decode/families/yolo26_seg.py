"""Instance segmentation with the plain-distance head of YOLO26: mask coefficients for each cell, prototypes once.

A mask is the sum of the prototypes weighed by a box's coefficients; a pixel belongs to it where that sum, resized to the
picture, is above 0 (that is where its sigmoid is above one half), inside the box.
"""

from hailo_decode.families._family import Extra
from hailo_decode.families._ultralytics import with_extra
from hailo_decode.families.yolo26 import FAMILY as DETECT

FAMILY = with_extra(
    DETECT,
    name="yolo26_seg",
    title="plain-distance head with masks (YOLO26 segmentation)",
    task="segment",
    role="mask",
    kind=Extra("masks"),
    order=("box", "cls", "mask"),
    once=("proto",),
)
