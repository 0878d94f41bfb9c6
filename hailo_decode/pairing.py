"""Which output plays which role: told by grid, channels, names and values, never by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations, product

from hailo_decode.errors import AmbiguousError, PairingError
from hailo_decode.evidence import EVIDENCE, USUAL, Assignment, Candidate
from hailo_decode.families._family import Family, Sizes
from hailo_decode.grids import AnchorCount, by_grid, stride_of
from hailo_decode.misfit import no_reading

_WAYS = 16  # readings of one head and one set of sizes that are told apart


@dataclass(frozen=True, slots=True)
class Paired:
    """One level: its stride across and down in input pixels, its grid, its sizes, and the output of each role."""

    stride: tuple[float, float]
    grid: tuple[int, int]
    sizes: Sizes
    outputs: Assignment


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read all outputs as the head of a family."""

    family: Family
    sizes: Sizes
    levels: tuple[Paired, ...]
    once: Assignment
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.family.name} with {self.sizes}"

    def same_as(self, other: Reading) -> bool:
        """Tell whether another reading puts the same numbers to the same use."""
        return (
            self.family.signature() == other.family.signature()
            and self.sizes == other.sizes
            and self.once == other.once
            and [(a.stride, a.outputs) for a in self.levels] == [(b.stride, b.outputs) for b in other.levels]
            and self.family.anchors == other.family.anchors
            and self.family.fields(self.sizes) == other.family.fields(other.sizes)
        )

    def swing(self, level: int) -> float:
        """Return how many cells wide the reach of a level's centres is."""
        swings = self.family.swings
        if set(swings) == {one.stride[0] for one in self.levels}:
            return swings[int(self.levels[level].stride[0])]
        return (*self.family.constants, 1.0, 1.0)[1]

    def at_stride(self, stride: tuple[float, float]) -> Reading:
        """Return the same reading with another stride at every level."""
        return replace(self, levels=tuple(replace(level, stride=stride) for level in self.levels))


def pair(
    outputs: Sequence[Candidate],
    input_size: tuple[int, int],
    choices: Sequence[Family],
    classes: int | None,
    anchors: AnchorCount,
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
    anchors : callable
        Number of anchors that the caller knows for an output; None where it knows none.

    Raises
    ------
    PairingError
        When no reading is left.
    AmbiguousError
        When more than one is.
    """
    _one_network(outputs)
    vectors = any(f.grid == "whole" for f in choices)
    readings = _distinct(
        [r for family in choices for r in _readings(family, outputs, input_size, anchors, vectors)]
    )
    if not readings:
        raise no_reading(outputs, choices, input_size, anchors)
    if any(anchors(o, "exact") for o in outputs):  # who tells anchors has a head with anchors
        readings = [r for r in readings if r.family.anchored] or readings
    if classes is not None:
        readings = [r for r in readings if r.sizes.classes == classes] or readings
    for weigh, why in EVIDENCE:
        readings = _usual(readings) if weigh is USUAL else _weighed(readings, weigh, why)
    if len(readings) > 1:
        raise AmbiguousError(
            f"{len(outputs)} output{'s' * (len(outputs) > 1)} can be read in {len(readings)} ways",
            list(dict.fromkeys(f"{r} ({_roles_of(r)})" for r in readings)),
            _settling(readings),
        )
    return readings[0]


def _settling(readings: Sequence[Reading]) -> str:
    if len({r.family.name for r in readings}) > 1:
        names = " or ".join(sorted({f'"{r.family.name}"' for r in readings}))
        others = " (and anchors= for theirs)" if any(r.family.anchored for r in readings) else ""
        return f"family={names}{others}"
    return "names=[...] tells the number of classes, roles={output: role} which output is which"


def _one_network(outputs: Sequence[Candidate]) -> None:
    prefixes = sorted({o.name.partition("/")[0] for o in outputs if "/" in o.name})
    counts = {p: sum(o.name.startswith(p + "/") for o in outputs) for p in prefixes}
    if len(prefixes) > 1 and len(set(counts.values())) == 1 and min(counts.values()) > 1:
        raise PairingError(
            f"the outputs belong to {len(prefixes)} networks: {', '.join(prefixes)}",
            got=", ".join(map(str, outputs[:12])),
            wanted="the outputs of one network",
            hint=f'one decoder each: {{n: a for n, a in outputs.items() if n.startswith("{prefixes[0]}/")}}',
        )


def _readings(
    family: Family,
    outputs: Sequence[Candidate],
    input_size: tuple[int, int],
    anchors: AnchorCount,
    vectors: bool,
) -> list[Reading]:
    """List the ways to read all outputs as one family, one for each set of sizes and each choice of single tensors."""
    found = []
    for singles in permutations(outputs, len(family.once)):
        once = dict(zip(family.once, singles, strict=True))
        if any(stride_of("exact", o.shape[:2], input_size) is None for o in singles):
            continue
        if not all(family.lets_play(role, o.role) for role, o in once.items()):
            continue
        rest = [o for o in outputs if o not in singles]
        if (
            len(rest) == 1 == rest[0].shape[0] * rest[0].shape[1]
            and family.grid != "whole"
            and not family.once
            and vectors
        ):
            continue  # a lone vector is a classifier's, where one may be meant
        if not rest or not all(any(family.lets_play(role, o.role) for role in family.roles) for o in rest):
            continue
        found += _levels(family, rest, once, input_size, anchors)
    return found


def _levels(
    family: Family,
    outputs: Sequence[Candidate],
    once: Assignment,
    input_size: tuple[int, int],
    anchors: AnchorCount,
) -> list[Reading]:
    grids = by_grid(outputs)
    strides = [stride_of(family.grid, grid, input_size) for grid in grids]
    if any(len(group) != len(family.roles) for group in grids.values()):
        return []
    options = [_assignments(family, group, once, anchors) for group in grids.values()]
    readings = []
    for sizes in sorted(set(options[0]).intersection(*options[1:]), key=str):
        narrowed = [_strongest(o[sizes], family) for o in options]
        told = list(dict.fromkeys(why for _, why in narrowed if why))
        notes = (f"roles told apart by {' and '.join(told)}",) if told else ()
        # More than one way is an error that names some: not all ways of all levels need be made for that.
        for chosen in islice(product(*[kept for kept, _ in narrowed]), _WAYS):
            paired = [
                Paired(stride, grid, replace(sizes, anchors=count), assignment)
                for stride, grid, (assignment, count) in zip(strides, grids, chosen, strict=True)
                if stride is not None
            ]
            if len(paired) == len(grids):
                readings.append(Reading(family, paired[0].sizes, tuple(paired), once, notes))
    return readings


Counted = tuple[Assignment, int]


def _assignments(
    family: Family, group: list[Candidate], once: Assignment, anchors: AnchorCount
) -> dict[Sizes, list[Counted]]:
    """List which output of a level may play which role, by the sizes that follow, with the number of anchors."""
    fitting: dict[Sizes, list[Counted]] = {}
    for order in permutations(group):
        assignment = dict(zip(family.roles, order, strict=True))
        if not all(family.lets_play(role, o.role) for role, o in assignment.items()):
            continue
        if not family.squashable and any(o.unit_range() for o in order):
            continue
        channels = {role: o.shape[2] for role, o in (assignment | once).items()}
        known = next((n for n in (anchors(o, family.grid) for o in order) if n), None)
        found = family.sizes(channels, known)
        if found is not None:
            fitting.setdefault(found, []).append((assignment, found.anchors))
    return fitting


def _strongest(options: list[Counted], family: Family) -> tuple[list[Counted], str]:
    """Keep the assignments of one level that the evidence speaks for most; all have the same sizes. Say which it was."""
    told = ""
    for weigh, why in EVIDENCE:
        if len(options) > 1 and weigh is not USUAL:
            weights = [weigh(assignment, family) for assignment, _ in options]
            kept = [o for o, weight in zip(options, weights, strict=True) if weight == max(weights)]
            told = why if len(kept) < len(options) else told
            options = kept
    return options, told


def _distinct(readings: list[Reading]) -> list[Reading]:
    kept: list[Reading] = []
    for reading in readings:
        if not any(reading.same_as(other) for other in kept):
            kept.append(reading)
    return kept


def _weighed(readings: list[Reading], weigh: Callable[[Assignment, Family], int], why: str) -> list[Reading]:
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
    others = "; ".join(sorted({str(r) for r in readings} - {str(r) for r in usual}))
    if not others:
        return readings
    note = f"{usual[0]}, as published models have it; {others} would fit the channels too"
    return [replace(r, notes=(*r.notes, note)) for r in usual]


def _roles_of(reading: Reading) -> str:
    return ", ".join(f"{role}={o.name}" for level in reading.levels[:1] for role, o in level.outputs.items())
