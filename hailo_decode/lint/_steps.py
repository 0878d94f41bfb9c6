"""A model file's host steps against the layers that feed them: what the rules about model files look at."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hailo_decode.config.meta_archs import MetaArch, Shape, meta_arch_of_step
from hailo_decode.values.diagnostic import Path
from hailo_decode.values.heads import head_finder
from hailo_decode.values.network import DecoderInfo, NetworkInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

# The streams that a step reads have one of these types (HailoRT 5.2, nms_post_process.cpp).
STREAM_TYPES = ("uint8", "uint16")
_MOST = 6  # names that a remark lists


@dataclass(frozen=True, slots=True)
class Scale:
    """One entry of a step's decoders, and the layers that it reads.

    Attributes
    ----------
    op : OpInfo
    arch : MetaArch
        What the step is.
    path : tuple of str and int
        Its place in the description.
    decoder : DecoderInfo
    layers : mapping of str to OutputInfo
        Word of the decoder, such as ``"reg"``, to the layer; those that are not known are left out.
    """

    op: OpInfo
    arch: MetaArch
    path: Path
    decoder: DecoderInfo
    layers: Mapping[str, OutputInfo]

    @property
    def classes(self) -> int | None:
        """Classes that the step reads, the background among them."""
        return self.op.nms.classes if self.op.nms else None

    def channels(self, word: str) -> int | None:
        """Return the channels of the layer that plays a role, None where it is not known."""
        layer = self.layers.get(word)
        return layer.shape[2] if layer is not None and layer.shape else None

    @property
    def exchanged(self) -> bool:
        """Whether box and class layer have each other's channels, or, where these are equal, each other's range."""
        box, cls = self.layers.get("reg"), self.layers.get("cls")
        if box is None or cls is None or Shape.BINS not in self.arch.shapes:
            return False
        length, classes = self.op.fields.get("regression_length"), self.classes
        channels = (self.channels("reg"), self.channels("cls"))
        if channels[0] == channels[1]:
            return bool(box.in_unit_range) and cls.in_unit_range is False
        return bool(length and classes) and isinstance(length, int) and channels == (classes, 4 * length)


@dataclass(frozen=True, slots=True)
class Step:
    """A step that decodes boxes, and what it reads.

    Attributes
    ----------
    path : tuple of str and int
        Its place in the description.
    op : OpInfo
    arch : MetaArch
        What the step is.
    input_size : (int, int) or None
        Height and width of its network's input, pixels.
    heads : tuple of OutputInfo
        The layers that feed it.
    scales : tuple of Scale
    """

    path: Path
    op: OpInfo
    arch: MetaArch
    input_size: tuple[int, int] | None
    heads: tuple[OutputInfo, ...]
    scales: tuple[Scale, ...]


def steps(network: NetworkInfo, *shapes: Shape) -> Iterator[Step]:
    """Yield the steps that decode boxes; only those that read one of `shapes` where these are given."""
    find = head_finder(network.heads)
    sizes = _input_sizes(network)
    owners = {one.name: one.network for one in network.outputs}
    for i, op in enumerate(network.ops):
        arch = meta_arch_of_step(op.kind)
        if arch is None or (shapes and not set(shapes) & set(arch.shapes)):
            continue
        scales = []
        for j, decoder in enumerate(op.decoders):
            found = {word: find(name) for word, name in decoder.layers.items()}
            layers = {word: layer for word, layer in found.items() if layer is not None}
            scales.append(Scale(op, arch, ("ops", i, "decoders", j), decoder, layers))
        heads = tuple(head for name in op.inputs if (head := find(name)) is not None)
        size = sizes.get(owners.get(op.output or ""), network.input_size)
        yield Step(("ops", i), op, arch, size, heads, tuple(scales))


def scales(network: NetworkInfo, *shapes: Shape) -> Iterator[Scale]:
    """Yield the decoders of all steps, or of those that read one of `shapes`."""
    for step in steps(network, *shapes):
        yield from step.scales


def _input_sizes(network: NetworkInfo) -> dict[str | None, tuple[int, int]]:
    """Return height and width of each network's input, where it has one size alone."""
    sizes: dict[str | None, set[tuple[int, int]]] = {}
    for one in network.inputs:
        if one.shape:
            sizes.setdefault(one.network, set()).add(one.shape[:2])
    return {name: own.pop() for name, own in sizes.items() if len(own) == 1}


def device_order(one: OutputInfo) -> FormatOrder | None:
    """Return the order of the raw buffer behind an output, where the source states or implies it.

    HailoRT shows an FCR or F8CR stream under its own name; what it shows as NHWC may be NHCW on the device (5.2,
    hailort_defaults.cpp).
    """
    if one.device_order is not None:
        return one.device_order
    return one.order if one.order in (FormatOrder.NHCW, FormatOrder.FCR, FormatOrder.F8CR) else None


def by(size: Sequence[int]) -> str:
    """Return a size in words, such as ``640x640``."""
    return "x".join(map(str, size))


Fault = TypeVar("Fault", bound=Hashable)


def gathered(found: Iterable[tuple[Path, Fault, str]]) -> Iterator[tuple[Path, Fault, str]]:
    """Put layers with one and the same fault together: the first place, the fault, and the layers in words.

    Parameters
    ----------
    found : iterable of (path, fault, str)
        A place, what is wrong there, and the layer in words. Scales of one head mostly share a fault.
    """
    places: dict[Fault, Path] = {}
    names: dict[Fault, list[str]] = {}
    for path, fault, name in found:
        places.setdefault(fault, path)
        names.setdefault(fault, []).append(name)
    for fault, path in places.items():
        several = "s" if len(names[fault]) > 1 else ""
        yield path, fault, f"layer{several} {few(names[fault])}"


def listed(names: Sequence[str]) -> str:
    """Return names in words, the first of many."""
    return few([repr(name) for name in names[: _MOST + 1]], len(names))


def few(texts: Sequence[str], count: int | None = None) -> str:
    """Return texts in a row, the first of many, and how many more there are."""
    more = (len(texts) if count is None else count) - _MOST
    return ", ".join(texts[:_MOST]) + (f" and {more} more" if more > 0 else "")
