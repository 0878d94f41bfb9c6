"""Candidates: every score that reaches the threshold becomes one number that says all of it.

A candidate is a key of 64 bits: ``rank | class | anchor``, best first when sorted ascending. So the sort needs no
payload, and equal scores keep the order that is documented: lower class, then row-major cell, level by level.
"""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, inner
from hailo_decode.kernels.memory import fetch
from hailo_decode.kernels.scan import BLOCK, any_reaches, reaches_or_bad

_LINE = 64  # bytes that caches move at once
_SUB = 64  # elements that are looked at once more inside a block that was hit
TOP_SCORE = np.int64(0x7F7FFFFF)  # bits of the largest f4: computed scores rank by their bits, highest first


@inner
def divided(f, rate):
    """Return the whole part of an offset times a reciprocal: see `layout`."""
    return np.int64((f + 0.5) * rate)


@inner
def quant_row(field, anchor):
    """Return the row of the scale of an anchor's first channel; `anchor` counts inside its cell."""
    return field[at.QUANT] + anchor * field[at.STEP] * field[at.QUANT_STEP]


@inner
def inside_of(field, rates, anchor):
    """Return which anchor of its cell an anchor is."""
    if field[at.ANCHORS] == 1:
        return np.int64(0)
    number = anchor - field[at.BASE]
    return number - divided(number, rates[at.PER_ANCHORS]) * field[at.ANCHORS]


@inner
def locate(field, rates, f):
    """Return (anchor, class, row, column) of the element at offset `f`; anchor -1 for padding and other fields."""
    outer = divided(f, rates[at.PER_OUTER])
    rest = f - outer * field[at.OUTER]
    middle = divided(rest, rates[at.PER_MIDDLE])
    last = rest - middle * field[at.MIDDLE]
    eighth = np.int64(0)
    if field[at.EIGHTS] != 0:
        eighth = last & 7
        last >>= 3
    if field[at.AXIS_C] == 2:
        h, w, c = outer, middle, last
    elif field[at.AXIS_C] == 0:
        h, w, c = middle, last, outer
    else:
        h, w, c = outer, last, middle
    if field[at.EIGHTS] != 0:
        c = (c << 3) + eighth
    anchor = np.int64(0)
    if field[at.ANCHORS] > 1:
        anchor = divided(c, rates[at.PER_STEP])
        c -= anchor * field[at.STEP]
    c -= field[at.FIRST]
    if (
        h >= field[at.HEIGHT]
        or w >= field[at.WIDTH]
        or c < 0
        or c >= field[at.COUNT]
        or anchor >= field[at.ANCHORS]
    ):
        return np.int64(-1), c, h, w
    return field[at.BASE] + (h * field[at.WIDTH] + w) * field[at.ANCHORS] + anchor, c, h, w


@inner
def fetch_cell(addresses, field, h, w):
    """Have the numbers of a cell brought near: its box is decoded soon. Where its channels are apart, it waits for them.

    A cell that is in no cache costs 25 ns from the third level, 100 from memory.
    """
    if field[at.CHANNEL] == 1:
        start = addresses[field[at.TENSOR]] + field[at.ITEM] * (h * field[at.ROW] + w * field[at.COLUMN])
        run = field[at.ITEM] * (8 if field[at.EIGHTS] != 0 else field[at.COUNT])
        pitch = field[at.ITEM] * (field[at.GROUP] if field[at.EIGHTS] != 0 else field[at.COUNT])
        for place in range(start, start + pitch * (field[at.COUNT] * field[at.ITEM] // run), pitch):
            for line in range(place, place + run, _LINE):
                fetch(line)
            fetch(place + run - 1)


@inner
def sigmoid(x):
    """Return 1 / (1 + exp(-x)), f8."""
    return 1.0 / (1.0 + math.exp(-x))


@inner
def score_key(score):
    """Return the rank part of the key of a computed score, f8 in, i8 out; adding 0 turns -0 into 0."""
    return TOP_SCORE - np.int64(np.float32(score + 0.0).view(np.uint32))


@inner
def _lowest_floor(field, floors):
    """Return the smallest floor of a field's channels, f8."""
    lowest = floors[field[at.QUANT]]
    for a in range(field[at.ANCHORS]):
        for c in range(field[at.COUNT] * field[at.QUANT_STEP]):
            lowest = min(lowest, floors[quant_row(field, a) + c])
    return lowest


@inner
def _score_span(x, start, end, floor, addresses, level, rates, floors, quants, settings, keys, n):
    """Append a key for each element of a span that reaches its threshold."""
    field = level[at.CLASS]
    anchor_bits = settings[at.ANCHOR_BITS]
    rank_shift = anchor_bits + settings[at.CLASS_BITS]
    for f in range(start, end):
        if not x[f] >= floor:
            continue
        anchor, c, h, w = locate(field, rates, f)
        if anchor < 0:
            continue
        row = quant_row(field, inside_of(field, rates, anchor)) + c * field[at.QUANT_STEP]
        value = np.float64(x[f])
        if not value >= floors[row]:
            continue
        score = (value - quants[row, 1]) * quants[row, 0]
        if field[at.LOGITS] != 0:
            score = sigmoid(score)
        fetch_cell(addresses, level[at.BOX], h, w)
        keys[n] = np.uint64((score_key(score) << rank_shift) | (c << anchor_bits) | anchor)
        n += 1
    return n


@apart
def _score_block(x, start, end, floor, addresses, level, rates, floors, quants, settings, keys, n):
    """Do so for a block, in steps that are looked at once more."""
    for sub in range(start, end, _SUB):
        stop = min(sub + _SUB, end)
        if any_reaches(x[sub:stop], floor):
            n = _score_span(x, sub, stop, floor, addresses, level, rates, floors, quants, settings, keys, n)
    return n


@apart
def pick_scored(x, addresses, level, rates, floors, quants, settings, keys, n):
    """Append a key for each integer of one level that reaches its threshold, with its score computed.

    Parameters
    ----------
    x : (m,) u1 | u2, raw
    addresses : (outputs,) i8
    level : (FIELDS, COLUMNS) i8
    floors : (rows,) f8, raw
        Smallest raw value that reaches the threshold, for the field or for each of its channels.
    quants : (rows, 2) f8
        Scale and zero point.
    rates, settings, keys, n
        As in `rank.keep_ranked`.
    """
    field = level[at.CLASS]
    lowest = _lowest_floor(field, floors)
    if lowest > 65535.0 or (lowest > 255.0 and field[at.ITEM] == 1):
        return n
    floor = x.dtype.type(lowest)
    size = x.shape[0]
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        if any_reaches(x[start:end], floor):
            n = _score_block(x, start, end, floor, addresses, level, rates, floors, quants, settings, keys, n)
    return n


@apart
def pick_real(x, addresses, level, rates, floors, quants, settings, keys, n, report):
    """Do as `pick_scored` does for f4, and count blocks with values that are no numbers in `report`."""
    floor = np.float32(_lowest_floor(level[at.CLASS], floors))
    size = x.shape[0]
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        seen = reaches_or_bad(x[start:end], floor)
        if seen >= 2:
            report[at.BAD_VALUES] += 1
        elif seen == 1:
            n = _score_block(x, start, end, floor, addresses, level, rates, floors, quants, settings, keys, n)
    return n
