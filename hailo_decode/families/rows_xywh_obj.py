"""Decoded rows: centre and size in pixels, objectness, classes (output of YOLOv5, v7, YOLOX)."""

from hailo_decode.families import _rows

FAMILY = _rows.family(
    name="rows_xywh_obj",
    title="decoded rows: centre and size in pixels, objectness, classes (output of YOLOv5, v7, YOLOX)",
    archs=("decoded",),
    box_code="centre_size",
    objectness=True,
    unit=False,
    source="YOLOv5 and YOLOX exports: (1, anchors, 5 + classes)",
)
