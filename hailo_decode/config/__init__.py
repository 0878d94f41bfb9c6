"""Texts to models that remember their places: the NMS configuration and the model script."""

from __future__ import annotations

import importlib
from typing import Any

# Fetched when first asked for: a check wants no pydantic, and most callers want one or two of these.
_HOMES = {
    "Document": "json_text",
    "NmsConfig": "nms_config",
    "Reading": "reading",
    "Script": "alls",
    "generate_nms": "generate",
    "read_config": "reading",
    "read_json": "json_text",
    "read_script": "alls",
    # Pydantic models of the same files, for programs that build or validate them.
    "AnchorMasksModel": "models",
    "AnchorModel": "models",
    "BinsModel": "models",
    "CentreModel": "models",
    "CombinedModel": "models",
    "DefaultBoxModel": "models",
    "DistancesModel": "models",
    "ObjectnessModel": "models",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
