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
    "BinsConfig": "nms_config",
    "CombinedConfig": "nms_config",
    "DistancesConfig": "nms_config",
    "ObjectnessConfig": "nms_config",
    "AnchorConfig": "nms_config",
    "AnchorMasksConfig": "nms_config",
    "DefaultBoxConfig": "nms_config",
    "CentreConfig": "nms_config",
    "Script": "alls",
    "read_script": "alls",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
