"""The head of NanoDet, PicoDet and GFL with classes and box in one tensor: classes first, then four distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hailo_decode.families._family import Part, Sizes
from hailo_decode.families.picodet import FAMILY as SPLIT

BINS = (8, 11)  # PicoDet has 8, NanoDet 11 (reg_max 7 and 10)


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read the classes that are left beside 4 x 8 or 4 x 11 bins; which of the two, the class names must tell."""
    return Sizes(classes=channels["joint"] - 32, bins=8) if channels["joint"] > 32 else None


def fields(s: Sizes) -> dict[str, Part]:
    """Classes come first."""
    step = s.classes + 4 * s.bins
    return {"cls": Part("joint", 0, step, s.classes), "box": Part("joint", s.classes, step, 4 * s.bins)}


FAMILY = replace(
    SPLIT,
    name="picodet_joined",
    title="DFL head in one tensor, 8 bins (PicoDet)",
    archs=("picodet",),
    roles=("joint",),
    sizes=sizes,
    fields=fields,
    channels={"joint": "classes + 4 x 8 bins"},
    words={},
    usual=None,
)
