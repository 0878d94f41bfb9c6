"""Colours and tables on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def paint(text: str, style: str, stream: TextIO | None = None) -> str:
    """Return text in a style, or as it is where no colour is wanted (``NO_COLOR``, no or a dumb terminal)."""
    stream = sys.stdout if stream is None else stream
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty()
    return text if plain or not text else f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def plain(text: str, most: int = 160) -> str:
    r"""Return text as one line may hold it: without what moves the cursor or breaks the line, and not endless.

    Names come from files of any origin, and a terminal obeys what it is sent.

    Examples
    --------
    >>> plain("conv1\x1b[2J\n")
    'conv1\\x1b[2J\\n'
    """
    text = text if len(text) <= most else text[: most - 3] + "..."
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Return the lines of a table; columns that hold nothing are left out, numbers stand to the right."""
    rows = [list(map(plain, row)) for row in rows]
    kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
    widths = {i: max(len(head[i]), *(len(row[i]) for row in rows)) for i in kept}
    right = {i: all(_is_number(row[i]) for row in rows) for i in kept}

    def line(cells: Sequence[str]) -> str:
        aligned = (cells[i].rjust(widths[i]) if right[i] else cells[i].ljust(widths[i]) for i in kept)
        return indent + "  ".join(aligned).rstrip()

    return [paint(line(head), "dim"), *map(line, rows)]


def _is_number(cell: str) -> bool:
    return not cell or cell.lstrip("-").replace(".", "", 1).replace("e-", "", 1).isdigit()
