"""What a model file says of an NMS result: sizes, thresholds, the layers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from hailo_decode.errors import AmbiguousError, PairingError
from hailo_decode.values.network import NetworkInfo, NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant


@dataclass(frozen=True, slots=True)
class NmsFacts:
    """One NMS result of a network.

    Attributes
    ----------
    sizes : NmsInfo
        Of the output, and what only its step says.
    order : FormatOrder or None
    quant : Quant or None
        Of boxes that the chip itself has suppressed.
    chunks : int
    burst : int or None
    class_layers : tuple of str
        Layers whose scores the step reads.
    step : OpInfo or None
    input_size : (int, int) or None
        Height and width of the input of its network, pixels.
    """

    sizes: NmsInfo = field(default_factory=NmsInfo)
    order: FormatOrder | None = None
    quant: Quant | None = None
    chunks: int = 1
    burst: int | None = None
    class_layers: tuple[str, ...] = ()
    step: OpInfo | None = None
    input_size: tuple[int, int] | None = None


def nms_outputs(network: NetworkInfo) -> tuple[OutputInfo, ...]:
    """Return the outputs of a network that are NMS results."""
    found = tuple(o for o in network.outputs if o.nms is not None or (o.order is not None and o.order.is_nms))
    return found or (network.outputs if network.nms_done and len(network.outputs) == 1 else ())


def facts_of(network: NetworkInfo, name: str | None = None) -> NmsFacts:
    """Gather what is known of one NMS result.

    Parameters
    ----------
    network : NetworkInfo
    name : str, optional
        Of the output, where there are several.

    Raises
    ------
    PairingError
        When the network has no such result.
    AmbiguousError
        When it has several, and none is named.
    """
    results = nms_outputs(network)
    if name is not None:
        named = network.output(name)
        results = tuple(o for o in results if named is not None and o.name == named.name) or results
    if not results:
        raise PairingError(
            f"the network {network.name!r} has no NMS result",
            got=f"{len(network.outputs)} raw outputs: " + ", ".join(o.name for o in network.outputs[:8]),
            hint="decode its raw outputs with Decoder.from_network(network)",
        )
    if len(results) > 1:
        raise AmbiguousError(
            f"the network {network.name!r} has {len(results)} NMS results",
            [o.name for o in results],
            "pass {name: buffer} with the one that is meant",
        )
    output = results[0]
    step = _step(network, output)
    return NmsFacts(
        sizes=_merged(output.nms or NmsInfo(), step.nms if step and step.nms else NmsInfo()),
        order=output.order,
        quant=output.quant,
        chunks=_chip_count(output, "chunks") or 1,
        burst=_chip_count(output, "burst_size"),
        class_layers=_class_layers(step),
        step=step,
        input_size=network.input_size or _own_input(network, output),
    )


def _own_input(network: NetworkInfo, output: OutputInfo) -> tuple[int, int] | None:
    """Return the input's size of that one of several networks which an output belongs to."""
    sizes = {one.shape[:2] for one in network.inputs if one.shape and one.network == output.network}
    return sizes.pop() if len(sizes) == 1 else None


def _step(network: NetworkInfo, output: OutputInfo) -> OpInfo | None:
    """Return the step that feeds an output."""
    steps = [op for op in network.ops if op.output == output.name]
    return steps[0] if steps else network.ops[0] if len(network.ops) == 1 else None


def _merged(own: NmsInfo, step: NmsInfo) -> NmsInfo:
    """Fill what the output does not say from its step."""
    missing: dict[str, Any] = {
        f.name: getattr(step, f.name) for f in fields(own) if getattr(own, f.name) is None
    }
    return replace(own, **missing)


def _chip_count(output: OutputInfo, key: str) -> int | None:
    """Return what a HEF says of an NMS on the chip, beside its sizes."""
    chip = output.facts.get("chip_nms")
    count = chip.get(key) if isinstance(chip, Mapping) else None
    return count if isinstance(count, int) and count > 0 else None


def _class_layers(step: OpInfo | None) -> tuple[str, ...]:
    """Name the class layers, or what holds class scores beside others."""
    found: list[str] = []
    for decoder in step.decoders if step else ():
        found += [decoder.layers[role] for role in ("cls", "encoded", "combined") if role in decoder.layers][
            :1
        ]
    return tuple(dict.fromkeys(found))
