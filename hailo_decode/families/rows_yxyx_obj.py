"""Decoded rows: corners as fractions, objectness, classes (HailoRT's YOLOv5 bbox-only step)."""

from hailo_decode.families import _rows

FAMILY = _rows.family(
    name="rows_yxyx_obj",
    title="decoded rows: corners as fractions, objectness, classes (HailoRT's YOLOv5 bbox-only step)",
    archs=("yolov5_bbox_only",),
    box_code="corners_yx",
    objectness=True,
    unit=True,
    source="HailoRT 5.2 yolov5_bbox_only_post_process.hpp",
)
