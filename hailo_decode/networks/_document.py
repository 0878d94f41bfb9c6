"""JSON text to values that know their place, so that every complaint names the key."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hailo_decode.errors import FormatError, MissingFile

MAX_BYTES = 8 << 20
# Real documents come to some ten thousand of either. Lists and objects cost most, entries are at least their commas.
MAX_LISTS, MAX_ENTRIES = 300_000, 500_000
MAX_NODES = 20_000  # layers of a graph, outputs of a network, ...
_WHOLE = 1 << 53  # numbers up to here are exact in every JSON reader
_SIDE = 1 << 31


class _Doubled(dict[str, Any]):
    """An object that held one key twice."""

    key: str


def read_json(data: bytes, what: str = "JSON") -> Any:
    """Parse JSON as its standard has it: no key twice, no NaN, no endless numbers.

    Parameters
    ----------
    data : bytes
        UTF-8, with or without a byte order mark.
    what : str
        What the text is, for errors.

    Raises
    ------
    FormatError
        With the byte where the text stops being JSON, or the path of a key that comes twice.
    """
    import json

    _check_size(data, what)
    doubled: list[_Doubled] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = _object(pairs)
        doubled.extend([value] if isinstance(value, _Doubled) else ())
        return value

    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=made, parse_constant=_no_number, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise FormatError(f"the {what} is not UTF-8 text", offset=error.start) from error
    except json.JSONDecodeError as error:
        at = len(data) - len(text[error.pos :].encode())
        place = f"line {error.lineno}, column {error.colno}"
        raise FormatError(f"the {what} is not JSON: {error.msg} in {place}", offset=at) from error
    except RecursionError as error:
        raise FormatError(f"the {what} is nested too deep") from error
    except ValueError as error:  # NaN, 1e999, or a whole number of thousands of digits
        raise FormatError(f"the {what} holds a number that cannot be: {str(error)[:80]}") from error
    if doubled:
        path = _join(_path_to(doubled[0], value), doubled[0].key)
        raise FormatError(f"the key {path!r} stands twice in one object of the {what}")
    return value


def read_file(path: Path) -> bytes:
    """Return the bytes of a file that should hold JSON; no more of them than any such file has, and one.

    Raises
    ------
    MissingFile
        When it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise MissingFile(f"{str(path)!r} cannot be read: {error.strerror or error}") from error


def _check_size(data: bytes, what: str) -> None:
    """Refuse what would take long, or much memory, to parse: small texts can hold millions of empty lists."""
    if len(data) > MAX_BYTES:
        raise FormatError(f"the {what} is longer than {MAX_BYTES} bytes")
    lists, entries = data.count(b"[") + data.count(b"{"), data.count(b",")
    if lists > MAX_LISTS:
        raise FormatError(f"the {what} holds {lists} lists and objects", wanted=f"at most {MAX_LISTS}")
    if entries > MAX_ENTRIES:
        raise FormatError(f"the {what} holds {entries} entries", wanted=f"at most {MAX_ENTRIES}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    doubled = _Doubled(made)
    seen: set[str] = set()
    doubled.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return doubled


def _no_number(text: str) -> float:
    raise ValueError(text)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _path_to(wanted: object, value: Any) -> str:
    """Return the path of an object inside a document."""
    left: list[tuple[str, Any]] = [("", value)]
    while left:
        path, item = left.pop()
        if item is wanted:
            return path
        if isinstance(item, dict):
            inner = [(_join(path, key), one) for key, one in item.items()]
        else:
            inner = [(f"{path}[{i}]", one) for i, one in enumerate(item)]
        left += [(place, one) for place, one in inner if isinstance(one, (dict, list))]
    return ""


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


class Node:
    """A value inside a JSON document, and its path there.

    Every accessor takes a key, gives None (or nothing) for an absent or null one, and raises FormatError
    that names the path when the value is of another kind.

    Parameters
    ----------
    value : object
        A mapping.
    path : str
        Such as ``"outputs[2]"``; empty for the document itself.
    """

    __slots__ = ("_asked", "path", "value")

    def __init__(self, value: Any, path: str = "") -> None:
        self.path = path
        self._asked: set[str] = set()
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise self._wrong(None, value, "an object")
        self.value: Mapping[str, Any] = value

    def _wrong(self, key: str | None, got: Any, wanted: str) -> FormatError:
        place = self.path if key is None else _join(self.path, key)
        shown = repr(got)
        return FormatError(
            f"{place or 'the document'} cannot be used",
            got=shown if len(shown) <= 80 else shown[:77] + "...",
            wanted=wanted,
        )

    def get(self, key: str) -> Any:
        """Return the value under a key as it is, None when absent."""
        self._asked.add(key)
        return self.value.get(key)

    def rest(self) -> dict[str, Any]:
        """Return the entries that nobody has asked for so far."""
        return {key: value for key, value in self.value.items() if key not in self._asked}

    def text(self, key: str, among: tuple[str, ...] = ()) -> str | None:
        """Read a string, one of `among` where those are given."""
        value = self.get(key)
        if value is None or (isinstance(value, str) and (not among or value in among)):
            return value
        raise self._wrong(key, value, "one of " + ", ".join(among) if among else "text")

    def texts(self, key: str) -> tuple[str, ...]:
        """Read a list of strings."""
        value = self.get(key)
        if value is None:
            return ()
        if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise self._wrong(key, value, "a list of texts")

    def flag(self, key: str) -> bool | None:
        """Read true or false."""
        value = self.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise self._wrong(key, value, "true or false")

    def whole(self, key: str, least: int = 0) -> int | None:
        """Read a whole number of at least `least`."""
        value = self.get(key)
        if value is None:
            return None
        if is_number(value) and least <= value < _WHOLE and value == int(value):
            return int(value)
        raise self._wrong(key, value, f"a whole number, {least} or more")

    def number(self, key: str) -> float | None:
        """Read a finite number."""
        value = self.get(key)
        if value is None or is_number(value):
            return None if value is None else float(value)
        raise self._wrong(key, value, "a finite number")

    def sizes(self, key: str, *counts: int) -> tuple[int, ...] | None:
        """Read a list of whole numbers above 0; how many, `counts` says."""
        value = self.get(key)
        if value is None:
            return None
        if (
            isinstance(value, (list, tuple))
            and len(value) in counts
            and all(is_number(item) and 0 < item < _SIDE and item == int(item) for item in value)
        ):
            return tuple(map(int, value))
        raise self._wrong(key, value, f"{' or '.join(map(str, counts))} whole numbers above 0")

    def pairs(self, key: str) -> tuple[tuple[float, float], ...]:
        """Read a list of pairs of finite numbers."""
        value = self.get(key)
        if value is None:
            return ()
        if isinstance(value, (list, tuple)) and all(
            isinstance(item, (list, tuple)) and len(item) == 2 and all(map(is_number, item)) for item in value
        ):
            return tuple((float(a), float(b)) for a, b in value)
        raise self._wrong(key, value, "a list of pairs of numbers")

    def node(self, key: str) -> Node | None:
        """Return the object under a key."""
        value = self.get(key)
        return None if value is None else Node(value, _join(self.path, key))

    def nodes(self, key: str) -> Iterator[Node]:
        """Yield the objects of a list."""
        value = self.get(key)
        if value is None:
            return
        if not isinstance(value, (list, tuple)):
            raise self._wrong(key, value, "a list of objects")
        if len(value) > MAX_NODES:
            raise FormatError(
                f"{_join(self.path, key)} has {len(value)} entries", wanted=f"at most {MAX_NODES}"
            )
        for i, item in enumerate(value):
            yield Node(item, f"{_join(self.path, key)}[{i}]")


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
