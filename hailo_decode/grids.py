"""Grids: outputs grouped by them, and the strides that follow from the input's size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

from hailo_decode.evidence import Candidate

Grid = tuple[int, int]
AnchorCount = Callable[[Candidate, str], "int | None"]  # anchors known for an output on a kind of grid
_STRIDES = tuple(2**k for k in range(1, 10))  # of grids that are rounded up


def by_grid(outputs: Sequence[Candidate]) -> dict[Grid, list[Candidate]]:
    """Group outputs by grid, finest first."""
    grids: dict[Grid, list[Candidate]] = {}
    for output in sorted(outputs, key=lambda o: (-o.shape[0] * o.shape[1], -o.shape[0], o.name)):
        grids.setdefault(output.shape[:2], []).append(output)
    return grids


def stride_of(kind: str, grid: Grid, input_size: tuple[int, int]) -> tuple[float, float] | None:
    """Return input pixels per cell, across and down; None where such a grid cannot be that kind."""
    (h, w), (high, wide) = grid, input_size
    if kind == "whole":
        return (float(wide), float(high)) if grid == (1, 1) else None
    if kind == "list":
        return (1.0, 1.0) if h == 1 < w else None
    if kind == "unit list":
        return (float(wide), float(high)) if h == 1 < w else None
    if kind == "fraction":
        return wide / w, high / h
    if (
        kind == "ceil"
    ):  # a power of two that fits comes first: 8 cells of 64 reach over an input of 480, which 60 divides
        for stride in _STRIDES:
            if ceil(high / stride) == h and ceil(wide / stride) == w:
                return float(stride), float(stride)
    if high % h == 0 and wide % w == 0 and high // h == wide // w:
        return wide / w, high / h
    return None
