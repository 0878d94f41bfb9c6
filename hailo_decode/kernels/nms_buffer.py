"""NMS results: walk a packed buffer, count rows that cannot be true, put rows in order and in pixels."""

from __future__ import annotations

import numpy as np

from hailo_decode.kernels._jit import apart, inner, kernel
from hailo_decode.kernels.sort import sort_keys

# Rows of `faults`: how many boxes have the fault, and the first of them.
NOT_FINITE, NOT_SCORE, INSIDE_OUT, FAR_OFF, NO_CLASS = range(5)
FAULTS = 5

_SIGN = np.uint32(0x80000000)
_ALL = np.uint32(0xFFFFFFFF)


@inner
def _note(faults, fault, row):
    if faults[fault, 0] == 0:
        faults[fault, 1] = row
    faults[fault, 0] += 1


@apart
def _count(boxes, n, class_id, classes, slack, far, faults):
    for k in range(FAULTS):
        faults[k, 0] = 0
    for i in range(n):
        top, left, bottom, right, score = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3], boxes[i, 4]
        if not (np.isfinite(top) and np.isfinite(left) and np.isfinite(bottom) and np.isfinite(right)):
            _note(faults, NOT_FINITE, i)
        elif bottom < top or right < left:
            _note(faults, INSIDE_OUT, i)
        elif max(abs(top), abs(left), abs(bottom), abs(right)) > far:
            _note(faults, FAR_OFF, i)
        if not np.isfinite(score):
            _note(faults, NOT_FINITE, i)
        elif score < -slack or score > 1.0 + slack:
            _note(faults, NOT_SCORE, i)
        if class_id[i] < 0 or class_id[i] >= classes:
            _note(faults, NO_CLASS, i)
    found = np.int64(0)
    for k in range(FAULTS):
        found += faults[k, 0]
    return found


@kernel("f4** i4* i8 f8 f8 i8** -> i8")
def count_faults(boxes, class_id, classes, slack, far, faults):
    """Count rows that no NMS step writes.

    Parameters
    ----------
    boxes : (n, 5) f4
        y_min, x_min, y_max, x_max as fractions of the image, and score.
    class_id : (n,) i4
    classes : int
        Ids from here on do not exist.
    slack : f8
        How far a score may lie outside 0..1, as a scale's rounding puts it.
    far : f8
        Coordinates beyond this are no fractions of an image.
    faults : (FAULTS, 2) i8, out

    Returns
    -------
    int
        How many faults there are.
    """
    return _count(boxes, boxes.shape[0], class_id, classes, slack, far, faults)


@kernel("f4* i8 i8 f8 f8 f4** i4* i8* i8** -> i8")
def walk_by_class(values, classes, most, slack, far, boxes, class_id, told, faults):
    """Copy the boxes of a packed by-class buffer, for as long as its counts can be true, and count their faults.

    In one call: a call of its own for the faults takes another 5 us.

    Parameters
    ----------
    values : (elements,) f4
        ``elements >= classes * (1 + 5 * most)``, so that counts which are true never lead past the end.
    classes, most : int
        Classes in the buffer, and most boxes in each.
    slack, far, faults
        As in `count_faults`.
    boxes : (elements // 5, 5) f4, out
    class_id : (elements // 5,) i4, out
    told : (3,) i8, out
        Class and offset of the count that was looked at last, behind the last class where all is well; and how many faults
        there are.

    Returns
    -------
    int
        Number of boxes, or -1 where a count cannot be true.
    """
    at = np.int64(0)
    n = np.int64(0)
    for c in range(classes):
        told[0], told[1] = c, at
        stated = values[at]
        if not (stated >= 0.0 and stated <= most):  # NaN fails here too
            return np.int64(-1)
        count = np.int64(stated)
        if count != stated:
            return np.int64(-1)
        at += 1
        for _ in range(count):
            for k in range(5):
                boxes[n, k] = values[at + k]
            class_id[n] = c
            n += 1
            at += 5
    told[0], told[1] = classes, at
    told[2] = _count(boxes, n, class_id, classes, slack, far, faults)
    return n


@kernel("f4** i4* f4 f4* u8** i4* f4** f4* i4* i4* -> i8")
def rank_boxes(boxes, class_id, floor, size, keys, counts, xyxy, score_out, class_out, row):
    """Put rows that reach the threshold in order, best first, and their boxes in pixels.

    Rows of equal score keep the order in which they came.

    Parameters
    ----------
    boxes : (n, 5) f4
    class_id : (n,) i4
    floor : f4
        Least score.
    size : (2,) f4
        Height and width of the image that the boxes are fractions of, pixels.
    keys, counts : (2, n) u8, (512,) i4, scratch
    xyxy, score_out, class_out : (n, 4) f4, (n,) f4, (n,) i4, out
    row : (n,) i4, out
        Which of the rows it was.

    Returns
    -------
    int
        How many rows are kept.
    """
    best, spare = keys[0], keys[1]
    n = np.int64(0)
    for i in range(boxes.shape[0]):
        score = boxes[i, 4]
        if score >= floor:
            # As an integer, the bits of a float rise with it; below zero they fall.
            bits = np.float32(score).view(np.uint32)
            rising = bits ^ _ALL if bits & _SIGN else bits | _SIGN
            best[n] = (np.uint64(rising ^ _ALL) << np.uint64(32)) | np.uint64(i)
            n += 1
    sort_keys(best, spare, n, 32, 64, counts)
    height, width = size[0], size[1]
    for k in range(n):
        i = np.int64(best[k] & np.uint64(_ALL))
        xyxy[k, 0] = boxes[i, 1] * width
        xyxy[k, 1] = boxes[i, 0] * height
        xyxy[k, 2] = boxes[i, 3] * width
        xyxy[k, 3] = boxes[i, 2] * height
        score_out[k] = boxes[i, 4]
        class_out[k] = class_id[i]
        row[k] = i
    return n
