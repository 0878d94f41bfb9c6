"""What heads with anchors share: box, objectness and classes of each anchor side by side in one tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hailo_decode.families._family import Part, Sizes

WORDS = {"cells": ()}
USUAL = 3  # anchors in each cell of every published YOLOv3 to v7


def sizes_of(usual: int, bare: bool = False) -> Callable[[Mapping[str, int], int | None], Sizes | None]:
    """Return a reader of channels ``anchors * (5 + classes)``; `bare`: one class may do without a channel."""

    def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
        count = anchors or usual
        each, rest = divmod(channels["cells"], count)
        if rest or each < 5 or (each == 5 and not bare):
            return None
        return Sizes(classes=max(each - 5, 1), anchors=count, bare=each == 5)

    return sizes


def fields(s: Sizes) -> dict[str, Part]:
    """Each anchor has x, y, w, h, objectness, then its classes."""
    if s.bare:
        return {"box": Part("cells", 0, 5, 4), "cls": Part("cells", 4, 5, 1)}
    step = 5 + s.classes + s.extra
    return {
        "box": Part("cells", 0, step, 4),
        "obj": Part("cells", 4, step, 1),
        "cls": Part("cells", 5, step, s.classes),
    }
