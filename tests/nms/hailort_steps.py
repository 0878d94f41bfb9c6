"""HailoRT 5.2's own maths of one box, step by step in float32: what the steps write for a cell, a stride and a record."""

import numpy as np

F = np.float32


def _corners(x, y, w, h):
    left, top = x - w / F(2), y - h / F(2)
    return [float(v) for v in (top, left, top + h, left + w)]


def bins(cell, stride, distances, image):
    """yolov8_post_process.cpp: all four sides in cells, times stride, by the record's size; `cell` is (row, column)."""
    (row, col), (high, wide) = cell, map(F, image)
    left, top, right, bottom = (F(d) * F(stride) for d in distances)
    x, y = (F(col) + F(0.5)) * F(stride) / wide, (F(row) + F(0.5)) * F(stride) / high
    return [float(v) for v in (y - top / high, x - left / wide, y + bottom / high, x + right / wide)]


def anchors(cell, grid, numbers, anchor, image):
    """yolov5_post_process.cpp: middle by the grid, size by the record; `numbers` are behind their sigmoid."""
    (row, col), (high, wide) = cell, grid
    tx, ty, tw, th = map(F, numbers)
    w = (F(2) * tw) ** 2 * F(anchor[0]) / F(image[1])
    h = (F(2) * th) ** 2 * F(anchor[1]) / F(image[0])
    x = (F(2) * tx - F(0.5) + F(col)) / F(wide)
    y = (F(2) * ty - F(0.5) + F(row)) / F(high)
    return _corners(x, y, w, h)


def objectness(cell, grid, numbers):
    """yolox_post_process.cpp: everything by the grid."""
    (row, col), (high, wide) = cell, grid
    tx, ty, tw, th = map(F, numbers)
    return _corners(
        (tx + F(col)) / F(wide), (ty + F(row)) / F(high), np.exp(tw) / F(wide), np.exp(th) / F(high)
    )


def default_boxes(cell, grid, numbers, anchor, scales=(10, 5)):
    """ssd_post_process.cpp: everything by the grid and by anchors that are fractions; `numbers` are ty, tx, th, tw."""
    (row, col), (high, wide) = cell, grid
    ty, tx, th, tw = map(F, numbers)
    wa, ha = map(F, anchor)
    w, h = np.exp(tw / F(scales[1])) * wa, np.exp(th / F(scales[1])) * ha
    x = tx / F(scales[0]) * wa + (F(col) / F(wide) + F(0.5) / F(wide))
    y = ty / F(scales[0]) * ha + (F(row) / F(high) + F(0.5) / F(high))
    return _corners(x, y, w, h)
