"""Turned boxes: centre, size and angle of one anchor, and how much two of them overlap."""

from __future__ import annotations

import math

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import apart, inner, kernel
from hailo_decode.kernels.boxes import read_cell, sides_of
from hailo_decode.kernels.photo import moved
from hailo_decode.kernels.pick import sigmoid
from hailo_decode.kernels.select import examine, place_of, write_row

EXACT = 1
GAUSSIAN = 2
_SLACK = 1.0 + 1e-9  # more than rounding can be off
_TINY = 1e-7  # as Ultralytics adds it to the logarithms and roots of ProbIoU


@apart
def turned_of(code, addresses, level, stride, h, w, anchor, lookup, row, values, out):
    """Fill `out` (7,) f8 with one anchor's centre, size, angle, cosine and sine; return its upright bounds, f4.

    The sides are those of the box before it is turned about the cell's centre; the box's own centre is off by half their
    differences, turned alike.
    """
    extra = level[at.EXTRA]
    read_cell(addresses, extra, h, w, anchor, lookup[3], values)
    angle = values[0] + values[0] * 0.0  # nan for infinities too, of which a sigmoid would make sound numbers
    if lookup[7][1] != 0.0:
        share = sigmoid(angle) if extra[at.LOGITS] != 0 else angle
        angle = (share - lookup[7][0]) * lookup[7][1]
    left, top, right, bottom = sides_of(
        code, addresses, level[at.BOX], h, w, anchor, lookup[3], lookup[4], row, values
    )
    off_x, off_y = (right - left) * 0.5, (bottom - top) * 0.5
    c, s = math.cos(angle), math.sin(angle)
    out[0] = (w + lookup[6][0] + off_x * c - off_y * s) * stride[0]
    out[1] = (h + lookup[6][0] + off_x * s + off_y * c) * stride[1]
    out[2] = (left + right) * stride[0]
    out[3] = (top + bottom) * stride[1]
    out[4] = angle
    out[5], out[6] = c, s  # suppression wants them for every pair
    wide = 0.5 * (abs(out[2] * c) + abs(out[3] * s))
    high = 0.5 * (abs(out[2] * s) + abs(out[3] * c))
    return (
        np.float32(out[0] - wide),
        np.float32(out[1] - high),
        np.float32(out[0] + wide),
        np.float32(out[1] + high),
    )


@inner
def _clip(shape, n, edge_x, edge_y, edge_bound, target):
    """Cut a convex shape (n points) at a line, keep the side where x * edge_x + y * edge_y <= edge_bound."""
    m = 0
    for i in range(n):
        x1, y1 = shape[i, 0], shape[i, 1]
        k = i + 1 if i + 1 < n else 0
        x2, y2 = shape[k, 0], shape[k, 1]
        d1 = x1 * edge_x + y1 * edge_y - edge_bound
        d2 = x2 * edge_x + y2 * edge_y - edge_bound
        if d1 <= 0.0:
            target[m, 0], target[m, 1] = x1, y1
            m += 1
        if (d1 < 0.0 and d2 > 0.0) or (d1 > 0.0 and d2 < 0.0):
            t = d1 / (d1 - d2)
            target[m, 0], target[m, 1] = x1 + t * (x2 - x1), y1 + t * (y2 - y1)
            m += 1
    return m


@inner
def shared_area(a, b, shapes):
    """Return the common area of two turned boxes.

    Box `a` is cut at the four sides of box `b`, in the axes of `b`, where these are upright: no rounding of far coordinates.

    Parameters
    ----------
    a, b : (7,) f8
        Centre, size, angle, its cosine and sine.
    shapes : (2, 12, 2) f8, scratch
    """
    c, s = b[5], b[6]
    dx, dy = a[0] - b[0], a[1] - b[1]
    x, y = dx * c + dy * s, dy * c - dx * s
    turn_c, turn_s = a[5] * c + a[6] * s, a[6] * c - a[5] * s
    ux, uy = 0.5 * a[2] * turn_c, 0.5 * a[2] * turn_s
    vx, vy = -0.5 * a[3] * turn_s, 0.5 * a[3] * turn_c
    here, there = shapes[0], shapes[1]
    here[0, 0], here[0, 1] = x - ux - vx, y - uy - vy
    here[1, 0], here[1, 1] = x + ux - vx, y + uy - vy
    here[2, 0], here[2, 1] = x + ux + vx, y + uy + vy
    here[3, 0], here[3, 1] = x - ux + vx, y - uy + vy
    n = _clip(here, 4, 1.0, 0.0, 0.5 * b[2], there)
    n = _clip(there, n, -1.0, 0.0, 0.5 * b[2], here)
    n = _clip(here, n, 0.0, 1.0, 0.5 * b[3], there)
    n = _clip(there, n, 0.0, -1.0, 0.5 * b[3], here)
    area = 0.0
    for i in range(n):
        k = i + 1 if i + 1 < n else 0
        area += here[i, 0] * here[k, 1] - here[k, 0] * here[i, 1]
    return abs(0.5 * area)


@inner
def _common(offset, half, other):
    """Return the length that two stretches share, from the offset of their middles and their half lengths."""
    return max(min(offset + half, other) - max(offset - half, -other), 0.0)


@inner
def _surely(a, b, iou_max):
    """Return 1 where two turned boxes surely overlap enough, 0 where surely not, -1 where only their common area tells.

    In the axes of `b` stands an upright box around `a`, and one of its proportions inside it. They decide nearly all pairs
    of a usual frame: 26 us for its suppression, 44 with the area of all.
    """
    c, s = b[5], b[6]
    dx, dy = a[0] - b[0], a[1] - b[1]
    x, y = dx * c + dy * s, dy * c - dx * s
    turn_c, turn_s = abs(a[5] * c + a[6] * s), abs(a[6] * c - a[5] * s)
    wide, high = 0.5 * a[2], 0.5 * a[3]
    around_x, around_y = wide * turn_c + high * turn_s, wide * turn_s + high * turn_c
    areas = a[2] * a[3] + b[2] * b[3]
    most = _common(x, around_x, 0.5 * b[2]) * _common(y, around_y, 0.5 * b[3])
    if most * _SLACK < iou_max * (areas - most):
        return 0
    if around_x > 0.0 and around_y > 0.0:
        inside = min(wide / around_x, high / around_y)
        least = _common(x, wide * inside, 0.5 * b[2]) * _common(y, high * inside, 0.5 * b[3])
        if least > 0.0 and least >= iou_max * (areas - least) * _SLACK:
            return 1
    return -1


@inner
def likeness(a, b):
    """Return how alike two turned boxes are as Gaussians, 0..1.

    1 minus the Hellinger distance (Llerena et al., "Gaussian Bounding Boxes and Probabilistic Intersection-over-Union",
    2021); variances are squared sizes over 12.
    """
    ca, sa, cb, sb = a[5], a[6], b[5], b[6]
    wa, ha, wb, hb = a[2] * a[2] / 12.0, a[3] * a[3] / 12.0, b[2] * b[2] / 12.0, b[3] * b[3] / 12.0
    a1, b1, c1 = wa * ca * ca + ha * sa * sa, wa * sa * sa + ha * ca * ca, (wa - ha) * ca * sa
    a2, b2, c2 = wb * cb * cb + hb * sb * sb, wb * sb * sb + hb * cb * cb, (wb - hb) * cb * sb
    dx, dy = a[0] - b[0], a[1] - b[1]
    det = (a1 + a2) * (b1 + b2) - (c1 + c2) * (c1 + c2)
    t1 = ((a1 + a2) * dy * dy + (b1 + b2) * dx * dx) / (det + _TINY) * 0.25
    t2 = (c1 + c2) * -dx * dy / (det + _TINY) * 0.5
    spread = math.sqrt(max(a1 * b1 - c1 * c1, 0.0) * max(a2 * b2 - c2 * c2, 0.0))
    t3 = 0.5 * math.log(det / (4.0 * spread + _TINY) + _TINY)
    distance = min(max(t1 + t2 + t3, _TINY), 100.0)
    return 1.0 - math.sqrt(1.0 - math.exp(-distance) + _TINY)


@apart
def hit_turned(mode, held, label, iou_max, box, shape, bounds, kept, labels, shapes):
    """Tell whether any of `held` kept turned boxes of a label overlaps one at least by `iou_max`.

    Parameters
    ----------
    mode : int
        EXACT or GAUSSIAN.
    box : 4 of f4
        Upright bounds: boxes whose bounds do not meet share no area.
    shape : (7,) f8
    bounds : (m, 6) f4, kept : (m, 7) f8, labels : (m,) i4
        What was kept.
    shapes : (2, 12, 2) f8, scratch
    """
    inside_out = shape[2] < 0.0 or shape[3] < 0.0  # such a box covers nothing, and nothing covers it
    for j in range(held):
        if labels[j] != label or inside_out or kept[j, 2] < 0.0 or kept[j, 3] < 0.0:
            if labels[j] == label and iou_max <= 0.0:
                return True
            continue
        if mode == GAUSSIAN:
            if likeness(shape, kept[j]) >= iou_max:
                return True
            continue
        if min(box[2], bounds[j, 2]) <= max(box[0], bounds[j, 0]) or min(box[3], bounds[j, 3]) <= max(
            box[1], bounds[j, 1]
        ):
            if iou_max <= 0.0:
                return True
            continue
        if iou_max > 0.0:
            sure = _surely(shape, kept[j], iou_max)
            if sure == 1:
                return True
            if sure == 0:
                continue
        shared = shared_area(shape, kept[j], shapes)
        if shared <= 0.0:  # boxes without an area, or inside out, cover nothing
            if iou_max <= 0.0:
                return True
            continue
        joined = shape[2] * shape[3] + kept[j, 2] * kept[j, 3] - shared
        if shared >= iou_max * joined:
            return True
    return False


@inner
def _admit_turned(c, box, settings, iou_max, work, report):
    """Tell whether the turned box in `work` overlaps no better one too much; if so it is compared with all that follow."""
    boxes, labels = work[3], work[4]
    shape, kept, shapes = work[8], work[9], work[10]
    held = report[at.HELD]
    label = np.int32(0) if settings[at.AGNOSTIC] != 0 else np.int32(c)
    if hit_turned(settings[at.TURNED], held, label, iou_max, box, shape, boxes, kept, labels, shapes):
        return False
    boxes[held, 0], boxes[held, 1], boxes[held, 2], boxes[held, 3] = box
    for k in range(7):
        kept[held, k] = shape[k]
    labels[held] = label
    report[at.HELD] = held + 1
    return True


@kernel(f"u8* i8* i8*** f8*** f8** i8* f4 {at.LOOKUP} {at.WORK} {at.RESULT} i8*")
def select_turned(keys, addresses, fields, rates, strides, settings, iou_max, lookup, work, result, report):
    """Do as `select` does for turned boxes, with all candidates of a frame.

    A call of its own: inside the frame it would double what every other head waits for its first compilation.
    """
    scores, row, values, shape, turned = lookup[2], work[6], work[7], work[8], result[4]
    code, levels = settings[at.BOX_CODE], settings[at.LEVELS]
    for i in range(report[at.SORTED]):
        anchor, c, full = examine(keys[i], settings, work, report)
        if anchor == -2:
            return
        if anchor < 0:
            continue
        level, h, w, a = place_of(anchor, fields, rates, levels)
        box = turned_of(code, addresses, fields[level], strides[level], h, w, a, lookup, row, values, shape)
        if not math.isfinite(box[0] + box[1] + box[2] + box[3]):
            report[at.BAD_BOXES] += 1
            continue
        if settings[at.SUPPRESS] != 0 and not _admit_turned(c, box, settings, iou_max, work, report):
            continue
        if full:
            continue
        found = write_row(keys[i], anchor, c, box, settings, scores, work, result, report)
        if found < 0:
            return
        for k in range(5):
            turned[found, k] = shape[k]


@kernel(f"{at.RESULT} i8* f4***")
def write_corners(result, report, out):
    """Fill `out` (max_det, 4, 2) f4 with corners: right bottom, right top, left top, left bottom before the turn.

    Parameters
    ----------
    result, report
        As in `select`: turned boxes are centre x, y, width, height in input pixels, and angle in radians.
    """
    turned, photo = result[4], result[5]
    for i in range(report[at.FOUND]):
        c, s = math.cos(turned[i, 4]), math.sin(turned[i, 4])
        for k in range(4):
            across = turned[i, 2] * (0.5 if k < 2 else -0.5)
            down = turned[i, 3] * (0.5 if k == 0 or k == 3 else -0.5)
            out[i, k, 0] = moved(np.float32(turned[i, 0] + across * c - down * s), photo, 0)
            out[i, k, 1] = moved(np.float32(turned[i, 1] + across * s + down * c), photo, 1)
