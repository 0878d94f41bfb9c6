"""What a network's outputs are read as: told by its file, or by their grids and channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hailo_decode.errors import AmbiguousError, HailoDecodeError
from hailo_decode.values.network import NetworkInfo, OutputInfo
from hailo_decode.values.several import networks_of, one_of

if TYPE_CHECKING:
    from hailo_decode.families._family import Family
    from hailo_decode.priors import Priors

_MOST_HEADS = 64  # HailoRT takes 40 streams; the ways to pair outputs grow with the square of their number


@dataclass(frozen=True, slots=True)
class ShownReading:
    """How the outputs of one network are read, as it is shown.

    Attributes
    ----------
    network : str or None
        The network's name, where a file holds several.
    family, task : str or None
    classes, bins : int or None
    roles : dict of str to str
        Output name to role.
    why : tuple of str
        Where this comes from, or why nothing could be told.
    choices : tuple of str
        The readings that stay possible, where that is more than one.
    settle : str or None
        The argument that settles which.
    """

    network: str | None = None
    family: str | None = None
    task: str | None = None
    classes: int | None = None
    bins: int | None = None
    roles: dict[str, str] = field(default_factory=dict)
    why: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    settle: str | None = None


def parts_of(network: NetworkInfo) -> list[NetworkInfo]:
    """Return the networks of a file, each by itself."""
    names = networks_of(network)
    return [one_of(network, name) for name in names] if len(names) > 1 else [network]


def readings_of(network: NetworkInfo) -> list[ShownReading]:
    """Return how the heads of each network of a file are read."""
    parts = parts_of(network)
    return [_reading(part, part.name if len(parts) > 1 else None) for part in parts]


def _reading(network: NetworkInfo, name: str | None) -> ShownReading:
    """Pair the heads; what the file itself says counts more."""
    nms = next((one.nms for one in network.outputs if one.nms), None)
    heads = network.heads or tuple(one for one in network.outputs if not one.nms)
    paired = _paired(heads, network)
    return ShownReading(
        network=name,
        family=network.family or paired.family,
        task=network.task or paired.task,
        classes=(nms.classes if nms else None) or paired.classes or len(network.classes) or None,
        bins=paired.bins,
        roles={**paired.roles, **{one.name: one.role for one in heads if one.role}},
        why=("the file says so",) if network.family else paired.why,
        choices=() if network.family else paired.choices,
        settle=None if network.family else paired.settle,
    )


def _paired(heads: tuple[OutputInfo, ...], network: NetworkInfo) -> ShownReading:
    from hailo_decode.evidence import Candidate
    from hailo_decode.pairing import pair
    from hailo_decode.priors import Priors

    if not heads:
        return ShownReading(
            why=("its host step has decoded it",) if network.nms_done else ("it has no heads",)
        )
    if len(heads) > _MOST_HEADS:
        return ShownReading(why=(f"{len(heads)} outputs are more than any head has",))
    if shapeless := [one.name for one in heads if one.shape is None]:
        return ShownReading(why=(f"the shape of {', '.join(map(repr, shapeless[:6]))} is not known",))
    if network.input_size is None:
        return ShownReading(why=("the size of the input is not known",))
    size, priors = network.input_size, Priors(None, network)
    candidates = [Candidate.of(one) for one in heads]
    classes = len(network.classes) or None
    try:
        found = pair(
            candidates,
            size,
            _choices(network, priors),
            classes,
            lambda one, grid: priors.count(one, size, grid),
        )
    except AmbiguousError as error:
        return ShownReading(why=(error.message,), choices=error.readings, settle=error.hint)
    except HailoDecodeError as error:
        return ShownReading(why=(error.message, *(error.got or "").split("; ")))
    roles = {output.name: role for level in found.levels for role, output in level.outputs.items()}
    roles |= {output.name: role for role, output in found.once.items()}
    return ShownReading(
        family=found.family.name,
        task=found.family.task,
        classes=found.sizes.classes,
        bins=found.sizes.bins or None,
        roles=roles,
        why=tuple(part for note in found.notes for part in note.split("; "))
        or ("its grids and channels fit no other family",),
    )


def _choices(network: NetworkInfo, priors: Priors) -> list[Family]:
    """Return the families that it may be, as a decoder tries them."""
    from hailo_decode.families import families, families_named

    if network.family:
        return families_named(network.family, network.task)
    known = [one for one in families().values() if not one.anchored or one.anchors or priors.known]
    return [one for one in known if network.task in (None, one.task)]
