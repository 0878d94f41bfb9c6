"""Slow plain twins of every kind of head: float64, one cell after the other, each formula as its source states it.

Nothing here comes from the package: what a family says of itself is what these are to prove.
"""

from dataclasses import dataclass

import numpy as np
from naive import mean_bins, sigmoid


@dataclass(frozen=True)
class Counts:
    """How many of what a head has; `anchors` may differ from level to level."""

    classes: int
    bins: int = 0
    anchors: int = 1
    extra: int = 0
    bare: bool = False


@dataclass(frozen=True)
class Cell:
    """One anchor of one cell.

    Attributes
    ----------
    x, y : int
        Column and row.
    stride : (float, float)
        Input pixels from cell to cell, across and down.
    values : dict of str to (C,) f8
        Real values of the cell by role.
    counts : Counts
    anchor : int
        Which of the cell's anchors.
    prior : (float, float)
        That anchor's width and height, input pixels.
    logits : bool
        Whether scores still want their sigmoid or softmax.
    strides : frozenset of float
        Of all levels, across.
    """

    x: int
    y: int
    stride: tuple[float, float]
    values: dict[str, np.ndarray]
    counts: Counts
    anchor: int
    prior: tuple[float, float]
    logits: bool
    strides: frozenset[float] = frozenset()

    def squashed(self, values):
        """Return scores, of whatever the tensor holds."""
        return sigmoid(values) if self.logits else np.asarray(values)


@dataclass(frozen=True)
class Row:
    """What one anchor says: box as left, top, right, bottom, a score for each class, and what else there is."""

    box: tuple[float, float, float, float]
    scores: np.ndarray
    extra: np.ndarray | None = None
    turned: tuple[float, float, float, float, float] | None = None


def around(x, y, sides, stride):
    """Return the box whose sides are that far from a point, in cells: left, top, right, bottom."""
    left, top, right, bottom = sides
    return (x - left) * stride[0], (y - top) * stride[1], (x + right) * stride[0], (y + bottom) * stride[1]


def centred(x, y, wide, high):
    return x - wide / 2, y - high / 2, x + wide / 2, y + high / 2


def bins_of(channels):
    return [mean_bins(side) for side in np.split(channels, 4)]


def distributions(cell, at=0.5):
    """YOLOv8: four distributions over bins; DAMO-YOLO measures them from the cell's corner."""
    sides = bins_of(cell.values["box"])
    return Row(around(cell.x + at, cell.y + at, sides, cell.stride), cell.squashed(cell.values["cls"]))


def background_behind(cell):
    row = distributions(cell, at=0.0)
    return Row(row.box, row.scores[:-1])


def joined(cell):
    """NanoDet: classes in front of the distributions, in one tensor."""
    scores, box = np.split(cell.values["joint"], [cell.counts.classes])
    return Row(around(cell.x + 0.5, cell.y + 0.5, bins_of(box), cell.stride), cell.squashed(scores))


def plain(cell):
    """YOLO26, YOLOv6: the distances themselves."""
    box = around(cell.x + 0.5, cell.y + 0.5, cell.values["box"], cell.stride)
    return Row(box, cell.squashed(cell.values["cls"]))


def block(cell):
    """Return the channels of one anchor where anchors stand side by side."""
    return np.split(cell.values["cells"], cell.counts.anchors)[cell.anchor]


def anchored(cell):
    """YOLOv5 (HailoRT 5.2, yolov5_post_process.cpp): sigmoids everywhere."""
    x, y, w, h, thing, *classes = cell.squashed(block(cell))
    box = centred(
        (2 * x - 0.5 + cell.x) * cell.stride[0],
        (2 * y - 0.5 + cell.y) * cell.stride[1],
        (2 * w) ** 2 * cell.prior[0],
        (2 * h) ** 2 * cell.prior[1],
    )
    return Row(box, thing * np.array(classes[: cell.counts.classes]), block(cell)[5 + cell.counts.classes :])


def darknet(cell, reach=1.0, softmax=False):
    """YOLOv2 to v4: sigmoids for the centre, exponentials for the size; v4's centre reaches beyond its cell."""
    x, y, w, h, thing, *classes = block(cell)
    box = centred(
        (sigmoid(x) * reach - (reach - 1) / 2 + cell.x) * cell.stride[0],
        (sigmoid(y) * reach - (reach - 1) / 2 + cell.y) * cell.stride[1],
        np.exp(w) * cell.prior[0],
        np.exp(h) * cell.prior[1],
    )
    if cell.counts.bare:
        return Row(box, np.array([sigmoid(thing)]))
    return Row(box, sigmoid(thing) * (shares(np.array(classes)) if softmax else sigmoid(classes)))


def reach_of(cell):
    """How far centres reach (``scale_x_y``): yolov4.cfg has 1.2, 1.1, 1.05 from fine to coarse, yolov4-tiny.cfg 1.05."""
    return {8: 1.2, 16: 1.1}.get(cell.stride[0], 1.05) if cell.strides == {8, 16, 32} else 1.05


def yolov4(cell):
    return darknet(cell, reach_of(cell))


def yolov4_split(cell):
    """The same from four tensors, as the Hailo Model Zoo brings them together (yolo.py, reorganize_split_output)."""
    reach, first = reach_of(cell), 2 * cell.anchor
    x, y = cell.squashed(cell.values["centre"][first : first + 2])
    w, h = cell.values["size"][first : first + 2]
    box = centred(
        (x * reach - (reach - 1) / 2 + cell.x) * cell.stride[0],
        (y * reach - (reach - 1) / 2 + cell.y) * cell.stride[1],
        np.exp(w) * cell.prior[0],
        np.exp(h) * cell.prior[1],
    )
    classes = np.split(cell.values["cls"], cell.counts.anchors)[cell.anchor]
    return Row(box, cell.squashed(cell.values["obj"][cell.anchor]) * cell.squashed(classes))


def shares(logits):
    """Return the softmax of a vector."""
    p = np.exp(logits - logits.max())
    return p / p.sum()


def yolox(cell):
    """YOLOX (HailoRT 5.2, yolox_post_process.cpp): no half cell, exponentials for the size."""
    x, y, w, h = cell.values["box"]
    box = centred(
        (x + cell.x) * cell.stride[0],
        (y + cell.y) * cell.stride[1],
        np.exp(w) * cell.stride[0],
        np.exp(h) * cell.stride[1],
    )
    return Row(box, cell.squashed(cell.values["obj"])[0] * cell.squashed(cell.values["cls"]))


def ssd(cell, centres=10.0, sizes=5.0, background=0):
    """SSD (HailoRT 5.2, ssd_post_process.cpp): channels y, x, h, w of each anchor; one class is background."""
    y, x, h, w = np.split(cell.values["box"], cell.counts.anchors)[cell.anchor]
    scores = cell.squashed(np.split(cell.values["cls"], cell.counts.anchors)[cell.anchor])
    box = centred(
        x / centres * cell.prior[0] + (cell.x + 0.5) * cell.stride[0],
        y / centres * cell.prior[1] + (cell.y + 0.5) * cell.stride[1],
        np.exp(w / sizes) * cell.prior[0],
        np.exp(h / sizes) * cell.prior[1],
    )
    return Row(box, np.delete(scores, background))


def rows(cell, corners=False, objectness=False):
    """Boxes that are decoded already: centre and size in pixels, or y, x, y, x as fractions of the input."""
    a, b, c, d, *scores = cell.values["rows"]
    thing = scores.pop(0) if objectness else 1.0
    box = (
        (b * cell.stride[0], a * cell.stride[1], d * cell.stride[0], c * cell.stride[1])
        if corners
        else centred(a, b, c, d)
    )
    return Row(box, thing * np.array(scores))


def whole(cell):
    """A classifier: the whole picture is the box."""
    scores = cell.values["cls"]
    return Row((0.0, 0.0, *cell.stride), shares(scores) if cell.logits else scores)


def with_masks(row):
    return lambda cell: Row(row(cell).box, row(cell).scores, cell.values["mask"])


def with_keypoints(row, scale, offset):
    """v8 and 11: ``(2 raw + cell) * stride``; 26: ``(raw + cell + 0.5) * stride`` (Ultralytics pose heads)."""

    def read(cell):
        found = row(cell)
        return Row(found.box, found.scores, points_of(cell, scale, offset))

    return read


def points_of(cell, scale, offset):
    """Return (K, 3): every point of two numbers, or of three with a visibility behind."""
    numbers = 3 if cell.counts.extra % 3 == 0 else 2
    points = []
    for raw in cell.values["kpt"].reshape(-1, numbers):
        x = (raw[0] * scale + cell.x + offset) * cell.stride[0]
        y = (raw[1] * scale + cell.y + offset) * cell.stride[1]
        points.append((x, y, sigmoid(raw[2]) if numbers == 3 else 1.0))
    return np.array(points)


def with_angle(sides_of, angle_of):
    """The box is measured in axes that are turned about the cell's centre (Ultralytics OBB heads, dist2rbox)."""

    def read(cell):
        left, top, right, bottom = sides_of(cell.values["box"])
        angle = angle_of(cell.values["angle"][0])
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        centre = turn @ np.array([(right - left) / 2, (bottom - top) / 2]) + (cell.x + 0.5, cell.y + 0.5)
        x, y = centre * cell.stride
        turned = x, y, (left + right) * cell.stride[0], (top + bottom) * cell.stride[1], angle
        points = corners(turned)
        box = (*points.min(axis=0), *points.max(axis=0))
        return Row(box, cell.squashed(cell.values["cls"]), None, turned)

    return read


def corners(turned):
    """Return (4, 2): right bottom, right top, left top, left bottom of the box before it is turned."""
    x, y, wide, high, angle = turned
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    sides = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)]) * (wide / 2, high / 2)
    return sides @ turn.T + (x, y)


def raw_angle(raw):
    return raw


def squashed_angle(raw):
    return (sigmoid(raw) - 0.25) * np.pi
