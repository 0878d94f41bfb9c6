"""The kernels' tables: where each field lies, and what its numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hailo_decode.families._family import Anchors, Part
from hailo_decode.kernels import layout as at
from hailo_decode.kernels.bins import BY_SCALE, BY_TABLE, BY_TWO_TABLES
from hailo_decode.lookup import BYTES, exponentials
from hailo_decode.options import Options
from hailo_decode.pairing import Reading
from hailo_decode.settings import IDENTITY, count_anchors, frame_settings, thresholds, uses_softmax
from hailo_decode.values.arrays import F4, F8, I4, I8
from hailo_decode.values.tensor import Tensor

FIELD_NAMES = ("cls", "box", "obj", "extra")  # in the order of the kernels' table


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
        build.level(
            i, level.outputs, reading.family.fields(level.sizes), level.sizes.anchors, level.grid, priors
        )
    fields = build.fields
    quants = np.array(build.quants or [(1.0, 0.0)], np.float64)
    exponents = np.ascontiguousarray(np.stack(build.tables) if build.tables else np.zeros((1, BYTES)))
    ranked, floors = thresholds(reading, tensors, logits, options, fields, len(quants))
    shape = np.zeros(3)
    shape[: len(reading.family.constants)] = reading.family.constants
    constants = reading.family.extra.constants if reading.family.extra is not None else ()
    extra = np.zeros(2)
    extra[: len(constants)] = constants
    return Tables(
        fields=fields,
        rates=_rates(fields),
        strides=np.array([level.stride for level in reading.levels], np.float64),
        settings=frame_settings(reading, fields, options, suppress, ranked, uses_softmax(reading, logits)),
        lookup=(
            ranked.ranks if ranked else np.zeros((1, BYTES), np.int32),
            ranked.cuts if ranked else np.zeros((1, 1), np.int32),
            ranked.scores if ranked else np.zeros(1, np.float32),
            quants,
            exponents,
            np.array(build.priors or [(0.0, 0.0, 1.0)], np.float64),
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
        self.priors: list[tuple[float, float, float]] = []
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
            # The sizes of boxes whose centres lie in another tensor stand in the place of an extra.
            part = parts.get(name) or parts.get({"obj": "cls", "extra": "size"}.get(name, ""))
            if part is None:
                continue
            row = self.fields[i, j]
            self._field(row, name, self._tensors[getattr(outputs[part.role], "name")], part)  # noqa: B009
            row[at.ANCHORS], row[at.BASE] = anchors, self._base
            row[at.PRIORS] = len(self.priors)
        if priors:
            swing = self._reading.swing(i)
            self.priors += [(wide, high, swing) for wide, high in priors[i]]
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
            found = _exponentials(tensor)
            row[at.MODE] = (BY_SCALE, BY_TABLE, BY_TWO_TABLES)[len(found)]
            row[at.TABLE] = len(self.tables)
            self.tables += found


def _exponentials(tensor: Tensor) -> list[F8]:
    """Return the tables of exponentials of a tensor of integers with one scale; none where each cell must be computed."""
    wide = tensor.data.itemsize > 1
    quant = tensor.quant
    if tensor.data.dtype.kind != "u" or quant is None or quant.per_channel:
        return []
    if wide and tensor.geometry.pitch("c8"):  # eight channels here, eight there
        return []
    found = exponentials(quant, wide)
    return [] if found is None else list(found)


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
