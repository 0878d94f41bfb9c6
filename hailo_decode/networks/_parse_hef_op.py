"""The ``Operation:`` lines of `hailortcli parse-hef` to OpInfo."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hailo_decode.networks._parse_hef_lines import Port
from hailo_decode.values.network import NmsInfo, OpInfo

_KIND = re.compile(r"^(?:Op ([A-Za-z0-9_]+)|([A-Z0-9_]+) Op)\b")
_FIELD = re.compile(r"^([A-Z][A-Za-z ]{1,40}): ?(\S[^#]*)")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")

# Labels as printed, in lower case, to the name of the field.
_LABELS = {
    "name": "name",
    "score threshold": "score_threshold",
    "iou threshold": "iou_threshold",
    "classes": "classes",
    "cross classes": "cross_classes",
    "nms results order": "nms_results_order",
    "max bboxes per class": "max_per_class",
    "max bboxes total": "max_total",
    "background removal index": "background_removal_index",
    "image height": "image_height",
    "image width": "image_width",
    "mask threshold": "mask_threshold",
    "centers scales factor": "centers_scale_factor",
    "bbox dimension scale factor": "bbox_dimensions_scale_factor",
    "normalize boxes": "normalize_boxes",
}
_WHOLE = ("classes", "max_per_class", "max_total")
_REAL = ("score_threshold", "iou_threshold", "mask_threshold")


def op_of(lines: Sequence[str], outputs: Sequence[Port], loose: Sequence[Port]) -> OpInfo | None:
    """Return the step that the lines describe, or None where there are none.

    HailoRT prints the last step only, and the same under every network (5.2 hef.cpp, get_op_description).

    Parameters
    ----------
    lines : sequence of str
        Lines behind ``Operation:``, cleaned; what is no line of a step is passed over.
    outputs : sequence of Port
        Outputs of the same network; the step's own is named when only one can be it.
    loose : sequence of Port
        Device streams that are no output themselves, and so feed the step.
    """
    kind = ""
    fields: dict[str, Any] = {}
    for line in lines:
        if found := _KIND.match(line):
            kind = (found[1] or found[2]).lower()
        elif found := _FIELD.match(line):
            label = _LABELS.get(found[1].lower())
            if label:
                fields[label] = _value(found[2].strip())
    if not kind:
        return None
    name = str(fields.pop("name", kind))
    if "bbox-only" in name.lower():
        fields["bbox_decoding_only"] = True
    results = [p.name for p in outputs if p.nms] or [p.name for p in outputs]
    return OpInfo(
        name=name,
        kind=kind,
        output=results[0] if len(results) == 1 else None,
        inputs=tuple(p.name for p in loose),
        nms=_nms(fields) if "classes" in fields else None,
        fields=fields,
    )


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if not _NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)


def _nms(fields: dict[str, Any]) -> NmsInfo:
    """Move the sizes and thresholds of an NMS step out of its fields."""
    values: dict[str, Any] = {}
    for label in (*_WHOLE, *_REAL):
        value = fields.get(label)
        if isinstance(value, int if label in _WHOLE else (int, float)) and not isinstance(value, bool):
            values[label] = fields.pop(label)
    height, width = fields.get("image_height"), fields.get("image_width")
    if isinstance(height, int) and isinstance(width, int):
        values["image_size"] = (height, width)
        del fields["image_height"], fields["image_width"]
    return NmsInfo(**values)
