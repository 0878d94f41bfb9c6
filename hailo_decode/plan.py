"""Plan: every choice made and every shape checked once, as tables that kernels run on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from hailo_decode.activation import value_range
from hailo_decode.decoded_rows import decoded_rows
from hailo_decode.describe import described, expected, oriented
from hailo_decode.errors import OptionError, PairingError, UnknownName
from hailo_decode.evidence import Candidate
from hailo_decode.families import families, families_named
from hailo_decode.families._family import Family, Sizes
from hailo_decode.grids import AnchorCount
from hailo_decode.keypoints import keypoints_of
from hailo_decode.options import Options
from hailo_decode.pairing import Reading, pair
from hailo_decode.priors import Priors
from hailo_decode.readers.tensor import read_tensor
from hailo_decode.sigmoids import activations
from hailo_decode.tables import Tables, make_tables
from hailo_decode.values.network import NetworkInfo, OutputInfo
from hailo_decode.values.tensor import Tensor

_SAMPLES = 16  # rows and columns of a map from which its typical value is taken


@dataclass(frozen=True, slots=True)
class Known:
    """What the caller and a model file say of the outputs, beside the outputs themselves.

    Attributes
    ----------
    network : NetworkInfo
    quant, formats, roles
        As in `hailo_decode.describe.described`.
    logits : bool or None
    family : tuple of str
        Names of the families that it may be; empty for all.
    anchors : mapping of int or str to sequence of (float, float), or None
        By stride or by output, input pixels.
    keypoints : (int, int) or None
        Points, and numbers for each.
    given : frozenset of str
        Names of the options that the caller set; a family's own defaults serve for the others.
    """

    network: NetworkInfo
    quant: Any = None
    formats: Mapping[str, Any] | None = None
    roles: Mapping[str, str] | None = None
    logits: bool | None = None
    family: tuple[str, ...] = ()
    anchors: Mapping[Any, Any] | None = None
    keypoints: tuple[int, int] | None = None
    given: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Slot:
    """What one output must look like for the plan to hold: its place in the table of addresses is its own."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    wide: bool  # more than a byte each


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All that a frame needs, looked up and not computed.

    Attributes
    ----------
    slots : tuple of Slot
    reading : Reading
    tensors : mapping of str to Tensor
        The outputs that the plan was made from.
    tables : Tables
    iou : f4
    keypoints : (int, int) or None
        Points, and numbers for each, where the head has keypoints.
    input_size : (int, int)
    names : tuple of str
    logits : mapping of (field, output name) to bool
        Which fields still want their sigmoid.
    settled : bool
        False where this frame's values proved too little to keep the plan for others.
    meta : dict of str to str
    """

    slots: tuple[Slot, ...]
    reading: Reading
    tensors: Mapping[str, Tensor]
    tables: Tables
    iou: np.float32
    keypoints: tuple[int, int] | None
    input_size: tuple[int, int]
    names: tuple[str, ...]
    logits: Mapping[tuple[str, str], bool]
    settled: bool
    meta: dict[str, str]

    @property
    def family(self) -> Family:
        """The family that the outputs were read as."""
        return self.reading.family

    @property
    def sizes(self) -> Sizes:
        """The counts that its channels follow from."""
        return self.reading.sizes


def make_plan(outputs: Mapping[str, Any], known: Known, options: Options) -> Plan:
    """Read, pair and check the outputs of a first frame, and work out its tables.

    Raises
    ------
    HailoDecodeError
        One of its kinds, for outputs that cannot be decoded as they are described.
    """
    network = known.network
    rows = None if "family" in known.given else decoded_rows(network, outputs)
    if rows is not None:
        known = replace(known, family=rows.family)
    if network.input_size is None:
        raise OptionError(
            "the size of the network's input is not known, and without it no stride is",
            hint="input_size=640, or (height, width)",
        )
    infos = described(outputs, expected(network, outputs), known.quant, known.formats, known.roles)
    infos, turned = oriented(outputs, infos, network.input_size, len(network.classes) or None)
    tensors = {name: read_tensor(array, infos[name]) for name, array in outputs.items()}
    priors = Priors(known.anchors, network)
    choices = _choices(known, priors)
    _check_roles(known.roles, choices)
    reading = _paired(
        [_candidate(tensor, infos[name]) for name, tensor in tensors.items()],
        network.input_size,
        choices,
        len(network.classes) or None,
        lambda output, grid: priors.count(output, network.input_size, grid),
        bool(known.family),
    )
    if rows is not None and rows.stride is not None:
        reading = reading.at_stride(rows.stride)
    options = options.with_defaults(reading.family.defaults, known.given)
    _check_names(network.classes, reading.sizes.classes)
    meta = {"head": _told(reading, network.input_size)}
    _note(meta, "roles", reading.notes)
    _note(meta, "scale", [rows.scale.told] if rows is not None and rows.scale is not None else [])
    _note(meta, "layout", [*turned, *(note for tensor in tensors.values() for note in tensor.notes)])
    logits, settled, notes = activations(reading, tensors, known.logits)
    _note(meta, "activation", notes)
    suppress = _suppresses(reading.family, options, network, infos, meta)
    sizes, note = priors.sizes(reading, network.input_size)
    _note(meta, "anchors", [note] if note else [])
    keypoints = _keypoints(reading, known, meta)
    _note(meta, "ignored", _unused(reading.family, known))
    return Plan(
        slots=tuple(_slot(name, outputs[name]) for name in tensors),
        reading=reading,
        tensors=tensors,
        tables=make_tables(reading, tensors, list(tensors), logits, sizes, options, suppress),
        iou=np.float32(options.iou),
        keypoints=keypoints,
        input_size=network.input_size,
        names=network.classes,
        logits=logits,
        settled=settled,
        meta=meta,
    )


def _slot(name: str, array: Any) -> Slot:
    return Slot(name, array.shape, array.dtype, array.dtype.itemsize > 1)


def _paired(
    candidates: list[Candidate],
    input_size: tuple[int, int],
    choices: Sequence[Family],
    classes: int | None,
    anchors: AnchorCount,
    named: bool,
) -> Reading:
    """Pair, and name the heads that were left out of the choice where nothing else fits."""
    try:
        return pair(candidates, input_size, choices, classes, anchors)
    except PairingError as error:
        left = [f.name for f in families().values() if f.anchored and not f.anchors and f not in choices]
        if left and not named:
            error.hint = f"{error.hint}; {' and '.join(left)} are tried only where anchors= is given"
        raise


def _note(meta: dict[str, str], key: str, notes: Sequence[str]) -> None:
    if any(notes):
        meta[key] = "; ".join(filter(None, (meta.get(key), *notes)))


def _choices(known: Known, priors: Priors) -> list[Family]:
    if not known.family:
        # Heads whose published models share no anchors are read only where anchors are told, or where they are asked for.
        every = [f for f in families().values() if not f.anchored or f.anchors or priors.known]
        return [f for f in every if known.network.task in (None, f.task)]
    return [f for name in known.family for f in families_named(name, known.network.task)]


def _check_roles(roles: Mapping[str, str] | None, choices: Sequence[Family]) -> None:
    known = {role for family in choices for role in (*family.roles, *family.once)}
    for role in [role for role in (roles or {}).values() if role not in known]:
        raise UnknownName("role", str(role), known)


def _candidate(tensor: Tensor, info: OutputInfo) -> Candidate:
    @cache
    def unit_range() -> bool:
        if tensor.activation in ("sigmoid", "softmax"):
            return True
        low, high = tensor.limits or value_range(tensor)
        return low >= -0.01 and high <= 1.01 and low < high  # one value everywhere proves nothing

    @cache
    def median() -> float:
        every = max(1, min(tensor.shape[:2]) // _SAMPLES)
        values = np.sort(tensor.real(every), axis=None)  # np.median would load numpy.ma, 12 ms
        return float(values[(values.size - 1) // 2] + values[values.size // 2]) / 2

    def largest_side() -> float:
        return float(tensor.real()[:, :, :4].max())

    names = (info.name, *info.original_names)
    return Candidate(tensor.name, tensor.shape, info.role, names, unit_range, median, largest_side)


def _check_names(names: Sequence[str], classes: int) -> None:
    if names and len(names) != classes:
        raise OptionError(
            f"{len(names)} class names do not go with {classes} classes",
            got=f"{names[0]!r} ... {names[-1]!r}",
            wanted=f"{classes} names, as many as the class tensors have channels",
            hint="the label file is that of another model" if len(names) > classes else None,
        )


def _told(reading: Reading, input_size: tuple[int, int]) -> str:
    strides = "/".join(f"{level.stride[0]:g}" for level in reading.levels)
    return f"{reading.family.title}: {reading.sizes}, strides {strides} of an input of {input_size[0]}x{input_size[1]}"


def _suppresses(
    family: Family,
    options: Options,
    network: NetworkInfo,
    infos: Mapping[str, OutputInfo],
    meta: dict[str, str],
) -> bool:
    if options.suppress is not None:
        return options.suppress
    if not family.suppress:
        return False
    one_to_one = network.nms_free
    if one_to_one is None:
        one_to_one = any(
            "one2one" in name for info in infos.values() for name in (info.name, *info.original_names)
        )
    if one_to_one:
        meta["nms"] = "left out: a one-to-one head gives each object once"
    return not one_to_one


def _unused(family: Family, known: Known) -> list[str]:
    """List what the caller told that this head has no use for."""
    points = family.extra is not None and family.extra.kind == "keypoints"
    told = {"anchors": known.anchors and not family.anchored, "keypoints": known.keypoints and not points}
    return [f"{name}=: {family.name} has none" for name, unused in told.items() if unused]


def _keypoints(reading: Reading, known: Known, meta: dict[str, str]) -> tuple[int, int] | None:
    task = known.network.task == reading.family.task or reading.family.name in known.family
    told = known.keypoints or known.network.keypoints
    points, note = keypoints_of(reading, told, task or bool(known.roles))
    _note(meta, "keypoints", [note])
    return points
