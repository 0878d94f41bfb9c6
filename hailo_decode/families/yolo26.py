"""The head with plain distances: YOLO26, four box channels and no distribution.

The four channels are the distances left, top, right, bottom themselves, in cells from the cell's centre. Its one-to-one
branch gives each object once and needs no suppression.
"""

from __future__ import annotations

from collections.abc import Mapping

from hailo_decode.families._family import Family, Part, Sizes
from hailo_decode.families._ultralytics import PLAIN_SPELLINGS, WORDS


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read the classes from the channels."""
    return Sizes(classes=channels["cls"]) if channels["box"] == 4 else None


def fields(s: Sizes) -> dict[str, Part]:
    """Both fields fill their tensor."""
    return {"cls": Part("cls", 0, s.classes, s.classes), "box": Part("box", 0, 4, 4)}


FAMILY = Family(
    name="yolo26",
    title="plain-distance head (YOLO26)",
    archs=PLAIN_SPELLINGS[1:],
    task="detect",
    roles=("box", "cls"),
    sizes=sizes,
    fields=fields,
    box_code="distances",
    channels={"box": "4", "cls": "classes"},
    words=WORDS,
    source="Ultralytics YOLO26 head, reg_max 1",
)
