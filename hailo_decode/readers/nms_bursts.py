"""NMS on the chip, as it comes off the wire: boxes of 64 bits, and words that end a class or an image.

HailoRT 5.2, nms_stream.cpp and nms_stream.hpp: all ones end a class. On Hailo-15, ...FE ends an image and ...FD
fills a burst. On Hailo-8 bursts are filled with all ones too: there a class ends at the first of them, and the rest
of the burst means nothing. Without bursts (one box a transfer) each of them ends a class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hailo_decode.errors import AmbiguousError, SizeError, ValuesError
from hailo_decode.readers._nms_chip import merged, takes_words, wanted_classes
from hailo_decode.readers._nms_form import PROOF, WEAK, Hints, NmsForm, Rows, as_bytes
from hailo_decode.values.arrays import U8, Bool
from hailo_decode.values.order import FormatOrder

_WORD = 8  # bytes
_CLASS_END = np.uint64(0xFFFFFFFFFFFFFFFF)
_IMAGE_END = np.uint64(0xFFFFFFFFFFFFFFFE)
_FILLING = np.uint64(0xFFFFFFFFFFFFFFFD)


def read(frame: Any, hints: Hints) -> Rows:
    """Read words up to the end of the last class.

    Raises
    ------
    OptionError
        When the number of classes is not known.
    SizeError
        When these are no whole words, or they hold fewer ends than there are classes.
    AmbiguousError
        When bursts of Hailo-8 do not tell how long they are.
    ValuesError
        When a class holds more boxes than it can.
    QuantError
        When there is no scale.
    """
    held = as_bytes(frame)
    if held.size % _WORD or not held.size:
        raise SizeError(f"{held.size} bytes are no words of 64 bits", wanted="a multiple of 8 bytes")
    words = held.view("<u8")
    classes = wanted_classes(hints, "a burst of the chip's NMS")
    runs = classes * hints.chunks
    ends = words == _CLASS_END
    _check_ends(ends, runs)
    told = "on chip, bursts of Hailo-15"
    if not ((words == _IMAGE_END) | (words == _FILLING)).any():
        words, ends, told = _without_filling(words, ends, runs, hints)
        _check_ends(ends, runs)
    last = int(np.flatnonzero(ends)[runs - 1])
    words, ends = words[:last], ends[:last]
    is_box = words < _FILLING
    place = np.cumsum(ends, dtype=np.int32)[is_box]
    counts = np.bincount(place, minlength=runs)
    most = None if hints.max_per_class is None else -(-hints.max_per_class // hints.chunks)
    if most is not None and counts.max() > most:
        at = int(counts.argmax())
        raise ValuesError(f"class {at % classes} holds {int(counts[at])} boxes", wanted=f"at most {most}")
    return merged(words[is_box], place, classes, hints, told, PROOF if len(place) else WEAK)


def _check_ends(ends: Bool, runs: int) -> None:
    found = int(ends.sum())
    if found < runs:
        raise SizeError(
            f"the words hold {found} ends of classes", wanted=f"{runs}, one for each class and chunk"
        )


def _without_filling(words: U8, ends: Bool, runs: int, hints: Hints) -> tuple[U8, Bool, str]:
    """Keep the first end of each burst of Hailo-8 and nothing behind it; all ends where there are no bursts."""
    if hints.burst is None and int(ends.sum()) == runs and ends[-1]:
        return words, ends, "on chip, one box a transfer"
    burst = hints.burst
    if burst is None:
        burst, rest = divmod(len(words), runs)
        if rest or not ends.reshape(runs, burst).any(axis=1).all():
            raise AmbiguousError(
                f"{len(words)} words of Hailo-8 bursts do not tell how long a burst is",
                ["a class in each burst", "classes over several bursts"],
                "burst=, as `hailo-decode inspect` shows it (burst_size)",
            )
    if len(words) % burst:
        raise SizeError(f"{len(words)} words are no bursts of {burst}", wanted=f"a multiple of {burst} words")
    ended = np.logical_or.accumulate(ends.reshape(-1, burst), axis=1)
    first = ended.copy()
    first[:, 1:] &= ~ended[:, :-1]
    kept = np.where(ended & ~first, _FILLING, words.reshape(-1, burst))
    return kept.reshape(-1), first.reshape(-1), f"on chip, bursts of Hailo-8 of {burst} words"


FORM = NmsForm("bursts", "NMS on chip, bursts", (FormatOrder.NMS_ON_CHIP,), takes_words, read)
