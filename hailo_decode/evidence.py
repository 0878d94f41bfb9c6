"""What speaks for an output playing a role, where channels alone leave a choice: names, ranges, values, numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hailo_decode.families._family import Family
from hailo_decode.values.network import OutputInfo

_FRACTION = 4.0  # a box that leaves the picture by three times its size is none
_BACKGROUND = -2.9  # a class logit below this scores under 0.05, as nearly all cells of a picture do


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One output as pairing sees it.

    Attributes
    ----------
    name : str
    shape : (int, int, int)
        Height, width, channels.
    role : str or None
        Where a model file proves it.
    names : tuple of str
        Its name, and the layer's names in the framework it came from.
    unit_range : callable
        Tells whether its values lie in 0..1.
    median : callable
        Returns the middle one of its real values.
    largest_side : callable
        Returns the largest of the first four channels: of a decoded box, in pixels or fractions.
    """

    name: str
    shape: tuple[int, int, int]
    role: str | None
    names: tuple[str, ...]
    unit_range: Callable[[], bool]
    median: Callable[[], float]
    largest_side: Callable[[], float]

    @classmethod
    def of(cls, info: OutputInfo) -> Candidate:
        """Make one from what a file says of an output that has a shape; what only values would tell speaks for nothing."""
        limits = info.limits

        def unit_range() -> bool:
            return bool(info.in_unit_range)

        def median() -> float:
            return math.nan

        def largest_side() -> float:
            return limits[1] if limits else math.nan

        names = (info.name, *info.original_names)
        return cls(info.name, info.shape or (0, 0, 0), info.role, names, unit_range, median, largest_side)

    def __str__(self) -> str:
        h, w, c = self.shape
        return f"{self.name} {h}x{w}x{c}"


Assignment = dict[str, Candidate]
Weigh = Callable[[Assignment, Family], int]


def by_words(assignment: Assignment, family: Family) -> int:
    """Count outputs whose names speak for their role, less those whose names speak against it."""
    weight = 0
    for role, output in assignment.items():
        said = {r for r, words in family.words.items() if _mentions(output.names, words)}
        weight += (role in said and len(said) == 1) - (bool(said) and role not in said)
    return weight


def by_range(assignment: Assignment, family: Family) -> int:
    """Speak for the class tensor being the one whose values lie in 0..1, where that tells it from the others."""
    if "cls" not in assignment or len(assignment) < 2:
        return 0
    scores = ("cls", "obj", *family.unit)
    others = [o.unit_range() for role, o in assignment.items() if role not in scores]
    if assignment["cls"].unit_range():
        return int(not any(others) and all(assignment[role].unit_range() for role in family.unit))
    return -int(any(others))


def by_background(assignment: Assignment, family: Family) -> int:
    """Speak for the class tensor being the one whose typical value is that of an empty cell."""
    if "cls" not in assignment or len(assignment) < 2 or assignment["cls"].unit_range():
        return 0
    others = [o.median() < _BACKGROUND for role, o in assignment.items() if role not in ("cls", "obj")]
    scores = [assignment[role].median() < _BACKGROUND for role in ("cls", "obj") if role in assignment]
    return int(all(scores) and not any(others))


def by_size(assignment: Assignment, family: Family) -> int:
    """Speak for rows whose boxes are as large as the family's unit makes them: fractions hardly reach beyond 1."""
    if "rows" not in assignment:
        return 0
    fractions = assignment["rows"].largest_side() <= _FRACTION
    return int(fractions == (family.grid == "unit list"))


def by_number(assignment: Assignment, family: Family) -> int:
    """Speak for layer numbers that rise in the family's order of roles."""
    numbers = [_layer_number(assignment[role].name) for role in family.roles]
    known = [n for n in numbers if n is not None]
    return int(len(known) == len(numbers) > 1 and known == sorted(set(known)))


def USUAL(assignment: Assignment, family: Family) -> int:
    """Mark the place in the order of evidence where the sizes of published models are weighed."""
    return 0


# Strongest first. Numbers come last: they hold for published models only.
EVIDENCE: tuple[tuple[Weigh, str], ...] = (
    (by_words, "the outputs' names"),
    (by_range, "the ranges of values"),
    (by_background, "their typical values, low in class tensors"),
    (by_size, "the size of their boxes"),
    (USUAL, ""),
    (by_number, "layer numbers, which rise in this order in published models"),
)


def _mentions(names: Iterable[str], words: tuple[str, ...]) -> bool:
    pieces = {piece for name in names for piece in re.split(r"[^a-z0-9]+", name.lower())}
    pieces |= {piece.rstrip("0123456789") for piece in pieces}
    return not pieces.isdisjoint(words)


def _layer_number(name: str) -> int | None:
    found = re.search(r"(?:conv|layer|activation)_?(\d+)$", name.rpartition("/")[2])
    return int(found[1]) if found else None
