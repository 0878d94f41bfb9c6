"""The reference that results are held to: all in float64, ties as documented.

It is never timed.
"""

from __future__ import annotations

import numpy as np

from bench.frames import Scene
from bench.objects import Array
from bench.peers._peer import Boxes, Choice
from bench.peers.plain_numpy import PlainDecode


class _Exact(PlainDecode):
    """Plain NumPy in f8; of equal scores the lower class, then the earlier cell."""

    def _order(self, score: Array, class_id: Array) -> Array:
        return np.lexsort((np.arange(len(score)), class_id, -score.astype(np.float32)))


def reference(scene: Scene, choice: Choice, k: int = 0) -> Boxes:
    """Decode frame k of a scene of dense tensors."""
    return Boxes(*_Exact(scene, choice, np.float64)(k))
