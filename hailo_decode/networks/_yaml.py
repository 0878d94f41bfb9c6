"""The part of YAML that exporters write: mappings, lists and scalars in block style, and flow style in a value."""

from __future__ import annotations

import re
from typing import Any

from hailo_decode.errors import FormatError
from hailo_decode.networks._literal import literal

_MOST_CHARACTERS = 1 << 20
_DEEPEST = 16
_LONGEST_QUOTE = 100  # lines

_COMMENT = re.compile(r"(?:^|\s)#.*$")
_SINGLE = re.compile(r"'((?:[^']|'')*)'(?!')")
_DOUBLE = re.compile(r"\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_WHOLE, _REAL = re.compile(r"[+-]?\d{1,18}"), re.compile(r"[+-]?\d{0,30}\.\d{1,30}(?:[eE][+-]?\d{1,3})?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


def read_yaml(text: str, what: str) -> dict[Any, Any]:
    r"""Read a document that is a mapping.

    Parameters
    ----------
    text : str
    what : str
        Name of the file, for errors.

    Raises
    ------
    FormatError
        With the line that is outside of what is read here, or whose key stands twice.

    Examples
    --------
    >>> read_yaml("task: detect\nimgsz:\n- 640\n- 640\nnames:\n  0: cat\n", "metadata.yaml")
    {'task': 'detect', 'imgsz': [640, 640], 'names': {0: 'cat'}}
    """
    if len(text) > _MOST_CHARACTERS:
        raise FormatError(f"{what} is {len(text)} characters long", wanted=f"at most {_MOST_CHARACTERS}")
    reader = _Reader(text.removeprefix("\ufeff").splitlines(), what)
    if reader.line in ("---", "%YAML 1.2"):
        reader.next()
    value = reader.block(reader.indent, 0)
    if reader.line is not None and reader.line != "...":
        raise reader.wrong("this line does not belong to what stands before it")
    if not isinstance(value, dict):
        raise FormatError(f"{what} is no mapping", got=type(value).__name__)
    return value


class _Reader:
    """Lines, and the one that is read now; blank lines and comments are passed over."""

    def __init__(self, lines: list[str], what: str) -> None:
        self.lines, self.what, self.at = lines, what, -1
        self.next()

    def next(self) -> None:
        """Go to the next line that says something."""
        self.at += 1
        while self.at < len(self.lines) and self.lines[self.at].lstrip()[:1] in ("", "#"):
            self.at += 1

    @property
    def line(self) -> str | None:
        """The line without its indentation, None behind the last one."""
        return self.lines[self.at].strip() if self.at < len(self.lines) else None

    @property
    def indent(self) -> int:
        """Spaces before the line, -1 behind the last one."""
        if self.at >= len(self.lines):
            return -1
        return len(self.lines[self.at]) - len(self.lines[self.at].lstrip(" "))

    def wrong(self, why: str) -> FormatError:
        shown = self.lines[self.at].strip()[:60] if self.at < len(self.lines) else "the end"
        return FormatError(f"line {self.at + 1} of {self.what}: {why}", got=shown)

    def block(self, indent: int, depth: int) -> Any:
        """Read a mapping or a list whose entries stand `indent` spaces from the edge."""
        if depth > _DEEPEST:
            raise self.wrong(f"nested more than {_DEEPEST} deep")
        if self.line is None:
            return None
        if self.line == "-" or self.line.startswith("- "):
            return self._list(indent, depth)
        return self._mapping(indent, depth)

    def _list(self, indent: int, depth: int) -> list[Any]:
        items: list[Any] = []
        while self.line is not None and self.indent == indent and (self.line + " ").startswith("- "):
            rest = self.line[1:].strip()
            if rest[:1] not in ("'", '"', "[", "{") and _split(rest):
                raise self.wrong("a mapping inside a list is not read here")
            items.append(self._value(rest, indent, depth))
        return items

    def _mapping(self, indent: int, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        while self.line is not None and self.indent == indent and self.line not in ("...", "---"):
            entry = _split(self.line)
            if entry is None:
                raise self.wrong("this is no 'key: value'")
            key, rest = entry
            if key in found:
                raise self.wrong(f"the key {key!r} stands twice")
            found[key] = self._value(rest, indent, depth)
        return found

    def _value(self, rest: str, indent: int, depth: int) -> Any:
        """Read what stands behind a key or a dash, on its line and on those below that belong to it."""
        sign = rest[:1]
        if sign in ("'", '"'):
            return self._quoted(rest, sign)
        plain = _COMMENT.sub("", rest).strip()
        if sign in ("[", "{"):
            number = self.at + 1
            return literal(self._folded(plain, indent), f"line {number} of {self.what}", bare=True)
        if sign and sign in "&*!|>%@`":
            raise self.wrong(f"values that start with {sign!r} are not read here")
        if plain:
            return _scalar(self._folded(plain, indent))
        self.next()
        below = self.line is not None and self.indent == indent and self.line.startswith("- ")
        return self.block(self.indent, depth + 1) if below or self.indent > indent else None

    def _folded(self, first: str, indent: int) -> str:
        """Join a value with the lines below that stand further in."""
        parts = [first]
        self.next()
        while self.line is not None and self.indent > indent:
            parts.append(_COMMENT.sub("", self.line))
            self.next()
        return " ".join(parts)

    def _quoted(self, rest: str, sign: str) -> str:
        """Read quoted text, which may go on below: a line end is a space, an empty line a line end."""
        pattern = _SINGLE if sign == "'" else _DOUBLE
        start = self.at
        text = rest
        while not (found := pattern.match(text)):
            self.at += 1
            if self.at >= min(len(self.lines), start + _LONGEST_QUOTE):
                self.at = start
                raise self.wrong("the quotes are never closed")
            line = self.lines[self.at].strip()
            text += line if text.endswith("\n") else (" " + line if line else "\n")
        if _COMMENT.sub("", text[found.end() :]).strip():
            raise self.wrong("something stands behind the closing quotes")
        self.next()
        return _unquoted(found[1], None) if sign == "'" else _unquoted(None, found[1])


def _split(line: str) -> tuple[Any, str] | None:
    """Return key and rest of a line, None where it has no key."""
    if line[:1] in ("'", '"'):
        found = (_SINGLE if line[0] == "'" else _DOUBLE).match(line)
        rest = line[found.end() :].lstrip() if found else ""
        if found is None or not (rest + " ").startswith(": "):
            return None
        key: Any = _unquoted(found[1], None) if line[0] == "'" else _unquoted(None, found[1])
        return key, rest[1:].strip()
    at = (line + " ").find(": ")
    text = line[:at].strip()
    if at <= 0 or text[:1] in tuple("[{&*!|>%@`#") or " #" in text:
        return None
    return _scalar(text), line[at + 1 :].strip()


def _unquoted(single: str | None, double: str | None) -> str:
    if single is not None:
        return single.replace("''", "'")
    value = literal(f'"{double}"', "a quoted text")
    return value if isinstance(value, str) else ""


def _scalar(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _REAL.fullmatch(text) else text
