"""The model script (``.alls``): commands, arguments, places; a broken one does not stop the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from hailo_decode.config.lines import Lines
from hailo_decode.errors import FormatError
from hailo_decode.values.diagnostic import Span

# The compiler's own scripts reach 200,000 characters; the bound only stops what is none.
MAX_LENGTH = 8_000_000


class ScriptKind(str, Enum):
    """What a fault of a script's text is about."""

    SYNTAX = "syntax"
    QUOTES = "typographic quotes"
    EXTRA_BRACKET = "a bracket too many"
    BACKSLASH = "a backslash"


@dataclass(frozen=True, slots=True)
class ScriptFault:
    """One place where a text is not a script.

    Attributes
    ----------
    kind : ScriptKind
    start, end : int
        Offsets in the text.
    message : str
    hint : str or None
    """

    kind: ScriptKind
    start: int
    end: int
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a script.

    Attributes
    ----------
    kind : {"string", "number", "bool", "name", "list", "set"}
    value : str, int, float, bool, or tuple of Value
        Without quotes. A set's members are globs.
    start, end : int
        Offsets in the text.
    unit : str
        What stands behind a number, such as ``"m"`` in ``timeout=25m``.
    """

    kind: str
    value: str | int | float | bool | tuple[Value, ...]
    start: int
    end: int
    unit: str = ""

    @property
    def text(self) -> str:
        """The value of a string or a name; empty for others."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def number(self) -> float | None:
        """The value of a number, or None."""
        return float(self.value) if self.kind == "number" and isinstance(self.value, (int, float)) else None

    @property
    def members(self) -> tuple[Value, ...]:
        """The members of a list or a set; for any other value the value itself."""
        return self.value if isinstance(self.value, tuple) else (self,)

    @property
    def numbers(self) -> list[float] | None:
        """The numbers of a list; None when it is not a list of numbers."""
        found = [member.number for member in self.members] if self.kind == "list" else [None]
        return [n for n in found if n is not None] if None not in found else None


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a command: a value, or a value with a key."""

    key: str | None
    value: Value
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One command of a script.

    Attributes
    ----------
    command : str
        With the object it is called on, as in ``context_0.place``.
    arguments : tuple of Argument
    targets : tuple of str
        Names on the left of ``=``.
    start, end : int
        Offsets of the command's name.
    """

    command: str
    arguments: tuple[Argument, ...]
    targets: tuple[str, ...]
    start: int
    end: int

    @property
    def positional(self) -> list[Value]:
        """The arguments without a key, in order."""
        return [a.value for a in self.arguments if a.key is None]

    def get(self, key: str) -> Value | None:
        """Return the value of a key, or None."""
        return next((a.value for a in self.arguments if a.key == key), None)

    def argument(self, key: str) -> Argument | None:
        """Return the argument with a key, or None."""
        return next((a for a in self.arguments if a.key == key), None)


@dataclass(frozen=True)
class Script:
    """A model script.

    Attributes
    ----------
    text : str
    statements : tuple of Statement
        In the order of the text.
    faults : tuple of ScriptFault
    comments : tuple of (int, int)
        Offsets of each comment.
    """

    text: str
    statements: tuple[Statement, ...]
    faults: tuple[ScriptFault, ...]
    comments: tuple[tuple[int, int], ...]
    _lines: Lines = field(repr=False)

    def span(self, part: Value | Argument | Statement | ScriptFault) -> Span:
        """Return the place of a part of the script."""
        return self._lines.span(part.start, part.end)

    def place(self, start: int, end: int) -> Span:
        """Return the place of a piece of the text."""
        return self._lines.span(start, end)

    def calls(self, *commands: str) -> Iterator[Statement]:
        """Yield the statements with one of these commands."""
        return (s for s in self.statements if s.command in commands)


def read_script(text: str) -> Script:
    """Read a model script, and note what is wrong with its text.

    One statement stands in a line; inside brackets line breaks are free. ``#`` begins a comment. Source: the
    scripts of Hailo's model zoo, releases 2.3 to 5.2, and those of others that use the same commands.

    Parameters
    ----------
    text : str

    Returns
    -------
    Script

    Raises
    ------
    FormatError
        For a text too long to be a script.

    Examples
    --------
    >>> script = read_script('nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)')
    >>> script.statements[0].positional[0].text, script.statements[0].get("engine").text
    ('nms.json', 'cpu')
    >>> read_script("").statements
    ()
    """
    from hailo_decode.config._alls_reader import Reader

    if len(text) > MAX_LENGTH:
        raise FormatError(
            f"a text of {len(text)} characters is no model script", wanted=f"up to {MAX_LENGTH} characters"
        )
    reader = Reader(text)
    reader.read()
    faults = tuple(sorted(reader.faults, key=lambda fault: fault.start))
    return Script(text, tuple(reader.statements), faults, tuple(reader.comments), Lines(text))
