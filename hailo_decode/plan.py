"""Plan: every choice made and every shape checked once, as tables that kernels run on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hailo_decode.activation import holds_logits, value_range
from hailo_decode.describe import described, oriented
from hailo_decode.errors import OptionError
from hailo_decode.families import families, family_named
from hailo_decode.families._family import Family, Part, Sizes
from hailo_decode.kernels import layout as at
from hailo_decode.lookup import Ranks, exponentials, rank_bytes, raw_floor
from hailo_decode.options import Options
from hailo_decode.pairing import Candidate, Reading, pair
from hailo_decode.readers.tensor import read_tensor
from hailo_decode.values.arrays import F4, F8, I4, I8
from hailo_decode.values.network import NetworkInfo, OutputInfo
from hailo_decode.values.quant import Quant
from hailo_decode.values.tensor import Tensor

BOX_CODES = {"dfl": 0, "distances": 1}
FIELD_ORDER = ("cls", "box")  # places of fields in the kernels' table
_IDENTITY = Quant((1.0,), (0.0,))


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
    """

    network: NetworkInfo
    quant: Any = None
    formats: Mapping[str, Any] | None = None
    roles: Mapping[str, str] | None = None
    logits: bool | None = None
    family: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """What one output must look like for the plan to hold: its place in the table of addresses is its own."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All that a frame needs, looked up and not computed.

    Attributes
    ----------
    slots : tuple of Slot
    family : Family
    sizes : Sizes
    tensors : mapping of str to Tensor
        The outputs that the plan was made from.
    reading : Reading
    fields : (levels, fields, COLUMNS) i8
    rates : (levels, fields, RATES) f8
    strides : (levels, 2) f8, input pixels
    settings : (SETTINGS,) i8
    iou : f4
    lookup : tuple of arrays
        As `hailo_decode.kernels.frame.frame_ranked` wants them.
    floors : (rows,) f8 or None
        None where scores are ranked in advance.
    names : tuple of str
    meta : dict of str to str
    """

    slots: tuple[Slot, ...]
    family: Family
    sizes: Sizes
    tensors: Mapping[str, Tensor]
    reading: Reading
    fields: I8
    rates: F8
    strides: F8
    settings: I8
    iou: np.float32
    lookup: tuple[I4, I4, F4, F8, F8]
    floors: F8 | None
    names: tuple[str, ...]
    meta: dict[str, str]

    @property
    def anchors(self) -> int:
        """Number of anchors over all levels."""
        last = self.fields[-1, at.CLASS]
        return int(last[at.BASE] + last[at.HEIGHT] * last[at.WIDTH] * last[at.ANCHORS])


def make_plan(outputs: Mapping[str, Any], known: Known, options: Options) -> Plan:
    """Read, pair and check the outputs of a first frame, and work out its tables.

    Raises
    ------
    HailoDecodeError
        One of its kinds, for outputs that cannot be decoded as they are described.
    """
    network = known.network
    if network.input_size is None:
        raise OptionError(
            "the size of the network's input is not known, and without it no stride is",
            hint="input_size=640, or (height, width)",
        )
    infos = described(outputs, (*network.heads, *network.outputs), known.quant, known.formats, known.roles)
    infos, turned = oriented(outputs, infos, network.input_size)
    tensors = {name: read_tensor(array, infos[name]) for name, array in outputs.items()}
    choices = [family_named(name) for name in known.family] or list(families().values())
    reading = pair(
        [_candidate(tensor, infos[name]) for name, tensor in tensors.items()],
        network.input_size,
        choices,
        len(network.classes) or None,
    )
    _check_names(network.classes, reading.sizes.classes)
    notes: dict[str, str] = {"head": _told(reading, network.input_size)}
    if reading.notes:
        notes["roles"] = "; ".join(reading.notes)
    layouts = [*turned, *(note for tensor in tensors.values() for note in tensor.notes)]
    if layouts:
        notes["layout"] = "; ".join(layouts)
    order = list(tensors)
    logits: dict[str, bool] = {}
    for level in reading.levels:
        scores = tensors[level.outputs[reading.family.fields(reading.sizes)["cls"].role].name]
        logits[scores.name], why = holds_logits(scores, known.logits)
        notes["activation"] = "; ".join(filter(None, (notes.get("activation"), why)))
    fields, quants, tables = _fields(reading, tensors, order, logits)
    suppress = options.suppress
    if suppress is None:
        suppress = not _one_to_one(network, infos)
        if not suppress:
            notes["nms"] = "left out: a one-to-one head gives each object once"
    ranked, floors = _thresholds(reading, tensors, logits, options, len(quants))
    settings = _settings(fields, reading.sizes, replace(options, suppress=suppress), ranked, reading.family)
    slots = tuple(Slot(n, outputs[n].shape, outputs[n].dtype) for n in order)
    ranks, cuts, scores = (
        (ranked.ranks, ranked.cuts, ranked.scores)
        if ranked
        else (np.zeros((1, 256), np.int32), np.zeros((1, 1), np.int32), np.zeros(1, np.float32))
    )
    return Plan(
        slots=slots,
        family=reading.family,
        sizes=reading.sizes,
        tensors=tensors,
        reading=reading,
        fields=fields,
        rates=_rates(fields),
        strides=np.array([level.stride for level in reading.levels], np.float64),
        settings=settings,
        iou=np.float32(options.iou),
        lookup=(ranks, cuts, scores, quants, tables),
        floors=floors,
        names=network.classes,
        meta=notes,
    )


def _candidate(tensor: Tensor, info: OutputInfo) -> Candidate:
    def unit_range() -> bool | None:
        if tensor.activation in ("sigmoid", "softmax"):
            return True
        low, high = tensor.limits or value_range(tensor)
        return low >= -0.01 and high <= 1.01

    return Candidate(tensor.name, tensor.shape, info.role, (info.name, *info.original_names), unit_range)


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


def _one_to_one(network: NetworkInfo, infos: Mapping[str, OutputInfo]) -> bool:
    if network.nms_free is not None:
        return network.nms_free
    return any("one2one" in name for info in infos.values() for name in (info.name, *info.original_names))


def _fields(
    reading: Reading, tensors: Mapping[str, Tensor], order: list[str], logits: Mapping[str, bool]
) -> tuple[I8, F8, F8]:
    """Fill the kernels' table of fields, and the scales and exponentials that it points to."""
    parts = reading.family.fields(reading.sizes)
    fields = np.zeros((len(reading.levels), len(FIELD_ORDER), at.COLUMNS), np.int64)
    quants: list[tuple[float, float]] = []
    tables: list[F8] = []
    base = table = 0
    for i, level in enumerate(reading.levels):
        for j, name in enumerate(FIELD_ORDER):
            part = parts[name]
            tensor = tensors[level.outputs[part.role].name]
            row = fields[i, j]
            _place(row, tensor, part)
            row[at.TENSOR] = order.index(tensor.name)
            row[at.ANCHORS], row[at.BASE] = reading.sizes.anchors, base
            quant = tensor.quant or _IDENTITY
            row[at.QUANT], row[at.QUANT_STEP] = len(quants), int(quant.per_channel)
            quants += zip(quant.scale, quant.zero_point, strict=True)
            if name == "cls":
                row[at.LOGITS] = logits[tensor.name]
                row[at.TABLE], row[at.TABLE_STEP] = table, int(quant.per_channel)
                table += len(quant.scale)
            elif reading.family.box_code == "dfl":
                exponential = _byte_table(tensor)
                row[at.MODE] = int(exponential is None)
                row[at.TABLE] = len(tables)
                if exponential is not None:
                    tables.append(exponential)
        h, w = level.grid
        base += h * w * reading.sizes.anchors
    stacked = np.stack(tables) if tables else np.zeros((1, 256))
    return fields, np.array(quants, np.float64), np.ascontiguousarray(stacked)


def _byte_table(tensor: Tensor) -> F8 | None:
    """Return the exponentials of a byte tensor with one scale; None where each cell must be computed."""
    if tensor.data.itemsize > 1 or tensor.quant is None or tensor.quant.per_channel:
        return None
    table = exponentials(tensor.quant)
    return None if table is None else table[0]


def _place(row: I8, tensor: Tensor, part: Part) -> None:
    """Write where a part of a tensor lies, in the terms of `hailo_decode.kernels.layout`."""
    g = tensor.geometry
    row[at.ITEM], row[at.ELEMENTS] = tensor.data.itemsize, g.elements
    row[at.HEIGHT], row[at.WIDTH] = g.shape[:2]
    row[at.ROW], row[at.COLUMN] = g.pitch("h"), g.pitch("w")
    eights = int(g.pitch("c8") > 0)
    row[at.EIGHTS] = eights
    row[at.CHANNEL] = 1 if eights else g.pitch("c")
    row[at.GROUP] = g.pitch("c") if eights else 8 * g.pitch("c")
    outer, middle, inner = (name for name, _ in g.axes if name != "c8")
    row[at.OUTER], row[at.MIDDLE] = g.pitch(outer), g.pitch(middle)
    where = {outer: 0, middle: 1, inner: 2}
    row[at.AXIS_H], row[at.AXIS_W], row[at.AXIS_C] = where["h"], where["w"], where["c"]
    row[at.FIRST], row[at.STEP], row[at.COUNT] = part.first, part.step, part.count


def _rates(fields: I8) -> F8:
    """Return the reciprocals by which kernels divide."""
    columns = {
        at.PER_OUTER: at.OUTER,
        at.PER_MIDDLE: at.MIDDLE,
        at.PER_STEP: at.STEP,
        at.PER_WIDTH: at.WIDTH,
        at.PER_ANCHORS: at.ANCHORS,
    }
    rates = np.empty((*fields.shape[:2], at.RATES))
    for rate, column in columns.items():
        rates[:, :, rate] = 1.0 / np.maximum(fields[:, :, column], 1)
    return rates


def _thresholds(
    reading: Reading, tensors: Mapping[str, Tensor], logits: Mapping[str, bool], options: Options, rows: int
) -> tuple[Ranks | None, F8 | None]:
    """Carry the threshold into raw units: by rank where all scores are bytes, else by the smallest raw value."""
    role = reading.family.fields(reading.sizes)["cls"].role
    scores = [tensors[level.outputs[role].name] for level in reading.levels]
    if all(t.data.itemsize == 1 for t in scores):
        return rank_bytes([(t.quant or _IDENTITY, logits[t.name]) for t in scores], options.conf), None
    floors = np.zeros(rows)
    row = 0
    for level, tensor in zip(reading.levels, scores, strict=True):
        for name in FIELD_ORDER:
            part = reading.family.fields(reading.sizes)[name]
            quant = tensors[level.outputs[part.role].name].quant or _IDENTITY
            if name == "cls":
                top = None if tensor.quant is None else int(np.iinfo(tensor.data.dtype).max)
                floors[row : row + len(quant.scale)] = raw_floor(
                    tensor.quant, logits[tensor.name], options.conf, top
                )
            row += len(quant.scale)
    return None, floors


def _settings(fields: I8, sizes: Sizes, options: Options, ranked: Ranks | None, family: Family) -> I8:
    settings = np.zeros(at.SETTINGS, np.int64)
    last = fields[-1, at.CLASS]
    anchors = int(last[at.BASE] + last[at.HEIGHT] * last[at.WIDTH] * last[at.ANCHORS])
    anchor_bits = max(anchors - 1, 1).bit_length()
    class_bits = max(sizes.classes - 1, 1).bit_length()
    rank_bits = max(ranked.count, 1).bit_length() if ranked else 31
    if anchor_bits + class_bits + rank_bits > 63:
        raise OptionError(
            f"{anchors} anchors of {sizes.classes} classes are more than a candidate's 63 bits can number",
            wanted=f"at most {63 - rank_bits} bits for both, not {anchor_bits + class_bits}",
        )
    # Inside a level, keys of one class arrive by rising anchor in every order, but for several anchors in planes.
    in_order = sizes.anchors == 1 or bool((fields[:, at.CLASS, at.AXIS_C] == 2).all())
    settings[at.LEVELS] = len(fields)
    settings[at.CLASSES] = sizes.classes
    settings[at.RANKS] = ranked.count if ranked else 0
    settings[at.ANCHOR_BITS] = anchor_bits
    settings[at.CLASS_BITS] = class_bits
    settings[at.SORT_FROM] = anchor_bits if in_order else 0
    settings[at.KEY_BITS] = anchor_bits + class_bits + rank_bits
    settings[at.MULTI_LABEL] = options.multi_label
    settings[at.AGNOSTIC] = options.agnostic
    settings[at.SUPPRESS] = bool(options.suppress)
    settings[at.MAX_DET] = min(options.max_det, anchors * sizes.classes)
    settings[at.MAX_NMS] = options.max_nms
    settings[at.MAX_PER_CLASS] = options.max_per_class or np.iinfo(np.int32).max
    settings[at.BOX_CODE] = BOX_CODES[family.box_code]
    return settings
