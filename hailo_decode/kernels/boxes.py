"""Box codes: how the numbers of one cell become a box. A family names its code, `box_of` runs it."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import inner
from hailo_decode.kernels.memory import bytes_at, halves_at, reals_at

# Numbers of the box codes; `plan` looks them up by the name that a family gives.
DFL = 0
DISTANCES = 1
CODES = {"dfl": DFL, "distances": DISTANCES}

BY_TABLE = 0
BY_SCALE = 1


@inner
def corner_of(field, h, w, anchor):
    """Return the offset of a field's first element in one cell."""
    c = field[at.FIRST] + anchor * field[at.STEP]
    return h * field[at.ROW] + w * field[at.COLUMN] + (c >> 3) * field[at.GROUP] + (c & 7) * field[at.CHANNEL]


@inner
def offset_of(field, corner, channel):
    """Return the offset of a channel, given that of the first one in its cell; both start at a multiple of 8."""
    return corner + (channel >> 3) * field[at.GROUP] + (channel & 7) * field[at.CHANNEL]


@inner
def _gather(x, field, corner, quants, out):
    """Fill `out` (COUNT,) f8 with the real values of one cell."""
    row = field[at.QUANT]
    for k in range(field[at.COUNT]):
        q = row + k * field[at.QUANT_STEP]
        out[k] = (np.float64(x[offset_of(field, corner, k)]) - quants[q, 1]) * quants[q, 0]


@inner
def read_cell(addresses, field, h, w, anchor, quants, out):
    """Fill `out` (COUNT,) f8 with the real values that a field holds for one anchor, whatever its dtype."""
    corner = corner_of(field, h, w, anchor)
    item, address, size = field[at.ITEM], addresses[field[at.TENSOR]], field[at.ELEMENTS]
    if item == 1:
        _gather(bytes_at(address, size), field, corner, quants, out)
    elif item == 2:
        _gather(halves_at(address, size), field, corner, quants, out)
    else:
        _gather(reals_at(address, size), field, corner, quants, out)


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
def _dfl_by_table(addresses, field, corner, tables, row):
    bins = field[at.COUNT] >> 2
    x = bytes_at(addresses[field[at.TENSOR]], field[at.ELEMENTS])
    table = tables[field[at.TABLE]]
    if field[at.EIGHTS] != 0:  # eight channels here, eight there: brought together first
        for k in range(field[at.COUNT]):
            row[k] = x[offset_of(field, corner, k)]
        return _expected_bins(row, bins, np.int64(1), table)
    cell = x[corner:]
    if field[at.CHANNEL] == 1:  # the usual order gets code of its own, where the step is known
        return _expected_bins(cell, bins, np.int64(1), table)
    return _expected_bins(cell, bins, field[at.CHANNEL], table)


@inner
def _dfl_by_scale(values, bins, side):
    """Return the mean bin of one side, from real values; the largest is taken off before the exponential."""
    base = side * bins
    top = values[base]
    for k in range(1, bins):
        top = max(top, values[base + k])
    total = 0.0
    mean = 0.0
    for k in range(bins):
        p = math.exp(values[base + k] - top)
        total += p
        mean += k * p
    return mean / total


@inner
def box_of(code, addresses, field, stride, h, w, anchor, quants, tables, row, values):
    """Return one anchor's box as (left, top, right, bottom), input pixels, f4.

    Parameters
    ----------
    code : int
        Which box code.
    addresses : (outputs,) i8
    field : (COLUMNS,) i8
        The level's box field.
    stride : (2,) f8
        Input pixels from one cell to the next, across and down.
    quants : (rows, 2) f8
    tables : (rows, 256) f8
        Exponentials of bytes, for the fields that are read by table.
    row : (channels,) u1, scratch
    values : (channels,) f8, scratch
    """
    if code == DFL and field[at.MODE] == BY_TABLE:
        a, b, c, d = _dfl_by_table(addresses, field, corner_of(field, h, w, anchor), tables, row)
    else:
        read_cell(addresses, field, h, w, anchor, quants, values)
        if code == DFL:
            bins = field[at.COUNT] >> 2
            a = _dfl_by_scale(values, bins, 0)
            b = _dfl_by_scale(values, bins, 1)
            c = _dfl_by_scale(values, bins, 2)
            d = _dfl_by_scale(values, bins, 3)
        else:
            a, b, c, d = values[0], values[1], values[2], values[3]
    # Distances in cells from the cell's centre (YOLOv8 and later; HailoRT 5.2 yolov8_post_process.cpp).
    x = w + 0.5
    y = h + 0.5
    return (
        np.float32((x - a) * stride[0]),
        np.float32((y - b) * stride[1]),
        np.float32((x + c) * stride[0]),
        np.float32((y + d) * stride[1]),
    )
