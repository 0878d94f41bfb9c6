"""The head of NanoDet, PicoDet and GFL: YOLOv8's distributions, mostly of 8 or 11 bins, on grids rounded up."""

from dataclasses import replace

from hailo_decode.families.yolov8 import FAMILY as DFL

FAMILY = replace(
    DFL,
    name="picodet",
    title="DFL head on grids rounded up (PicoDet, NanoDet, GFL)",
    archs=("nanodet", "gfl"),
    grid="ceil",
    usual=lambda s: s.bins in (8, 11),
    source="PicoDet and NanoDet repositories; the Hailo Model Zoo's base/nanodet.yaml",
)
