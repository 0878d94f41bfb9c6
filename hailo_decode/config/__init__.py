"""Texts to models that remember their places: the NMS configuration and the model script."""

from __future__ import annotations

import importlib
from typing import Any

# Fetched when first asked for, as the models cost a tenth of a second and many callers want none of them.
_HOMES = {
    "Document": "json_text",
    "read_json": "json_text",
    "Reading": "reading",
    "read_config": "reading",
    "NmsConfig": "nms_config",
    "BinsConfig": "shapes.bins",
    "CombinedConfig": "shapes.combined",
    "DistancesConfig": "shapes.distances",
    "ObjectnessConfig": "shapes.objectness",
    "AnchorConfig": "shapes.anchors",
    "AnchorMasksConfig": "shapes.anchor_masks",
    "DefaultBoxConfig": "shapes.default_boxes",
    "CentreConfig": "shapes.centre",
    "Script": "alls",
    "read_script": "alls",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
