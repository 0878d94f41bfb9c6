"""What a network's outputs are read as: told by its file, or by their grids and channels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hailo_decode.errors import HailoDecodeError
from hailo_decode.values.network import NetworkInfo, OutputInfo

if TYPE_CHECKING:
    from hailo_decode.evidence import Candidate

_TOPS = {"uint8": 255, "uint16": 65_535}


@dataclass(frozen=True, slots=True)
class ShownReading:
    """One reading of a network, as it is shown.

    Attributes
    ----------
    family, task : str or None
    classes, bins : int or None
    roles : dict of str to str
        Output name to role.
    why : str
        Where this comes from, or why nothing could be told.
    """

    family: str | None = None
    task: str | None = None
    classes: int | None = None
    bins: int | None = None
    roles: dict[str, str] | None = None
    why: str = ""


def reading_of(network: NetworkInfo) -> ShownReading:
    """Return how the network's heads are read; the file's own word counts before any pairing."""
    nms = next((one.nms for one in network.outputs if one.nms), None)
    heads = network.heads or tuple(one for one in network.outputs if one.shape)
    paired = _paired(heads, network)
    classes = nms.classes if nms else len(network.classes) or paired.classes
    told = "the file says so" if network.family else paired.why
    return ShownReading(
        network.family or paired.family,
        network.task or paired.task,
        classes,
        paired.bins,
        {**(paired.roles or {}), **{one.name: one.role for one in heads if one.role}},
        told,
    )


def _paired(heads: tuple[OutputInfo, ...], network: NetworkInfo) -> ShownReading:
    from hailo_decode.families import families, families_named
    from hailo_decode.pairing import pair
    from hailo_decode.priors import Priors

    if not heads or network.input_size is None:
        return ShownReading(
            why="there are no heads to pair" if not heads else "the size of the input is not known"
        )
    size, priors = network.input_size, Priors(None, network)
    try:
        if network.family:
            choices = families_named(network.family, network.task)
        else:
            choices = [one for one in families().values() if network.task in (None, one.task)]
        candidates = [_candidate(one) for one in heads]
        classes = len(network.classes) or None
        found = pair(candidates, size, choices, classes, lambda one: priors.count(one, size))
    except HailoDecodeError as error:
        return ShownReading(why=": ".join(filter(None, (error.message, error.got))))
    roles = {output.name: role for level in found.levels for role, output in level.outputs.items()}
    roles |= {output.name: role for role, output in found.once.items()}
    bins = found.sizes.bins or None
    why = "; ".join(found.notes) or "its grids and channels fit no other family"
    return ShownReading(found.family.name, found.family.task, found.sizes.classes, bins, roles, why)


def _candidate(output: OutputInfo) -> Candidate:
    from hailo_decode.evidence import Candidate

    limits = real_limits(output)

    def unit_range() -> bool:
        if output.activation in ("sigmoid", "softmax"):
            return True
        return limits is not None and limits[0] >= -0.01 and limits[1] <= 1.01

    def median() -> float:
        return math.nan  # no values are at hand

    def largest_side() -> float:
        return limits[1] if limits else math.nan

    names = (output.name, *output.original_names)
    shape = output.shape or (0, 0, 0)
    return Candidate(output.name, shape, output.role, names, unit_range, median, largest_side)


def real_limits(output: OutputInfo) -> tuple[float, float] | None:
    """Return the smallest and largest real value that an output can hold, as its file says or implies."""
    given = output.facts.get("limits")
    if isinstance(given, list) and all(isinstance(one, float) for one in given):
        return given[0], given[1]
    top = _TOPS.get(output.dtype or "")
    return output.quant.limits(top) if output.quant and top else None
