"""Box codes: how the numbers of one cell become a box. A family names its code, `box_of` runs it."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, inner
from hailo_decode.kernels.bins import (
    BY_TABLE,
    BY_TWO_TABLES,
    bins_by_scale,
    bins_by_table,
    bins_by_two_tables,
)
from hailo_decode.kernels.memory import bytes_at, halves_at, reals_at, words_at
from hailo_decode.kernels.pick import quant_row, sigmoid


@inner
def cell_of(field, h, w):
    """Return the offset at which a cell's channels are counted from."""
    return h * field[at.ROW] + w * field[at.COLUMN]


@inner
def first_of(field, anchor):
    """Return the first channel that a field holds for one anchor of a cell."""
    return field[at.FIRST] + anchor * field[at.STEP]


@inner
def offset_of(field, cell, c):
    """Return the offset of the tensor's channel `c` in a cell."""
    return cell + (c >> 3) * field[at.GROUP] + (c & 7) * field[at.CHANNEL]


@inner
def _gather(x, field, cell, first, row, quants, out):
    """Fill `out` (COUNT,) f8 with the real values of one anchor; `row` is that of its first channel's scale.

    Channels side by side with one scale become vector code: 33 ns for 64 of them, 146 with all worked out for each.
    """
    if field[at.CHANNEL] == 1 and field[at.EIGHTS] == 0 and field[at.QUANT_STEP] == 0:
        start = offset_of(field, cell, first)
        run = x[start : start + field[at.COUNT]]
        scale, zero_point = quants[row, 0], quants[row, 1]
        for k in range(run.shape[0]):
            out[k] = (np.float64(run[k]) - zero_point) * scale
        return
    for k in range(field[at.COUNT]):
        q = row + k * field[at.QUANT_STEP]
        out[k] = (np.float64(x[offset_of(field, cell, first + k)]) - quants[q, 1]) * quants[q, 0]


@apart
def read_cell(addresses, field, h, w, anchor, quants, out):
    """Fill `out` (COUNT,) f8 with the real values that a field holds for one anchor, whatever its dtype."""
    cell, first = cell_of(field, h, w), first_of(field, anchor)
    row = quant_row(field, anchor)
    item, address, size = field[at.ITEM], addresses[field[at.TENSOR]], field[at.ELEMENTS]
    if item == 1:
        _gather(bytes_at(address, size), field, cell, first, row, quants, out)
    elif item == 2:
        _gather(halves_at(address, size), field, cell, first, row, quants, out)
    else:
        _gather(reals_at(address, size), field, cell, first, row, quants, out)


@inner
def _bring_together(address, field, cell, first, out):
    """Fill `out` (COUNT,) u1 with channels that stand in eights, by one move each: 25 ns for 64 channels, 150 one by one."""
    x = bytes_at(address, field[at.ELEMENTS])
    count = field[at.COUNT]
    whole = count >> 3 if first & 7 == 0 else np.int64(0)
    start = address + offset_of(field, cell, first)
    eights = out.view(np.uint64)
    for g in range(whole):
        eights[np.uint64(g)] = words_at(start + g * field[at.GROUP], 1)[0]
    for k in range(whole << 3, count):
        out[k] = x[offset_of(field, cell, first + k)]


@inner
def _dfl_by_table(addresses, field, cell, first, tables, row):
    bins = field[at.COUNT] >> 2
    x = bytes_at(addresses[field[at.TENSOR]], field[at.ELEMENTS])
    table = tables[field[at.TABLE]]
    if field[at.EIGHTS] != 0:  # eight channels here, eight there: brought together first
        _bring_together(addresses[field[at.TENSOR]], field, cell, first, row)
        return bins_by_table(row, bins, np.int64(1), table)
    bins_of_cell = x[offset_of(field, cell, first) :]
    if field[at.CHANNEL] == 1:  # the usual order gets code of its own, where the step is known
        return bins_by_table(bins_of_cell, bins, np.int64(1), table)
    return bins_by_table(bins_of_cell, bins, field[at.CHANNEL], table)


@inner
def sides_of(code, addresses, field, h, w, anchor, quants, tables, row, values):
    """Return the distances left, top, right, bottom of one anchor, cells, f8."""
    if code == at.BOX_DFL and field[at.MODE] == BY_TABLE:
        return _dfl_by_table(addresses, field, cell_of(field, h, w), first_of(field, anchor), tables, row)
    if code == at.BOX_DFL and field[at.MODE] == BY_TWO_TABLES:
        x = halves_at(addresses[field[at.TENSOR]], field[at.ELEMENTS])
        cell = x[offset_of(field, cell_of(field, h, w), first_of(field, anchor)) :]
        high, low = tables[field[at.TABLE]], tables[field[at.TABLE] + 1]
        return bins_by_two_tables(cell, field[at.COUNT] >> 2, field[at.CHANNEL], high, low)
    read_cell(addresses, field, h, w, anchor, quants, values)
    if code == at.BOX_DFL:
        return bins_by_scale(values, field[at.COUNT] >> 2)
    return values[0], values[1], values[2], values[3]


@inner
def _squash(value, field):
    return sigmoid(value) if field[at.LOGITS] != 0 else value


@apart
def _centred(code, field, stride, h, w, prior, shape, values):
    """Return centre and size of one anchor, input pixels, f8, for the codes that tell these."""
    x, y, wide, high = values[0], values[1], values[2], values[3]
    if code == at.BOX_ANCHORS:
        x = (2.0 * _squash(x, field) - 0.5 + w) * stride[0]
        y = (2.0 * _squash(y, field) - 0.5 + h) * stride[1]
        wide = (2.0 * _squash(wide, field)) ** 2 * prior[0]
        high = (2.0 * _squash(high, field)) ** 2 * prior[1]
    elif code == at.BOX_CELLS or code == at.BOX_CELLS_APART:
        x = (_squash(x, field) * prior[2] - 0.5 * (prior[2] - 1.0) + w) * stride[0]
        y = (_squash(y, field) * prior[2] - 0.5 * (prior[2] - 1.0) + h) * stride[1]
        # nan for infinities too, of which a box of no width would come
        wide = (math.exp(wide) + wide * 0.0) * prior[0]
        high = (math.exp(high) + high * 0.0) * prior[1]
    elif code == at.BOX_CENTRE_EXP:
        x = (x + shape[0] + w) * stride[0]
        y = (y + shape[0] + h) * stride[1]
        wide = math.exp(wide) * stride[0]
        high = math.exp(high) * stride[1]
    elif code == at.BOX_SSD:  # channels are y, x, h, w; priors are sizes in pixels
        x, y = (
            (y / shape[1]) * prior[0] + (w + 0.5) * stride[0],
            (x / shape[1]) * prior[1] + (h + 0.5) * stride[1],
        )
        wide, high = math.exp(high / shape[2]) * prior[0], math.exp(wide / shape[2]) * prior[1]
    return x, y, wide, high


@inner
def _from_sides(sides, offset, stride, h, w):
    """Return the box of a cell from the distances of its sides, cells."""
    x = w + offset
    y = h + offset
    return (
        np.float32((x - sides[0]) * stride[0]),
        np.float32((y - sides[1]) * stride[1]),
        np.float32((x + sides[2]) * stride[0]),
        np.float32((y + sides[3]) * stride[1]),
    )


@inner
def box_by_table(code, addresses, level, stride, h, w, anchor, lookup, row, values):
    """Do as `box_of` for bins that are bytes: with it alone, a frame kernel takes two thirds of the time to compile."""
    field = level[at.BOX]
    sides = _dfl_by_table(addresses, field, cell_of(field, h, w), first_of(field, anchor), lookup[4], row)
    return _from_sides(sides, lookup[6][0], stride, h, w)


@inner
def box_of(code, addresses, level, stride, h, w, anchor, lookup, row, values):
    """Return one anchor's box as (left, top, right, bottom), input pixels, f4.

    Parameters
    ----------
    code : int
        Which box code.
    addresses : (outputs,) i8
    level : (FIELDS, COLUMNS) i8
        The fields of its level.
    stride : (2,) f8
        Input pixels from one cell to the next, across and down.
    lookup
        As in `frame_ranked`.
    row : (channels,) u1, scratch
    values : (2 * channels,) f8, scratch
    """
    quants, tables, priors, shape = lookup[3], lookup[4], lookup[5], lookup[6]
    field = level[at.BOX]
    if code <= at.BOX_DISTANCES:
        sides = sides_of(code, addresses, field, h, w, anchor, quants, tables, row, values)
        return _from_sides(sides, shape[0], stride, h, w)
    if code == at.BOX_WHOLE:
        return np.float32(0), np.float32(0), np.float32(stride[0]), np.float32(stride[1])
    read_cell(addresses, field, h, w, anchor, quants, values)
    if code == at.BOX_CELLS_APART:
        read_cell(addresses, level[at.EXTRA], h, w, anchor, quants, values[2:])
    if code == at.BOX_CORNERS:
        return (
            np.float32(values[0] * stride[0]),
            np.float32(values[1] * stride[1]),
            np.float32(values[2] * stride[0]),
            np.float32(values[3] * stride[1]),
        )
    if code == at.BOX_CORNERS_YX:
        return (
            np.float32(values[1] * stride[0]),
            np.float32(values[0] * stride[1]),
            np.float32(values[3] * stride[0]),
            np.float32(values[2] * stride[1]),
        )
    x, y, wide, high = _centred(code, field, stride, h, w, priors[field[at.PRIORS] + anchor], shape, values)
    if code == at.BOX_CENTRE_SIZE:
        x, wide = x * stride[0], wide * stride[0]
        y, high = y * stride[1], high * stride[1]
    half_wide, half_high = 0.5 * wide, 0.5 * high
    return (
        np.float32(x - half_wide),
        np.float32(y - half_high),
        np.float32(x + half_wide),
        np.float32(y + half_high),
    )
