"""Diagnostic: one remark about a file or a tensor: what is, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(str, Enum):
    """How bad it is. An error makes results wrong, a warning is odd, a note only tells."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


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
    """

    code: str
    severity: Severity
    message: str
    hint: str | None = None
    file: str | None = None
    span: Span | None = None
    path: tuple[str | int, ...] = ()
