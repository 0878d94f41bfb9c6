"""Workspace: the scratch memory of one thread, made once and reused for every frame of a plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels.frame import frame_product, frame_ranked, frame_scored
from hailo_decode.kernels.memory import note_addresses
from hailo_decode.plan import Plan
from hailo_decode.values.arrays import I8, U1, AnyArray

_BLOCK = 320  # smallest block for which maxima are kept, elements
_COUNTERS = 1024


class Workspace:
    """Scratch memory and the call into the kernels; not for two threads at once.

    Memory that only a crowd of candidates would need is asked for but not touched, and costs nothing until then.
    """

    def __init__(self, plan: Plan) -> None:
        fields, sizes = plan.tables.fields, plan.sizes
        places = plan.tables.anchors * sizes.classes
        held = int(min(plan.tables.settings[at.MAX_NMS], places)) + 1
        blocks = int(sum(f[at.ELEMENTS] // _BLOCK + 2 for f in fields[:, at.CLASS]))
        channels = int(fields[:, :, at.COUNT].max()) + 1
        rows = int(plan.tables.settings[at.MAX_DET])
        self._plan = plan
        self._addresses = np.zeros(-(-len(plan.slots) // 4) * 4, np.int64)
        self._nothing = np.zeros(1, np.uint8)
        self._maxima = np.empty(blocks, np.uint8)
        self._keys = (
            np.empty(places, np.uint64),
            np.empty(places, np.uint64),
            np.empty(_COUNTERS, np.int32),
            np.empty(len(fields) + 1, np.int64),
            np.empty(3, np.int64),
        )
        self._work = (
            np.empty(sizes.classes, np.int32),
            np.empty(sizes.classes, np.int32),
            np.zeros(plan.tables.anchors, np.int32),
            np.zeros(1, np.int32),
            np.empty((held, 5), np.float32),
            np.empty(held, np.int32),
            np.empty((held // 32 + 1, 6, 32), np.float32),
            np.empty(channels, np.uint8),
            np.empty(channels, np.float64),
        )
        self._result = (
            np.empty((rows, 4), np.float32),
            np.empty(rows, np.float32),
            np.empty(rows, np.int32),
            np.empty(rows, np.int32),
        )
        self.report: I8 = np.zeros(at.REPORT, np.int64)

    def run(self, flat: list[U1]) -> tuple[AnyArray, ...]:
        """Decode one frame.

        Parameters
        ----------
        flat : list of (n,) u1
            The outputs in the order of the plan's slots, flat and writable; they must live until this returns.

        Returns
        -------
        xyxy, confidence, class_id, anchor : arrays
            Views of this workspace's memory, good until its next frame; `report` tells the rest.
        """
        plan, nothing = self._plan, self._nothing
        padded = flat + [nothing] * (len(self._addresses) - len(flat))
        for i in range(0, len(padded), 4):
            note_addresses(self._addresses, i, padded[i], padded[i + 1], padded[i + 2], padded[i + 3])
        common: tuple[Any, ...] = (
            self._addresses,
            plan.tables.fields,
            plan.tables.rates,
            plan.tables.strides,
            plan.tables.settings,
            plan.iou,
            plan.tables.lookup,
        )
        if plan.tables.floors is None:
            frame_ranked(*common, self._maxima, self._keys, self._work, self._result, self.report)
        elif plan.tables.settings[at.HAS_OBJECT] or plan.tables.settings[at.SOFTMAX]:
            frame_product(*common, plan.tables.floors, self._keys, self._work, self._result, self.report)
        else:
            frame_scored(*common, plan.tables.floors, self._keys, self._work, self._result, self.report)
        found = int(self.report[at.FOUND])
        return tuple(column[:found] for column in self._result)
