"""What a network's outputs are read as: told by its file, or by their grids and channels."""

from __future__ import annotations

from dataclasses import dataclass

from hailo_decode.errors import HailoDecodeError
from hailo_decode.values.network import NetworkInfo, OutputInfo


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
    from hailo_decode.evidence import Candidate
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
        candidates = [Candidate.of(one) for one in heads]
        classes = len(network.classes) or None
        found = pair(candidates, size, choices, classes, lambda one: priors.count(one, size))
    except HailoDecodeError as error:
        return ShownReading(why=": ".join(filter(None, (error.message, error.got))))
    roles = {output.name: role for level in found.levels for role, output in level.outputs.items()}
    roles |= {output.name: role for role, output in found.once.items()}
    bins = found.sizes.bins or None
    why = "; ".join(found.notes) or "its grids and channels fit no other family"
    return ShownReading(found.family.name, found.family.task, found.sizes.classes, bins, roles, why)
