"""Slow plain twins of how much turned boxes overlap, each by another road than the package's.

The common area by the corners of the common shape, sorted around its middle; Gaussians by matrices.
"""

import numpy as np
from families.naive_heads import corners

_EDGE = 1e-9  # of a pixel


def _inside(points, turned):
    """Return the points that lie in a turned box, its edge included."""
    x, y, wide, high, angle = turned
    away = points - (x, y)
    across = away @ (np.cos(angle), np.sin(angle))
    down = away @ (-np.sin(angle), np.cos(angle))
    held = (np.abs(across) <= wide / 2 + _EDGE) & (np.abs(down) <= high / 2 + _EDGE)
    return points[held]


def _crossings(first, second):
    """Return where the sides of two shapes cross."""
    found = []
    for a, b in zip(first, np.roll(first, -1, axis=0), strict=True):
        for c, d in zip(second, np.roll(second, -1, axis=0), strict=True):
            along, other = b - a, d - c
            facing = along[0] * other[1] - along[1] * other[0]
            if abs(facing) <= 1e-9 * np.linalg.norm(along) * np.linalg.norm(other):
                continue  # alongside each other, but for rounding: their ends are found as corners inside
            apart = c - a
            t = (apart[0] * other[1] - apart[1] * other[0]) / facing
            u = (apart[0] * along[1] - apart[1] * along[0]) / facing
            if 0.0 <= t <= 1.0 and 0.0 <= u <= 1.0:
                found.append(a + t * along)
    return np.array(found).reshape(-1, 2)


def shared_area(a, b):
    """Return the common area of two turned boxes (x, y, width, height, angle)."""
    first, second = corners(a), corners(b)
    points = np.concatenate([_inside(first, b), _inside(second, a), _crossings(first, second)])
    if len(points) < 3:
        return 0.0
    middle = points - points.mean(axis=0)
    x, y = middle[np.argsort(np.arctan2(middle[:, 1], middle[:, 0]))].T
    return abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def exact_iou(a, b):
    """Return the overlap of two turned boxes; 0 where one has no area or is inside out, as upright ones have it."""
    if min(*a[2:4], *b[2:4]) <= 0:
        return 0.0
    shared = shared_area(a, b)
    joined = a[2] * a[3] + b[2] * b[3] - shared
    return shared / joined


def sampled_iou(a, b, side=1200):
    """Return the overlap of two turned boxes by counting points of a raster: right to about a hundredth."""
    both = np.concatenate([corners(a), corners(b)])
    low, high = both.min(axis=0), both.max(axis=0)
    steps = (np.arange(side) + 0.5) / side
    x, y = np.meshgrid(low[0] + steps * (high[0] - low[0]), low[1] + steps * (high[1] - low[1]))

    def held(turned):
        c, s = np.cos(turned[4]), np.sin(turned[4])
        across, down = (x - turned[0]) * c + (y - turned[1]) * s, (y - turned[1]) * c - (x - turned[0]) * s
        return (np.abs(across) <= turned[2] / 2) & (np.abs(down) <= turned[3] / 2)

    first, second = held(a), held(b)
    return (first & second).sum() / max((first | second).sum(), 1)


def likeness(a, b):
    """Return 1 minus the Hellinger distance of two boxes as Gaussians (Llerena et al., 2021)."""

    def spread(turned):
        c, s = np.cos(turned[4]), np.sin(turned[4])
        turn = np.array([[c, -s], [s, c]])
        return turn @ np.diag([turned[2] ** 2 / 12, turned[3] ** 2 / 12]) @ turn.T

    p, q = spread(a), spread(b)
    mean = (p + q) / 2
    away = np.array([a[0] - b[0], a[1] - b[1]])
    apart = np.linalg.det(mean) / np.sqrt(np.linalg.det(p) * np.linalg.det(q))
    distance = away @ np.linalg.solve(mean, away) / 8 + np.log(apart) / 2
    return 1 - np.sqrt(max(1 - np.exp(-distance), 0.0))
