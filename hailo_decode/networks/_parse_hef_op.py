"""The ``Operation:`` lines of `hailortcli parse-hef` to OpInfo."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hailo_decode.networks._hef_numbers import DIVIDES_BY_IMAGE
from hailo_decode.networks._parse_hef_lines import Port
from hailo_decode.values.network import NmsInfo, OpInfo

_KIND = re.compile(r"\b(?:Op ([A-Z0-9_]{2,30})|([A-Z0-9_]{2,30}) Op)(?: #.*)?$")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")

# Labels as printed to the names of the fields.
_LABELS = {
    "Name": "name",
    "Score threshold": "score_threshold",
    "IoU threshold": "iou_threshold",
    "Classes": "classes",
    "Cross classes": "cross_classes",
    "NMS results order": "nms_results_order",
    "Max bboxes per class": "max_per_class",
    "Max bboxes total": "max_total",
    "Background removal index": "background_removal_index",
    "Image height": "image_height",
    "Image width": "image_width",
    "Mask threshold": "mask_threshold",
    "Centers scales factor": "centers_scale_factor",
    "Bbox dimension scale factor": "bbox_dimensions_scale_factor",
    "Normalize boxes": "normalize_boxes",
}
_FIELD = re.compile(rf"\b({'|'.join(_LABELS)}): ?(\S[^#]*)")
_WHOLE = ("classes", "max_per_class", "max_total")
_REAL = ("score_threshold", "iou_threshold", "mask_threshold")


def op_of(lines: Sequence[str], outputs: Sequence[Port], loose: Sequence[Port]) -> OpInfo | None:
    """Return the step that the lines describe, or None where there are none.

    HailoRT prints the last step only, and the same under every network (5.2 hef.cpp, get_op_description); so
    a suppression step under a network without such a result is not its own.

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
        if found := _KIND.search(line):
            kind = (found[1] or found[2]).lower()
        elif found := _FIELD.search(line):
            fields[_LABELS[found[1]]] = _value(found[2].strip())
    if not kind:
        return None
    name = str(fields.pop("name", kind))
    if "bbox-only" in name.lower():
        fields["bbox_decoding_only"] = True
    results = [p.name for p in outputs if p.nms]
    if not results and "score_threshold" in fields:
        return None
    results = results or [p.name for p in outputs]
    return OpInfo(
        name=name,
        kind=kind,
        output=results[0] if len(results) == 1 else None,
        inputs=tuple(p.name for p in loose),
        nms=_nms(fields, divides=kind in DIVIDES_BY_IMAGE) if "classes" in fields else None,
        fields=fields,
    )


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if not _NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)


def _nms(fields: dict[str, Any], *, divides: bool) -> NmsInfo:
    """Move the sizes and thresholds of an NMS step out of its fields; the image's size where results are its fractions."""
    values: dict[str, Any] = {}
    for label in (*_WHOLE, *_REAL):
        value = fields.get(label)
        if isinstance(value, int if label in _WHOLE else (int, float)) and not isinstance(value, bool):
            values[label] = fields.pop(label)
    height, width = fields.get("image_height"), fields.get("image_width")
    if divides and isinstance(height, int) and isinstance(width, int):
        values["image_size"] = (height, width)
        del fields["image_height"], fields["image_width"]
    return NmsInfo(**values)
