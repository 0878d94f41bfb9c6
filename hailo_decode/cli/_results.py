"""Detections as a table for people and as the JSON document for programs."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from hailo_decode.cli._style import paint, table

if TYPE_CHECKING:
    from hailo_decode.values.boxes import Detections
    from hailo_decode.values.network import NetworkInfo

_ROWS = 40
_WIDTH = 100


def lines_of(detections: Detections, title: str, notes: bool = True) -> list[str]:
    """Return what a terminal shows: a table of boxes, best first, and what was decided."""
    count = len(detections)
    lines = [paint(f"{title}: {count or 'no'} box{'' if count == 1 else 'es'}", "bold")]
    rows = [
        [detections.name_of(int(c)), f"{s:.3f}", *(f"{v:.1f}" for v in box), *_extras(detections, i)]
        for i, (c, s, box) in enumerate(
            zip(
                detections.class_id[:_ROWS],
                detections.confidence[:_ROWS],
                detections.xyxy[:_ROWS],
                strict=True,
            )
        )
    ]
    if rows:
        head = ["class", "score", "left", "top", "right", "bottom", "mask", "keypoints", "turned"]
        lines += table(head, rows)
    if count > _ROWS:
        lines.append(paint(f"  and {count - _ROWS} weaker ones: --json - lists all", "dim"))
    if notes:
        for key, text in detections.meta.items():
            told = textwrap.wrap(f"{key}: {text}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
            lines += [paint(line, "dim") for line in told]
    return lines


def _extras(detections: Detections, i: int) -> tuple[str, str, str]:
    mask = "" if detections.mask is None else f"{int(detections.mask[i].sum())} px"
    points = "" if detections.keypoints is None else str(int((detections.keypoints[i][:, 2] >= 0.5).sum()))
    turned = ""
    if detections.corners is not None:
        turned = " ".join(f"{x:.0f},{y:.0f}" for x, y in detections.corners[i])
    return mask, points, turned


def document(
    file: str, network: NetworkInfo, detections: Detections, size: tuple[int, int] | None
) -> dict[str, Any]:
    """Return the document of one frame; its keys are promised.

    Returns
    -------
    dict
        ``file``; ``network``: ``name``, ``source``, ``family``, ``task``, ``input`` [H, W]; ``frame``:
        ``"input"`` or ``"photo"``, whose pixels the numbers are; ``size``: [H, W] of that frame;
        ``detections`` and ``meta`` as `hailo_decode.export.to_dict` has them.
    """
    about = {
        "name": network.name,
        "source": network.source,
        "family": network.family,
        "task": network.task,
        "input": list(network.input_size) if network.input_size else None,
    }
    told = detections.to_dict()
    return {
        "file": file,
        "network": about,
        "frame": told["frame"],
        "size": list(size) if size else None,
        "detections": told["detections"],
        "meta": told["meta"],
    }


def frame_words(detections: Detections, size: tuple[int, int] | None) -> str:
    """Return in words whose pixels boxes are in."""
    of = "photo" if "frame" in detections.meta else "network's input"
    return f"pixels of the {of}, {size[1]} wide and {size[0]} high" if size else f"pixels of the {of}"


def failure(file: str, error: Exception) -> dict[str, Any]:
    """Return what stands in a document's place for a file that could not be decoded."""
    told = {"kind": type(error).__name__, "message": getattr(error, "message", str(error))}
    told |= {key: text for key in ("got", "wanted", "hint") if (text := getattr(error, key, None))}
    return {"file": file, "error": told}


def as_json(documents: list[dict[str, Any]], *, as_list: bool) -> str:
    """Render documents with one detection a line: an object, or a list where several files were given.

    Examples
    --------
    >>> print(as_json([{"file": "a.npz", "detections": [{"class_id": 0}]}], as_list=False))
    {
     "file": "a.npz",
     "detections": [
      {"class_id": 0}
     ]
    }
    """
    texts = [_rendered(one) for one in documents]
    return "[" + ",\n".join(texts) + "]" if as_list else texts[0]


def _rendered(document: dict[str, Any]) -> str:
    entries = []
    for key, value in document.items():
        text = json.dumps(value, allow_nan=False)
        if key == "detections" and value:
            text = "[\n  " + ",\n  ".join(json.dumps(row, allow_nan=False) for row in value) + "\n ]"
        entries.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}"
