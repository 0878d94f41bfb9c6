"""One file a shape that a configuration can have; a shape's file is read when such a configuration comes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from hailo_decode.config.meta_archs import Shape

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig


def config_of(shape: Shape) -> type[NmsConfig]:
    """Return the model of a shape: it stands in the file of the shape's name.

    Examples
    --------
    >>> config_of(Shape.BINS).__name__
    'BinsConfig'
    """
    module = importlib.import_module(f"{__name__}.{shape.name.lower()}")
    model: type[NmsConfig] = module.CONFIG
    return model


def every_config() -> list[type[NmsConfig]]:
    """Return the models of all shapes."""
    return [config_of(shape) for shape in Shape]
