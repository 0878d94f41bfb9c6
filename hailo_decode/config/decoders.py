"""What the parts of an NMS configuration have in common, as pydantic models."""

# Annotations are evaluated as they stand: pydantic would compile each one anew from its text.

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

    def field(self, key: str) -> Any:
        """Return the value of a key that files of this shape have; None for keys of other shapes."""
        return getattr(self, key) if key in type(self).model_fields else None

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
