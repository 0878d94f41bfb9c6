"""NanoDet's head in one tensor: classes, then four distributions of 11 bins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hailo_decode.families._family import Sizes
from hailo_decode.families.picodet_joined import FAMILY as EIGHT


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read the classes that are left beside 4 x 11 bins (reg_max 10)."""
    return Sizes(classes=channels["joint"] - 44, bins=11) if channels["joint"] > 44 else None


FAMILY = replace(
    EIGHT,
    name="nanodet_joined",
    title="DFL head in one tensor, 11 bins (NanoDet)",
    archs=("nanodet", "nanodet_repvgg"),
    sizes=sizes,
    channels={"joint": "classes + 4 x 11 bins"},
)
