"""Diagnostic: one remark about a file or a tensor: what is, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

# Where something stands inside a document: keys and indices, from the root.
Path = tuple[str | int, ...]


class Severity(str, Enum):
    """How bad it is. An error makes results wrong, a warning is odd, a note only tells."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Confidence(str, Enum):
    """How well a remark is founded.

    Proved: the files at hand show it. Likely: all public evidence points that way. Possible: it is one of the
    causes that have been seen.
    """

    PROVED = "proved"
    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text file.

    Attributes
    ----------
    line, column : int
        Of its first character, counted from 1.
    end_line, end_column : int
        Of the character behind its last one, counted from 1.
    """

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Edit:
    """One value to put into a document.

    Attributes
    ----------
    path : tuple of str and int
    value : str, int, float, bool or None, or lists and dicts of them
    """

    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One remark.

    Attributes
    ----------
    code : str
        ``HD`` and three digits; `hailo-decode explain` prints its page.
    severity : Severity
    message : str
        What is, with the user's own numbers.
    hint : str or None
        What to do about it.
    file : str or None
        The file it speaks of, as the user named it.
    span : Span or None
        The place in that file, where it is a text file.
    path : tuple of str and int
        The place inside the document, such as ``("bbox_decoders", 0, "stride")``.
    confidence : Confidence or None
        How well it is founded; None where the question does not arise.
    fix : tuple of Edit
        What makes the document right, where the files at hand prove it.
    """

    code: str
    severity: Severity
    message: str
    hint: str | None = None
    file: str | None = None
    span: Span | None = None
    path: Path = ()
    confidence: Confidence | None = None
    fix: tuple[Edit, ...] = ()
