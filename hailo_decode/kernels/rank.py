"""Candidates of class scores that are bytes with one scale a level: bytes that reach the threshold, by rank."""

from __future__ import annotations

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, apart_from
from hailo_decode.kernels.memory import bytes_at, part_of, trailing_zeros, words_at
from hailo_decode.kernels.pick import fetch_cell, inside_of, locate
from hailo_decode.kernels.scan import BLOCK, blocks_of, largest

_HIGH = np.uint64(0x8080808080808080)
_LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_ONES = np.uint64(0x0101010101010101)
_U0 = np.uint64(0)
_U1 = np.uint64(1)
AT_ONCE = 1024  # offsets that are noted during the scan; more are looked for in bands, best first
_SUB = 64  # bytes that are looked at once more inside a block that was hit


@apart
def _offsets_in(address, size, start, lowest, keys, n):
    """Append the offset of each byte of a block that is at least `lowest`; return how many entries `keys` has then.

    The block is looked at in steps, whose largest byte is vector code. Then eight bytes at a time: bit 7 of each byte of
    `reached` tells whether that byte is, exactly.
    """
    x = bytes_at(address, size)
    words = words_at(address, size >> 3)
    floor = np.uint8(lowest)
    lift = (np.uint64(0x80) - np.uint64(lowest & 0x7F)) * _ONES
    either = _U0 if lowest >= 128 else _HIGH  # a byte from 128 on reaches a floor below 128 in any case
    for step in range(start, min(start + BLOCK, size), _SUB):
        if step + _SUB > size:
            for f in range(step, size):
                if x[np.uint64(f)] >= floor:
                    keys[np.uint64(n)] = np.uint64(f)
                    n += 1
        elif largest(part_of(x, step, _SUB)) >= floor:
            for k in range(step >> 3, (step + _SUB) >> 3):
                word = words[np.uint64(k)]
                lifted = (word & _LOW) + lift
                reached = ((lifted & word) | ((lifted | word) & either)) & _HIGH
                while reached != _U0:
                    keys[np.uint64(n)] = np.uint64(k << 3) + (trailing_zeros(reached) >> np.uint64(3))
                    reached &= reached - _U1
                    n += 1
    return n


def _classes_at(addresses, level):
    field = level[at.CLASS]
    return bytes_at(addresses[field[at.TENSOR]], field[at.ELEMENTS])


def _scan_ranked(addresses, level, lowest, maxima, keys, n):
    x = _classes_at(addresses, level)
    full = x.shape[0] // BLOCK
    maxima[:full] = x[: full * BLOCK].reshape(full, BLOCK).max(axis=1)
    if full * BLOCK < x.shape[0]:
        maxima[full] = x[full * BLOCK :].max()
    found = np.flatnonzero(x >= lowest)
    if n + len(found) <= AT_ONCE:
        keys[n : n + len(found)] = found
    return n + len(found)


@apart_from(_scan_ranked)
def scan_ranked(addresses, level, lowest, maxima, keys, n):
    """Note the largest byte of each block of a level's classes, and the offset of each byte that is at least `lowest`.

    A block that was hit is looked at while it is in the nearest cache: 36 us a frame, 40 when all blocks were scanned first.
    More than `AT_ONCE` offsets are not noted: the result is larger then, and `keys` of no use.

    Parameters
    ----------
    addresses : (outputs,) i8
    level : (FIELDS, COLUMNS) i8
    lowest : int
        256 where no byte will do.
    maxima : (blocks,) u1, out
    keys : (capacity,) u8, out
    n : int
        How many entries are there already.

    Returns
    -------
    int
        How many entries are there now.
    """
    field = level[at.CLASS]
    address, size = addresses[field[at.TENSOR]], field[at.ELEMENTS]
    x = bytes_at(address, size)
    full = size // BLOCK
    for q in range(full):
        top = largest(part_of(x, q * BLOCK, BLOCK))
        maxima[np.uint64(q)] = top
        if top >= lowest and n <= AT_ONCE:
            n = _offsets_in(address, size, q * BLOCK, lowest, keys, n)
    if full * BLOCK < size:
        top = largest(x[full * BLOCK :])
        maxima[full] = top
        if top >= lowest and n <= AT_ONCE:
            n = _offsets_in(address, size, full * BLOCK, lowest, keys, n)
    return n


def _find_ranked(addresses, level, lowest, maxima, keys, n):
    found = np.flatnonzero(_classes_at(addresses, level) >= lowest)
    keys[n : n + len(found)] = found
    return n + len(found)


@apart_from(_find_ranked)
def find_ranked(addresses, level, lowest, maxima, keys, n):
    """Append the offset of each byte of a level's classes that is at least `lowest`; `maxima` as `scan_ranked` left it."""
    field = level[at.CLASS]
    address, size = addresses[field[at.TENSOR]], field[at.ELEMENTS]
    for q in range(blocks_of(size)):
        if maxima[np.uint64(q)] >= lowest:
            n = _offsets_in(address, size, q * BLOCK, lowest, keys, n)
    return n


@apart
def keep_ranked(addresses, level, rates, band, ranks, settings, keys, span, n):
    """Put keys in the place of offsets, for each byte whose rank lies in a band.

    Offsets first, then keys: together they hold more than the registers do.

    Parameters
    ----------
    addresses : (outputs,) i8
    level : (FIELDS, COLUMNS) i8
    rates : (RATES,) f8
    band : (2,) i8
        First rank, and the rank behind the last.
    ranks : (tables, 256) i4
        Place of each byte's score among all scores that reach the threshold, 0 the highest.
    settings : (SETTINGS,) i8
    keys : (capacity,) u8, in and out
    span : (int, int)
        Where the offsets of this level begin and end.
    n : int
        How many keys are there already: no more than offsets before the span.

    Returns
    -------
    int
        How many keys are there now.
    """
    field = level[at.CLASS]
    anchor_bits = settings[at.ANCHOR_BITS]
    rank_shift = anchor_bits + settings[at.CLASS_BITS]
    x = bytes_at(addresses[field[at.TENSOR]], field[at.ELEMENTS])
    for i in range(span[0], span[1]):
        f = np.int64(keys[np.uint64(i)])
        anchor, c, h, w = locate(field, rates, f)
        if anchor < 0:
            continue
        table = (
            field[at.TABLE] + (inside_of(field, rates, anchor) * field[at.STEP] + c) * field[at.TABLE_STEP]
        )
        rank = np.int64(ranks[table, x[np.uint64(f)]])
        if band[0] <= rank < band[1]:
            fetch_cell(addresses, level[at.BOX], h, w)
            keys[np.uint64(n)] = np.uint64((rank << rank_shift) | (c << anchor_bits) | anchor)
            n += 1
    return n
