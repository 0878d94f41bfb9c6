"""The frame: class scores to keys, keys to boxes, boxes to the result, in one compiled call."""

from __future__ import annotations

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, kernel, variant
from hailo_decode.kernels.boxes import box_by_table, box_of
from hailo_decode.kernels.memory import bytes_at, data_of, halves_at, reals_at
from hailo_decode.kernels.pick import pick_real, pick_scored
from hailo_decode.kernels.product import pick_product
from hailo_decode.kernels.rank import AT_ONCE, find_ranked, keep_ranked, scan_ranked
from hailo_decode.kernels.scan import blocks_of
from hailo_decode.kernels.select import select
from hailo_decode.kernels.sort import sort_keys

_NONE = np.uint64(0)
_OPENING = 300  # blocks whose best byte opens the first band
_GIVEN = "i8* i8* i8*** f8*** f8** i8* f4 " + at.LOOKUP  # outputs to lookup
_OWN = f"{at.KEYS} {at.WORK} {at.RESULT} i8*"  # keys to report
_WIDEN = 6  # ranks in the second band; each later one is twice as wide


@apart
def _begin(outputs, addresses, settings, work, report):
    """Make the scratch space ready for a new frame, and note where the outputs' data begin."""
    for k in range(addresses.shape[0]):
        addresses[k] = data_of(outputs[k])
    for k in range(report.shape[0]):
        report[k] = 0
    heads, class_counts, seen = work[0], work[1], work[2]
    for c in range(settings[at.CLASSES]):
        heads[c] = -1
        class_counts[c] = 0
    for k in range(seen.shape[0]):
        seen[k] = _NONE


@apart
def _opening_band(maxima, blocks, fields, ranks, settings, counts):
    """Return the rank behind the first band: all ranks, or where some hundred blocks are reached.

    With a low threshold tens of thousands of candidates stand in line for `max_det` places: 733 us if all are
    written, sorted and tried, 103 us if the best few hundred are, and the next only when places stay free.
    """
    ranks_in_all = settings[at.RANKS]
    if ranks_in_all > counts.shape[0] or settings[at.TURNED] != 0:
        return ranks_in_all
    for r in range(ranks_in_all):
        counts[r] = 0
    for level in range(settings[at.LEVELS]):
        table = fields[level, at.CLASS, at.TABLE]
        for q in range(blocks[level], blocks[level + 1]):
            rank = ranks[table, maxima[q]]
            if rank < ranks_in_all:
                counts[rank] += 1
    reached = 0
    for r in range(ranks_in_all):
        reached += counts[r]
        if reached >= _OPENING:
            return r + 1
    return ranks_in_all


@kernel(f"{_GIVEN} u1* {_OWN}")
def frame_ranked(
    outputs, addresses, fields, rates, strides, settings, iou_max, lookup, maxima, keys, work, result, report
):
    """Decode a frame whose class scores are bytes with one scale a level: scores are ranked in advance.

    Parameters
    ----------
    outputs : (outputs,) i8
        Addresses of the outputs' array objects.
    addresses : (outputs,) i8, out
        Where their data begin.
    fields : (levels, roles, COLUMNS) i8
    rates : (levels, fields, RATES) f8
    strides : (levels, 2) f8, input pixels
    settings : (SETTINGS,) i8
    iou_max : f4
    lookup : (ranks, cuts, scores, quants, tables, priors, shape, extra)
        ranks (tables, 256) i4: rank of each byte. cuts (levels, ranks + 1) i4: smallest byte of a rank below r.
        scores (ranks,) f4. quants (rows, 2) f8. tables (rows, 256) f8: exponentials of bytes. priors (rows, 2) f8: widths
        and heights of anchors, input pixels. shape (3,) f8: constants of the box code. extra (2,) f8: those of the
        extra field.
    maxima : (blocks,) u1, scratch
    keys : (keys, spare, counts, blocks, found), scratch
        (capacity,) u8, (capacity,) u8, (n,) i4, (levels + 1,) i8, (levels + 1,) i8
    work, result, report
        As in `select`.
    """
    ranks, cuts = lookup[0], lookup[1]
    candidates, spare, counts, blocks, found = keys
    _begin(outputs, addresses, settings, work, report)
    levels, ranks_in_all = settings[at.LEVELS], settings[at.RANKS]
    blocks[0] = found[0] = 0
    for level in range(levels):
        lowest, room = cuts[level, ranks_in_all], maxima[blocks[level] :]
        found[level + 1] = scan_ranked(addresses, fields[level], lowest, room, candidates, found[level])
        blocks[level + 1] = blocks[level] + blocks_of(fields[level, at.CLASS, at.ELEMENTS])
    in_bands = found[levels] > AT_ONCE
    first, behind, wide = np.int64(0), ranks_in_all, np.int64(_WIDEN)
    if in_bands:
        behind = np.int64(_opening_band(maxima, blocks, fields, ranks, settings, counts))
    while True:
        n = np.int64(0)
        for level in range(levels):
            start, stop = found[level], found[level + 1]
            if in_bands:
                lowest, room = cuts[level, behind], maxima[blocks[level] :]
                start, stop = n, find_ranked(addresses, fields[level], lowest, room, candidates, n)
            n = keep_ranked(
                addresses,
                fields[level],
                rates[level, at.CLASS],
                (first, behind),
                ranks,
                settings,
                candidates,
                (start, stop),
                n,
            )
        sort_keys(candidates, spare, n, settings[at.SORT_FROM], settings[at.KEY_BITS], counts[:512])
        if settings[at.TURNED] != 0:
            report[at.SORTED] = n
            return
        select(
            candidates, n, addresses, fields, rates, strides, settings, iou_max, lookup, work, result, report
        )
        if behind >= ranks_in_all or report[at.FULL] != 0 or report[at.CAPPED] != 0:
            return
        first = behind
        behind = min(ranks_in_all, behind + wide)
        wide *= 2


frame_by_table = variant("frame_by_table", frame_ranked, {box_of: box_by_table})


@kernel(f"{_GIVEN} f8* {_OWN}")
def frame_scored(
    outputs, addresses, fields, rates, strides, settings, iou_max, lookup, floors, keys, work, result, report
):
    """Decode a frame whose scores are computed one by one: f4, u2, or a scale for each channel.

    Parameters
    ----------
    floors : (rows,) f8, raw
        Smallest value of each class channel that reaches the threshold; rows as in `quants`.
    Others
        As in `frame_ranked`.
    """
    quants = lookup[3]
    candidates, spare, counts = keys[0], keys[1], keys[2]
    _begin(outputs, addresses, settings, work, report)
    n = np.int64(0)
    for level in range(settings[at.LEVELS]):
        field = fields[level, at.CLASS]
        item, address, size = field[at.ITEM], addresses[field[at.TENSOR]], field[at.ELEMENTS]
        if item == 1:
            n = pick_scored(
                bytes_at(address, size),
                addresses,
                fields[level],
                rates[level, at.CLASS],
                floors,
                quants,
                settings,
                candidates,
                n,
            )
        elif item == 2:
            n = pick_scored(
                halves_at(address, size),
                addresses,
                fields[level],
                rates[level, at.CLASS],
                floors,
                quants,
                settings,
                candidates,
                n,
            )
        else:
            real = reals_at(address, size)
            n = pick_real(
                real,
                addresses,
                fields[level],
                rates[level, at.CLASS],
                floors,
                quants,
                settings,
                candidates,
                n,
                report,
            )
    if report[at.BAD_VALUES] != 0:
        return
    sort_keys(candidates, spare, n, settings[at.SORT_FROM], settings[at.KEY_BITS], counts[:512])
    if settings[at.TURNED] != 0:
        report[at.SORTED] = n
    else:
        select(
            candidates, n, addresses, fields, rates, strides, settings, iou_max, lookup, work, result, report
        )


@kernel(f"{_GIVEN} f8* {_OWN}")
def frame_product(
    outputs, addresses, fields, rates, strides, settings, iou_max, lookup, floors, keys, work, result, report
):
    """Decode a frame whose scores are objectness times class, or a softmax over classes.

    Parameters
    ----------
    floors : (levels + 1,) f8
        Smallest raw objectness of each level that can reach the threshold, then the threshold itself.
    Others
        As in `frame_ranked`.
    """
    quants = lookup[3]
    candidates, spare, counts = keys[0], keys[1], keys[2]
    _begin(outputs, addresses, settings, work, report)
    n = np.int64(0)
    for level in range(settings[at.LEVELS]):
        n = pick_product(
            addresses, fields[level], floors[level], floors[-1], quants, settings, work, candidates, n, report
        )
    if report[at.BAD_VALUES] != 0:
        return
    sort_keys(candidates, spare, n, settings[at.SORT_FROM], settings[at.KEY_BITS], counts[:512])
    if settings[at.TURNED] != 0:
        report[at.SORTED] = n
    else:
        select(
            candidates, n, addresses, fields, rates, strides, settings, iou_max, lookup, work, result, report
        )
