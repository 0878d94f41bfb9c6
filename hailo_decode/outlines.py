"""Outlines of masks, traced by OpenCV."""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.pictures import opencv
from hailo_decode.values.arrays import F8, Bool


def contours(mask: Bool) -> list[Any]:
    """Return the outer border of each part of a mask, largest part first.

    Returns
    -------
    list of (points, 1, 2) i4
        x and y of pixels on the border, as OpenCV has them.
    """
    cv2 = opencv("tracing a mask")
    found, _ = cv2.findContours(
        np.ascontiguousarray(mask, np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
    )
    return sorted(found, key=cv2.contourArea, reverse=True)


def outline(mask: Bool) -> F8:
    """Return one closed line around a mask, pixels; (0, 2) for an empty one.

    Parts are joined where they are nearest, by a line to and fro, which encloses nothing.

    Examples
    --------
    >>> mask = np.zeros((4, 8), bool)
    >>> mask[1:3, 1:4] = True
    >>> outline(mask).tolist()
    [[1.5, 1.5], [1.5, 2.5], [3.5, 2.5], [3.5, 1.5]]
    """
    parts: list[F8] = [part.reshape(-1, 2) + 0.5 for part in contours(mask)]  # the middle of a pixel
    if not parts:
        return np.empty((0, 2))
    line = parts[0]
    for part in parts[1:]:
        apart = ((line[:, None] - part[None]) ** 2).sum(axis=2)
        here, there = np.unravel_index(int(apart.argmin()), apart.shape)
        loop = np.roll(part, -int(there), axis=0)
        line = np.concatenate([line[: here + 1], loop, loop[:1], line[here:]])
    return line
