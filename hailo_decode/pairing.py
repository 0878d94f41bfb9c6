"""Which output plays which role: told by grid, channels, names and ranges, never by position."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

from hailo_decode.errors import AmbiguousError, PairingError
from hailo_decode.families._family import Family, Sizes


@dataclass(frozen=True, slots=True)
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
        Tells whether its values lie in 0..1 and reach beyond a point: True, False, or None where nothing tells.
    """

    name: str
    shape: tuple[int, int, int]
    role: str | None
    names: tuple[str, ...]
    unit_range: Callable[[], bool | None]

    def __str__(self) -> str:
        h, w, c = self.shape
        return f"{self.name} {h}x{w}x{c}"


@dataclass(frozen=True, slots=True)
class Paired:
    """One level: its stride, its grid, and the output of each role."""

    stride: tuple[float, float]
    grid: tuple[int, int]
    outputs: dict[str, Candidate]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read all outputs as the head of a family."""

    family: Family
    sizes: Sizes
    levels: tuple[Paired, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.family.name} with {self.sizes}"


Assignment = dict[str, Candidate]
Weigh = Callable[[Assignment, Family], int]


def pair(
    outputs: Sequence[Candidate], input_size: tuple[int, int], choices: Sequence[Family], classes: int | None
) -> Reading:
    """Find the one reading of some outputs as a head.

    Parameters
    ----------
    outputs : sequence of Candidate
    input_size : (int, int)
        Height and width of the network's input, pixels.
    choices : sequence of Family
        Families that it may be.
    classes : int or None
        Number of classes, where the caller knows it.

    Raises
    ------
    PairingError
        When no reading is left.
    AmbiguousError
        When more than one is.
    """
    _one_network(outputs)
    levels = _by_grid(outputs, input_size)
    readings = [reading for family in choices for reading in _readings(family, levels, input_size)]
    if not readings:
        raise _no_reading(levels, choices, input_size)
    if classes is not None and len(readings) > 1:
        readings = [r for r in readings if r.sizes.classes == classes] or readings
    readings = _weighed(readings, _by_words, "the outputs' names")
    readings = _weighed(readings, _by_range, "the ranges of values")
    readings = _usual(readings)
    readings = _weighed(readings, _by_number, "layer numbers, which rise from box to class in such heads")
    if len(readings) > 1:
        shown = [f"{r} ({_roles_of(r)})" for r in readings]
        raise AmbiguousError(
            f"{len(outputs)} outputs can be read in {len(readings)} ways",
            shown,
            "names=[...] tells the number of classes, roles={output: role} which output is which",
        )
    return readings[0]


def _one_network(outputs: Sequence[Candidate]) -> None:
    prefixes = sorted({o.name.partition("/")[0] for o in outputs if "/" in o.name})
    counts = {p: sum(o.name.startswith(p + "/") for o in outputs) for p in prefixes}
    if len(prefixes) > 1 and len(set(counts.values())) == 1 and min(counts.values()) > 1:
        raise PairingError(
            f"the outputs belong to {len(prefixes)} networks: {', '.join(prefixes)}",
            got=", ".join(map(str, outputs[:12])),
            wanted="the outputs of one network",
            hint=f'pass {{n: a for n, a in outputs.items() if n.startswith("{prefixes[0]}/")}}, one decoder for each network',
        )


def _by_grid(outputs: Sequence[Candidate], input_size: tuple[int, int]) -> dict[tuple[int, int], list[Candidate]]:
    """Group outputs by grid, finest first; every grid must divide the input evenly and alike."""
    grids: dict[tuple[int, int], list[Candidate]] = {}
    for output in sorted(outputs, key=lambda o: (-o.shape[0], -o.shape[1], o.name)):
        grids.setdefault(output.shape[:2], []).append(output)
    for (h, w), group in grids.items():
        if input_size[0] % h or input_size[1] % w or input_size[0] // h != input_size[1] // w:
            raise PairingError(
                f"output {group[0].name!r} has a grid of {h}x{w}, which does not divide an input of "
                f"{input_size[0]}x{input_size[1]} evenly and alike in both directions",
                got=f"{input_size[0]}/{h} = {input_size[0] / h:g} rows, {input_size[1]}/{w} = {input_size[1] / w:g} columns a cell",
                wanted="the same whole number twice: the stride",
                hint="input_size is (height, width) of the network's input; a channel-first array wants "
                f'formats={{"{group[0].name}": "NCHW"}}',
            )
    return grids


def _readings(
    family: Family, levels: dict[tuple[int, int], list[Candidate]], input_size: tuple[int, int]
) -> list[Reading]:
    """List the ways to read all levels as one family, one for each set of sizes."""
    options: list[dict[Sizes, list[Assignment]]] = []
    for group in levels.values():
        fitting: dict[Sizes, list[Assignment]] = {}
        for order in permutations(group) if len(group) == len(family.roles) else ():
            assignment = dict(zip(family.roles, order, strict=True))
            if any(o.role not in (None, role) for role, o in assignment.items()):
                continue
            found = family.sizes({role: o.shape[2] for role, o in assignment.items()})
            if found is not None:
                fitting.setdefault(found, []).append(assignment)
        options.append(fitting)
    shared = set(options[0]).intersection(*options[1:]) if options else set()
    readings = []
    for sizes in sorted(shared, key=str):
        for chosen in _combinations([o[sizes] for o in options], family):
            paired = [
                Paired((input_size[1] / w, input_size[0] / h), (h, w), outputs)
                for (h, w), outputs in zip(levels, chosen, strict=True)
            ]
            readings.append(Reading(family, sizes, tuple(paired)))
    return readings


def _combinations(per_level: list[list[Assignment]], family: Family) -> list[tuple[Assignment, ...]]:
    """Combine the levels' assignments; where each level has two, evidence is weighed level by level first."""
    narrowed = [_strongest(options, family) for options in per_level]
    return list(product(*narrowed))


def _strongest(options: list[Assignment], family: Family) -> list[Assignment]:
    """Keep the assignments of one level that the evidence speaks for most."""
    for weigh in (_by_words, _by_range, _by_number):
        if len(options) == 1:
            return options
        weights = [weigh(option, family) for option in options]
        options = [o for o, weight in zip(options, weights, strict=True) if weight == max(weights)]
    return options


def _weighed(readings: list[Reading], weigh: Weigh, why: str) -> list[Reading]:
    """Keep the readings that one kind of evidence speaks for most."""
    if len(readings) == 1:
        return readings
    weights = [sum(weigh(level.outputs, r.family) for level in r.levels) for r in readings]
    best = [r for r, weight in zip(readings, weights, strict=True) if weight == max(weights)]
    if len(best) == len(readings):
        return readings
    return [replace(r, notes=(*r.notes, f"{r}: roles told apart by {why}")) for r in best]


def _usual(readings: list[Reading]) -> list[Reading]:
    """Keep the one reading whose sizes are those of every published model, if there is one."""
    usual = [r for r in readings if r.family.usual and r.family.usual(r.sizes)]
    if len(readings) == 1 or not usual or len({r.sizes for r in usual}) > 1:
        return readings
    others = "; ".join(sorted({str(r) for r in readings} - {str(usual[0])}))
    if not others:
        return readings
    note = f"{usual[0]}, as published models have it; {others} would fit the channels too"
    return [replace(r, notes=(*r.notes, note)) for r in usual]


def _by_words(assignment: Assignment, family: Family) -> int:
    """Count outputs whose names speak for their role, less those whose names speak against it."""
    weight = 0
    for role, output in assignment.items():
        said = {r for r, words in family.words.items() if _mentions(output.names, words)}
        weight += (role in said and len(said) == 1) - (bool(said) and role not in said)
    return weight


def _mentions(names: Iterable[str], words: tuple[str, ...]) -> bool:
    pieces = {piece for name in names for piece in re.split(r"[^a-z0-9]+|(?<=[a-z0-9])_(?=[a-z])", name.lower())}
    return any(piece == word or piece.startswith(word + "_") for piece in pieces for word in words)


def _by_range(assignment: Assignment, family: Family) -> int:
    """Speak for the class tensor being the one whose values lie in 0..1, where that tells the two apart."""
    ranges = {role: output.unit_range() for role, output in assignment.items()}
    if "cls" not in ranges or ranges["cls"] is None:
        return 0
    others = [r for role, r in ranges.items() if role != "cls"]
    if ranges["cls"] and not any(others):
        return 1
    return -1 if not ranges["cls"] and any(others) else 0


def _by_number(assignment: Assignment, family: Family) -> int:
    """Speak for layer numbers that rise in the family's order of roles."""
    numbers = [_layer_number(assignment[role].name) for role in family.roles]
    known = [n for n in numbers if n is not None]
    return int(len(known) == len(numbers) > 1 and known == sorted(set(known)))


def _layer_number(name: str) -> int | None:
    found = re.search(r"(?:conv|layer|output|activation)_?(\d+)$", name.rpartition("/")[2])
    return int(found[1]) if found else None


def _roles_of(reading: Reading) -> str:
    return ", ".join(f"{role}={o.name}" for level in reading.levels[:1] for role, o in level.outputs.items())


def _no_reading(
    levels: dict[tuple[int, int], list[Candidate]], choices: Sequence[Family], input_size: tuple[int, int]
) -> PairingError:
    """Say what is there, what is wanted, and what is missing or doubled."""
    lines = [f"stride {input_size[0] // h}: {', '.join(map(str, group))}" for (h, w), group in levels.items()]
    wanted = " or ".join(f"{len(f.roles)} outputs at each stride ({', '.join(f.roles)}) for {f.name}" for f in choices[:4])
    counts = {len(group) for group in levels.values()}
    fewest = min(levels.items(), key=lambda item: len(item[1])) if levels else None
    most = max(levels.items(), key=lambda item: len(item[1])) if levels else None
    hint = None
    if fewest and most and len(counts) > 1:
        hint = (
            f"stride {input_size[0] // fewest[0][0]} has {len(fewest[1])}, stride {input_size[0] // most[0][0]} has "
            f"{len(most[1])}: an output is missing from the one, or is given twice in the other"
        )
    elif levels:
        hint = "the channels differ from level to level, or are those of another kind of head: family=... names it"
    return PairingError("the outputs fit no head", got="; ".join(lines) or "no outputs", wanted=wanted, hint=hint)
