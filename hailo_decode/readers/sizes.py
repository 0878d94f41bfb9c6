"""What a number of bytes may be: NMS results and raw maps, both ways."""

from __future__ import annotations

import math

from hailo_decode.errors import OptionError

_RECORD = 22  # bytes of a by-score record (HailoRT 5.2, hailort.h, hailo_detection_t, packed)
# Header of a byte-mask record, and bytes of mask room for each pixel: HailoRT 5.2, and 4.21 to 5.1.1.
_MASKS = ((46, 4), (38, 2))
_BINS = 16  # of a distance in most heads that have bins
_STRIDES = (8, 16, 32)
_TYPES = ((1, "uint8"), (2, "uint16"), (4, "float32"))
_SHOWN = 3
_LARGEST = 2**32 - 1  # HailoRT caps the size of an NMS frame there
_MOST_CLASSES = 65535  # class ids are 16 bits wide


def by_class_sizes(elements: int) -> list[tuple[int, int]]:
    """Return each (classes, boxes of a class) that fills a by-class buffer, the likeliest first.

    ``elements = classes * (1 + 5 * boxes)`` (HailoRT 5.2, hailort_common.hpp). Limits are round numbers as a rule.

    Examples
    --------
    >>> by_class_sizes(1503)
    [(3, 100)]
    >>> by_class_sizes(40080)[0]
    (80, 100)
    """
    pairs = []
    for a in range(1, math.isqrt(max(elements, 0)) + 1):
        if elements % a == 0:
            pairs += [(c, (elements // c - 1) // 5) for c in {a, elements // a} if elements // c % 5 == 1]
    return sorted(((c, m) for c, m in pairs if m and c <= _MOST_CLASSES), key=lambda pair: _oddness(*pair))


def _oddness(classes: int, most: int) -> tuple[int, int]:
    roundness = next((i for i, step in enumerate((100, 50, 10)) if most % step == 0), 3)
    return roundness, classes if roundness == 3 else most


def explain_size(nbytes: int) -> list[str]:
    """Say what a buffer of so many bytes may be, the likeliest first.

    Parameters
    ----------
    nbytes : int

    Returns
    -------
    list of str
        Empty where nothing known has this size.

    Raises
    ------
    OptionError
        When it is no number of bytes.

    Examples
    --------
    >>> explain_size(6012)[0]
    'NMS by class, float32: classes * (1 + 5 * boxes) = 1503 numbers, e.g. 3 x 100'
    >>> explain_size(102400)[0].partition(';')[0]
    'raw box map 40x40x64, uint8, 16 bins: stride 8 of 320x320 or 16 of 640x640 or 32 of 1280x1280'
    """
    if isinstance(nbytes, bool) or not isinstance(nbytes, int) or nbytes < 1:
        raise OptionError(f"a size of {nbytes!r} bytes", wanted="a whole number of at least 1")
    if nbytes > _LARGEST:
        return []
    pairs = by_class_sizes(nbytes // 4) if nbytes % 4 == 0 else []
    usual = [pair for pair in pairs if _oddness(*pair)[0] < 3]
    others = [*_by_score(nbytes), *_byte_mask(nbytes), *_box_map(nbytes)]
    shown = usual or ([] if others else pairs)
    return [*_by_class(nbytes, shown), *others]


def _by_class(nbytes: int, pairs: list[tuple[int, int]]) -> list[str]:
    if not pairs:
        return []
    examples = " or ".join(f"{c} x {m}" for c, m in pairs[:_SHOWN])
    return [f"NMS by class, float32: classes * (1 + 5 * boxes) = {nbytes // 4} numbers, e.g. {examples}"]


def _by_score(nbytes: int) -> list[str]:
    boxes, rest = divmod(nbytes - 2, _RECORD)
    if rest or boxes < 1:
        return []
    return [f"NMS by score: 2 + {_RECORD} * {boxes} boxes"]


def _byte_mask(nbytes: int) -> list[str]:
    """Find round numbers of boxes that leave room for the masks of a square image."""
    found = []
    for header, room in _MASKS:
        for boxes in range(100, 1001, 100):
            pixels, rest = divmod(nbytes - 2 - header * boxes, room)
            side = math.isqrt(max(pixels, 0))
            if not rest and side and side * side == pixels and side % _STRIDES[-1] == 0:
                found.append(
                    f"NMS with byte masks: 2 + {header} * {boxes} boxes + {room} * {side} * {side} mask bytes"
                )
    return found


def _box_map(nbytes: int) -> list[str]:
    """Find square maps of a head with bins, and the networks whose grids they are."""
    found = []
    channels = 4 * _BINS
    for item, dtype in _TYPES:
        cells, rest = divmod(nbytes, channels * item)
        grid = math.isqrt(cells)
        nets = [f"{s} of {grid * s}x{grid * s}" for s in _STRIDES if grid * s % _STRIDES[-1] == 0]
        if rest or not grid or grid * grid != cells:
            continue
        found.append(
            f"raw box map {grid}x{grid}x{channels}, {dtype}, {_BINS} bins: stride {' or '.join(nets)}; "
            "a network that gives it has no NMS step"
        )
    return found
