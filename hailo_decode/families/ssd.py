"""The head of SSD and EfficientDet-lite, as HailoRT decodes it: anchors as sizes, offsets of centre and size.

``x = tx / centres scale * anchor width + (column + 0.5) / columns``, ``w = exp(tw / sizes scale) * anchor width``
(HailoRT 5.2, ssd_post_process.cpp); channels of a box are y, x, h, w. One class channel is background and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hailo_decode.families._family import Family, Part, Sizes


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read anchors from the box tensor and classes from the class tensor."""
    count, rest = divmod(channels["box"], 4)
    if rest or count < 1 or anchors not in (None, count):
        return None
    classes, rest = divmod(channels["cls"], count)
    return Sizes(classes=classes - 1, anchors=count) if rest == 0 and classes > 1 and count > 1 else None


def fields(s: Sizes) -> dict[str, Part]:
    """Background is the first class channel of each anchor."""
    return {
        "cls": Part("cls", 1, s.classes + 1, s.classes),
        "box": Part("box", 0, 4, 4),
    }


FAMILY = Family(
    name="ssd",
    title="anchor head with background first (SSD)",
    archs=("ssd_mobilenet", "mobilenet_ssd"),
    task="detect",
    roles=("box", "cls"),
    sizes=sizes,
    fields=fields,
    box_code="ssd",
    channels={"box": "anchors x 4", "cls": "anchors x (classes + background)"},
    constants=(0.0, 10.0, 5.0),
    grid="fraction",
    words={"box": ("reg", "box", "bbox", "boxencodingpredictor"), "cls": ("cls", "class", "classpredictor")},
    source="HailoRT 5.2 ssd_post_process.cpp; scale factors 10 and 5 of the published SSD configurations",
)


def last_is_background(s: Sizes) -> dict[str, Part]:
    """Background is the last class channel of each anchor."""
    return {**fields(s), "cls": replace(fields(s)["cls"], first=0)}
