"""NmsTask: all that is known and wanted of NMS results of one kind, settled once and run on each frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.kernels.nms_buffer import rank_boxes
from hailo_decode.nms_forms import read_rows
from hailo_decode.readers._nms_form import Hints, NmsForm, Rows
from hailo_decode.readers._nms_mask import paste
from hailo_decode.step_scale import Scale
from hailo_decode.values.arrays import F4, I4, AnyArray
from hailo_decode.values.boxes import Detections
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.network import NmsInfo

_COUNTERS = 512  # of the sort


@dataclass(frozen=True, slots=True, eq=False)
class NmsTask:
    """What to do with a frame.

    Attributes
    ----------
    forms : tuple of NmsForm
        Forms that the buffer may have, the likeliest first.
    hints : Hints
    scale : Scale
        What the boxes are fractions of.
    size : (2,) f4
        The same of their middles: pixels that a fraction of 1 stands for, down and across.
    conf : float or None
        Least score.
    max_det, max_per_class : int or None
        Most boxes in the result, and of each class.
    label_offset : int
        What is taken off class ids.
    names : tuple of str
    baked : NmsInfo
        Thresholds of the step that made the buffer.
    before : str
        The same in words, as `meta` tells them.
    """

    forms: tuple[NmsForm, ...]
    hints: Hints
    scale: Scale
    size: F4
    conf: float | None = None
    max_det: int | None = None
    max_per_class: int | None = None
    label_offset: int = 0
    names: tuple[str, ...] = ()
    baked: NmsInfo = field(default_factory=NmsInfo)
    before: str = ""

    def run(self, frame: Any, letterbox: Letterbox | None = None) -> Detections:
        """Read a frame and return its boxes.

        Parameters
        ----------
        frame : array, bytes or list
            One frame, not nested any further.
        letterbox : Letterbox, optional
        """
        rows = read_rows(frame, self.forms, self.hints)
        meta = {"nms": rows.told + self.before}
        if self.scale.told:
            meta["scale"] = self.scale.told
        xyxy, confidence, class_id, row = self._ranked(rows)
        if self.max_per_class is not None or (self.max_det is not None and len(row) > self.max_det):
            places, told = self._within_limits(class_id)
            xyxy, confidence, class_id, row = (column[places] for column in (xyxy, confidence, class_id, row))
            if told:
                meta["limit"] = told
        full = self._full(rows)
        if full:
            meta["cut"] = full
        if self.label_offset:
            class_id = self._counted_from_zero(class_id)
        names = self._names(rows, meta)
        self._tell_threshold(rows, meta)
        found = Detections(xyxy, confidence, class_id, names=names, meta=meta)
        if letterbox is not None:
            found = found.in_photo(letterbox)
        if rows.masks is None:
            return found
        masks = [rows.masks[i] for i in row.tolist()]
        sizes = (self.scale.image_size, self.scale.input_size)
        return replace(found, mask=paste(masks, rows.boxes[row], sizes, letterbox))

    def _ranked(self, rows: Rows) -> tuple[AnyArray, ...]:
        """Return boxes in pixels, scores, classes and row numbers of the rows that reach the threshold, best first."""
        n = len(rows.boxes)
        result = (
            np.empty((n, 4), np.float32),
            np.empty(n, np.float32),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
        )
        if not n:
            return result
        keys, counts = np.empty((2, n), np.uint64), np.empty(_COUNTERS, np.int32)
        floor = np.float32(-np.inf if self.conf is None else self.conf)
        boxes = _stretched(rows.boxes, self.scale)
        kept = rank_boxes(boxes, rows.class_id, floor, self.size, keys, counts, *result)
        return result if kept == n else tuple(column[:kept] for column in result)

    def _within_limits(self, class_id: I4) -> tuple[I4, str]:
        """Return the places that the limits of the result leave, best first, and what they cut off."""
        places = np.arange(len(class_id), dtype=np.int32)
        per_class, most = self.max_per_class, self.max_det
        told = []
        if per_class is not None:
            by_class = np.argsort(class_id, kind="stable")
            ordered = class_id[by_class]
            nth = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
            left = np.sort(by_class[nth < per_class]).astype(np.int32)
            lost = len(places) - len(left)
            if lost:
                told.append(f"max_per_class={per_class} was reached: {lost} boxes were left out")
            places = left
        if most is not None and len(places) > most:
            told.append(f"max_det={most} was reached: {len(places) - most} weaker boxes were left out")
            places = places[:most]
        return places, "; ".join(told)

    def _full(self, rows: Rows) -> str:
        """Say where the buffer itself was full: HailoRT leaves the rest out, and tells nobody."""
        told = [rows.cut] if rows.cut else []
        most, n = rows.max_per_class, len(rows.boxes)
        if most is not None and n >= most:
            counts = np.bincount(rows.class_id)
            told += [
                f"class {c - self.label_offset} reached max_proposals_per_class={most}: weaker boxes may be missing"
                for c in np.flatnonzero(counts >= most).tolist()
            ]
        if rows.max_total is not None and n and n >= rows.max_total:
            told.append(f"max_proposals_total={rows.max_total} was reached: weaker boxes may be missing")
        return "; ".join(told)

    def _counted_from_zero(self, class_id: I4) -> I4:
        if len(class_id) and int(class_id.min()) < self.label_offset:
            raise OptionError(
                f"a box of class {int(class_id.min())} cannot have label_offset={self.label_offset} taken off",
                hint="its classes count from 0, or that class is the background's",
            )
        return class_id - np.int32(self.label_offset)

    def _names(self, rows: Rows, meta: dict[str, str]) -> tuple[str, ...]:
        """Return the class names; none where they are those of another model."""
        if not self.names or rows.classes is None:
            return self.names
        wanted = rows.classes - self.label_offset
        if len(self.names) == wanted:
            return self.names
        meta["names"] = f"{len(self.names)} class names do not go with {wanted} classes: they were left out"
        return ()

    def _tell_threshold(self, rows: Rows, meta: dict[str, str]) -> None:
        """Say when the model drops scores that were asked for; it does not where a lower one has come through."""
        floor = self.baked.score_threshold
        if floor is None or self.conf is None or np.float32(self.conf) >= np.float32(floor):
            return
        if len(rows.boxes) and float(rows.boxes[:, 4].min()) < np.float32(floor):
            return
        meta["threshold"] = (
            f"the model drops scores under {floor:.3f} before anyone sees them, and conf={self.conf:g} asks for lower "
            "ones: compile it again with a lower nms_scores_th, or call set_nms_score_threshold at run time"
        )


def _stretched(boxes: F4, scale: Scale) -> F4:
    """Return boxes whose sides are fractions of the same length as their middles are."""
    if scale.side == scale.middle:
        return boxes
    low, high = boxes[:, :2].astype(np.float64), boxes[:, 2:4].astype(np.float64)
    half = (high - low) / 2 * (np.array(scale.side) / np.array(scale.middle))
    middle = (low + high) / 2
    return np.column_stack([middle - half, middle + half, boxes[:, 4]]).astype(np.float32)
