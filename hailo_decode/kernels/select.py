"""From sorted candidates to the result: decode each box in turn, keep it unless a better one covers it."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import inner
from hailo_decode.kernels.boxes import box_of
from hailo_decode.kernels.pick import TOP_SCORE, divided
from hailo_decode.kernels.suppress import hit_in_lanes, hit_in_list, keep_in_lanes
from hailo_decode.kernels.turned import hit_turned, turned_of

_FEW_CLASSES = 16  # below, the kept boxes of all classes are searched in lanes, else class by class in lists


@inner
def score_of(rank, settings, scores):
    """Return the score, f4, that the rank part of a key stands for."""
    if settings[at.RANKS] > 0:
        return scores[rank]
    return np.uint32(TOP_SCORE - rank).view(np.float32)


@inner
def place_of(anchor, fields, rates, levels):
    """Return (level, row, column, anchor in the cell) of an anchor's number."""
    level = 0
    while level + 1 < levels and anchor >= fields[level + 1, at.CLASS, at.BASE]:
        level += 1
    cell = anchor - fields[level, at.CLASS, at.BASE]
    inside = np.int64(0)
    if fields[level, at.CLASS, at.ANCHORS] > 1:
        rest = cell
        cell = divided(rest, rates[level, at.CLASS, at.PER_ANCHORS])
        inside = rest - cell * fields[level, at.CLASS, at.ANCHORS]
    h = divided(cell, rates[level, at.CLASS, at.PER_WIDTH])
    return level, h, cell - h * fields[level, at.CLASS, at.WIDTH], inside


@inner
def _admit_turned(c, box, settings, iou_max, work, report):
    """Do as `_admit` does, for the turned box in `work`."""
    boxes, labels = work[4], work[5]
    shape, kept, shapes = work[9], work[10], work[11]
    held = report[at.HELD]
    label = np.int32(0) if settings[at.AGNOSTIC] != 0 else np.int32(c)
    if hit_turned(settings[at.TURNED], held, label, iou_max, box, shape, boxes, kept, labels, shapes):
        return False
    boxes[held, 0], boxes[held, 1], boxes[held, 2], boxes[held, 3] = box
    for k in range(5):
        kept[held, k] = shape[k]
    labels[held] = label
    report[at.HELD] = held + 1
    return True


@inner
def _admit(c, box, settings, iou_max, work, report):
    """Tell whether a box overlaps no better one too much; if so it is compared with all that follow."""
    if settings[at.TURNED] != 0:
        return _admit_turned(c, box, settings, iou_max, work, report)
    heads, boxes, following, lanes = work[0], work[4], work[5], work[6]
    x1, y1, x2, y2 = box
    area = (x2 - x1) * (y2 - y1)
    held = report[at.HELD]
    if settings[at.AGNOSTIC] != 0 or settings[at.CLASSES] < _FEW_CLASSES:
        label = np.float32(0) if settings[at.AGNOSTIC] != 0 else np.float32(c)
        if hit_in_lanes(lanes, held, label, iou_max, x1, y1, x2, y2, area):
            return False
        keep_in_lanes(lanes, held, label, x1, y1, x2, y2, area)
    else:
        if hit_in_list(heads[c], following, boxes, iou_max, x1, y1, x2, y2, area):
            return False
        boxes[held, 0], boxes[held, 1], boxes[held, 2], boxes[held, 3] = x1, y1, x2, y2
        boxes[held, 4] = area
        following[held] = heads[c]
        heads[c] = held
    report[at.HELD] = held + 1
    return True


@inner
def select(keys, n, addresses, fields, rates, strides, settings, iou_max, lookup, work, result, report):
    """Decode and keep candidates in order, until they or the places for them run out.

    Each box is decoded when its turn comes, so that none is decoded behind the last one kept.

    Parameters
    ----------
    keys : (n,) u8, sorted
    work : (heads, class_counts, seen, stamp, boxes, following, lanes, row, values, shape, turned, shapes)
        (classes,) i4, (classes,) i4, (anchors,) i4, (1,) i4, (m, 5) f4, (m,) i4, (m / 32, 6, 32) f4, (channels,) u1,
        (channels,) f8, (5,) f8, (m, 5) f8, (2, 12, 2) f8: scratch. What is held from earlier keys of the frame counts on.
    result : (xyxy, confidence, class_id, anchor, turned)
        (max_det, 4) f4 input pixels, (max_det,) f4, (max_det,) i4, (max_det,) i4, (max_det, 5) f8, out
    report : (REPORT,) i8, in and out
    """
    scores = lookup[2]
    class_counts, seen, row, values = work[1], work[2], work[7], work[8]
    stamp = work[3][0]
    xyxy, confidence, class_id, anchors, turned = result
    anchor_bits = settings[at.ANCHOR_BITS]
    rank_shift = anchor_bits + settings[at.CLASS_BITS]
    anchor_mask = (np.int64(1) << anchor_bits) - 1
    class_mask = (np.int64(1) << settings[at.CLASS_BITS]) - 1
    for i in range(n):
        key = np.int64(keys[i])
        anchor = key & anchor_mask
        c = (key >> anchor_bits) & class_mask
        if (
            settings[at.MULTI_LABEL] == 0
        ):  # the first key of an anchor is its best class: the sort has seen to it
            if seen[anchor] == stamp:
                continue
            seen[anchor] = stamp
        if report[at.TRIED] == settings[at.MAX_NMS]:
            report[at.CAPPED] = 1
            return
        report[at.TRIED] += 1
        full = class_counts[c] == settings[at.MAX_PER_CLASS]
        if full:
            report[at.CLASS_FULL] += 1
            if settings[at.AGNOSTIC] == 0:
                continue
        level, h, w, a = place_of(anchor, fields, rates, settings[at.LEVELS])
        code, field, stride = settings[at.BOX_CODE], fields[level, at.BOX], strides[level]
        if settings[at.TURNED] != 0:
            box = turned_of(code, addresses, fields[level], stride, h, w, a, lookup, row, values, work[9])
        else:
            box = box_of(code, addresses, field, stride, h, w, a, lookup, row, values)
        if not math.isfinite(box[0] + box[1] + box[2] + box[3]):
            report[at.BAD_BOXES] += 1
            continue
        if settings[at.SUPPRESS] != 0 and not _admit(c, box, settings, iou_max, work, report):
            continue
        if full:  # it covers others, as it would if the limit were applied behind all of suppression
            continue
        found = report[at.FOUND]
        if found == settings[at.MAX_DET]:
            report[at.FULL] = 1
            return
        xyxy[found, 0], xyxy[found, 1], xyxy[found, 2], xyxy[found, 3] = box
        confidence[found] = score_of(key >> rank_shift, settings, scores)
        class_id[found] = c
        anchors[found] = anchor
        if settings[at.TURNED] != 0:
            for k in range(5):
                turned[found, k] = work[9][k]
        class_counts[c] += 1
        report[at.FOUND] = found + 1
