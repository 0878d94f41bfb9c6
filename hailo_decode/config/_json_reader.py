"""The reader behind `json_text`: one pass, each step consumes text, every fault is noted once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hailo_decode.config._json_scalars import TYPOGRAPHIC, read_bare, read_string
from hailo_decode.config.json_text import Fault, Kind
from hailo_decode.config.lines import Lines
from hailo_decode.values.diagnostic import Path

# Four levels and no fault are usual; these bounds only stop what is no configuration.
MAX_DEPTH, MAX_FAULTS = 40, 50

_SPACE = re.compile(r"[ \t\r\n]+")
_ODD_SPACE = re.compile(r"[\ufeff\u00a0\u200b\u2002-\u200a\u202f\u3000\x0b\x0c]+")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACKET = re.compile(r"[{\[]")
_QUOTES = tuple("\"'" + TYPOGRAPHIC)


class _Stop(Exception):
    """Reading cannot go on."""


class Reader:
    """Reads one text; see `json_text.read_json`."""

    def __init__(self, text: str, lines: Lines) -> None:
        self.text, self.lines = text, lines
        self.at = 0
        self.open: list[str] = []
        self.faults: list[Fault] = []
        self.values: dict[Path, tuple[int, int]] = {}
        self.keys: dict[Path, tuple[int, int]] = {}

    def document(self) -> Any:
        """Return the value of the whole text, as far as it can be read."""
        value = None
        try:
            self.space()
            wrapped = self.wrapper()
            if not self.letter():
                hint = "a configuration is one {...} object"
                self.fault(Kind.SYNTAX, 0, 0, "the text holds no JSON", hint)
                return None
            value = self.value(())
            self.space()
            if self.letter():
                kind = Kind.WRAPPER if wrapped else Kind.SYNTAX
                end = self.text.find("\n", self.at)
                hint = "remove what follows the last bracket"
                self.fault(
                    kind, self.at, end if end > 0 else len(self.text), "text stands behind the JSON", hint
                )
        except _Stop:
            pass
        return value

    def fault(self, kind: Kind, start: int, end: int, message: str, hint: str | None = None) -> None:
        span = self.lines.span(start, end)
        self.faults.append(Fault(kind, span, message, hint))
        if len(self.faults) == MAX_FAULTS:
            self.faults.append(Fault(Kind.SYNTAX, span, f"reading stops here, after {MAX_FAULTS} faults"))
            raise _Stop

    def letter(self) -> str:
        return self.text[self.at : self.at + 1]

    def wrapper(self) -> bool:
        """Step over a shell command, a fence or an assignment in front of the first bracket."""
        bracket = _BRACKET.search(self.text, self.at)
        if bracket is None or bracket.start() == self.at:
            return False
        start, self.at = self.at, bracket.start()
        before = self.text[start : self.at]
        first = next(iter(before.strip().splitlines()), before)
        hint = "keep only what stands between the outermost brackets"
        self.fault(
            Kind.WRAPPER, start, start + len(first), f"{first[:60]!r} stands in front of the JSON", hint
        )
        return True

    def space(self) -> None:
        """Step over white space and comments."""
        while True:
            if match := _SPACE.match(self.text, self.at):
                self.at = match.end()
            elif match := _COMMENT.match(self.text, self.at):
                self.at = match.end()
                hint = "remove it: the compiler reads strict JSON, which has no comments"
                self.fault(Kind.COMMENT, *match.span(), "a comment stands in the JSON", hint)
            elif match := _ODD_SPACE.match(self.text, self.at):
                self.at = match.end()
                if match.start():  # In front of all it is a byte order mark, which readers step over.
                    what = f"a character that only looks like a space (U+{ord(match[0][0]):04X}) stands here"
                    self.fault(Kind.SYNTAX, *match.span(), what, "put a plain space there")
            else:
                return

    def value(self, path: Path) -> Any:
        if len(path) > MAX_DEPTH:
            self.fault(Kind.SYNTAX, self.at, self.at + 1, f"brackets nest deeper than {MAX_DEPTH}")
            raise _Stop
        start, letter = self.at, self.letter()
        self.values[path] = (start, start + 1)
        if letter == "{":
            found: Any = self.object(path)
        elif letter == "[":
            found = self.array(path)
        else:
            found = self.scalar()
        self.values[path] = (start, self.at)
        return found

    def scalar(self, as_key: bool = False) -> Any:
        """Read a string, a number or a word, and note what is odd about its form."""
        read = read_string if self.letter() in _QUOTES else read_bare
        token = read(self.text, self.at)
        start, self.at = self.at, token.end
        if as_key and read is read_bare:
            what = "a key must stand here" if token.value is None else f"the key {token.text!r} has no quotes"
            self.fault(Kind.SYNTAX, start, self.at, what)
            return token.text
        if token.fault:
            kind = Kind.QUOTES if token.typographic else Kind.SYNTAX
            self.fault(kind, start, self.at, token.fault, token.hint)
        return token.value

    def object(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in self.items("{", "}"):
            start = self.at
            key = str(self.scalar(as_key=True))
            end = self.at
            self.space()
            if self.letter() == ":":
                self.at += 1
                self.space()
            else:
                self.fault(Kind.SYNTAX, start, end, f"no colon stands behind the key {key!r}")
            if self.letter() in ("", ",", "}", "]"):
                self.fault(Kind.SYNTAX, start, end, f"the key {key!r} has no value")
                continue
            here = (*path, key)
            if key in found:
                line = self.lines.line(self.keys[here][0])
                hint = f"most readers keep only this one and drop the one in line {line}; remove one of them"
                self.fault(Kind.DUPLICATE, start, end, f"the key {key!r} stands here a second time", hint)
                self.forget(here)
            self.keys[here] = (start, end)
            found[key] = self.value(here)
        return found

    def array(self, path: Path) -> list[Any]:
        found: list[Any] = []
        for _ in self.items("[", "]"):
            found.append(self.value((*path, len(found))))
        return found

    def forget(self, path: Path) -> None:
        """Drop the places inside a value that a later one replaces."""
        for table in (self.values, self.keys):
            for old in [p for p in table if p[: len(path)] == path]:
                del table[old]

    def items(self, opening: str, closing: str) -> Iterator[None]:
        """Pause at each item between two brackets; the caller reads it before it goes on."""
        start, comma, item = self.at, -1, False
        self.at += 1
        self.open.append(opening)
        other, its_opening = ("]", "[") if closing == "}" else ("}", "{")
        while True:
            last = self.at
            self.space()
            letter = self.letter()
            if letter == closing:
                if comma >= 0:
                    what = "a comma stands before the closing bracket"
                    self.fault(
                        Kind.TRAILING_COMMA, comma, comma + 1, what, "remove it: JSON allows none there"
                    )
                self.at += 1
                break
            if not letter:
                self.fault(Kind.SYNTAX, start, start + 1, f"this {opening!r} is never closed")
                break
            if letter == other and its_opening in self.open:
                what = f"{closing!r} is missing before this {other!r}"
                self.fault(Kind.SYNTAX, self.at, self.at + 1, what)
                break
            if letter in (other, ":"):
                self.fault(Kind.SYNTAX, self.at, self.at + 1, f"{letter!r} has no place here")
                self.at += 1
            elif letter == ",":
                if not item:
                    self.fault(Kind.SYNTAX, self.at, self.at + 1, "no value stands before this comma")
                comma, item = self.at, False
                self.at += 1
            else:
                if item:
                    self.fault(Kind.SYNTAX, last - 1, last, "a comma is missing behind this")
                yield
                comma, item = -1, True
        self.open.pop()
