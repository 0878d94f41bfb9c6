"""Decoded rows: corners as fractions, classes (HailoRT's YOLOv8 bbox-only step)."""

from hailo_decode.families import _rows

FAMILY = _rows.family(
    name="rows_yxyx",
    title="decoded rows: corners as fractions, classes (HailoRT's YOLOv8 bbox-only step)",
    archs=("yolov8_bbox_only",),
    box_code="corners_yx",
    objectness=False,
    unit=True,
    source="HailoRT 5.2 yolov8_bbox_only_post_process.hpp",
)
