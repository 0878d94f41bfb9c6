"""From sorted candidates to the result: decode each box in turn, keep it unless a better one covers it."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, inner
from hailo_decode.kernels.boxes import box_of
from hailo_decode.kernels.crowd import LEAST_IOU, join_crowd
from hailo_decode.kernels.photo import moved_inside
from hailo_decode.kernels.pick import TOP_SCORE, divided
from hailo_decode.kernels.suppress import hit_in_lanes, hit_in_list, keep_in_lanes

_NONE, _ONE, _SIX, _SIXTY_THREE = np.uint64(0), np.uint64(1), np.uint64(6), np.uint64(63)
_FEW_CLASSES = 16  # below, the kept boxes of all classes are searched in lanes, else class by class in lists
# Kept boxes from which on they are searched by place, which costs what 8 blocks of lanes do, or lists of a dozen boxes.
_CROWD_IN_LANES = 256
_CROWD_IN_LISTS = 1024


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
def _admit(c, box, settings, iou_max, work, report):
    """Tell whether a box overlaps no better one too much; if so it is compared with all that follow."""
    heads, boxes, following, lanes, cells, grain = work[0], work[3], work[4], work[5], work[11], work[12]
    x1, y1, x2, y2 = box
    area = (x2 - x1) * (y2 - y1)
    held = report[at.HELD]
    agnostic = settings[at.AGNOSTIC] != 0
    label = np.int64(0) if agnostic else c
    in_lanes = agnostic or settings[at.CLASSES] < _FEW_CLASSES
    crowd = _CROWD_IN_LANES if in_lanes else _CROWD_IN_LISTS
    crowded = held >= crowd and iou_max >= LEAST_IOU
    if in_lanes and not crowded:
        if hit_in_lanes(lanes, held, np.float32(label), iou_max, x1, y1, x2, y2, area):
            return False
        keep_in_lanes(lanes, held, np.float32(label), x1, y1, x2, y2, area)
    elif not crowded:
        if hit_in_list(heads[c], following, boxes, iou_max, x1, y1, x2, y2, area):
            return False
        following[held] = heads[c]
        heads[c] = held
    boxes[held, 0], boxes[held, 1], boxes[held, 2], boxes[held, 3] = x1, y1, x2, y2
    boxes[held, 4], boxes[held, 5] = area, np.float32(label)
    if held + 1 >= crowd and iou_max >= LEAST_IOU:
        first = held if crowded else np.int64(0)
        if not join_crowd(first, held, iou_max, boxes, following, cells, grain):
            return False
    report[at.HELD] = held + 1
    return True


@inner
def _seen_before(seen, anchor):
    """Tell whether an anchor had its turn in this frame, and note that it has.

    A bit each, cleared for each frame: a number each is 34 KB for 8,400 anchors, and misses the nearest cache.
    """
    word, bit = np.uint64(anchor) >> _SIX, _ONE << (np.uint64(anchor) & _SIXTY_THREE)
    before = seen[word]
    seen[word] = before | bit
    return before & bit != _NONE


@inner
def examine(key, settings, work, report):
    """Return (anchor, class, full) of the candidate whose turn it is; anchor is -1 where it is passed over, -2 at the end.

    `full` tells that its class holds all the boxes it may have: it can still cover others, as it would if the limit were
    applied behind all of suppression.
    """
    class_counts, seen = work[1], work[2]
    anchor_bits = settings[at.ANCHOR_BITS]
    bits = np.int64(key)
    anchor = bits & ((np.int64(1) << anchor_bits) - 1)
    c = (bits >> anchor_bits) & ((np.int64(1) << settings[at.CLASS_BITS]) - 1)
    # The first key of an anchor is its best class: the sort has seen to it.
    if settings[at.MULTI_LABEL] == 0 and _seen_before(seen, anchor):
        return np.int64(-1), c, False
    if report[at.TRIED] == settings[at.MAX_NMS]:
        report[at.CAPPED] = 1
        return np.int64(-2), c, False
    report[at.TRIED] += 1
    full = class_counts[c] == settings[at.MAX_PER_CLASS]
    if full:
        report[at.CLASS_FULL] += 1
        if settings[at.AGNOSTIC] == 0:
            return np.int64(-1), c, full
    return anchor, c, full


@inner
def write_row(key, anchor, c, box, settings, scores, work, result, report):
    """Write a kept box as the next row of the result; return its number, or -1 where there is no place for it."""
    xyxy, confidence, class_id, anchors, photo = result[0], result[1], result[2], result[3], result[5]
    found = report[at.FOUND]
    if found == settings[at.MAX_DET]:
        report[at.FULL] = 1
        return np.int64(-1)
    x1, y1, x2, y2 = box
    xyxy[found, 0], xyxy[found, 1] = moved_inside(x1, photo, 0), moved_inside(y1, photo, 1)
    xyxy[found, 2], xyxy[found, 3] = moved_inside(x2, photo, 0), moved_inside(y2, photo, 1)
    rank = np.int64(key) >> (settings[at.ANCHOR_BITS] + settings[at.CLASS_BITS])
    confidence[found] = score_of(rank, settings, scores)
    class_id[found] = c
    anchors[found] = anchor
    work[1][c] += 1
    report[at.FOUND] = found + 1
    return found


@apart
def select(keys, n, addresses, fields, rates, strides, settings, iou_max, lookup, work, result, report):
    """Decode and keep candidates in order, until they or the places for them run out.

    Each box is decoded when its turn comes, so that none is decoded behind the last one kept.

    Parameters
    ----------
    keys : (n,) u8, sorted
    work : (heads, class_counts, seen, boxes, following, lanes, row, values, shape, turned, shapes, cells, grain,
            known)
        (classes,) i4, (classes,) i4, (anchors / 64,) u8, (m, 6) f4, (m,) i4, (m / 32, 6, 32) f4, (channels,) u1,
        (2 * channels,) f8, (7,) f8, (m, 7) f8, (2, 12, 2) f8, cells and grain as in `join_crowd`, (anchors, 4) f4: scratch.
        What is held from earlier keys of the frame counts on.
    result : (xyxy, confidence, class_id, anchor, turned, photo)
        (max_det, 4) f4 pixels, (max_det,) f4, (max_det,) i4, (max_det,) i4, (max_det, 5) f8, out; (PHOTO,) f8, in: see
        `photo`.
    report : (REPORT,) i8, in and out
    """
    scores, seen, row, values, known = lookup[2], work[2], work[6], work[7], work[13]
    several = settings[at.MULTI_LABEL] != 0
    code, levels = settings[at.BOX_CODE], settings[at.LEVELS]
    for i in range(n):
        anchor, c, full = examine(keys[i], settings, work, report)
        if anchor == -2:
            return
        if anchor < 0:
            continue
        if several and _seen_before(seen, anchor):
            box = (known[anchor, 0], known[anchor, 1], known[anchor, 2], known[anchor, 3])
        else:
            level, h, w, a = place_of(anchor, fields, rates, levels)
            box = box_of(code, addresses, fields[level], strides[level], h, w, a, lookup, row, values)
            if several:  # kept for the anchor's other classes: 30,000 candidates of 8,400 anchors took 70 ns each, now 30
                known[anchor, 0], known[anchor, 1], known[anchor, 2], known[anchor, 3] = box
        if not math.isfinite(box[0] + box[1] + box[2] + box[3]):
            report[at.BAD_BOXES] += 1
            continue
        if settings[at.SUPPRESS] != 0 and not _admit(c, box, settings, iou_max, work, report):
            continue
        if not full and write_row(keys[i], anchor, c, box, settings, scores, work, result, report) < 0:
            return
