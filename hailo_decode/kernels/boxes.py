"""Box codes: how the numbers of one cell become a box. A family names its code, `box_of` runs it."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, inner
from hailo_decode.kernels.exponential import exponentials
from hailo_decode.kernels.memory import bytes_at, halves_at, reals_at
from hailo_decode.kernels.pick import quant_row, sigmoid

BY_TABLE = 0
BY_SCALE = 1


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
def _expected_bins(cell, bins, step, table):
    """Return the mean bin of four softmaxes, from bytes and a table of their exponentials.

    Suffix sums: adding the running sum once a bin weighs bin k by k without a multiplication; 21 ns for
    4 x 16 bins against 29 with two accumulators and 50 with a vectorised polynomial. Unsigned indices spare numba's
    test for negative ones.

    Parameters
    ----------
    cell : (k,) u1, from the first bin of the left side on
    bins : int
    step : int
        Elements from one bin to the next.
    table : (256,) f8
    """
    s0 = s1 = s2 = s3 = 0.0
    e0 = e1 = e2 = e3 = 0.0
    side = bins * step
    for k in range((bins - 1) * step, 0, -step):
        s0 += table[cell[np.uint64(k)]]
        e0 += s0
        s1 += table[cell[np.uint64(side + k)]]
        e1 += s1
        s2 += table[cell[np.uint64(2 * side + k)]]
        e2 += s2
        s3 += table[cell[np.uint64(3 * side + k)]]
        e3 += s3
    s0 += table[cell[0]]
    s1 += table[cell[np.uint64(side)]]
    s2 += table[cell[np.uint64(2 * side)]]
    s3 += table[cell[np.uint64(3 * side)]]
    return e0 / s0, e1 / s1, e2 / s2, e3 / s3


@inner
def _dfl_by_table(addresses, field, cell, first, tables, row):
    bins = field[at.COUNT] >> 2
    x = bytes_at(addresses[field[at.TENSOR]], field[at.ELEMENTS])
    table = tables[field[at.TABLE]]
    if field[at.EIGHTS] != 0:  # eight channels here, eight there: brought together first
        for k in range(field[at.COUNT]):
            row[k] = x[offset_of(field, cell, first + k)]
        return _expected_bins(row, bins, np.int64(1), table)
    bins_of_cell = x[offset_of(field, cell, first) :]
    if field[at.CHANNEL] == 1:  # the usual order gets code of its own, where the step is known
        return _expected_bins(bins_of_cell, bins, np.int64(1), table)
    return _expected_bins(bins_of_cell, bins, field[at.CHANNEL], table)


@inner
def _less(side, top, bad):
    """Take `top` off some f8; a loop for each side, since one for all four would be no vector code."""
    for k in range(side.shape[0]):
        side[k] = side[k] - top + bad


@apart
def _dfl_by_scale(values, bins):
    """Return the mean bin of each side, from real values; nan where one of them is none.

    The four sides side by side: one by one, each sum waits for the one before.
    """
    a, b, c, d = (
        values[:bins],
        values[bins : 2 * bins],
        values[2 * bins : 3 * bins],
        values[3 * bins : 4 * bins],
    )
    t0, t1, t2, t3 = a[0], b[0], c[0], d[0]
    n0 = n1 = n2 = n3 = 0.0  # nan where any is; infinities too, whose exponentials would look sound
    for k in range(bins):
        t0, n0 = max(t0, a[k]), n0 + a[k] * 0.0
        t1, n1 = max(t1, b[k]), n1 + b[k] * 0.0
        t2, n2 = max(t2, c[k]), n2 + c[k] * 0.0
        t3, n3 = max(t3, d[k]), n3 + d[k] * 0.0
    _less(a, t0, n0)
    _less(b, t1, n1)
    _less(c, t2, n2)
    _less(d, t3, n3)
    exponentials(values[: 4 * bins], values[4 * bins : 8 * bins])
    s0 = s1 = s2 = s3 = 0.0
    e0 = e1 = e2 = e3 = 0.0
    for k in range(bins - 1, 0, -1):
        s0 += a[k]
        e0 += s0
        s1 += b[k]
        e1 += s1
        s2 += c[k]
        e2 += s2
        s3 += d[k]
        e3 += s3
    return e0 / (s0 + a[0]), e1 / (s1 + b[0]), e2 / (s2 + c[0]), e3 / (s3 + d[0])


@inner
def sides_of(code, addresses, field, h, w, anchor, quants, tables, row, values):
    """Return the distances left, top, right, bottom of one anchor, cells, f8."""
    if code == at.BOX_DFL and field[at.MODE] == BY_TABLE:
        return _dfl_by_table(addresses, field, cell_of(field, h, w), first_of(field, anchor), tables, row)
    read_cell(addresses, field, h, w, anchor, quants, values)
    if code == at.BOX_DFL:
        return _dfl_by_scale(values, field[at.COUNT] >> 2)
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
