"""OpenCV: suppression of turned boxes, a loop over `rotatedRectangleIntersection`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bench.objects import Array
from bench.peers._peer import Way, missing

NAME = "OpenCV rotatedRectangleIntersection"


def available() -> str | None:
    """Tell whether OpenCV is there."""
    return missing("cv2")


def turned_nms(frames: list[tuple[Array, Array]], iou: float) -> list[Way]:
    """Suppress (n, 5) f8 boxes of one class, best first, decoded before at no cost."""

    def run(k: int) -> Array:
        import cv2

        rects = [((x, y), (w, h), math.degrees(a)) for x, y, w, h, a in frames[k][0].tolist()]
        areas = [w * h for _, (w, h), _ in rects]
        kept: list[int] = []
        for i, rect in enumerate(rects):
            if not any(_overlap(cv2, rect, rects[j], areas[i] + areas[j]) >= iou for j in kept):
                kept.append(i)
        return np.array(kept)

    return [Way(f"{NAME} loop", run)]


def _overlap(cv2: Any, one: Any, other: Any, both: float) -> float:
    kind, points = cv2.rotatedRectangleIntersection(one, other)
    if kind == cv2.INTERSECT_NONE or points is None:
        return 0.0
    shared = cv2.contourArea(cv2.convexHull(points))
    return float(shared / (both - shared))
