"""A log as rules search it: by a word first, by the whole line then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hailo_decode.config.lines import Lines
from hailo_decode.values.diagnostic import Span

# A message that comes hundreds of times is told as often as it says something new, and not more often than
# this.
_MOST = 3
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line of a log that holds a message.

    Attributes
    ----------
    span : Span
        Of the message in its line.
    found : re.Match
        What was found, with the parts that the message names.
    """

    span: Span
    found: re.Match[str]

    def __getitem__(self, group: int) -> str:
        return self.found[group] or ""


class Log:
    """The text of a log.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self.text = _COLOURS.sub("", text)
        self._lower = self.text.lower()
        self._lines = Lines(self.text)

    def hits(self, word: str, pattern: str | None = None) -> Iterator[Hit]:
        """Yield the lines that hold a word and match a pattern, each different message once.

        Parameters
        ----------
        word : str
            Searched in any case; rare enough to find few lines.
        pattern : str, optional
            Regular expression for the line, in any case; the word itself by default.
        """
        wanted = re.compile(pattern or re.escape(word), re.IGNORECASE)
        seen: set[str] = set()
        at = self._lower.find(word.lower())
        while at >= 0 and len(seen) < _MOST:
            start, end = self.text.rfind("\n", 0, at) + 1, self.text.find("\n", at)
            end = len(self.text) if end < 0 else end
            # Lines of a progress display reach megabytes; a message is found near its word.
            left, right = max(start, at - 400), min(end, at + 800)
            match = wanted.search(self.text, left, right)
            if match and match[0] not in seen:
                seen.add(match[0])
                yield Hit(self._lines.span(*match.span()), match)
            at = self._lower.find(word.lower(), max(end, at + 1))
