"""Candidates of heads with objectness, and of classes under a softmax: scores that no single number gives."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, apart_from, inner
from hailo_decode.kernels.boxes import cell_of, first_of, offset_of
from hailo_decode.kernels.memory import bytes_at, halves_at, reals_at
from hailo_decode.kernels.pick import quant_row, score_key, sigmoid
from hailo_decode.kernels.softmax import classes_by_softmax, write_key

_AT_ONCE = 32  # anchors that are read before there is a branch
_MOST = 1.0 + 1.0 / 64.0  # quantised probabilities reach a step beyond 1


@inner
def _least_class(field, wanted):
    """Return the least real class value that can do, a little below the exact one; the product itself decides."""
    if field[at.LOGITS] == 0:
        return wanted - 1e-6
    if wanted <= 1e-12:
        return -math.inf
    return (30.0 if wanted >= 1.0 else min(math.log(wanted / (1.0 - wanted)), 30.0)) - 1e-6


@inner
def _classes_of(x, field, cell, first, row, objectness, conf, quants, settings, anchor, keys, n, report):
    """Append each class of one anchor whose product with the objectness reaches the threshold, or the best of them."""
    alone = settings[at.MULTI_LABEL] == 0
    found = n
    wanted = conf / objectness if objectness > 0.0 else 0.0
    if wanted > _MOST:
        return n
    least = _least_class(field, wanted)
    if field[at.QUANT_STEP] != 0:
        floor = x.dtype.type(
            0
        )  # each channel has a scale of its own: integers all pass, and the product decides
    else:
        raw = least / quants[row, 0] + quants[row, 1]
        floor = (
            x.dtype.type(min(max(math.floor(raw), 0.0), 65535.0)) if field[at.ITEM] < 4 else x.dtype.type(raw)
        )
    if (
        field[at.ITEM] == 1
        and field[at.QUANT_STEP] == 0
        and math.floor(least / quants[row, 0] + quants[row, 1]) > 255.0
    ):
        return n
    beside = field[at.CHANNEL] == 1 and field[at.EIGHTS] == 0
    start = offset_of(field, cell, first)
    row_of = x[start : start + field[at.COUNT]] if beside else x
    for c in range(field[at.COUNT]):
        # Channels that stand side by side need no offset worked out: 0.7 ns each instead of 2.
        stored = row_of[c] if beside else x[offset_of(field, cell, first + c)]
        if not stored >= floor:
            report[at.BAD_VALUES] += np.int64(stored != stored)
            continue
        q = row + c * field[at.QUANT_STEP]
        value = (np.float64(stored) - quants[q, 1]) * quants[q, 0]
        score = objectness * (sigmoid(value) if field[at.LOGITS] != 0 else value)
        if not score >= conf:
            continue
        n = write_key(score_key(score), c, anchor, settings, keys, n)
        if alone:
            if field[at.QUANT_STEP] == 0:
                floor = stored  # less cannot be better: spares its sigmoid
            if n - found == 2:
                keys[found] = min(keys[found], keys[found + 1])
                n -= 1
    return n


@apart
def _classes_by_product(
    addresses, field, cell, first, row, objectness, conf, quants, settings, anchor, keys, n, report
):
    """Do so for a tensor of any dtype."""
    address, size = addresses[field[at.TENSOR]], field[at.ELEMENTS]
    if field[at.ITEM] == 1:
        x = bytes_at(address, size)
        return _classes_of(
            x, field, cell, first, row, objectness, conf, quants, settings, anchor, keys, n, report
        )
    if field[at.ITEM] == 2:
        y = halves_at(address, size)
        return _classes_of(
            y, field, cell, first, row, objectness, conf, quants, settings, anchor, keys, n, report
        )
    z = reals_at(address, size)
    return _classes_of(
        z, field, cell, first, row, objectness, conf, quants, settings, anchor, keys, n, report
    )


@apart
def _visit(addresses, level, h, w, a, raw, conf, quants, settings, values, keys, n, report):
    """Append the candidates of one anchor, whose raw objectness has reached its floor."""
    thing, field = level[at.OBJECT], level[at.CLASS]
    objectness = 1.0
    if settings[at.HAS_OBJECT] != 0:
        q = quant_row(thing, a)
        objectness = (raw - quants[q, 1]) * quants[q, 0]
        if thing[at.LOGITS] != 0:
            objectness = sigmoid(objectness)
    anchor = field[at.BASE] + (h * field[at.WIDTH] + w) * field[at.ANCHORS] + a
    cell, first, row = cell_of(field, h, w), first_of(field, a), quant_row(field, a)
    if settings[at.SOFTMAX] != 0:
        return classes_by_softmax(
            addresses,
            field,
            cell,
            first,
            row,
            objectness,
            conf,
            quants,
            settings,
            anchor,
            values,
            keys,
            n,
            report,
        )
    return _classes_by_product(
        addresses, field, cell, first, row, objectness, conf, quants, settings, anchor, keys, n, report
    )


def _any_hit_at_once(row, first, behind, pitch, floor):
    part = row[first * pitch : (behind - 1) * pitch + 1 : pitch]
    return bool(((part >= floor) | (part - part != 0)).any())


@apart_from(_any_hit_at_once)
def _any_hit(row, first, behind, pitch, floor):
    """Tell whether any of some anchors reaches the floor, or holds no number."""
    hit = np.int32(0)
    for i in range(first, behind):
        raw = row[np.uint64(i * pitch)]
        hit = np.int32(hit | np.int32(raw >= floor) | np.int32(raw - raw != 0))
    return hit != 0


@inner
def _walk(x, addresses, level, floor, conf, quants, settings, values, keys, n, report):
    """Go over a level's anchors as they lie: row by row, or where each channel has a run of cells, run by run.

    Some dozens of anchors are read before there is a branch: more reads are under way, and each waits less. With an
    objectness every 85 bytes that is 50 us a frame where a branch an anchor took 62.
    """
    thing = level[at.OBJECT]
    wide, column, step, anchors = thing[at.WIDTH], thing[at.COLUMN], thing[at.STEP], thing[at.ANCHORS]
    stretches, count, pitch = np.int64(1), wide * anchors, step  # anchors of a row that lie evenly
    runs = thing[at.AXIS_C] != 2 or column == 1
    if runs:
        stretches, count, pitch = anchors, wide, column
    elif anchors == 1:
        pitch = column
    elif column != anchors * step:
        stretches, count = wide, anchors
    for h in range(thing[at.HEIGHT]):
        for s in range(stretches):
            start = h * thing[at.ROW] + (0 if runs else s * column)
            row = x[offset_of(thing, start, first_of(thing, s if runs else np.int64(0))) :]
            for first in range(0, count, _AT_ONCE):
                behind = min(first + _AT_ONCE, count)
                if not _any_hit(row, first, behind, pitch, floor):
                    continue
                for i in range(first, behind):
                    raw = row[np.uint64(i * pitch)]
                    if raw >= floor:
                        w, a = (i, s) if runs else (s, i)
                        if not runs and stretches == 1:
                            w = i // anchors
                            a = i - w * anchors
                        n = _visit(
                            addresses,
                            level,
                            h,
                            w,
                            a,
                            np.float64(raw),
                            conf,
                            quants,
                            settings,
                            values,
                            keys,
                            n,
                            report,
                        )
                    elif raw - raw != 0:  # nan, or minus infinity
                        report[at.BAD_VALUES] += 1
    return n


@apart
def pick_product(addresses, level, floor, conf, quants, settings, work, keys, n, report):
    """Append the candidates of one level, objectness first: most anchors are done with after one comparison.

    Parameters
    ----------
    addresses : (outputs,) i8
    level : (FIELDS, COLUMNS) i8
        The level's fields. Without objectness its place holds the class field, and the floor lets all pass.
    floor : f8, raw
        Smallest objectness that can reach the threshold.
    conf : f8
    quants : (rows, 2) f8
    settings, work, keys, n, report
        As in `select` and `rank.keep_ranked`.
    """
    thing, values = level[at.OBJECT], work[7]
    address, size, item = addresses[thing[at.TENSOR]], thing[at.ELEMENTS], thing[at.ITEM]
    if item == 1:
        if floor > 255.0:
            return n
        least = np.uint8(max(floor, 0.0))
        return _walk(
            bytes_at(address, size), addresses, level, least, conf, quants, settings, values, keys, n, report
        )
    if item == 2:
        if floor > 65535.0:
            return n
        least = np.uint16(max(floor, 0.0))
        return _walk(
            halves_at(address, size), addresses, level, least, conf, quants, settings, values, keys, n, report
        )
    least = np.float32(floor)
    return _walk(
        reals_at(address, size), addresses, level, least, conf, quants, settings, values, keys, n, report
    )
