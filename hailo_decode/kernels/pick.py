"""Candidates: every score that reaches the threshold becomes one number that says all of it.

A candidate is a key of 64 bits: ``rank | class | anchor``, best first when sorted ascending. So the sort needs no
payload, and equal scores keep the order that is documented: lower class, then row-major cell, level by level.
"""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, inner
from hailo_decode.kernels.memory import bytes_at, fetch, part_of, trailing_zeros, words_at
from hailo_decode.kernels.scan import BLOCK, any_reaches, largest, reaches_or_bad

_HIGH = np.uint64(0x8080808080808080)
_LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_ONES = np.uint64(0x0101010101010101)
_U0 = np.uint64(0)
_U1 = np.uint64(1)
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
def _fetch_cell(addresses, field, h, w):
    """Have the numbers of a cell brought near: its box is decoded soon. Where its channels are apart, it waits for them.

    A cell that is in no cache costs 25 ns from the third level, 100 from memory.
    """
    if field[at.CHANNEL] == 1:
        start = addresses[field[at.TENSOR]] + field[at.ITEM] * (h * field[at.ROW] + w * field[at.COLUMN])
        fetch(start)
        fetch(start + field[at.ITEM] * field[at.COUNT] - 1)


@inner
def _find(x, words, maxima, lowest, keys, n):
    """Append the offset of each byte that is at least `lowest`; return how many entries `keys` has then.

    A block that was hit is looked at in steps, whose largest byte is vector code: XX ns a block of a usual frame, YY with
    all its words marked first. Then eight bytes at a time: bit 7 of each byte of `reached` tells whether that byte is,
    exactly.
    """
    floor = np.uint8(lowest)
    lift = (np.uint64(0x80) - np.uint64(lowest & 0x7F)) * _ONES
    either = _U0 if lowest >= 128 else _HIGH  # a byte from 128 on reaches a floor below 128 in any case
    size = x.shape[0]
    for q in range(maxima.shape[0]):
        if maxima[np.uint64(q)] < floor:
            continue
        for start in range(q * BLOCK, min((q + 1) * BLOCK, size), _SUB):
            if start + _SUB > size:
                for f in range(start, size):
                    if x[np.uint64(f)] >= floor:
                        keys[np.uint64(n)] = np.uint64(f)
                        n += 1
            elif largest(part_of(x, start, _SUB)) >= floor:
                for k in range(start >> 3, (start + _SUB) >> 3):
                    word = words[np.uint64(k)]
                    lifted = (word & _LOW) + lift
                    reached = ((lifted & word) | ((lifted | word) & either)) & _HIGH
                    while reached != _U0:
                        keys[np.uint64(n)] = np.uint64(k << 3) + (trailing_zeros(reached) >> np.uint64(3))
                        reached &= reached - _U1
                        n += 1
    return n


@apart
def pick_ranked(addresses, level, rates, maxima, band, ranks, settings, keys, n):
    """Append a key for each byte of one level whose rank lies in a band.

    Parameters
    ----------
    addresses : (outputs,) i8
    level : (FIELDS, COLUMNS) i8
    rates : (RATES,) f8
    maxima : (blocks,) u1
        Largest byte of each block.
    band : (3,) i8
        First rank, the rank behind the last, and the smallest byte that can have one of them.
    ranks : (tables, 256) i4
        Place of each byte's score among all scores that reach the threshold, 0 the highest.
    settings : (SETTINGS,) i8
    keys : (capacity,) u8, out
    n : int
        How many keys are there already.

    Returns
    -------
    int
        How many keys are there now.
    """
    first, behind, lowest = band[0], band[1], band[2]
    if lowest > 255:
        return n
    field = level[at.CLASS]
    anchor_bits = settings[at.ANCHOR_BITS]
    rank_shift = anchor_bits + settings[at.CLASS_BITS]
    address, size = addresses[field[at.TENSOR]], field[at.ELEMENTS]
    x = bytes_at(address, size)
    # Two loops instead of one: offsets first, then keys in their place. Together they hold more than the registers do.
    found = _find(x, words_at(address, size >> 3), maxima, lowest, keys, n)
    for i in range(n, found):
        f = np.int64(keys[i])
        anchor, c, h, w = locate(field, rates, f)
        if anchor < 0:
            continue
        table = (
            field[at.TABLE] + (inside_of(field, rates, anchor) * field[at.STEP] + c) * field[at.TABLE_STEP]
        )
        rank = np.int64(ranks[table, x[f]])
        if first <= rank < behind:
            _fetch_cell(addresses, level[at.BOX], h, w)
            keys[n] = np.uint64((rank << rank_shift) | (c << anchor_bits) | anchor)
            n += 1
    return n


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
def _score_span(x, start, end, floor, field, rates, floors, quants, settings, keys, n):
    """Append a key for each element of a span that reaches its threshold."""
    anchor_bits = settings[at.ANCHOR_BITS]
    rank_shift = anchor_bits + settings[at.CLASS_BITS]
    for f in range(start, end):
        if not x[f] >= floor:
            continue
        anchor, c, _, _ = locate(field, rates, f)
        if anchor < 0:
            continue
        row = quant_row(field, inside_of(field, rates, anchor)) + c * field[at.QUANT_STEP]
        value = np.float64(x[f])
        if not value >= floors[row]:
            continue
        score = (value - quants[row, 1]) * quants[row, 0]
        if field[at.LOGITS] != 0:
            score = sigmoid(score)
        keys[n] = np.uint64((score_key(score) << rank_shift) | (c << anchor_bits) | anchor)
        n += 1
    return n


@apart
def _score_block(x, start, end, floor, field, rates, floors, quants, settings, keys, n):
    """Do so for a block, in steps that are looked at once more."""
    for sub in range(start, end, _SUB):
        stop = min(sub + _SUB, end)
        if any_reaches(x[sub:stop], floor):
            n = _score_span(x, sub, stop, floor, field, rates, floors, quants, settings, keys, n)
    return n


@apart
def pick_scored(x, field, rates, floors, quants, settings, keys, n):
    """Append a key for each integer of one level that reaches its threshold, with its score computed.

    Parameters
    ----------
    x : (m,) u1 | u2, raw
    field : (COLUMNS,) i8
    floors : (rows,) f8, raw
        Smallest raw value that reaches the threshold, for the field or for each of its channels.
    quants : (rows, 2) f8
        Scale and zero point.
    rates, settings, keys, n
        As in `pick_ranked`.
    """
    lowest = _lowest_floor(field, floors)
    if lowest > 65535.0 or (lowest > 255.0 and field[at.ITEM] == 1):
        return n
    floor = x.dtype.type(lowest)
    size = x.shape[0]
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        if any_reaches(x[start:end], floor):
            n = _score_block(x, start, end, floor, field, rates, floors, quants, settings, keys, n)
    return n


@apart
def pick_real(x, field, rates, floors, quants, settings, keys, n, report):
    """Do as `pick_scored` does for f4, and count blocks with values that are no numbers in `report`."""
    floor = np.float32(_lowest_floor(field, floors))
    size = x.shape[0]
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        seen = reaches_or_bad(x[start:end], floor)
        if seen >= 2:
            report[at.BAD_VALUES] += 1
        elif seen == 1:
            n = _score_block(x, start, end, floor, field, rates, floors, quants, settings, keys, n)
    return n
