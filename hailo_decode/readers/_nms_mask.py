"""Byte masks: which pixels the bytes behind a box stand for, and how they get into a picture.

HailoRT 5.2, nms_post_process.hpp and yolov5_seg_post_process.cpp, all in float32: a mask is
``ceil((x_max - x_min) * W)`` wide and ``ceil((y_max - y_min) * H)`` high, and its first byte is pixel
``max(0, ceil(x_min * W))``, ``max(0, ceil(y_min * H))``. The writer fills columns up to ``min(ceil(x_max * W), W)``,
rows likewise: where a box reaches over the left or upper edge, the bytes beyond are whatever was there before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.values.arrays import F4, I8, U1, Bool
from hailo_decode.values.letterbox import Letterbox

_MOST_BYTES = 1 << 31  # of all masks of a frame


@dataclass(frozen=True, slots=True)
class Window:
    """Where the bytes of a mask lie along one axis of the image.

    Attributes
    ----------
    first : int
        Pixel of the first byte.
    stored : int
        Bytes in the mask along this axis.
    behind : int
        Pixel behind the last one that the writer has filled and that lies in the image.
    """

    first: int
    stored: int
    behind: int


def window(low: float, high: float, size: int) -> Window:
    """Return where a mask lies along one axis.

    Parameters
    ----------
    low, high : float
        Edges of the box as fractions of the image, finite.
    size : int
        Pixels of the image.
    """
    a, b, n = np.float32(low), np.float32(high), np.float32(size)
    stored = max(0, math.ceil((b - a) * n))
    first, last = max(0, math.ceil(a * n)), min(math.ceil(b * n), size)
    return Window(first, stored, min(first + stored, last + 1, size))


def windows(box: Sequence[float], image_size: tuple[int, int]) -> tuple[Window, Window]:
    """Return the window of a box (y_min, x_min, y_max, x_max) down and across."""
    return window(box[0], box[2], image_size[0]), window(box[1], box[3], image_size[1])


def paste(
    masks: Sequence[U1],
    boxes: F4,
    sizes: tuple[tuple[int, int], tuple[int, int]],
    letterbox: Letterbox | None = None,
) -> Bool:
    """Put masks into pictures: of the input, or of the photo where a letterbox is given.

    A pixel takes the byte of the image's pixel that its centre lies in.

    Parameters
    ----------
    masks : sequence of (m,) u1
        Bytes as stored, row by row.
    boxes : (n, 4 or 5) f4
        y_min, x_min, y_max, x_max as fractions of the image.
    sizes : ((int, int), (int, int))
        Height and width of the image that the masks were cut from, and of the network's input, pixels.
    letterbox : Letterbox, optional

    Returns
    -------
    (n, H, W) bool

    Raises
    ------
    OptionError
        When they would take more than 2 GiB.
    """
    image_size, input_size = sizes
    height, width = input_size if letterbox is None else letterbox.image_size
    wanted = len(masks) * height * width
    if wanted > _MOST_BYTES:
        raise OptionError(
            f"{len(masks)} masks of {height}x{width} pixels would take {wanted} bytes",
            wanted=f"at most {_MOST_BYTES}",
            hint="max_det= or a higher conf= leaves fewer; without letterbox= masks are as large as the input",
        )
    pictures = np.zeros((len(masks), height, width), np.bool_)
    rows = _sources(height, letterbox, 1, image_size[0] / input_size[0])
    columns = _sources(width, letterbox, 0, image_size[1] / input_size[1])
    for picture, mask, box in zip(pictures, masks, boxes.tolist(), strict=True):
        down, across = windows(box, image_size)
        stored = mask[: down.stored * across.stored].reshape(down.stored, across.stored)
        y, x = _hit(rows, down), _hit(columns, across)
        picture[y, x] = stored[rows[y, None] - down.first, columns[x] - across.first] == 1
    return pictures


def _sources(size: int, letterbox: Letterbox | None, axis: int, ratio: float) -> I8:
    """Return the pixel of the image that each pixel of a picture shows, rising; `ratio` of them to a pixel of the input."""
    centres = np.arange(size) + 0.5
    if letterbox is not None:
        centres = centres * letterbox.scale[axis] + letterbox.pad[axis]
    sources: I8 = np.floor(centres * ratio).astype(np.int64)
    return sources


def _hit(sources: I8, axis: Window) -> slice:
    """Return the pixels of a picture that show some part of a window."""
    first, behind = np.searchsorted(sources, (axis.first, axis.behind))
    return slice(int(first), max(int(first), int(behind)))
