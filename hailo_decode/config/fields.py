"""What keys may hold: typed fields with limits, read from JSON values key by key, wrong ones left out.

The classes of a configuration are plain ones, as a check reads them hundreds of times and must start at once;
`models` makes pydantic models of the same fields.
"""

# Annotations are evaluated as they stand, as they are read at run time.

import types
from collections.abc import Callable
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, NamedTuple, Union, get_args, get_origin

from hailo_decode.values.diagnostic import Path


class Limits(NamedTuple):
    """The smallest and largest number that makes sense; `above` leaves the smallest itself out."""

    low: float
    high: float = float("inf")
    above: bool = False


class AtLeast(NamedTuple):
    """The least number of members of a list."""

    members: int


Count = Annotated[int, Limits(1, 1_000_000)]
Index = Annotated[int, Limits(0, 1_000_000)]
Size = Annotated[int, Limits(1, 65_535)]
Bins = Annotated[int, Limits(1, 4096)]
Share = Annotated[float, Limits(0, 1)]
Positive = Annotated[float, Limits(0, above=True)]
Lengths = Annotated[list[Positive], AtLeast(1)]

Complain = Callable[[Path, str], None]


class Part:
    """An object of a configuration: what its keys hold, None where they are missing or wrong.

    Attributes
    ----------
    required : tuple of str
        Keys that every working public file of this kind holds.
    extra : dict
        Keys that are not known, with what they hold.
    """

    required: ClassVar[tuple[str, ...]] = ()
    # Every key and its type, inherited ones first.
    fields: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        own: dict[str, Any] = get_annotations(cls)
        about_class: Any = ClassVar
        cls.fields = {**cls.fields, **{k: v for k, v in own.items() if get_origin(v) is not about_class}}

    def __init__(self, values: dict[str, Any] | None = None, extra: dict[str, Any] | None = None) -> None:
        self.__dict__.update(values or {})
        self.extra = extra or {}

    def field(self, key: str) -> Any:
        """Return the value of a key that files of this shape have; None for keys of other shapes."""
        return getattr(self, key) if key in self.fields else None


def read_part(part: type[Part], value: dict[str, Any], at: Path, complain: Complain) -> Part:
    """Read an object; what is wrong is complained of, and left out.

    Parameters
    ----------
    part : type of Part
    value : dict
        As JSON gives it.
    at : tuple of str and int
        Its path.
    complain : callable
        ``complain(path, message)``.
    """
    values, extra = {}, {}
    for key, held in value.items():
        if key in part.fields:
            values[key] = _read(part.fields[key], held, (*at, key), complain)
        else:
            extra[key] = held
    return part(values, extra)


def _read(kind: Any, value: Any, at: Path, complain: Complain) -> Any:
    """Return a value of a type, or None once it has been complained of."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _read(arguments[0], value, at, complain)
    limit = arguments[1] if origin is Annotated else None
    if limit is not None:
        kind = arguments[0]
        origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        if not isinstance(value, list) or len(value) != len(arguments):
            return _wrong(value, at, "a list of two numbers", complain)
        read = [
            _read(k, v, (*at, i), complain) for i, (k, v) in enumerate(zip(arguments, value, strict=True))
        ]
        return None if None in read else tuple(read)
    if origin is list:
        return _list(arguments[0], limit, value, at, complain)
    if isinstance(kind, type) and issubclass(kind, Part):
        if isinstance(value, dict):
            return read_part(kind, value, at, complain)
        _wrong(value, at, "an object", complain)
        return kind()
    wanted = _not_of(kind, value) or _beyond(limit, value)
    return _wrong(value, at, wanted, complain) if wanted else value


def _list(kind: Any, limit: AtLeast | None, value: Any, at: Path, complain: Complain) -> Any:
    if not isinstance(value, list):
        return _wrong(value, at, "a list", complain)
    if limit is not None and len(value) < limit.members:
        return _wrong(value, at, f"at least {limit.members} long", complain)
    read = [_read(kind, item, (*at, i), complain) for i, item in enumerate(value)]
    return None if None in read else read


def _not_of(kind: Any, value: Any) -> str | None:
    """Return what is wanted where a value is of another type; whole numbers are numbers, booleans are none."""
    if kind is bool:
        return None if isinstance(value, bool) else "true or false"
    if kind is str:
        return None if isinstance(value, str) else "a text"
    types_, wanted = ((int,), "a whole number") if kind is int else ((int, float), "a number")
    return None if isinstance(value, types_) and not isinstance(value, bool) else wanted


def _beyond(limit: Limits | None, value: float) -> str | None:
    """Return what is wanted where a number is outside its limits."""
    if limit is None:
        return None
    if limit.above and value <= limit.low:
        return f"more than {limit.low:g}"
    if value < limit.low:
        return f"at least {limit.low:g}"
    return f"at most {limit.high:g}" if value > limit.high else None


def _wrong(value: Any, at: Path, wanted: str, complain: Complain) -> None:
    name = next((str(part) for part in reversed(at) if isinstance(part, str)), "this")
    got = repr(value)
    complain(at, f"{name} must be {wanted}, it is {got if len(got) <= 40 else got[:37] + '...'}")
