"""Rows of boxes that HailoRT's own step has decoded and not suppressed: which family reads them, and their scale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hailo_decode.errors import AmbiguousError, PairingError
from hailo_decode.families import families
from hailo_decode.step_scale import Scale, scale_of
from hailo_decode.values.network import NetworkInfo


@dataclass(frozen=True, slots=True)
class DecodedRows:
    """The result of a step that only decodes.

    Attributes
    ----------
    family : tuple of str
        Who reads it.
    scale : Scale or None
        What its boxes are fractions of; None where no size is known.
    """

    family: tuple[str, ...]
    scale: Scale | None

    @property
    def stride(self) -> tuple[float, float] | None:
        """Input pixels of a fraction of 1, across and down."""
        return None if self.scale is None else (self.scale.middle[1], self.scale.middle[0])


def decoded_rows(network: NetworkInfo, outputs: Iterable[str]) -> DecodedRows | None:
    """Tell whether a frame is the result of a step that only decodes, and how it is read; None where it is not.

    Parameters
    ----------
    network : NetworkInfo
    outputs : iterable of str
        Names of the frame's outputs.

    Raises
    ------
    AmbiguousError
        When nothing tells what the boxes are fractions of.
    PairingError
        When their sizes are fractions of something else than their middles.
    """
    names = list(outputs)
    output = network.output(names[0]) if len(names) == 1 else None
    steps = [op for op in network.ops if op.fields.get("bbox_decoding_only") is True]
    step = next((op for op in steps if output is not None and op.output == output.name), None)
    if output is None or step is None:
        return None
    arch = f"{step.kind}_bbox_only"
    readers = tuple(family.name for family in families().values() if arch in family.archs)
    if not readers:
        return None
    as_they_are = f'family="{readers[0]}" takes the rows for fractions of input_size= as they are'
    try:
        scale = scale_of(step, step.nms.image_size if step.nms else None, network, network.input_size)
    except AmbiguousError as error:
        error.hint = as_they_are
        raise
    if scale is not None and scale.side != scale.middle:
        raise PairingError(
            f"the rows of {step.name!r} have boxes of two scales: sizes are fractions of another picture than middles",
            got=scale.told.partition(":")[0],
            hint=f"correct image_dims in the NMS configuration, and compile again; {as_they_are}",
        )
    return DecodedRows(readers, scale)
