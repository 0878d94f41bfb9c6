"""The kernels' tables: where each field lies, what its numbers mean, and the settings of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.families._family import Anchors, Family, Part, Sizes
from hailo_decode.kernels import layout as at
from hailo_decode.lookup import BYTES, Ranks, exponentials, rank_bytes, raw_floor, scores_of
from hailo_decode.options import Options
from hailo_decode.pairing import Reading
from hailo_decode.values.arrays import F4, F8, I4, I8
from hailo_decode.values.quant import Quant
from hailo_decode.values.tensor import Tensor

BOX_CODES = {
    "dfl": 0,
    "distances": 1,
    "anchors": 2,
    "cells": 3,
    "centre_exp": 4,
    "ssd": 5,
    "corners": 6,
    "centre_size": 7,
    "whole": 8,
}
FIELD_NAMES = ("cls", "box", "obj", "extra")  # in the order of the kernels' table
TURNED = {"exact": 1, "gaussian": 2}
IDENTITY = Quant((1.0,), (0.0,))
RANK_BITS_COMPUTED = 31  # of the pattern of a positive float32


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Arrays that kernels run on; shapes and dtypes as `hailo_decode.kernels.frame` states them.

    Attributes
    ----------
    fields : (levels, FIELDS, COLUMNS) i8
    rates : (levels, FIELDS, RATES) f8
    strides : (levels, 2) f8, input pixels
    settings : (SETTINGS,) i8
    lookup : (ranks, cuts, scores, quants, tables, priors, shape, extra)
    floors : (n,) f8 or None
        None where scores are ranked in advance.
    """

    fields: I8
    rates: F8
    strides: F8
    settings: I8
    lookup: tuple[I4, I4, F4, F8, F8, F8, F8, F8]
    floors: F8 | None

    @property
    def anchors(self) -> int:
        """Number of anchors over all levels."""
        return count_anchors(self.fields)


def make_tables(
    reading: Reading,
    tensors: Mapping[str, Tensor],
    order: Sequence[str],
    logits: Mapping[tuple[str, str], bool],
    priors: Sequence[Anchors],
    options: Options,
    suppress: bool,
) -> Tables:
    """Lay out everything a frame looks up.

    Parameters
    ----------
    reading : Reading
    tensors : mapping of str to Tensor
    order : sequence of str
        Names of the outputs in the order of their addresses.
    logits : mapping of (field, output name) to bool
        Whether a field still wants its sigmoid (or softmax).
    priors : sequence of Anchors
        Anchor sizes of each level, input pixels; empty where the head has none.
    options : Options
    suppress : bool
    """
    build = _Builder(reading, tensors, order, logits)
    for i, level in enumerate(reading.levels):
        build.level(i, level.outputs, reading.family.fields(level.sizes), level.sizes.anchors, level.grid, priors)
    fields = build.fields
    quants = np.array(build.quants or [(1.0, 0.0)], np.float64)
    exponents = np.ascontiguousarray(np.stack(build.tables) if build.tables else np.zeros((1, BYTES)))
    ranked, floors = _thresholds(reading, tensors, logits, options, fields, len(quants))
    shape = np.zeros(3)
    shape[: len(reading.family.constants)] = reading.family.constants
    constants = reading.family.extra.constants if reading.family.extra is not None else ()
    extra = np.zeros(2)
    extra[: len(constants)] = constants
    return Tables(
        fields=fields,
        rates=_rates(fields),
        strides=np.array([level.stride for level in reading.levels], np.float64),
        settings=_settings(reading, fields, options, suppress, ranked, uses_softmax(reading, logits)),
        lookup=(
            ranked.ranks if ranked else np.zeros((1, BYTES), np.int32),
            ranked.cuts if ranked else np.zeros((1, 1), np.int32),
            ranked.scores if ranked else np.zeros(1, np.float32),
            quants,
            exponents,
            np.array(build.priors or [(0.0, 0.0)], np.float64),
            shape,
            extra,
        ),
        floors=floors,
    )


def place(row: I8, tensor: Tensor, part: Part) -> None:
    """Write where a part of a tensor lies, in the terms of `hailo_decode.kernels.layout`."""
    g = tensor.geometry
    row[at.ITEM], row[at.ELEMENTS] = tensor.data.itemsize, g.elements
    row[at.HEIGHT], row[at.WIDTH] = g.shape[:2]
    row[at.ROW], row[at.COLUMN] = g.pitch("h"), g.pitch("w")
    eights = int(g.pitch("c8") > 0)
    row[at.EIGHTS] = eights
    row[at.CHANNEL] = 1 if eights else g.pitch("c")
    row[at.GROUP] = g.pitch("c") if eights else 8 * g.pitch("c")
    outer, middle, inner = (name for name, _ in g.axes if name != "c8")
    row[at.OUTER], row[at.MIDDLE] = g.pitch(outer), g.pitch(middle)
    where = {outer: 0, middle: 1, inner: 2}
    row[at.AXIS_H], row[at.AXIS_W], row[at.AXIS_C] = where["h"], where["w"], where["c"]
    row[at.FIRST], row[at.STEP], row[at.COUNT] = part.first, part.step, part.count


def whole_part(role: str, channels: int) -> Part:
    """Return the part that is all of a tensor."""
    return Part(role, 0, channels, channels)


def count_anchors(fields: I8) -> int:
    """Return the number of anchors over all levels."""
    last = fields[-1, at.CLASS]
    return int(last[at.BASE] + last[at.HEIGHT] * last[at.WIDTH] * last[at.ANCHORS])


class _Builder:
    """Collects rows of the tables, level by level."""

    def __init__(
        self,
        reading: Reading,
        tensors: Mapping[str, Tensor],
        order: Sequence[str],
        logits: Mapping[tuple[str, str], bool],
    ) -> None:
        self._reading, self._tensors, self._order, self._logits = reading, tensors, order, logits
        self.fields: I8 = np.zeros((len(reading.levels), len(FIELD_NAMES), at.COLUMNS), np.int64)
        self.quants: list[tuple[float, float]] = []
        self.tables: list[F8] = []
        self.priors: list[tuple[float, float]] = []
        self._base = self._ranks = 0

    def level(
        self,
        i: int,
        outputs: Mapping[str, object],
        parts: Mapping[str, Part],
        anchors: int,
        grid: tuple[int, int],
        priors: Sequence[Anchors],
    ) -> None:
        """Fill the rows of one level."""
        for j, name in enumerate(FIELD_NAMES):
            # Where there is no objectness its place holds the class field: kernels walk over anchors by it.
            part = parts.get(name) or (parts["cls"] if name == "obj" else None)
            if part is None:
                continue
            row = self.fields[i, j]
            self._field(row, name, self._tensors[getattr(outputs[part.role], "name")], part)  # noqa: B009
            row[at.ANCHORS], row[at.BASE] = anchors, self._base
            row[at.PRIORS] = len(self.priors)
        if priors:
            self.priors += priors[i]
        self._base += grid[0] * grid[1] * anchors

    def _field(self, row: I8, name: str, tensor: Tensor, part: Part) -> None:
        place(row, tensor, part)
        row[at.TENSOR] = self._order.index(tensor.name)
        row[at.LOGITS] = self._logits.get((name, tensor.name), False)
        quant = tensor.quant or IDENTITY
        row[at.QUANT], row[at.QUANT_STEP] = len(self.quants), int(quant.per_channel)
        self.quants += list(zip(quant.scale, quant.zero_point, strict=True))
        if quant.per_channel:  # rows are counted from the field's first channel
            row[at.QUANT] += part.first
        if name == "cls":
            row[at.TABLE], row[at.TABLE_STEP] = self._ranks, int(quant.per_channel)
            if quant.per_channel:
                row[at.TABLE] += part.first
            self._ranks += len(quant.scale)
        elif name == "box" and self._reading.family.box_code == "dfl":
            exponential = _byte_table(tensor)
            row[at.MODE] = int(exponential is None)
            row[at.TABLE] = len(self.tables)
            if exponential is not None:
                self.tables.append(exponential)


def _byte_table(tensor: Tensor) -> F8 | None:
    """Return the exponentials of a byte tensor with one scale; None where each cell must be computed."""
    if tensor.data.itemsize > 1 or tensor.quant is None or tensor.quant.per_channel:
        return None
    table = exponentials(tensor.quant)
    return None if table is None else table[0]


def _rates(fields: I8) -> F8:
    """Return the reciprocals by which kernels divide."""
    columns = {
        at.PER_OUTER: at.OUTER,
        at.PER_MIDDLE: at.MIDDLE,
        at.PER_STEP: at.STEP,
        at.PER_WIDTH: at.WIDTH,
        at.PER_ANCHORS: at.ANCHORS,
    }
    rates = np.empty((*fields.shape[:2], at.RATES))
    for rate, column in columns.items():
        rates[:, :, rate] = 1.0 / np.maximum(fields[:, :, column], 1)
    return rates


def by_product(family: Family, sizes: Sizes, softmax: bool) -> bool:
    """Tell whether a score takes more than one number: objectness times class, or a softmax."""
    return "obj" in family.fields(sizes) or softmax


def uses_softmax(reading: Reading, logits: Mapping[tuple[str, str], bool]) -> bool:
    """Tell whether classes are still to go through a softmax."""
    return reading.family.softmax and not reading.sizes.bare and any(value for (field, _), value in logits.items() if field == "cls")


def _thresholds(
    reading: Reading,
    tensors: Mapping[str, Tensor],
    logits: Mapping[tuple[str, str], bool],
    options: Options,
    fields: I8,
    rows: int,
) -> tuple[Ranks | None, F8 | None]:
    """Carry the threshold into raw units: by rank where all scores are bytes, else by the smallest raw value."""
    parts = reading.family.fields(reading.sizes)
    scores = [tensors[level.outputs[parts["cls"].role].name] for level in reading.levels]
    if by_product(reading.family, reading.sizes, uses_softmax(reading, logits)):
        return None, _product_floors(reading, tensors, logits, options)
    if all(t.data.itemsize == 1 for t in scores):
        return rank_bytes([(t.quant or IDENTITY, logits["cls", t.name]) for t in scores], options.conf), None
    floors = np.zeros(rows)
    for row, tensor in zip(fields[:, at.CLASS], scores, strict=True):
        found = raw_floor(tensor.quant, logits["cls", tensor.name], options.conf, _top(tensor))
        start = row[at.QUANT] - (parts["cls"].first if row[at.QUANT_STEP] else 0)
        floors[start : start + len(found)] = found
    return None, floors


def _top(tensor: Tensor) -> int | None:
    return None if tensor.quant is None else int(np.iinfo(tensor.data.dtype).max)


def _product_floors(
    reading: Reading,
    tensors: Mapping[str, Tensor],
    logits: Mapping[tuple[str, str], bool],
    options: Options,
) -> F8:
    """Return the smallest raw objectness of each level that can reach the threshold, and the threshold itself."""
    parts = reading.family.fields(reading.sizes)
    floor = float(np.float32(options.conf))
    floors = []
    for level in reading.levels:
        if "obj" not in parts:
            floors.append(-np.inf)
            continue
        things = tensors[level.outputs[parts["obj"].role].name]
        classes = tensors[level.outputs[parts["cls"].role].name]
        most = 1.0  # the highest class score there can be: one step beyond 1 for quantised probabilities
        if classes.limits is not None and not logits["cls", classes.name]:
            most = max(1.0, float(scores_of(np.asarray([classes.limits[1]]), False)[0]))
        found = raw_floor(things.quant, logits["obj", things.name], min(floor / most, 1.0) * (1 - 1e-7), _top(things))
        floors.append(float(found.min()))
    return np.array([*floors, floor])


def _settings(
    reading: Reading, fields: I8, options: Options, suppress: bool, ranked: Ranks | None, softmax: bool
) -> I8:
    settings = np.zeros(at.SETTINGS, np.int64)
    anchors, classes = count_anchors(fields), reading.sizes.classes
    anchor_bits = max(anchors - 1, 1).bit_length()
    class_bits = max(classes - 1, 1).bit_length()
    rank_bits = max(ranked.count, 1).bit_length() if ranked else RANK_BITS_COMPUTED
    if anchor_bits + class_bits + rank_bits > 63:
        raise OptionError(
            f"{anchors} anchors of {classes} classes are more than a candidate's 63 bits can number",
            wanted=f"at most {63 - rank_bits} bits for both, not {anchor_bits + class_bits}",
        )
    # Inside a level, keys of one class arrive by rising anchor in every order, but for several anchors in planes.
    in_order = bool(((fields[:, at.CLASS, at.ANCHORS] == 1) | (fields[:, at.CLASS, at.AXIS_C] == 2)).all())
    settings[at.LEVELS] = len(fields)
    settings[at.CLASSES] = classes
    settings[at.RANKS] = ranked.count if ranked else 0
    settings[at.ANCHOR_BITS] = anchor_bits
    settings[at.CLASS_BITS] = class_bits
    settings[at.SORT_FROM] = anchor_bits if in_order else 0
    settings[at.KEY_BITS] = anchor_bits + class_bits + rank_bits
    settings[at.MULTI_LABEL] = options.multi_label
    settings[at.AGNOSTIC] = options.agnostic
    settings[at.SUPPRESS] = suppress
    settings[at.MAX_DET] = min(options.max_det, anchors * classes)
    settings[at.MAX_NMS] = options.max_nms
    settings[at.MAX_PER_CLASS] = options.max_per_class or np.iinfo(np.int32).max
    settings[at.BOX_CODE] = BOX_CODES[reading.family.box_code]
    settings[at.HAS_OBJECT] = "obj" in reading.family.fields(reading.sizes)
    settings[at.SOFTMAX] = softmax
    extra = reading.family.extra
    settings[at.TURNED] = TURNED[options.turned_iou] if extra is not None and extra.kind == "angle" else 0
    return settings
