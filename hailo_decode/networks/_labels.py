"""Class names from the files that people keep them in: text, JSON, and the ``names`` of a YAML file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hailo_decode.errors import FormatError
from hailo_decode.networks._document import read_json

_MAX_BYTES = 1 << 20
_MAX_NAMES = 100_000
# A scalar of YAML: quoted in one of two ways, or plain up to a comment.
_QUOTED = re.compile(r""""((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'""")
_KEY = re.compile(r"names\s*:(?=\s|$)")
_NUMBERED = re.compile(r"(\d{1,6})\s*[:,\s]\s*(\S.*)")


def read_names(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Read class names in the order of their numbers.

    Parameters
    ----------
    path : str or path
        ``labels.txt`` (a name a line), JSON (a list, numbers to names, or an object with ``names`` or
        ``labels``), or YAML with ``names`` as Ultralytics writes ``metadata.yaml`` and ``data.yaml``. Under
        ``labels``, a first ``"unlabeled"`` is no class and left out.

    Raises
    ------
    FormatError
        When the file cannot be read, holds no names, or leaves a number out.
    """
    place = Path(path)
    try:
        if place.stat().st_size > _MAX_BYTES:
            raise FormatError(
                f"{str(place)!r} is too big for a list of names", wanted=f"at most {_MAX_BYTES} bytes"
            )
        text = place.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise FormatError(f"{str(place)!r} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{str(place)!r} is not UTF-8 text", offset=error.start) from error
    return names_of(text, str(place))


def names_of(text: str, what: str = "the text") -> tuple[str, ...]:
    """Read class names from a text in any of the forms of `read_names`."""
    if text.lstrip()[:1] in ("{", "["):
        names = _from_json(read_json(text.encode(), what), what)
    elif re.search(rf"^{_KEY.pattern}", text, re.MULTILINE):
        names = names_of_yaml(text, what)
    else:
        names = _from_lines(text, what)
    if not names:
        raise FormatError(f"{what} holds no class names", wanted="a name a line, JSON, or YAML with names:")
    return names


def _from_json(value: Any, what: str) -> tuple[str, ...]:
    if isinstance(value, dict):
        for key in ("names", "labels", "classes"):
            if isinstance(value.get(key), (list, dict)):
                names = _from_json(value[key], what)
                # Hailo's applications count from 1 and put this in front (hailo-rpi5-examples, labels JSON).
                return names[1:] if key == "labels" and names[:1] == ("unlabeled",) else names
        return _in_order(list(value.items()), what)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise FormatError(
        f"{what} holds something else than names", wanted="a list of texts, or numbers to texts"
    )


def _from_lines(text: str, what: str) -> tuple[str, ...]:
    lines = [line.strip() for line in text.rstrip().splitlines()]
    if "" in lines:
        raise FormatError(
            f"line {lines.index('') + 1} of {what} is empty",
            hint="every line is a class; a gap would shift all behind it",
        )
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if lines and all(numbered) and [int(m[1]) for m in numbered if m] == list(range(len(lines))):
        return tuple(m[2] for m in numbered if m)
    return tuple(lines)


def names_of_yaml(text: str, what: str = "the text") -> tuple[str, ...]:
    """Read the ``names`` of a YAML file: a list or numbered entries, in block or flow style.

    Raises
    ------
    FormatError
        With the line, where the block is in none of these styles.
    """
    lines = text.splitlines()
    at = next((i for i, line in enumerate(lines) if _KEY.match(line)), None)
    if at is None:
        return ()
    rest = _KEY.sub("", lines[at], count=1).strip()
    if rest[:1] in ("[", "{"):
        return _flow("\n".join([rest, *lines[at + 1 :]]), at + 1, what)
    if rest and not rest.startswith("#"):
        raise FormatError(f"line {at + 1} of {what}: names are neither a list nor numbered", got=rest[:60])
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines[at + 1 :], at + 2):
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        if not line.startswith((" ", "\t", "-")):
            break
        entry = re.match(r"-(?:\s+(.*))?$|['\"]?(\d{1,6})['\"]?\s*:\s+(.*)$", body)
        if not entry:
            raise FormatError(f"line {number} of {what}: this is no entry of names", got=body[:60])
        key = entry[2] if entry[2] is not None else str(len(found))
        found.append((key, _scalar((entry[1] if entry[2] is None else entry[3]) or "")))
    return _in_order(found, what)


def _scalar(text: str) -> str:
    text = text.strip()
    quoted = _QUOTED.match(text)
    return _unquoted(*quoted.groups()) if quoted else re.split(r"(?:^|\s)#", text, maxsplit=1)[0].strip()


def _unquoted(double: str | None, single: str | None) -> str:
    return re.sub(r"\\(.)", r"\1", double) if double is not None else (single or "").replace("''", "'")


def _flow(text: str, line: int, what: str) -> tuple[str, ...]:
    """Read ``[a, 'b']`` or ``{0: a, 1: 'b'}``, which may go over several lines."""
    closing = {"[": "]", "{": "}"}[text[0]]
    key = r"(?:['\"]?(\d{1,6})['\"]?\s*:\s*)?" if closing == "}" else "()"
    plain = rf"([^\s,'\"\{closing}][^,\{closing}]*)"
    entry = re.compile(rf"\s*{key}(?:{_QUOTED.pattern}\s*|{plain})?([,\{closing}])")
    found: list[tuple[str, str]] = []
    at = 1
    while match := entry.match(text, at):
        number, double, single, bare, end = match.groups()
        name = _unquoted(double, single) if bare is None else bare.strip()
        if name or number or double == "" or single == "":
            found.append((number or str(len(found)), name))
        if end == closing:
            return _in_order(found, what)
        at = match.end()
    raise FormatError(f"line {line} of {what}: the names cannot be read from here on", got=text[at : at + 40])


def _in_order(found: list[tuple[str, Any]], what: str) -> tuple[str, ...]:
    """Return names by their numbers; all from 0 on have to be there."""
    by_number: dict[int, str] = {}
    for key, name in found:
        number = int(key) if key.isascii() and key.isdigit() and len(key) <= 6 else -1
        if not isinstance(name, str) or not 0 <= number < _MAX_NAMES or number in by_number:
            raise FormatError(f"{what} has an entry {key!r:.40} that is no class", got=repr(name)[:60])
        by_number[number] = name
    for number in range(len(by_number)):
        if number not in by_number:
            raise FormatError(f"{what} names {len(by_number)} classes, but none has the number {number}")
    return tuple(by_number[number] for number in range(len(by_number)))
