"""Workspace: the scratch memory of one thread, made once and reused for every frame of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Any

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels import photo
from hailo_decode.kernels._kernel import Kernel
from hailo_decode.kernels._store import is_hopeless, prepare
from hailo_decode.kernels.bins import BY_TABLE
from hailo_decode.kernels.crowd import crowd_scratch
from hailo_decode.kernels.extras import read_keypoints, read_rows
from hailo_decode.kernels.frame import frame_by_table, frame_product, frame_ranked, frame_scored
from hailo_decode.kernels.paint import paint_masks
from hailo_decode.kernels.rank import AT_ONCE
from hailo_decode.kernels.scan import BLOCK, holds_bad
from hailo_decode.kernels.turned import select_turned, write_corners
from hailo_decode.painting import Painter
from hailo_decode.plan import Plan
from hailo_decode.tables import Tables
from hailo_decode.values.arrays import F4, F8, I4, I8, U1, AnyArray, Bool
from hailo_decode.values.letterbox import Letterbox

_COUNTERS = 1024  # ranks that the opening band counts, and digits of the sort


def _kind(plan: Plan) -> str:
    return plan.family.extra.kind if plan.family.extra is not None else ""


def _extra_shape(plan: Plan) -> tuple[int, ...]:
    """Return the shape of what a frame says of a box beside its corners, score and class."""
    kind = _kind(plan)
    if kind == "keypoints":
        return ((plan.keypoints or (0, 0))[0], 3)
    return {"angle": (4, 2), "masks": (plan.sizes.extra,)}.get(kind, (0,))


def _frame_kernel(tables: Tables) -> Kernel:
    """Return the kernel that decodes a plan's frames."""
    if tables.floors is None:
        bins = tables.settings[at.BOX_CODE] == at.BOX_DFL and tables.settings[at.TURNED] == 0
        tabled = bins and bool((tables.fields[:, at.BOX, at.MODE] == BY_TABLE).all())
        return frame_by_table if tabled else frame_ranked
    if tables.settings[at.HAS_OBJECT] or tables.settings[at.SOFTMAX]:
        return frame_product
    return frame_scored


class Workspace:
    """Scratch memory and the calls into the kernels; not for two threads at once.

    Memory that only a crowd of candidates would need is asked for but not touched, and costs nothing until then.

    Parameters
    ----------
    plan : Plan

    Attributes
    ----------
    report : (REPORT,) i8
        What the last frame reports.
    extra : (max_det, ...) f4
        What it says of each box: keypoints (points, 3), corners (4, 2), coefficients of masks (channels,), or (0,).
    """

    def __init__(self, plan: Plan) -> None:
        tables, sizes = plan.tables, plan.sizes
        fields = tables.fields
        places = tables.anchors * sizes.classes
        # Offsets of a whole class tensor, padding included, pass through the place of the keys; and those of the first scan.
        keys = places + int(fields[:, at.CLASS, at.ELEMENTS].max()) + AT_ONCE + BLOCK
        held = int(min(tables.settings[at.MAX_NMS], places)) + 1
        turned = tables.settings[at.TURNED] != 0
        channels = -(-2 * int(fields[:, :, at.COUNT].max()) // 8) * 8  # bytes, that are filled by eights too
        rows = int(tables.settings[at.MAX_DET])
        labels = 1 if tables.settings[at.AGNOSTIC] else sizes.classes
        self._plan = plan
        # As many candidates as there are anchors, or as suppression looks at: a frame that is full of them.
        self.crowd = int(min(tables.anchors, tables.settings[at.MAX_NMS]))
        self._addresses: I8 = np.zeros(len(plan.slots), np.int64)
        self._outputs: I8 = np.zeros(len(plan.slots), np.int64)
        self._ids = self._outputs.data
        self._note = Struct(f"{len(plan.slots)}q").pack_into  # 0.4 us for six; into the array itself 2 us
        self._maxima: U1 = np.empty(int((fields[:, at.CLASS, at.ELEMENTS] // BLOCK + 2).sum()), np.uint8)
        self._keys = (
            np.empty(keys, np.uint64),
            np.empty(places, np.uint64),
            np.empty(_COUNTERS, np.int32),
            np.empty(len(fields) + 1, np.int64),
            np.empty(len(fields) + 1, np.int64),
        )
        self._values: F8 = np.empty(channels, np.float64)
        self._work = (
            np.empty(sizes.classes, np.int32),
            np.empty(sizes.classes, np.int32),
            np.empty(tables.anchors // 64 + 1, np.uint64),
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
            np.zeros(photo.PHOTO, np.float64),
        )
        self._common: tuple[Any, ...] = (
            self._addresses,
            tables.fields,
            tables.rates,
            tables.strides,
            tables.settings,
            plan.iou,
            tables.lookup,
        )
        self.report: I8 = np.zeros(at.REPORT, np.int64)
        self._painter: Painter | None = None
        self._placed: Letterbox | None = None
        self.placed = ""
        self.extra: F4 = np.empty((rows, *_extra_shape(plan)), np.float32)
        self.calls = [kernel.bind(*args) for kernel, args in self._steps()]
        later = (holds_bad, paint_masks) if _kind(plan) == "masks" else ()
        self._waiting = [*(call.kernel for call in self.calls), *later]
        prepare(*self._waiting)

    def _steps(self) -> Iterator[tuple[Kernel, tuple[Any, ...]]]:
        """Yield the kernels that a frame takes, with their arguments."""
        plan, tables, report = self._plan, self._plan.tables, self.report
        scan = self._maxima if tables.floors is None else tables.floors
        rest = (self._work, self._result, report)
        yield _frame_kernel(tables), (self._outputs, *self._common, scan, self._keys, *rest)
        kind, where = _kind(plan), (self._addresses, tables.fields, tables.rates)
        told = (tables.settings, tables.lookup, self._result, report, self._values, self.extra)
        if kind == "angle":
            yield select_turned, (self._keys[0], *self._common, *rest)
            yield write_corners, (self._result, report, self.extra)
        elif kind == "keypoints":
            yield read_keypoints, (*where, tables.strides, *told, (plan.keypoints or (0, 0))[1])
        elif kind == "masks":
            yield read_rows, (*where, *told)

    def place(self, letterbox: Letterbox | None) -> None:
        """Have the places of frames from now on in pixels of the photo, boxes clipped to it; of the input with None."""
        if letterbox is self._placed or letterbox == self._placed:
            return
        numbers = self._result[5]
        numbers[photo.WANTED] = letterbox is not None
        if letterbox is not None:
            numbers[photo.PAD :] = (
                *letterbox.pad,
                *letterbox.scale,
                letterbox.image_size[1],
                letterbox.image_size[0],
            )
            self.placed = letterbox.told  # 10 us to put into words, so that each frame of a stream does not
        self._placed = letterbox

    def take(self, arrays: list[AnyArray]) -> None:
        """Take a frame to decode.

        Parameters
        ----------
        arrays : list of arrays
            The outputs in the order of the plan's slots, of their shapes and dtypes, contiguous and aligned; they must live
            until the last call for this frame.
        """
        self._note(self._ids, 0, *map(id, arrays))

    def run(self) -> None:
        """Decode the frame that was taken."""
        for call in self.calls:
            call()

    def found(self, count: int) -> tuple[F4, F4, I4]:
        """Return boxes, scores and classes of the last frame, of which its `report` tells the number.

        They are views of this workspace's memory, good until its next frame; so is `extra`.
        """
        xyxy, confidence, class_id = self._result[:3]
        return xyxy[:count], confidence[:count], class_id[:count]

    def waits(self) -> bool:
        """Tell whether the interpreter runs what is not yet compiled."""
        if self._waiting:
            self._waiting = [kernel for kernel in self._waiting if kernel.native is None]
        return bool(self._waiting)

    def told_waiting(self) -> str:
        """Say what runs kernels that are not compiled, and for how long."""
        hopeless = any(map(is_hopeless, self._waiting))
        return "run by the interpreter, with the same results: they " + (
            "cannot be compiled here" if hopeless else "are compiled meanwhile, once for this machine"
        )

    def bad_prototypes(self) -> bool:
        """Tell whether the prototypes of this frame hold values that are no numbers."""
        if self._painter is None:
            self._painter = Painter.of(self._plan)
        return self._painter.holds_bad(self._addresses)

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
        if self._painter is None:
            self._painter = Painter.of(self._plan)
        return self._painter(self._addresses, coefficients, xyxy, letterbox)


def run_together(workspaces: Sequence[Workspace]) -> None:
    """Decode the frames that workspaces have taken, in one compiled call where all is compiled."""
    if any(workspace.waits() for workspace in workspaces):
        for workspace in workspaces:
            workspace.run()
        return
    from hailo_decode.kernels._many import run_all

    run_all([call for workspace in workspaces for call in workspace.calls])


class Ready:
    """A plan, and workspaces for it that no thread is using."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._spare: list[Workspace] = []

    def take(self) -> Workspace:
        """Return one that is free, made if need be."""
        try:
            return self._spare.pop()
        except IndexError:
            return Workspace(self.plan)

    def give_back(self, workspace: Workspace) -> None:
        """Have one used again."""
        self._spare.append(workspace)
