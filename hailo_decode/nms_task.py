"""NmsTask: all that is known and wanted of NMS results of one kind, settled once and run on each frame."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from hailo_decode.errors import OptionError, UnknownName
from hailo_decode.kernels.nms_buffer import rank_boxes
from hailo_decode.nms_forms import forms_named, read_rows
from hailo_decode.nms_network import NmsFacts, facts_of
from hailo_decode.options import size_pair
from hailo_decode.readers._nms_form import Hints, NmsForm, Rows
from hailo_decode.readers._nms_mask import paste
from hailo_decode.values.arrays import F4, I4
from hailo_decode.values.boxes import Detections
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.network import NetworkInfo, NmsInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

_COUNTERS = 512  # of the sort
_TASKS_KEPT = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """What a caller of `decode_nms` says; the fields are its options.

    Attributes
    ----------
    fallback_size : (int, int) or None
        Size of the letterbox's input, for want of a better one.
    output : str or None
        Name of the buffer, where it came in a dict.
    keep_per_class : int or None
        Most boxes of a class in the result.
    """

    classes: int | None = None
    image_size: Any = None
    conf: float | None = None
    names: Sequence[str] | None = None
    network: NetworkInfo | None = None
    form: str | FormatOrder | None = None
    max_per_class: int | None = None
    max_total: int | None = None
    max_det: int | None = None
    label_offset: int = 0
    quant: Any = None
    box_axis: int | None = None
    chunks: int | None = None
    burst: int | None = None
    fallback_size: tuple[int, int] | None = None
    output: str | None = None
    keep_per_class: int | None = None


_OWN = ("fallback_size", "output", "keep_per_class")  # not for callers of `decode_nms`


@dataclass(frozen=True, slots=True, eq=False)
class NmsTask:
    """What to do with a frame.

    Attributes
    ----------
    forms : tuple of NmsForm
        Forms that the buffer may have.
    hints : Hints
    floor : f4
        Least score.
    size : (2,) f4
        Height and width of the image that the boxes are fractions of, pixels.
    names : tuple of str
    baked : NmsInfo
        Thresholds in the model.
    asked : Asked
    """

    forms: tuple[NmsForm, ...]
    hints: Hints
    floor: np.float32
    size: F4
    names: tuple[str, ...]
    baked: NmsInfo
    asked: Asked

    def run(self, frame: Any, letterbox: Letterbox | None = None) -> Detections:
        """Read a frame and return its boxes.

        Parameters
        ----------
        frame : array, bytes or list
            One frame, not nested any further.
        letterbox : Letterbox, optional
        """
        rows = read_rows(frame, self.forms, self.hints)
        n = len(rows.boxes)
        xyxy, confidence = np.empty((n, 4), np.float32), np.empty(n, np.float32)
        class_id, row = np.empty(n, np.int32), np.empty(n, np.int32)
        meta = {"nms": rows.told}
        cut = rows.cut
        if n:
            scratch = (np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(_COUNTERS, np.int32))
            columns = (xyxy, confidence, class_id, row)
            kept = rank_boxes(rows.boxes, rows.class_id, self.floor, self.size, scratch, columns)
            places: Any = slice(kept)
            if self.asked.keep_per_class is not None or self.asked.max_det is not None:
                places, cut = self._limited(class_id[:kept], cut)
            if not (isinstance(places, slice) and places.stop == n):
                xyxy, confidence, class_id, row = (column[places] for column in columns)
            if self.asked.label_offset:
                class_id = self._counted_from_zero(class_id)
            cut = "; ".join(filter(None, (cut, self._full(rows))))
        if cut:
            meta["cut"] = cut
        names = self._names(rows, meta)
        self._tell_threshold(rows, meta)
        found = Detections(xyxy, confidence, class_id, names=names, meta=meta)
        if letterbox is not None:
            found = found.in_photo(letterbox)
        if rows.masks is None:
            return found
        masks = [rows.masks[i] for i in row.tolist()]
        return replace(found, mask=paste(masks, rows.boxes[row], self.hints.image_size, letterbox))

    def _limited(self, class_id: I4, cut: str) -> tuple[I4, str]:
        """Return the places, best first, that the limits leave, and what they cut off."""
        places = np.arange(len(class_id), dtype=np.int32)
        per_class, most = self.asked.keep_per_class, self.asked.max_det
        told = [cut] if cut else []
        if per_class is not None:
            order = np.argsort(class_id, kind="stable")
            ordered = class_id[order]
            nth = np.arange(len(order)) - np.searchsorted(ordered, ordered)
            left = np.sort(order[nth < per_class]).astype(np.int32)
            if len(left) < len(places):
                told.append(
                    f"max_per_class={per_class} was reached: {len(places) - len(left)} boxes were left out"
                )
            places = left
        if most is not None and len(places) > most:
            told.append(f"max_det={most} was reached: {len(places) - most} weaker boxes were left out")
            places = places[:most]
        return places, "; ".join(told)

    def _counted_from_zero(self, class_id: I4) -> I4:
        offset = self.asked.label_offset
        if len(class_id) and int(class_id.min()) < offset:
            raise OptionError(
                f"a box of class {int(class_id.min())} cannot have a label_offset of {offset} taken off",
                hint="its classes count from 0, or that class is the background's",
            )
        return class_id - np.int32(offset)

    def _full(self, rows: Rows) -> str:
        """Say which limits of the buffer itself were reached: HailoRT cuts there, and keeps it to itself."""
        told = []
        most, n = rows.max_per_class, len(rows.boxes)
        if most is not None and n >= most:
            counts = np.bincount(rows.class_id)
            for c in np.flatnonzero(counts >= most).tolist():
                told.append(f"class {c - self.asked.label_offset} reached max_proposals_per_class={most}")
        if rows.max_total is not None and n >= rows.max_total:
            told.append(f"max_proposals_total={rows.max_total} was reached")
        return ", ".join(told) + ": weaker boxes may be missing" if told else ""

    def _names(self, rows: Rows, meta: dict[str, str]) -> tuple[str, ...]:
        """Return the class names; none where they are those of another model."""
        if not self.names or rows.classes is None:
            return self.names
        wanted = rows.classes - self.asked.label_offset
        if len(self.names) == wanted:
            return self.names
        meta["names"] = f"{len(self.names)} class names do not go with {wanted} classes: they were left out"
        return ()

    def _tell_threshold(self, rows: Rows, meta: dict[str, str]) -> None:
        """Say when the model drops scores that were asked for; it does not where a lower one has come through."""
        floor, conf = self.baked.score_threshold, self.asked.conf
        if floor is None or conf is None or np.float32(conf) >= np.float32(floor):
            return
        if len(rows.boxes) and float(rows.boxes[:, 4].min()) < np.float32(floor):
            return
        meta["threshold"] = (
            f"the model drops scores under {floor:.3f} before anyone sees them, and conf={conf:g} asks for lower ones: "
            "compile it again with a lower nms_scores_th, or call set_nms_score_threshold before configuring"
        )


def task_of(**asked: Any) -> NmsTask:
    """Return the task for what is asked; settled once for all frames that ask alike."""
    if isinstance(asked.get("names"), list):
        asked["names"] = tuple(asked["names"])
    try:
        return _kept(**asked)
    except TypeError:  # something in it cannot be hashed, such as a network
        return make_task(**asked)


def make_task(**given: Any) -> NmsTask:
    """Check what is asked, and join it with what the network says.

    Raises
    ------
    OptionError
        When a value cannot be used, or the size of the image is not known.
    """
    known = [f.name for f in fields(Asked)]
    for name in given:
        if name not in known:
            raise UnknownName("option", name, [n for n in known if n not in _OWN])
    asked = Asked(**given)
    _check(asked)
    network = asked.network
    facts = NmsFacts() if network is None else facts_of(network, asked.output)
    sizes = facts.sizes
    names = asked.names if asked.names is not None else network.classes if network is not None else ()
    names = tuple(map(str, names))
    image_size = _image_size(asked, sizes)
    return NmsTask(
        forms=forms_named(asked.form),
        hints=Hints(
            image_size=image_size,
            order=facts.order,
            classes=asked.classes or sizes.classes,
            max_per_class=asked.max_per_class or sizes.max_per_class,
            max_total=asked.max_total or sizes.max_total,
            named=len(names) + asked.label_offset if names else None,
            quant=facts.quant if asked.quant is None else Quant.read(asked.quant),
            box_axis=asked.box_axis,
            chunks=asked.chunks or facts.chunks,
            burst=asked.burst or facts.burst,
            class_layers=facts.class_layers,
        ),
        floor=np.float32(-np.inf if asked.conf is None else asked.conf),
        size=np.array(image_size, np.float32),
        names=names,
        baked=sizes,
        asked=asked,
    )


_kept = lru_cache(_TASKS_KEPT, typed=True)(make_task)


def _image_size(asked: Asked, sizes: NmsInfo) -> tuple[int, int]:
    network = asked.network
    known = (asked.image_size, sizes.image_size, network and network.input_size, asked.fallback_size)
    size = next((one for one in known if one is not None), None)
    if size is None:
        raise OptionError(
            "the boxes of an NMS result are fractions of an image whose size is not known",
            hint="image_size=640, or (height, width), of the network's input",
        )
    return size_pair(size)


def _check(asked: Asked) -> None:
    for name in ("classes", "max_per_class", "max_total", "max_det", "keep_per_class", "chunks", "burst"):
        value = getattr(asked, name)
        if value is not None and not _is_whole(value, 1):
            raise OptionError(f"{name} is {value!r}", wanted="a whole number of at least 1")
    if not _is_whole(asked.label_offset, 0):
        raise OptionError(f"label_offset is {asked.label_offset!r}", wanted="a whole number of at least 0")
    if asked.box_axis not in (None, 1, 2):
        raise OptionError(f"box_axis is {asked.box_axis!r}", wanted="1 or 2")
    conf = asked.conf
    if conf is None:
        return
    if not isinstance(conf, numbers.Real) or isinstance(conf, bool) or not 0 <= conf <= 1 or math.isnan(conf):
        raise OptionError(f"conf is {conf!r}", wanted="a number from 0 to 1")


def _is_whole(value: object, least: int) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= least
