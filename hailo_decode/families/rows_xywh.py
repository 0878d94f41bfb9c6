"""Decoded rows: centre and size in pixels, classes (output0 of YOLOv8 and later)."""

from hailo_decode.families import _rows

FAMILY = _rows.family(
    name="rows_xywh",
    title="decoded rows: centre and size in pixels, classes (output0 of YOLOv8 and later)",
    archs=("decoded",),
    box_code="centre_size",
    objectness=False,
    unit=False,
    source="Ultralytics export without NMS: output0 (1, 4 + classes, anchors)",
)
