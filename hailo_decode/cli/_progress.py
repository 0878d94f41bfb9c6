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


def say_what_takes_long() -> None:
    """Tell a waiting user, on standard error, that kernels are compiled where none are kept yet."""
    from hailo_decode.kernels._store import cache_folder

    folder = cache_folder()
    if folder is None or next(folder.rglob("*.nbc"), None) is None:
        sys.stderr.write("compiling kernels: this takes a while, once\n")
        sys.stderr.flush()
