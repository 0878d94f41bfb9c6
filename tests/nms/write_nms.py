"""Writers of every NMS buffer, byte by byte and apart from the readers; and what has to come out of them.

A box is (y_min, x_min, y_max, x_max, score, class), fractions of the image, as float32 holds them.
"""

import math
import struct

import numpy as np

OLD_BYTE = 0x5A  # what a buffer held before
OLD_NUMBER = 0.37


def f4(value):
    return float(np.float32(value))


def best_first(boxes):
    return sorted(boxes, key=lambda box: -box[4])


def of_class(boxes, c):
    """The boxes of one class, best first, as HailoRT writes them."""
    return best_first([box for box in boxes if box[5] == c])


def by_class(boxes, classes, most, dtype=np.float32, old=OLD_NUMBER):
    """For each class a count and its boxes, close together; what is left keeps its old content."""
    numbers = []
    for c in range(classes):
        mine = of_class(boxes, c)
        numbers += [len(mine), *(value for box in mine for value in box[:5])]
    buffer = np.full(classes * (1 + 5 * most), old if dtype is np.float32 else 7, dtype)
    buffer[: len(numbers)] = numbers
    return buffer


def as_lists(boxes, classes):
    """What pyhailort makes of it: an empty class is float64."""
    mine = [[box[:5] for box in of_class(boxes, c)] for c in range(classes)]
    return [np.array(rows, np.float32) if rows else np.empty((0, 5)) for rows in mine]


def cube(boxes, classes, most):
    made = np.zeros((classes, 5, most), np.float32)
    for c, rows in enumerate(as_lists(boxes, classes)):
        made[c, :, : len(rows)] = rows.T
    return made


def by_score(boxes, most, count=None, old=OLD_BYTE):
    records = [struct.pack("<5fH", *box) for box in best_first(boxes)]
    data = struct.pack("<H", len(records) if count is None else count) + b"".join(records)
    return np.frombuffer(data.ljust(2 + 22 * most, bytes([old])), np.uint8).copy()


def side(low, high, size):
    """Bytes of a mask along one axis, and the first and last pixel that HailoRT's loop fills."""
    a, b, n = np.float32(low), np.float32(high), np.float32(size)
    return math.ceil((b - a) * n), max(math.ceil(a * n), 0), min(math.ceil(b * n), size)


def byte_mask(
    boxes,
    picture,
    image_size,
    header=46,
    total=None,
    room=None,
    count=None,
    pointer=0x7F00DEADBEEF,
    old=OLD_BYTE,
):
    """Boxes with their masks; `picture` (H, W) is what every mask is cut from, by HailoRT's own loop."""
    height, width = image_size
    room = 4 * height * width if room is None else room
    size = 2 + header * (total or len(boxes)) + room
    buffer = bytearray(bytes([old]) * size)
    at, n = 2, 0
    for box in best_first(boxes):
        h, top, bottom = side(box[0], box[2], height)
        w, left, right = side(box[1], box[3], width)
        if (total is not None and n == total) or at + header + h * w >= size:
            n += 1  # counted before it was found that there is no place
            break
        head = struct.pack("<5fH", *box)
        if header in (38, 46):
            head += struct.pack("<QQ", h * w, pointer)
            head += struct.pack("<Q", at + header) * (header == 46)
        else:
            head += struct.pack("<II", h * w, pointer & 0xFFFFFFFF)
            head += struct.pack("<I", at + header) * (header == 34)
        buffer[at : at + header] = head
        start = at + header
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                place = start + (y - top) * w + (x - left)
                if place < size:
                    buffer[place] = int(y < height and x < width and picture[y, x])
        at = start + h * w
        n += 1
    buffer[:2] = struct.pack("<H", n if count is None else count)
    return np.frombuffer(bytes(buffer), np.uint8).copy()


def mask_of(box, picture, image_size):
    """The mask that has to come out for a box: the picture inside its window."""
    height, width = image_size
    h, top, bottom = side(box[0], box[2], height)
    w, left, right = side(box[1], box[3], width)
    made = np.zeros(image_size, bool)
    rows = slice(top, max(top, min(top + h, bottom + 1, height)))
    columns = slice(left, max(left, min(left + w, right + 1, width)))
    made[rows, columns] = picture[rows, columns]
    return made


def word(y0, x0, y1, x1, score):
    return score << 48 | y0 << 36 | x0 << 24 | y1 << 12 | x1


CLASS_END, IMAGE_END, FILLING = 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFD


def on_chip(runs, size=None):
    """What the reader thread writes: for each run (class by class, chunk by chunk) a count and its words."""
    data = b"".join(struct.pack(f"<H{len(run)}Q", len(run), *run) for run in runs)
    return np.frombuffer(data.ljust(size or len(data), bytes([OLD_BYTE])), np.uint8).copy()


def bursts_h8(runs, burst):
    """Each run in bursts of Hailo-8: filled with the word that ends a class."""
    words = []
    for run in runs:
        held = [*run, CLASS_END]
        words += held + [CLASS_END] * (-len(held) % burst)
    return np.array(words, np.uint64)


def bursts_h15(runs, burst):
    words = []
    for run in runs:
        held = [*run, CLASS_END, IMAGE_END]
        words += held + [FILLING] * (-len(held) % burst)
    return np.array(words, np.uint64)


def pixels(boxes, image_size):
    """What has to come out: (xyxy, score, class), best first, then lower class, then earlier in its class."""
    height, width = image_size
    ordered = sorted(boxes, key=lambda box: (-box[4], box[5]))
    return [
        (
            [f4(f4(b[1]) * width), f4(f4(b[0]) * height), f4(f4(b[3]) * width), f4(f4(b[2]) * height)],
            f4(b[4]),
            b[5],
        )
        for b in ordered
    ]


def found(dets):
    """Detections in the form of `pixels`."""
    return list(zip(dets.xyxy.tolist(), dets.confidence.tolist(), dets.class_id.tolist(), strict=True))
