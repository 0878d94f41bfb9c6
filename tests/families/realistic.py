"""Float outputs whose numbers are like those of a trained network: boxes vary, scores are low nearly everywhere."""

import numpy as np

LIKE = {
    "box": (1.0, 1.5),
    "cls": (-9.0, 1.0),
    "obj": (-9.0, 1.0),
    "centre": (0.0, 1.5),
    "size": (0.0, 0.5),
    "mask": (0.0, 1.0),
    "kpt": (0.0, 2.0),
    "angle": (0.0, 0.5),
    "proto": (0.0, 1.0),
}


def numbers(role, shape, seed=0):
    """Return an (H, W, C) array that holds what a role holds."""
    mean, spread = LIKE[role]
    return np.random.default_rng([seed, *shape]).normal(mean, spread, shape).astype(np.float32)


def head(channels, grids=(8, 4, 2), proto=None, name="net/{letter}{grid}"):
    """Return outputs of three levels of a square input of 64, named by letters that say nothing.

    Parameters
    ----------
    channels : dict of str to int
        By role. ``cells`` and ``joint`` hold several things and are told apart inside.
    proto : int, optional
        Channels of the prototypes.
    """
    outputs = {}
    for grid in grids:
        for letter, (role, count) in zip("pqrs", channels.items(), strict=False):
            shape = (grid, grid, count)
            made = (
                anchors(shape)
                if role == "cells"
                else joint(shape)
                if role == "joint"
                else numbers(role, shape)
            )
            outputs[name.format(letter=letter, grid=grid, role=role)] = made
    if proto is not None:
        outputs["net/z"] = numbers("proto", (2 * grids[0], 2 * grids[0], proto))
    return outputs


def cells(channels=255):
    """Return outputs of three levels of a head with three anchors in one tensor."""
    return head({"cells": channels})


def anchors(shape):
    """Return three anchors side by side: four numbers of a box, then scores."""
    out = numbers("cls", shape)
    each = shape[2] // 3
    for first in range(0, 3 * each, each):
        out[:, :, first : first + 4] = numbers("mask", (*shape[:2], 4), first)
    return out


def joint(shape):
    return np.concatenate(
        [numbers("cls", (*shape[:2], shape[2] - 44)), numbers("box", (*shape[:2], 44))], axis=2
    )


def rows(count, classes, pixels=640.0, objectness=False, channels_first=False):
    """Return (1, count, 4 + classes): decoded boxes of a square input, in pixels or (1.0) in fractions of it."""
    rng = np.random.default_rng(count)
    box = rng.uniform(0.1, 0.9, (count, 4)) * pixels
    scores = rng.uniform(0, 0.2, (count, classes + objectness)) ** 2
    scores[7, :] = 0.9
    out = np.concatenate([box, scores], axis=1).astype(np.float32)
    return np.ascontiguousarray(out.T if channels_first else out)[None]
