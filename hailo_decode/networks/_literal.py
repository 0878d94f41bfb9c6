"""Python literals in text, as exporters put them into a model's metadata: read without running anything."""

from __future__ import annotations

import re
from typing import Any

from hailo_decode.errors import FormatError

_MOST_CHARACTERS = 1 << 20
_DEEPEST = 16

_SPACE = re.compile(r"\s*")
_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?")
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_BARE = re.compile(r"[^,\[\]{}:'\"\s](?:[^,\[\]{}:\s]|:(?=\S)|\s+(?=[^,\[\]{}:\s]))*")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_WORDS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\n": ""}
_CLOSING = {"{": "}", "[": "]", "(": ")"}


def literal(text: str, what: str, *, bare: bool = False) -> Any:
    r"""Return the value of a Python literal: dict, list, tuple (as a list), text, number, True, False, None.

    Parameters
    ----------
    text : str
    what : str
        What the text is, for errors.
    bare : bool
        Whether text may stand without quotes inside a dict or list, as in YAML.

    Raises
    ------
    FormatError
        With the character at which it stops being one.

    Examples
    --------
    >>> literal("{0: 'cat', 1: \"dog's\"}", "names")
    {0: 'cat', 1: "dog's"}
    """
    if len(text) > _MOST_CHARACTERS:
        raise FormatError(f"{what} is {len(text)} characters long", wanted=f"at most {_MOST_CHARACTERS}")
    value, at = _value(text, _skip(text, 0), what, 0, bare)
    if at < len(text):
        raise _wrong(text, at, what)
    return value


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _wrong(text: str, at: int, what: str) -> FormatError:
    return FormatError(f"{what} cannot be read from character {at + 1} on", got=repr(text[at : at + 40]))


def _value(text: str, at: int, what: str, depth: int, bare: bool) -> tuple[Any, int]:
    sign = text[at : at + 1]
    if sign in _CLOSING and sign and depth < _DEEPEST:
        return _collection(text, at, what, depth, bare)
    value: Any
    if found := _TEXT.match(text, at):
        value = _ESCAPE.sub(_unescaped, found[1] if found[1] is not None else found[2])
    elif bare and depth and (found := _BARE.match(text, at)):
        value = _plain(found[0].rstrip())
    elif found := _NUMBER.match(text, at):
        value = _number(found[0])
    elif (found := _WORD.match(text, at)) and found[0] in _WORDS:
        value = _WORDS[found[0]]
    else:
        raise _wrong(text, at, what)
    return value, _skip(text, found.end())


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _plain(text: str) -> Any:
    """Return what text without quotes means in YAML."""
    if text in _WORDS:
        return _WORDS[text]
    return _number(text) if _NUMBER.fullmatch(text) else text


def _collection(text: str, at: int, what: str, depth: int, bare: bool) -> tuple[Any, int]:
    closing = _CLOSING[text[at]]
    mapping: dict[Any, Any] = {}
    items: list[Any] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != closing:
        start = at
        value, at = _value(text, at, what, depth + 1, bare)
        if closing == "}":
            if text[at : at + 1] != ":" or isinstance(value, (dict, list)) or value in mapping:
                raise _wrong(text, at if text[at : at + 1] != ":" else start, what)
            mapping[value], at = _value(text, _skip(text, at + 1), what, depth + 1, bare)
        else:
            items.append(value)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _wrong(text, at, what)
    return mapping if closing == "}" else items, _skip(text, at + 1)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return _LETTERS.get(code, code)
