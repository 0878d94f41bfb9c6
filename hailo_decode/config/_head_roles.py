"""Which layer of each scale plays which role: by the model file's word, or by channels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hailo_decode.config.meta_archs import Shape
from hailo_decode.errors import AmbiguousError, PairingError

Grid = tuple[int, int]

# Roles of a model file's outputs to keys of a decoder.
KEYS: Mapping[str, str] = {"box": "reg_layer", "obj": "objectness_layer", "cls": "cls_layer"}
# Bins of every published model with 4 x bins box channels and a class tensor of its own.
USUAL_BINS = 16
# Anchors of each cell in every published model with one tensor a scale.
USUAL_ANCHORS = 3


@dataclass(frozen=True, slots=True)
class HeadLayer:
    """One layer of a head.

    Attributes
    ----------
    name : str
        Of the layer whose values these are; a split-off activation behind it is stepped over.
    shape : (int, int, int)
    feeder : str
        Of the layer that leaves the network, or feeds its NMS step: the same, or a split-off activation.
    activation : str or None
    role : str or None
        As the model file proves it.
    original_names : tuple of str
    """

    name: str
    shape: tuple[int, int, int]
    feeder: str
    activation: str | None = None
    role: str | None = None
    original_names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} {self.shape[0]}x{self.shape[1]}x{self.shape[2]}"


def listed(*groups: Iterable[HeadLayer]) -> str:
    """Return layers as people read them."""
    found = [str(layer) for group in groups for layer in group]
    return ", ".join(found[:12]) + (", ..." if len(found) > 12 else "") or "nothing"


Keyed = dict[Grid, dict[str, HeadLayer]]


def by_role(grids: Mapping[Grid, Sequence[HeadLayer]]) -> tuple[Shape, Keyed, list[str]]:
    """Tell a head by the roles that the model file proves.

    Raises
    ------
    PairingError
    """
    keyed: Keyed = {}
    for grid, group in grids.items():
        ranked = sorted(group, key=lambda layer: list(KEYS).index(str(layer.role)))
        keyed[grid] = {KEYS[str(layer.role)]: layer for layer in ranked}
        if len(keyed[grid]) < len(group):
            raise PairingError("one scale has two layers of one role", got=listed(group))
    sets = {tuple(sorted(layers)) for layers in keyed.values()}
    boxes = {layers["reg_layer"].shape[2] for layers in keyed.values() if "reg_layer" in layers}
    shapes = {
        ("cls_layer", "reg_layer"): Shape.DISTANCES if boxes == {4} else Shape.BINS,
        ("cls_layer", "objectness_layer", "reg_layer"): Shape.OBJECTNESS,
    }
    if len(sets) > 1 or sets & shapes.keys() != sets:
        raise PairingError("the scales of the head do not have the same roles", got=listed(*grids.values()))
    return shapes[sets.pop()], keyed, ["roles by the names of the nodes"]


def by_channels(
    grids: Mapping[Grid, Sequence[HeadLayer]], bins: int | None = None
) -> tuple[Shape, Keyed, list[str]]:
    """Tell a head by how many layers a scale has, and by their channels.

    Raises
    ------
    PairingError
    AmbiguousError
    """
    counts = {len(group) for group in grids.values()}
    if len(counts) > 1:
        raise PairingError("the scales do not have the same number of layers", got=listed(*grids.values()))
    count = counts.pop()
    if count == 1:
        return _single(grids, bins)
    if count == 3:
        return _triple(grids)
    if count != 2:
        raise PairingError(f"{count} layers at each scale fit no NMS step", got=listed(*grids.values()))
    return _double(grids)


def _single(grids: Mapping[Grid, Sequence[HeadLayer]], bins: int | None) -> tuple[Shape, Keyed, list[str]]:
    channels = {group[0].shape[2] for group in grids.values()}
    if bins and len(channels) == 1 and min(channels) > 4 * bins:
        keyed = {grid: {"combined_layer": group[0]} for grid, group in grids.items()}
        return Shape.COMBINED, keyed, [f"classes, then 4 x {bins} bins, in one layer"]
    if len(channels) == 1 and not (each := channels.pop()) % USUAL_ANCHORS and each // USUAL_ANCHORS > 5:
        keyed = {grid: {"encoded_layer": group[0]} for grid, group in grids.items()}
        return Shape.ANCHORS, keyed, [f"{USUAL_ANCHORS} anchors in each cell, as published models have them"]
    raise PairingError(
        "one layer at each scale, and its channels fit no anchors",
        got=listed(*grids.values()),
        hint="where classes and bins are channels of one layer, say how many bins there are",
    )


def _triple(grids: Mapping[Grid, Sequence[HeadLayer]]) -> tuple[Shape, Keyed, list[str]]:
    keyed: Keyed = {}
    for grid, group in grids.items():
        box = [layer for layer in group if layer.shape[2] == 4]
        obj = [layer for layer in group if layer.shape[2] == 1]
        if len(box) != 1 or len(obj) != 1:
            raise AmbiguousError(
                f"three layers at each scale cannot be told apart by their channels: {listed(group)}",
                ["box, objectness and classes", "box, classes and something more"],
                "give a HAR or an ONNX file, whose node names tell the roles",
            )
        rest = next(layer for layer in group if layer not in (box[0], obj[0]))
        keyed[grid] = {"reg_layer": box[0], "objectness_layer": obj[0], "cls_layer": rest}
    return Shape.OBJECTNESS, keyed, ["4 channels are the box, 1 is the objectness"]


def _double(grids: Mapping[Grid, Sequence[HeadLayer]]) -> tuple[Shape, Keyed, list[str]]:
    """Tell box from classes, where each scale has two layers."""
    readings = [r for r in (_split(grids, bins) for bins in (USUAL_BINS, 1)) if r]
    readings = readings or [r for r in [_split(grids, None)] if r]
    cold = [r for r in readings if all(p["reg_layer"].activation != "sigmoid" for p in r[0].values())]
    readings = cold or readings
    if len(readings) != 1:
        what = "box and class layers cannot be told apart by their channels"
        options = [f"boxes are {listed([p['reg_layer'] for p in r.values()])}" for r, _ in readings]
        if not options:
            raise PairingError(what, got=listed(*grids.values()))
        raise AmbiguousError(what, options, "give a HAR or an ONNX file, whose node names tell the roles")
    keyed, why = readings[0]
    channels = {pair["reg_layer"].shape[2] for pair in keyed.values()}
    shape = Shape.DISTANCES if channels == {4} else Shape.BINS
    return shape, keyed, [f"layers of {channels.pop()} channels are the boxes", *why]


def _split(grids: Mapping[Grid, Sequence[HeadLayer]], bins: int | None) -> tuple[Keyed, list[str]] | None:
    """Return box and class layers if the boxes have that many bins at each scale; None: any number of them.

    Where both layers could be the box, a sigmoid tells the class layer, or else the order of layer numbers.
    """
    keyed: Keyed = {}
    why: list[str] = []
    for grid, (one, other) in grids.items():
        fits = [layer for layer in (one, other) if _can_be_box(layer.shape[2], bins)]
        if not fits:
            return None
        if len(fits) == 2:
            hot = [layer for layer in fits if layer.activation == "sigmoid"]
            if len(hot) == 1:
                fits, why = [f for f in fits if f not in hot], ["the class layers have the sigmoid"]
            else:
                fits, why = sorted(fits, key=_number), ["the box layer's number is the lower one, as usual"]
        keyed[grid] = {"reg_layer": fits[0], "cls_layer": other if fits[0] is one else one}
    for key in ("reg_layer", "cls_layer"):
        if len({pair[key].shape[2] for pair in keyed.values()}) > 1:
            return None
    return keyed, why


def _can_be_box(channels: int, bins: int | None) -> bool:
    return channels == 4 * bins if bins else channels > 4 and not channels % 4


def _number(layer: HeadLayer) -> int:
    digits = layer.name[len(layer.name.rstrip("0123456789")) :]
    return int(digits) if digits else 0
