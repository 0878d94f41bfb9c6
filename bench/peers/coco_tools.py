"""pycocotools: run lengths of masks, and how much they overlap; in C."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.objects import Array
from bench.peers._peer import Way, missing

NAME = "pycocotools"


def available() -> str | None:
    """Tell whether it is there."""
    return missing("pycocotools")


def run_lengths(masks: Array) -> list[Way]:
    """Encode (n, H, W) masks as they are, and from memory laid out as it wants."""
    from pycocotools import mask as tools

    turned = np.asfortranarray(masks.transpose(1, 2, 0).astype(np.uint8))

    def encode(k: int) -> Any:
        del k
        return tools.encode(np.asfortranarray(masks.transpose(1, 2, 0).view(np.uint8)))

    return [
        Way(f"{NAME} encode", encode),
        Way(f"{NAME} encode, memory laid out before", lambda k: tools.encode(turned)),
    ]
