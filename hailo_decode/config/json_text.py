"""JSON text to a value that remembers its places; faults are noted, and reading goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hailo_decode.config.lines import Lines
from hailo_decode.errors import FormatError
from hailo_decode.values.diagnostic import Path, Span

# A configuration has a few hundred bytes; the bound only stops what is none.
MAX_LENGTH = 4_000_000


class Kind(str, Enum):
    """What a fault of the text is about."""

    SYNTAX = "syntax"
    COMMENT = "comment"
    TRAILING_COMMA = "trailing comma"
    QUOTES = "typographic quotes"
    DUPLICATE = "doubled key"
    WRAPPER = "wrapper"


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where a text is not strict JSON.

    Attributes
    ----------
    kind : Kind
    span : Span
    message : str
    hint : str or None
    """

    kind: Kind
    span: Span
    message: str
    hint: str | None = None


@dataclass(frozen=True)
class Document:
    """A JSON text, its value, and where each part of it stands.

    Attributes
    ----------
    text : str
    value : JSON value
        As far as it could be read; None for a text without any.
    faults : tuple of Fault
        In the order of the text; empty for strict JSON.
    """

    text: str
    value: Any
    faults: tuple[Fault, ...]
    _lines: Lines = field(repr=False)
    _values: Mapping[Path, tuple[int, int]] = field(repr=False)
    _keys: Mapping[Path, tuple[int, int]] = field(repr=False)

    def span(self, path: Path) -> Span:
        """Return the place of a value; where it is absent, that of the nearest bracket around it."""
        start, end = self._around(path)
        bracket = self.text[start : start + 1] in ("{", "[")
        return self._lines.span(start, start + 1 if bracket else end)

    def key_span(self, path: Path) -> Span:
        """Return the place of the key before a value, or of the value where it has none."""
        return self._lines.span(*self._keys[path]) if path in self._keys else self.span(path)

    def within(self, root: Path) -> Document:
        """Return the same text with paths that begin at `root`."""
        value = self.value
        for part in root:
            value = value[part]
        tables = (
            {p[len(root) :]: where for p, where in table.items() if p[: len(root)] == root}
            for table in (self._values, self._keys)
        )
        return Document(self.text, value, self.faults, self._lines, *tables)

    def offsets(self, path: Path) -> tuple[int, int] | None:
        """Return where the text of a value begins and ends, or None where it is absent."""
        return self._values.get(path)

    def _around(self, path: Path) -> tuple[int, int]:
        while path and path not in self._values:
            path = path[:-1]
        return self._values.get(path, (0, 0))


def read_json(text: str) -> Document:
    """Read a JSON text, and note each place where it is not strict JSON.

    Comments, trailing commas, typographic or single quotes, doubled keys, missing commas and brackets, words
    of Python, a here-document or a Markdown fence around it: each is noted with its place, and what was meant
    is read.

    Parameters
    ----------
    text : str

    Returns
    -------
    Document

    Raises
    ------
    FormatError
        For a text too long to be a configuration.

    Examples
    --------
    >>> document = read_json('{"stride": 8,}')
    >>> document.value, document.faults[0].message
    ({'stride': 8}, 'a comma stands before the closing bracket')
    >>> document.span(("stride",))
    Span(line=1, column=12, end_line=1, end_column=13)
    >>> read_json("").value is None
    True
    """
    from hailo_decode.config._json_reader import Reader

    if len(text) > MAX_LENGTH:
        raise FormatError(
            f"a text of {len(text)} characters is no configuration", wanted=f"up to {MAX_LENGTH} characters"
        )
    reader = Reader(text, lines := Lines(text))
    value = reader.document()
    return Document(text, value, tuple(reader.faults), lines, reader.values, reader.keys)
