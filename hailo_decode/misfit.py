"""Why outputs fit no head: what is there, what is wanted, and what is missing, doubled or of another size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hailo_decode.errors import PairingError
from hailo_decode.evidence import Candidate
from hailo_decode.families._family import Family
from hailo_decode.grids import AnchorCount, Grid, by_grid, stride_of

_NAMED = 6  # families that one name stands for, over all tasks


def no_reading(
    outputs: Sequence[Candidate], choices: Sequence[Family], input_size: tuple[int, int], anchors: AnchorCount
) -> PairingError:
    """Return the error for outputs that no family can read.

    Parameters
    ----------
    outputs : sequence of Candidate
    choices : sequence of Family
        Those that were tried.
    input_size : (int, int)
        Height and width of the network's input, pixels.
    anchors : callable
        Number of anchors that the caller knows for an output.
    """
    grids = by_grid(outputs)
    kinds = {f.grid for f in choices}
    for grid, group in grids.items():
        if not any(stride_of(kind, grid, input_size) for kind in kinds):
            return _off_grid(group[0], grid, input_size)
    lines = [
        f"{h}x{w} (stride {input_size[0] / h:g}): {', '.join(map(str, g))}" for (h, w), g in grids.items()
    ]
    most = max(map(len, grids.values()))
    nearest = sorted(choices, key=lambda f: abs(len(f.roles) - most))
    return PairingError(
        "the outputs fit no head",
        got="; ".join(lines),
        wanted="; or ".join(dict.fromkeys(map(_wants, nearest[:4]))),
        hint=_single(grids, choices, input_size, anchors) or _oddity(grids, input_size),
    )


def _off_grid(output: Candidate, grid: Grid, input_size: tuple[int, int]) -> PairingError:
    (h, w), (high, wide) = grid, input_size
    return PairingError(
        f"output {output.name!r} has a grid of {h}x{w}, which does not divide an input of {high}x{wide} evenly and alike "
        "in both directions",
        got=f"{high}/{h} = {high / h:g}, {wide}/{w} = {wide / w:g}",
        wanted="the same whole number twice: the stride",
        hint="input_size is (height, width) of the network's input; a channel-first array wants "
        f'formats={{"{output.name}": "NCHW"}}',
    )


def _wants(family: Family) -> str:
    def shown(role: str) -> str:
        return f"{role} of {family.channels[role]} channels" if role in family.channels else role

    level = f"{', '.join(map(shown, family.roles))} at each stride"
    return f"{family.name}: {level}" + (f", and one {', '.join(family.once)}" if family.once else "")


def _single(
    grids: Mapping[Grid, list[Candidate]],
    choices: Sequence[Family],
    input_size: tuple[int, int],
    anchors: AnchorCount,
) -> str | None:
    """Say what keeps the outputs from being the one family that was asked for."""
    counts = [len(group) for group in grids.values()]
    nearest = [f for f in choices if not f.once and set(counts) == {len(f.roles)}]
    if len(choices) == 1 or (len(choices) <= _NAMED and len(nearest) == 1):
        family = (nearest or list(choices))[0]
    else:
        return None
    if not family.squashable and any(o.unit_range() for group in grids.values() for o in group):
        return f"the values lie in 0..1: {family.name} takes exponentials of raw numbers, and these went through a sigmoid"
    if family.once and set(counts) == {len(family.roles)}:
        return f"{', '.join(family.once)} is missing: each level has its {len(family.roles)} outputs, and no other is there"
    for grid, group in grids.items():
        if len(group) < len(family.roles) and stride_of("exact", grid, input_size) is None:
            (h, w), (high, wide) = grid, input_size
            return f"{group[0]} is no even part of an input of {high}x{wide} ({high / h:g} by {wide / w:g} pixels a cell)"
    if family.anchored and set(counts) == {len(family.roles)}:
        output = next(iter(grids.values()))[0]
        told = anchors(output, family.grid)
        many = f"anchors= gives {told} anchors, and " if told else ""
        wanted = family.channels.get(family.roles[0], "of its form")
        return f"{many}{output.shape[2]} channels of {output.name} are not {wanted}"
    proto = [
        o
        for group in grids.values()
        for o in group
        if "proto" in family.once and len(group) < len(family.roles)
    ]
    if len(proto) == 1:
        return f"{proto[0].name} has {proto[0].shape[2]} prototypes: {family.roles[-1]} must have as many coefficients"
    return None


def _oddity(grids: Mapping[Grid, list[Candidate]], input_size: tuple[int, int]) -> str:
    fewest = min(grids.items(), key=lambda item: len(item[1]))
    most = max(grids.items(), key=lambda item: len(item[1]))
    if set(grids) == {(1, 1)}:
        return 'a vector is read as a classifier\'s with task="classify"'
    channels = {tuple(sorted(o.shape[2] for o in group)) for group in grids.values()}
    if len(channels) == 1:
        return "these channels are those of another kind of head: family=... names it"
    if len(fewest[1]) == len(most[1]):
        return "the channels differ from level to level"
    return (
        f"stride {input_size[0] / fewest[0][0]:g} has {len(fewest[1])} outputs, stride {input_size[0] / most[0][0]:g} has "
        f"{len(most[1])}: an output is missing from the one, or is given twice in the other"
    )
