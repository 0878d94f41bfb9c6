"""A model file's host steps against the layers that feed them: what the rules about model files look at."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hailo_decode.config.meta_archs import META_ARCHS, MetaArch, Shape
from hailo_decode.values.diagnostic import Path
from hailo_decode.values.network import DecoderInfo, NetworkInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

# Bytes of an element; the streams that a step reads have one of these types (HailoRT 5.2, nms_post_process.cpp).
STREAM_TYPES = ("uint8", "uint16")


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
        """Whether box and class layer have each other's channels, and not their own."""
        length, classes = self.op.fields.get("regression_length"), self.classes
        box, cls = self.channels("reg"), self.channels("cls")
        if not isinstance(length, int) or not length or not classes or 4 * length == classes:
            return False
        return (box, cls) == (classes, 4 * length)


def steps(network: NetworkInfo) -> Iterator[tuple[int, OpInfo, MetaArch]]:
    """Yield the steps that decode boxes, with their number and what they are."""
    for i, op in enumerate(network.ops):
        arch = next((a for a in META_ARCHS if op.kind in (a.name, *a.serves)), None)
        if arch is not None:
            yield i, op, arch


def scales(network: NetworkInfo, *shapes: Shape) -> Iterator[Scale]:
    """Yield every decoder of every step; only of steps that read one of `shapes` where those are given."""
    for i, op, arch in steps(network):
        if shapes and not set(shapes) & set(arch.shapes):
            continue
        for j, decoder in enumerate(op.decoders):
            found = {word: _head(name, network.heads) for word, name in decoder.layers.items()}
            layers = {word: layer for word, layer in found.items() if layer is not None}
            yield Scale(op, arch, ("ops", i, "decoders", j), decoder, layers)


def heads_of(network: NetworkInfo, op: OpInfo) -> list[OutputInfo]:
    """Return the layers that feed a step."""
    return [one for name in op.inputs if (one := _head(name, network.heads)) is not None]


def _head(name: str, heads: Sequence[OutputInfo]) -> OutputInfo | None:
    """Return the head of that name, or the one whose activation was split off a layer of that name."""
    exact = [one for one in heads if one.name == name]
    near = [one for one in heads if _bare(name) in (_bare(one.name), _bare(str(one.facts.get("layer", ""))))]
    found = exact or near
    return found[0] if name and len(found) == 1 else None


def _bare(name: str) -> str:
    return name.rpartition("/")[2]


def input_size(network: NetworkInfo, op: OpInfo) -> tuple[int, int] | None:
    """Return height and width of the input of a step's network, pixels; None where it is not known."""
    owners = {one.network for one in network.outputs if one.name == op.output} - {None}
    sizes = {one.shape[:2] for one in network.inputs if one.shape and (one.network in owners or not owners)}
    return sizes.pop() if len(sizes) == 1 else network.input_size


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
        yield path, fault, f"layer{several} {', '.join(names[fault])}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return names in words, the first few of many."""
    shown = ", ".join(map(repr, names[:most]))
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
