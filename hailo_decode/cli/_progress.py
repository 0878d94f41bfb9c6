"""How far a long work has come, on the last line of a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


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
