"""Masks: prototypes weighed by a box's coefficients, painted inside the box at the size that is asked for."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart_from, inner, kernel
from hailo_decode.kernels.memory import bytes_at, halves_at, reals_at
from hailo_decode.kernels.paint_plain import paint_plain

_ZERO = np.float32(0)


@inner
def _side_by_side(x, field, weights, bias, y, first, count, row):
    """Fill `row` with one row of mask logits, channels of a cell side by side.

    Eight sums run at once: one alone would wait four cycles for each of its additions.
    """
    channels = field[at.COUNT]
    whole = channels & ~7
    for i in range(count):
        cell = x[y * field[at.ROW] + (first + i) * field[at.COLUMN] :]
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = _ZERO
        for k in range(0, whole, 8):
            w, c = weights[k : k + 8], cell[k : k + 8]
            s0 += w[0] * np.float32(c[0])
            s1 += w[1] * np.float32(c[1])
            s2 += w[2] * np.float32(c[2])
            s3 += w[3] * np.float32(c[3])
            s4 += w[4] * np.float32(c[4])
            s5 += w[5] * np.float32(c[5])
            s6 += w[6] * np.float32(c[6])
            s7 += w[7] * np.float32(c[7])
        for k in range(whole, channels):
            s0 += weights[k] * np.float32(cell[k])
        row[i] = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)) + bias


@inner
def _plane_by_plane(x, field, weights, bias, y, first, count, row):
    """Fill `row` with one row of mask logits, a run of cells for each channel; F8CR in steps of eight."""
    for i in range(count):
        row[i] = bias
    for k in range(field[at.COUNT]):
        start = y * field[at.ROW] + (k >> 3) * field[at.GROUP] + (k & 7) * field[at.CHANNEL]
        weight = weights[k]
        if field[at.COLUMN] == 1:  # contiguous: 2.2 ns a pixel for 32 channels
            run = x[start + first : start + first + count]
            for i in range(count):
                row[i] += weight * np.float32(run[i])
        else:
            for i in range(count):
                row[i] += weight * np.float32(x[start + (first + i) * field[at.COLUMN]])


@inner
def _logits(x, field, weights, bias, rows, columns, out):
    """Fill `out` (rows, columns) f4 with the mask logits of a part of the prototypes, up to a positive factor."""
    first, count = columns[0], columns[1] - columns[0] + 1
    for y in range(rows[0], rows[1] + 1):
        row = out[y - rows[0]]
        if field[at.CHANNEL] == 1 and field[at.EIGHTS] == 0:
            _side_by_side(x, field, weights, bias, y, first, count, row)
        else:
            _plane_by_plane(x, field, weights, bias, y, first, count, row)


@inner
def _between(place, last):
    """Return (lower neighbour, share of the upper one) of a place between samples, clamped at the edges."""
    inside = min(max(place, 0.0), float(last))
    lower = min(np.int64(inside), max(last - 1, 0))
    return lower, np.float32(inside - lower)


@inner
def _paint_row(blend, first, last, low, high, rate, target):
    """Set the pixels of one row whose interpolated logit is above 0.

    Between two samples of one sign nothing need be computed: most of a mask, and of what is not mask, is such.

    Parameters
    ----------
    blend : (columns,) f4
        Logits of the samples from `first` on.
    last : int
        Number of the last sample of the whole row.
    low, high : int
        First pixel, and the one behind the last.
    rate : (2,) f8
        Pixel x lies at sample ``(x + 0.5) * rate[0] + rate[1]``.
    target : (W,) u1, out
    """
    x = low
    while x < high:
        lower, share = _between((x + 0.5) * rate[0] + rate[1], last)
        a = blend[lower - first]
        b = blend[lower - first + 1] if lower < last else a
        end = high
        if lower + 1 < last:  # pixels up to the next sample
            end = min(high, np.int64(math.ceil((lower + 1 - rate[1]) / rate[0] - 0.5)))
        end = max(end, x + 1)
        if a > _ZERO and b > _ZERO:
            for i in range(x, end):
                target[i] = True
        elif a > _ZERO or b > _ZERO:
            for i in range(x, end):
                _, share = _between((i + 0.5) * rate[0] + rate[1], last)
                target[i] = a + (b - a) * share > _ZERO
        x = end


@inner
def _paint_box(logits, rows, columns, sizes, box, across, down, blend, target):
    """Resize the logits of one box bilinearly, half-pixel centres, and set the pixels above 0 inside the box."""
    count = columns[1] - columns[0] + 1
    for y in range(box[1], box[3]):
        lower, share = _between((y + 0.5) * down[0] + down[1], sizes[0] - 1)
        here = logits[lower - rows[0]]
        below = logits[min(lower + 1, rows[1]) - rows[0]]
        for i in range(count):
            blend[i] = here[i] + (below[i] - here[i]) * share
        _paint_row(blend, columns[0], sizes[1] - 1, box[0], box[2], across, target[y])


@inner
def _edge(place, size):
    """Return the first whole pixel at or behind a place, inside 0 to `size`; cut before it becomes an integer."""
    return np.int64(math.ceil(min(max(place, np.float32(0)), np.float32(size))))


@inner
def _samples(low, high, rate, last):
    """Return the first and last sample that pixels `low` to `high` (excluded) are made of."""
    first, _ = _between((low + 0.5) * rate[0] + rate[1], last)
    final, _ = _between((high - 0.5) * rate[0] + rate[1], last)
    return first, min(final + 1, last)


@apart_from(paint_plain)
def _paint_one(addresses, field, samples, box, weights, bias, rates, scratch, target):
    """Paint one mask inside its box; the interpreter has `paint_plain` do it."""
    logits, blend = scratch
    rows, columns = samples
    address, size, item = addresses[field[at.TENSOR]], field[at.ELEMENTS], field[at.ITEM]
    if item == 1:
        _logits(bytes_at(address, size), field, weights, bias, rows, columns, logits)
    elif item == 2:
        _logits(halves_at(address, size), field, weights, bias, rows, columns, logits)
    else:
        _logits(reals_at(address, size), field, weights, bias, rows, columns, logits)
    sizes = (field[at.HEIGHT], field[at.WIDTH])
    _paint_box(logits, rows, columns, sizes, box, rates[0], rates[1], blend, target)


@kernel("i8* i8* f8** f4** f4** f8* f8* f4** f4* f4* u1***")
def paint_masks(addresses, field, quants, coefficients, boxes, across, down, logits, blend, weights, out):
    """Paint one mask for each box.

    Parameters
    ----------
    addresses : (outputs,) i8
    field : (COLUMNS,) i8
        Of the prototypes.
    quants : (rows, 2) f8
        The prototypes' scales and zero points.
    coefficients : (n, channels) f4
    boxes : (n, 4) f4
        Left, top, right, bottom, pixels of `out`: a pixel x counts where left <= x < right.
    across, down : (2,) f8
        Pixel x lies at sample ``(x + 0.5) * across[0] + across[1]`` of the prototypes.
    logits : (H, W) f4, blend : (W,) f4, weights : (channels,) f4
        Scratch, of the prototypes' size.
    out : (n, height, width) u1, zeros, out
    """
    for i in range(boxes.shape[0]):
        box = (
            _edge(boxes[i, 0], out.shape[2]),
            _edge(boxes[i, 1], out.shape[1]),
            _edge(boxes[i, 2], out.shape[2]),
            _edge(boxes[i, 3], out.shape[1]),
        )
        if box[0] >= box[2] or box[1] >= box[3]:
            continue
        bias = 0.0
        for k in range(field[at.COUNT]):
            q = field[at.QUANT] + k * field[at.QUANT_STEP]
            weight = coefficients[i, k] * quants[q, 0]
            weights[k] = weight
            bias -= weight * quants[q, 1]
        rows = _samples(box[1], box[3], down, field[at.HEIGHT] - 1)
        columns = _samples(box[0], box[2], across, field[at.WIDTH] - 1)
        _paint_one(
            addresses,
            field,
            (rows, columns),
            box,
            weights,
            np.float32(bias),
            (across, down),
            (logits, blend),
            out[i],
        )
