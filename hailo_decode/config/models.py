"""Configurations as pydantic models: for programs that build or validate them, with JSON schemas for editors.

The fields are those of `shapes`; a model is strict and must be complete, where a check reads on.
"""

from __future__ import annotations

import types
from functools import cache
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from hailo_decode.config.fields import AtLeast, Limits, Part
from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.shapes import config_of


class PartModel(BaseModel):
    """What the models have in common: keys that are not known are kept, those that are needed must be there."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    required: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _complete(self) -> Any:
        missing = [key for key in self.required if getattr(self, key) is None]
        if missing:
            raise ValueError(f"missing: {', '.join(missing)}")
        return self


@cache
def model_of(shape: Shape) -> type[PartModel]:
    """Return the model of a shape.

    Examples
    --------
    >>> from hailo_decode.config import BinsModel
    >>> model_of(Shape.BINS) is BinsModel
    True
    >>> try:
    ...     BinsModel.model_validate({"classes": 80})
    ... except ValueError as error:
    ...     print(str(error).splitlines()[0])
    1 validation error for BinsModel
    """
    return _model(config_of(shape))


def _model(part: type[Part]) -> type[PartModel]:
    fields: dict[str, Any] = {key: (_kind(kind), None) for key, kind in part.fields.items()}
    name = part.__name__.replace("Config", "Model")
    made = create_model(name, __base__=PartModel, __doc__=part.__doc__, __module__=__name__, **fields)
    made.required = part.required
    return made


def _kind(kind: Any) -> Any:
    """Return a field's type in pydantic's words."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _kind(arguments[0]) | None
    if origin is Annotated:
        limit = arguments[1]
        return Annotated[_kind(arguments[0]), _limit(limit)]
    if origin is list:
        return list[_kind(arguments[0])]  # type: ignore[misc]
    if origin is tuple:
        return Annotated[tuple[tuple(map(_kind, arguments))], Field(strict=False)]  # type: ignore[misc]
    return _model(kind) if isinstance(kind, type) and issubclass(kind, Part) else kind


def _limit(limit: Limits | AtLeast) -> Any:
    if isinstance(limit, AtLeast):
        return Field(min_length=limit.members)
    if limit.above:
        return Field(gt=limit.low)
    return Field(ge=limit.low, le=limit.high) if limit.high < float("inf") else Field(ge=limit.low)


def __getattr__(name: str) -> Any:
    for shape in Shape:
        if name == config_of(shape).__name__.replace("Config", "Model"):
            return model_of(shape)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
