"""Candidates of heads with objectness, and of classes under a softmax: scores that no single number gives."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, inner
from hailo_decode.kernels.boxes import cell_of, first_of, offset_of
from hailo_decode.kernels.memory import bytes_at, halves_at, reals_at
from hailo_decode.kernels.pick import quant_row, score_key, sigmoid
from hailo_decode.kernels.softmax import classes_by_softmax, write_key

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
    """Append each class of one anchor whose product with the objectness reaches the threshold."""
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
        if score >= conf:
            n = write_key(score_key(score), c, anchor, settings, keys, n)
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


@inner
def _walk(x, addresses, level, floor, conf, quants, settings, values, keys, n, report):
    """Go over a level's anchors as they lie: cell by cell, or where each channel has a run of cells, run by run."""
    thing = level[at.OBJECT]
    wide, column, step, anchors = thing[at.WIDTH], thing[at.COLUMN], thing[at.STEP], thing[at.ANCHORS]
    runs = thing[at.AXIS_C] != 2 or column == 1
    for h in range(thing[at.HEIGHT]):
        if runs:
            for a in range(anchors):
                start = offset_of(thing, h * thing[at.ROW], first_of(thing, a))
                run = x[start : start + (wide - 1) * column + 1 : column]
                n = _step_over(
                    run,
                    wide,
                    1,
                    0,
                    a,
                    floor,
                    h,
                    addresses,
                    level,
                    conf,
                    quants,
                    settings,
                    values,
                    keys,
                    n,
                    report,
                )
        else:  # unsigned steps from one pointer: 1 ns an anchor, 4 with its offset worked out each time
            row = x[h * thing[at.ROW] + thing[at.FIRST] :]
            n = _step_over(
                row,
                wide,
                anchors,
                column,
                step,
                floor,
                h,
                addresses,
                level,
                conf,
                quants,
                settings,
                values,
                keys,
                n,
                report,
            )
    return n


@inner
def _step_over(
    row,
    wide,
    anchors,
    column,
    step,
    floor,
    h,
    addresses,
    level,
    conf,
    quants,
    settings,
    values,
    keys,
    n,
    report,
):
    """Visit the anchors of one row whose objectness reaches its floor.

    Parameters
    ----------
    row : raw objectness from the row's first anchor on
    wide, anchors : int
        Cells, and anchors of each that lie `step` apart; a run holds one anchor of each cell, whose number `step` then is.
    column : int
        Elements from one cell to the next; 0 for a run.
    """
    for w in range(wide):
        for a in range(anchors):
            raw = row[np.uint64(w * column + a * step)] if column != 0 else row[w]
            if raw >= floor:
                number = a if column != 0 else np.int64(step)
                n = _visit(
                    addresses,
                    level,
                    h,
                    w,
                    number,
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
        As in `select` and `pick_ranked`.
    """
    thing, values = level[at.OBJECT], work[8]
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
