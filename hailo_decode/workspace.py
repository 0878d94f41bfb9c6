"""Workspace: the scratch memory of one thread, made once and reused for every frame of a plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.kernels import layout as at
from hailo_decode.kernels.crowd import crowd_scratch
from hailo_decode.kernels.extras import read_keypoints, read_rows
from hailo_decode.kernels.frame import frame_product, frame_ranked, frame_scored
from hailo_decode.kernels.memory import note_addresses
from hailo_decode.kernels.paint import paint_masks
from hailo_decode.kernels.pick import MARKS
from hailo_decode.kernels.scan import BLOCK, holds_bad
from hailo_decode.kernels.turned import select_turned, write_corners
from hailo_decode.plan import Plan
from hailo_decode.settings import IDENTITY
from hailo_decode.tables import place, whole_part
from hailo_decode.values.arrays import F4, F8, I4, I8, U1, Bool
from hailo_decode.values.letterbox import Letterbox

_MOST_BYTES = 2**31  # of the masks of one frame
_COUNTERS = 1024  # ranks that the opening band counts, and digits of the sort


class Workspace:
    """Scratch memory and the calls into the kernels; not for two threads at once.

    Memory that only a crowd of candidates would need is asked for but not touched, and costs nothing until then.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: Plan) -> None:
        tables, sizes = plan.tables, plan.sizes
        fields = tables.fields
        places = tables.anchors * sizes.classes
        # Offsets of a whole class tensor, padding included, pass through the place of the keys.
        keys = places + int(fields[:, at.CLASS, at.ELEMENTS].max()) + MARKS
        held = int(min(tables.settings[at.MAX_NMS], places)) + 1
        turned = tables.settings[at.TURNED] != 0
        channels = 2 * int(fields[:, :, at.COUNT].max())
        rows = int(tables.settings[at.MAX_DET])
        labels = 1 if tables.settings[at.AGNOSTIC] else sizes.classes
        self._plan = plan
        # As many candidates as there are anchors, or as suppression looks at: a frame that is full of them.
        self.crowd = int(min(tables.anchors, tables.settings[at.MAX_NMS]))
        self._addresses: I8 = np.zeros(-(-len(plan.slots) // 6) * 6, np.int64)
        self._nothing: U1 = np.zeros(1, np.uint8)
        self._maxima: U1 = np.empty(int((fields[:, at.CLASS, at.ELEMENTS] // BLOCK + 2).sum()), np.uint8)
        self._keys = (
            np.empty(keys, np.uint64),
            np.empty(places, np.uint64),
            np.empty(_COUNTERS, np.int32),
            np.empty(len(fields) + 1, np.int64),
            np.empty(3, np.int64),
        )
        self._values: F8 = np.empty(channels, np.float64)
        self._work = (
            np.empty(sizes.classes, np.int32),
            np.empty(sizes.classes, np.int32),
            np.zeros(tables.anchors, np.int32),
            np.zeros(1, np.int32),
            np.empty((held, 6), np.float32),
            np.empty(held, np.int32),
            np.empty((held // 32 + 1, 6, 32), np.float32),
            np.empty(channels, np.uint8),
            self._values,
            np.empty(7, np.float64),
            np.empty((held if turned else 1, 7), np.float64),
            np.empty((2, 12, 2), np.float64),
            *crowd_scratch(labels, plan.input_size, plan.iou),
            np.empty((tables.anchors if tables.settings[at.MULTI_LABEL] else 1, 4), np.float32),
        )
        self._result = (
            np.empty((rows, 4), np.float32),
            np.empty(rows, np.float32),
            np.empty(rows, np.int32),
            np.empty(rows, np.int32),
            np.empty((rows if turned else 1, 5), np.float64),
        )
        self._where = (self._addresses, tables.fields, tables.rates)
        self._common: tuple[Any, ...] = (
            *self._where,
            tables.strides,
            tables.settings,
            plan.iou,
            tables.lookup,
        )
        self.report: I8 = np.zeros(at.REPORT, np.int64)
        self._paint: _Paint | None = None

    def run(self, flat: list[U1]) -> tuple[F4, F4, I4, I4, F8]:
        """Decode one frame.

        Parameters
        ----------
        flat : list of (n,) u1
            The outputs in the order of the plan's slots, flat and writable; they must live until the last call for this
            frame.

        Returns
        -------
        xyxy, confidence, class_id, anchor, turned : arrays
            Views of this workspace's memory, good until its next frame; `report` tells the rest.
        """
        tables, nothing = self._plan.tables, self._nothing
        padded = flat + [nothing] * (len(self._addresses) - len(flat))
        for i in range(0, len(padded), 6):
            note_addresses(self._addresses, i, *padded[i : i + 6])
        rest = (self._keys, self._work, self._result, self.report)
        if tables.floors is None:
            frame_ranked(*self._common, self._maxima, *rest)
        elif tables.settings[at.HAS_OBJECT] or tables.settings[at.SOFTMAX]:
            frame_product(*self._common, tables.floors, *rest)
        else:
            frame_scored(*self._common, tables.floors, *rest)
        if tables.settings[at.TURNED]:
            select_turned(self._keys[0], *self._common, *rest[1:])
        found = int(self.report[at.FOUND])
        xyxy, confidence, class_id, anchor, turned = self._result
        return xyxy[:found], confidence[:found], class_id[:found], anchor[:found], turned[:found]

    def keypoints(self, anchor: I4) -> F4:
        """Return (n, points, 3) f4: x, y in input pixels and visibility of the boxes of this frame."""
        tables = self._plan.tables
        points, numbers = self._plan.keypoints or (0, 0)
        out = np.empty((len(anchor), points, 3), np.float32)
        settings = (tables.strides, tables.settings, tables.lookup)
        read_keypoints(*self._where, *settings, anchor, self._values, out, np.int64(numbers))
        return out

    def corners(self, turned: F8) -> F4:
        """Return (n, 4, 2) f4: the corners of the turned boxes of this frame, input pixels."""
        out = np.empty((len(turned), 4, 2), np.float32)
        write_corners(turned, out)
        return out

    def coefficients(self, anchor: I4) -> F4:
        """Return (n, channels) f4: the mask coefficients of the boxes of this frame."""
        plan = self._plan
        out = np.empty((len(anchor), plan.sizes.extra), np.float32)
        read_rows(*self._where, plan.tables.settings, plan.tables.lookup, anchor, self._values, out)
        return out

    def bad_prototypes(self) -> bool:
        """Tell whether the prototypes of this frame hold values that are no numbers."""
        if self._paint is None:
            self._paint = _Paint(self._plan)
        field = self._paint.field
        return field[at.ITEM] == 4 and bool(holds_bad(self._addresses[field[at.TENSOR]], field[at.ELEMENTS]))

    def masks(self, coefficients: F4, xyxy: F4, letterbox: Letterbox | None) -> Bool:
        """Return (n, H, W) bool masks of the boxes of this frame.

        Parameters
        ----------
        coefficients : (n, channels) f4
        xyxy : (n, 4) f4
            In the pixels of the masks.
        letterbox : Letterbox or None
            Masks are of the photo's size with one, else of the input's.
        """
        if self._paint is None:
            self._paint = _Paint(self._plan)
        return self._paint(self._addresses, coefficients, xyxy, letterbox)


class _Paint:
    """What painting masks needs beside a frame: the prototypes' place and scratch of their size."""

    def __init__(self, plan: Plan) -> None:
        proto = plan.tensors[plan.reading.once["proto"].name]
        height, width, channels = proto.shape
        self._input_size = plan.input_size
        self._size = height, width
        self.field: I8 = np.zeros(at.COLUMNS, np.int64)
        place(self.field, proto, whole_part("proto", channels))
        self.field[at.TENSOR] = [slot.name for slot in plan.slots].index(proto.name)
        quant = proto.quant or IDENTITY
        self.field[at.QUANT_STEP] = int(quant.per_channel)
        self._quants: F8 = np.array(list(zip(quant.scale, quant.zero_point, strict=True)), np.float64)
        self._scratch = (
            np.empty((height, width), np.float32),
            np.empty(width, np.float32),
            np.empty(channels, np.float32),
        )

    def __call__(self, addresses: I8, coefficients: F4, xyxy: F4, letterbox: Letterbox | None) -> Bool:
        (high, wide), (rows, columns) = self._input_size, self._size
        scale, pad, size = (1.0, 1.0), (0.0, 0.0), (high, wide)
        if letterbox is not None:
            scale, pad, size = letterbox.scale, letterbox.pad, letterbox.image_size
        across = np.array([scale[0] * columns / wide, pad[0] * columns / wide - 0.5])
        down = np.array([scale[1] * rows / high, pad[1] * rows / high - 0.5])
        if len(xyxy) * size[0] * size[1] > _MOST_BYTES:
            raise OptionError(
                f"masks of {len(xyxy)} boxes at {size[1]}x{size[0]} pixels take {len(xyxy) * size[0] * size[1]:,} bytes",
                wanted=f"at most {_MOST_BYTES:,}",
                hint="see the letterbox's image_size, or lower max_det",
            )
        out = np.zeros((len(xyxy), *size), np.bool_)
        paint_masks(
            addresses, self.field, self._quants, coefficients, xyxy, across, down, *self._scratch, out
        )
        return out
