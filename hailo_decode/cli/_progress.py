"""How far a long work has come, on the last line of a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from hailo_decode.values.boxes import Detections

Item = TypeVar("Item")
_PAUSE = 0.1


def progress(items: Sequence[Item], noun: str) -> Iterator[Item]:
    """Yield items, and count them on standard error.

    Only where that is a terminal and results go elsewhere: results on the same terminal show the progress.
    """
    shown = len(items) > 1 and sys.stderr.isatty() and not sys.stdout.isatty()
    for i, item in enumerate(items, 1):
        if shown:
            sys.stderr.write(f"\r\x1b[K{noun} {i} of {len(items)}: {str(item)[-60:]}")
            sys.stderr.flush()
        yield item
    if shown:
        sys.stderr.write("\r\x1b[K")


def until_compiled(decode: Callable[[], Detections]) -> Detections:
    """Decode until machine code runs the kernels, and say on standard error that this takes a while."""
    found = decode()
    if "kernels" in found.meta:
        sys.stderr.write("compiling kernels, once for this machine: times are taken when they are there\n")
        sys.stderr.flush()
    while "kernels" in found.meta:
        time.sleep(_PAUSE)
        found = decode()
    return found
