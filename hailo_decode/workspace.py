"""Workspace: the scratch memory of one thread, made once and reused for every frame of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.kernels import layout as at
from hailo_decode.kernels._kernel import Kernel
from hailo_decode.kernels._store import prepare
from hailo_decode.kernels.boxes import BY_TABLE
from hailo_decode.kernels.extras import read_keypoints, read_rows
from hailo_decode.kernels.frame import frame_by_table, frame_product, frame_ranked, frame_scored
from hailo_decode.kernels.paint import paint_masks
from hailo_decode.kernels.scan import BLOCK, holds_bad
from hailo_decode.kernels.turned import select_turned, write_corners
from hailo_decode.plan import Plan
from hailo_decode.settings import IDENTITY
from hailo_decode.tables import Tables, place, whole_part
from hailo_decode.values.arrays import F4, F8, I4, I8, U1, AnyArray, Bool
from hailo_decode.values.letterbox import Letterbox

_MOST_BYTES = 2**31  # of the masks of one frame
_COUNTERS = 1024  # ranks that the opening band counts, and digits of the sort


_EXTRAS: dict[str, tuple[Kernel, ...]] = {
    "": (),
    "keypoints": (read_keypoints,),
    "masks": (read_rows, holds_bad, paint_masks),
    "angle": (select_turned, write_corners),
}


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
    """

    def __init__(self, plan: Plan) -> None:
        tables, sizes = plan.tables, plan.sizes
        fields = tables.fields
        places = tables.anchors * sizes.classes
        # Offsets of a whole class tensor, padding included, pass through the place of the keys.
        keys = places + int(fields[:, at.CLASS, at.ELEMENTS].max())
        held = int(min(tables.settings[at.MAX_NMS], places)) + 1
        turned = tables.settings[at.TURNED] != 0
        channels = 2 * int(fields[:, :, at.COUNT].max())
        rows = int(tables.settings[at.MAX_DET])
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
            np.empty(3, np.int64),
        )
        self._values: F8 = np.empty(channels, np.float64)
        self._work = (
            np.empty(sizes.classes, np.int32),
            np.empty(sizes.classes, np.int32),
            np.zeros(tables.anchors, np.int32),
            np.zeros(1, np.int32),
            np.empty((held, 5), np.float32),
            np.empty(held, np.int32),
            np.empty((held // 32 + 1, 6, 32), np.float32),
            np.empty(channels, np.uint8),
            self._values,
            np.empty(7, np.float64),
            np.empty((held if turned else 1, 7), np.float64),
            np.empty((2, 12, 2), np.float64),
        )
        self._result = (
            np.empty((rows, 4), np.float32),
            np.empty(rows, np.float32),
            np.empty(rows, np.int32),
            np.empty(rows, np.int32),
            np.empty((rows if turned else 1, 5), np.float64),
            np.zeros(at.PHOTO, np.float64),
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
        self._placed: Letterbox | None = None
        self.placed = ""
        rest = (self._keys, self._work, self._result, self.report)
        frame = _frame_kernel(tables)
        self.calls = [
            frame.bind(
                self._outputs, *self._common, self._maxima if tables.floors is None else tables.floors, *rest
            )
        ]
        if turned:
            self.calls.append(select_turned.bind(self._keys[0], *self._common, *rest[1:]))
        self._waiting = [frame, *_EXTRAS[plan.family.extra.kind if plan.family.extra else ""]]
        prepare(*self._waiting)

    def place(self, letterbox: Letterbox | None) -> None:
        """Have the boxes of frames from now on in pixels of the photo, clipped to it; of the input with None."""
        if letterbox is self._placed or letterbox == self._placed:
            return
        photo = self._result[5]
        photo[0] = letterbox is not None
        if letterbox is not None:
            photo[1:] = (*letterbox.pad, *letterbox.scale, letterbox.image_size[1], letterbox.image_size[0])
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

    def found(self) -> tuple[F4, F4, I4, I4, F8]:
        """Return what the last frame has.

        Returns
        -------
        xyxy, confidence, class_id, anchor, turned : arrays
            Views of this workspace's memory, good until its next frame; `report` tells the rest.
        """
        found = int(self.report[at.FOUND])
        xyxy, confidence, class_id, anchor, turned, _ = self._result
        return xyxy[:found], confidence[:found], class_id[:found], anchor[:found], turned[:found]

    def waits(self) -> bool:
        """Tell whether the interpreter runs what is not yet compiled."""
        self._waiting = [kernel for kernel in self._waiting if kernel.native is None]
        return bool(self._waiting)

    def keypoints(self, anchor: I4) -> F4:
        """Return (n, points, 3) f4: x, y in input pixels and visibility of the boxes of this frame."""
        tables = self._plan.tables
        points, numbers = self._plan.keypoints or (0, 0)
        out = np.empty((len(anchor), points, 3), np.float32)
        settings = (tables.strides, tables.settings, tables.lookup)
        read_keypoints(*self._where, *settings, anchor, self._values, out, numbers)
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
            addresses,
            self.field,
            self._quants,
            coefficients,
            xyxy,
            across,
            down,
            *self._scratch,
            out.view(np.uint8),
        )
        return out
