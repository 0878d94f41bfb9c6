"""Offsets of a text to lines and columns."""

from __future__ import annotations

import bisect
import re

from hailo_decode.values.diagnostic import Span


class Lines:
    """Offsets of a text to lines and columns, counted from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """Return the line that an offset stands in."""
        return bisect.bisect_right(self._starts, offset)

    def span(self, start: int, end: int) -> Span:
        """Return the place of the text from `start` to before `end`."""
        first, last = self.line(start), self.line(max(start, end))
        return Span(first, start - self._starts[first - 1] + 1, last, end - self._starts[last - 1] + 1)
