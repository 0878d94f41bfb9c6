"""The entries of an NMS configuration's lists as pydantic models: one scale each, and the mask prototype."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator

Size = Annotated[int, Field(ge=1, le=65_535)]
Lengths = Annotated[list[Annotated[float, Field(gt=0)]], Field(min_length=1)]


class Part(BaseModel):
    """What a configuration and the entries of its lists have in common.

    A model of its own, it must be complete. Read through `reading.read_config`, what is missing is None.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)
    required: ClassVar[tuple[str, ...]] = ()

    def missing(self) -> list[str]:
        """Return the keys that it needs and lacks."""
        return [key for key in self.required if getattr(self, key) is None]

    @model_validator(mode="after")
    def _complete(self, info: ValidationInfo) -> Any:
        if not (info.context or {}).get("partial") and self.missing():
            raise ValueError(f"missing: {', '.join(self.missing())}")
        return self


class Decoder(Part):
    """One entry of ``bbox_decoders``: the layers of one scale.

    Attributes
    ----------
    name : str or None
        Free text; only logs show it.
    stride : int or None
        Input pixels per cell.
    """

    roles: ClassVar[tuple[str, ...]] = ()
    name: str | None = None
    stride: Size | None = None

    @property
    def layers(self) -> dict[str, str]:
        """The layer that each role names, where it names one."""
        return {role: name for role in self.roles if (name := getattr(self, role)) is not None}


class BinsDecoder(Decoder):
    """A scale whose box distances are spread over bins."""

    roles = ("reg_layer", "cls_layer")
    required = ("stride", *roles)
    reg_layer: str | None = None
    cls_layer: str | None = None


class DistancesDecoder(BinsDecoder):
    """A scale with four plain distances."""


class CombinedDecoder(Decoder):
    """A scale whose classes and bins are channels of one layer."""

    roles = ("combined_layer",)
    required = ("stride", *roles)
    combined_layer: str | None = None


class ObjectnessDecoder(Decoder):
    """A scale with box, objectness and class layers."""

    roles = ("reg_layer", "objectness_layer", "cls_layer")
    required = ("stride", *roles)
    reg_layer: str | None = None
    objectness_layer: str | None = None
    cls_layer: str | None = None


class AnchorDecoder(Decoder):
    """A scale with one layer for all, and anchor sizes `w` and `h` in input pixels."""

    roles = ("encoded_layer",)
    required = ("stride", "w", "h", *roles)
    w: Lengths | None = None
    h: Lengths | None = None
    encoded_layer: str | None = None


class DefaultBoxDecoder(Decoder):
    """A scale with box and class layers, and anchor sizes `w` and `h` as fractions of the image."""

    roles = ("reg_layer", "cls_layer")
    required = ("w", "h", *roles)
    w: Lengths | None = None
    h: Lengths | None = None
    reg_layer: str | None = None
    cls_layer: str | None = None


class CentreDecoder(Decoder):
    """The only scale of a network that finds centres."""

    roles = ("reg_layer_h", "reg_layer_w", "cls_layer")
    required = roles
    reg_layer_h: str | None = None
    reg_layer_w: str | None = None
    cls_layer: str | None = None


class Proto(Part):
    """The mask prototype: `number` channels, at `stride` input pixels per cell."""

    required = ("number", "stride")
    number: Size | None = None
    stride: Size | None = None
    proto_layer: str | None = None
