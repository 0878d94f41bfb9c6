"""Masks as run lengths, column by column, as COCO has them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hailo_decode.values.arrays import Bool


def run_lengths(mask: Bool) -> list[int]:
    """Return the lengths of the runs of a mask, down its columns from the left, the first one unset.

    Parameters
    ----------
    mask : (H, W) bool

    Examples
    --------
    >>> run_lengths(np.array([[False, True], [True, True]]))
    [1, 3]
    >>> run_lengths(np.ones((2, 2), bool)), run_lengths(np.zeros((2, 2), bool))
    ([0, 4], [4])
    """
    flat = np.asarray(mask, np.bool_).ravel(order="F")
    turns = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    ends = [0, *turns.tolist(), flat.size]
    runs = [b - a for a, b in pairwise(ends)]
    return [0, *runs] if flat.size and flat[0] else runs


def packed(runs: list[int]) -> str:
    """Return run lengths in the text that COCO's tools call compressed.

    Each number is the difference to the run two before it, from the fourth on; its bits stand in groups of
    five, lowest first, with one bit that says whether more follow, and one letter a group, from ``0`` (the
    format of ``rleToString`` in pycocotools 2.0, maskApi.c).

    Examples
    --------
    >>> packed([6, 1, 40, 4, 5, 4, 5, 4, 21])
    '61X13mN000`0'
    """
    letters = []
    for i, run in enumerate(runs):
        number = run - runs[i - 2] if i > 2 else run
        more = True
        while more:
            group = number & 0x1F
            number >>= 5
            more = number != (-1 if group & 0x10 else 0)
            letters.append(chr(48 + group + (0x20 if more else 0)))
    return "".join(letters)
