"""Strings, numbers and words of a JSON text: one token each, with what is odd about its form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

# Curled quotes, low quotes, guillemets, the double prime and the grave accent.
TYPOGRAPHIC = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2018\u2019`"

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_ALMOST_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(rf"[^\s\[\]{{}},:\"'{TYPOGRAPHIC}]+")
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))')
_CONTROL = re.compile(r"[\x00-\x1f]")
_WORDS = {"true": True, "false": False, "null": None}
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# A double has 17 digits that count; longer numbers are no sizes of a network.
_MAX_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Token:
    """A scalar and how it was written.

    Attributes
    ----------
    value : str, int, float, bool or None
        What was meant.
    text : str
        As written.
    end : int
        Where the text goes on.
    fault, hint : str or None
        What strict JSON has against it.
    typographic : bool
        Whether the fault is its quotes.
    """

    value: Any
    text: str
    end: int
    fault: str | None = None
    hint: str | None = None
    typographic: bool = False


def read_string(text: str, at: int) -> Token:
    """Read the string that begins with the quote at `at`; it ends in its line, closed or not."""
    quote = text[at]
    closers = '"' if quote == '"' else "'" if quote == "'" else TYPOGRAPHIC + '"'
    end = at + 1
    while end < len(text) and text[end] not in closers and text[end] != "\n":
        end += 2 if text[end] == "\\" else 1
    end = min(end, len(text))
    closed = end < len(text) and text[end] in closers
    if not closed:
        end = _unclosed_end(text, at, end)
    inner = text[at + 1 : end]
    stop = end + 1 if closed or text[end : end + 1] in tuple(TYPOGRAPHIC) else end
    value, bad = _unescape(inner)
    whole = text[at:stop]
    typographic = any(letter in TYPOGRAPHIC for letter in (whole[0], whole[-1]))
    if typographic:
        hint = f'write "{inner}" with straight quotes; word processors and forums curl them'
        return Token(value, whole, stop, "typographic quotes stand around this", hint, True)
    if not closed:
        return Token(value, whole, stop, "the closing quote of this is missing")
    if quote == "'":
        return Token(
            value, whole, stop, "single quotes stand around this", f'JSON wants double quotes: "{inner}"'
        )
    return Token(value, whole, stop, bad)


def _unclosed_end(text: str, at: int, line_end: int) -> int:
    """Where a string without its closing quote may end: at a curled one, or before the line's punctuation."""
    for i in range(at + 1, line_end):
        if text[i] in TYPOGRAPHIC:
            return i
    kept = text[at + 1 : line_end].rstrip(" \t\r,]}")
    return at + 1 + len(kept)


def _unescape(inner: str) -> tuple[str, str | None]:
    if "\\" not in inner:
        odd = _CONTROL.search(inner)
        return inner, f"a control character (U+{ord(odd[0]):04X}) stands in this string" if odd else None
    bad: str | None = None
    parts: list[str] = []
    at = 0
    while at < len(inner):
        if inner[at] != "\\":
            parts.append(inner[at])
            at += 1
        elif match := _ESCAPE.match(inner, at):
            parts.append(_SHORT.get(match[1], match[1]) if match[1] else chr(int(match[2], 16)))
            at = match.end()
        else:
            bad = f"{inner[at : at + 2]!r} is no escape of JSON"
            parts.append(inner[at : at + 2])
            at += 2
    return "".join(parts), bad


def read_bare(text: str, at: int) -> Token:
    """Read what stands without quotes: a number, a word, or one letter that is neither."""
    match = _WORD.match(text, at)
    if match is None:
        return Token(None, text[at], at + 1, f"{text[at]!r} has no place here")
    word, end = match[0], match.end()
    if word in _WORDS:
        return Token(_WORDS[word], word, end)
    number = _NUMBER.fullmatch(word)
    if number and len(word) <= _MAX_DIGITS:
        whole = number[1] is None and number[2] is None
        value: Any = int(word) if whole else float(word)
        if value in (float("inf"), float("-inf")):
            return Token(None, word, end, f"{word} is too large for a number")
        return Token(value, word, end)
    if number or len(word) > 80:
        return Token(None, word, end, f"{word[:12]!r}... is no number and no word")
    if word.lower() in _WORDS or word == "None":
        right = "null" if word == "None" else word.lower()
        return Token(_WORDS[right], word, end, f"{word} is not a word of JSON", f"write {right}")
    if _ALMOST_NUMBER.fullmatch(word):
        return Token(
            _plain(word), word, end, f"{word} is not how JSON writes a number", f"write {_plain(word)}"
        )
    return Token(word, word, end, f"{word!r} has no quotes", f'write "{word}"')


def _plain(word: str) -> int | float:
    digits = word.replace("_", "")
    return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
