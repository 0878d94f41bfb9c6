"""Frames of heads without bins, or with more than boxes: the same objects in all."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bench.frames import Scene, class_map, dfl_map, dfl_of, scene_of, sides_map
from bench.objects import Array, Cells, Shape

ANCHORS = {  # width and height, input pixels, as published with YOLOv5
    8: ((10, 13), (16, 30), (33, 23)),
    16: ((30, 61), (62, 45), (59, 119)),
    32: ((116, 90), (156, 198), (373, 326)),
}
POINTS = 17
MASKS = 32
TURN = 0.35  # radians: how far turned boxes are turned


def anchor_scene(shape: Shape, count: int) -> Scene:
    """Return frames of YOLOv5's head.

    Each tensor has x, y, w, h, objectness and classes of three anchors.
    """

    def maps(stride: int, cells: Cells, rng: np.random.Generator) -> dict[str, Array]:
        grid = shape.size // stride
        out = rng.normal(-4, 1.5, (grid, grid, 3, 5 + shape.classes)).astype(np.float32)
        out[..., :4] = rng.normal(0, 1, (grid, grid, 3, 4))
        out[..., 4] = rng.normal(*shape.background, (grid, grid, 3))
        sizes = np.array(ANCHORS[stride], np.float64) / stride
        middle, size = _middles(cells)
        best = np.abs(np.log(size[:, None] / sizes)).sum(2).argmin(1)
        offset = _logit((middle + 0.5) / 2)
        scale = _logit(np.sqrt(size / sizes[best]) / 2)
        at = cells.row, cells.column, best
        reached = (np.abs(middle) <= 1).all(1)  # a centre lies at most one cell off
        things = np.where(reached, cells.logit + 0.15, -7.0)
        for place, values in enumerate((*offset.T, *scale.T, things)):
            out[(*at, place)] = values
        out[(*at, 5 + cells.class_id)] = 2.5
        return {"cells": out.reshape(grid, grid, -1)}

    return scene_of(shape, count, maps, family="yolov5")


def centre_scene(shape: Shape, count: int) -> Scene:
    """Return frames of YOLOX's head.

    Centre and logarithm of the size, objectness, and classes are three tensors.
    """

    def maps(stride: int, cells: Cells, rng: np.random.Generator) -> dict[str, Array]:
        grid = shape.size // stride
        size = rng.normal(0, 1, (grid, grid, 4)).astype(np.float32)
        things = rng.normal(*shape.background, (grid, grid, 1)).astype(np.float32)
        classes = rng.normal(-4, 1.5, (grid, grid, shape.classes)).astype(np.float32)
        middle, extent = _middles(cells)
        at = cells.row, cells.column
        size[at] = np.concatenate([middle + 0.5, np.log(extent)], 1)
        things[(*at, 0)] = cells.logit + 0.15
        classes[(*at, cells.class_id)] = 2.5
        return {"cls": classes, "size": size, "obj": things}

    roles = {
        f"net/{role}{s}": "box" if role == "size" else role
        for s in shape.strides
        for role in ("cls", "size", "obj")
    }
    return scene_of(shape, count, maps, family="yolox", roles=roles)


def plain_scene(shape: Shape, count: int) -> Scene:
    """Return frames of YOLO26's head: the four distances themselves."""

    def maps(stride: int, cells: Cells, rng: np.random.Generator) -> dict[str, Array]:
        return {"sides": sides_map(shape, stride, cells, rng), "cls": class_map(shape, stride, cells, rng)}

    roles = {
        f"net/{role}{s}": "box" if role == "sides" else role
        for s in shape.strides
        for role in ("sides", "cls")
    }
    return scene_of(shape, count, maps, family="yolo26", roles=roles)


def pose_scene(shape: Shape, count: int) -> Scene:
    """Return frames of a head with bins and keypoints: x, y and visibility of each."""

    def more(stride: int, cells: Cells, rng: np.random.Generator) -> dict[str, Array]:
        grid = shape.size // stride
        points = rng.normal(0, 1, (grid, grid, POINTS, 3)).astype(np.float32)
        middle, size = _middles(cells)
        spread = rng.uniform(-0.45, 0.45, (len(size), POINTS, 2)) * size[:, None]
        points[cells.row, cells.column, :, :2] = (middle[:, None] + spread) / 2
        points[cells.row, cells.column, :, 2] = 2.0
        return {"kpt": points.reshape(grid, grid, -1)}

    return scene_of(shape, count, _with(shape, more), family="yolov8_pose", keypoints=(POINTS, 3))


def turned_scene(shape: Shape, count: int) -> Scene:
    """Return frames of a head with bins and angles.

    The boxes that are told are those before they are turned.
    """

    def maps(stride: int, cells: Cells, rng: np.random.Generator) -> dict[str, Array]:
        grid = shape.size // stride
        angle = rng.normal(0, 1, (grid, grid, 1)).astype(np.float32)
        angle[cells.row, cells.column, 0] = _logit(np.array(0.25 + TURN / math.pi))
        middle, size = _middles(cells)
        c, s = math.cos(TURN), math.sin(TURN)
        along = np.stack([middle[:, 0] * c + middle[:, 1] * s, middle[:, 1] * c - middle[:, 0] * s], 1)
        sides = sides_map(shape, stride, cells, rng)
        sides[cells.row, cells.column] = np.clip(
            np.concatenate([size / 2 - along, size / 2 + along], 1), 0.1, 14.8
        )
        return {"box": dfl_of(sides, rng), "angle": angle, "cls": class_map(shape, stride, cells, rng)}

    return scene_of(shape, count, maps, family="yolov8_obb")


def mask_scene(shape: Shape, count: int) -> Scene:
    """Return frames of a head with bins, mask coefficients and smooth prototypes."""

    def more(stride: int, cells: Cells, rng: np.random.Generator) -> dict[str, Array]:
        grid = shape.size // stride
        weights = rng.normal(0, 0.5, (grid, grid, MASKS)).astype(np.float32)
        things = rng.normal(0, 0.5, (shape.objects, MASKS)).astype(np.float32)
        weights[cells.row, cells.column] = things[cells.thing]
        return {"mask": weights}

    def once(rng: np.random.Generator) -> dict[str, Array]:
        side = shape.size // 4
        coarse = rng.normal(0.6, 1.2, (side // 8 + 1, side // 8 + 1, MASKS)).astype(np.float32)
        return {"net/proto": _smooth(coarse, side)}

    return scene_of(shape, count, _with(shape, more), once=once, family="yolov8_seg")


def _with(
    shape: Shape, more: Callable[[int, Cells, np.random.Generator], dict[str, Array]]
) -> Callable[[int, Cells, np.random.Generator], dict[str, Array]]:
    """Return the maps of a head with bins, and one more."""

    def maps(stride: int, cells: Cells, rng: np.random.Generator) -> dict[str, Array]:
        found = {"box": dfl_map(shape, stride, cells, rng), "cls": class_map(shape, stride, cells, rng)}
        return found | more(stride, cells, rng)

    return maps


def _middles(cells: Cells) -> tuple[Array, Array]:
    """Return the offset of each box from its cell, and its size, (n, 2) f8, cells."""
    low, high = cells.sides[:, :2], cells.sides[:, 2:]
    return (high - low) / 2, low + high


def _logit(share: Array) -> Array:
    share = np.clip(share, 0.02, 0.98)
    logits: Array = np.log(share / (1 - share))
    return logits


def _smooth(coarse: Array, side: int) -> Array:
    """Stretch (h, w, C) to (side, side, C), linearly in between."""
    at = np.linspace(0, coarse.shape[0] - 1.001, side)
    first = at.astype(np.int64)
    share = (at - first).astype(np.float32)[:, None, None]
    rows = coarse[first] * (1 - share) + coarse[first + 1] * share
    across = rows.transpose(1, 0, 2)
    return np.ascontiguousarray((across[first] * (1 - share) + across[first + 1] * share).transpose(1, 0, 2))
