"""Configurations and scripts for tests, and the remarks about them by code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hailo_decode.config.alls import read_script
from hailo_decode.lint import config_rules
from hailo_decode.lint._case import config_inputs
from hailo_decode.lint._registry import run_rules
from hailo_decode.values.diagnostic import Diagnostic, Severity
from hailo_decode.values.network import NetworkInfo

# The head of a network of three classes, 480 high and 640 wide.
SNAIL = {
    "nms_scores_th": 0.2,
    "nms_iou_th": 0.7,
    "image_dims": [480, 640],
    "max_proposals_per_class": 100,
    "classes": 3,
    "regression_length": 16,
    "background_removal": False,
    "bbox_decoders": [
        {
            "name": f"snail/bbox_decoder{reg}",
            "stride": stride,
            "reg_layer": f"snail/conv{reg}",
            "cls_layer": f"snail/conv{reg + 1}",
        }
        for stride, reg in ((8, 41), (16, 52), (32, 62))
    ],
}
SNAIL_NETWORK = """
input 480x640
snail/conv41 60x80x64
snail/conv42 60x80x3
snail/conv52 30x40x64
snail/conv53 30x40x3
snail/conv62 15x20x64
snail/conv63 15x20x3
"""
NORMALIZED = "normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])\n"
SNAIL_SCRIPT = (
    NORMALIZED
    + "".join(f"change_output_activation(conv{n}, sigmoid)\n" for n in (42, 53, 63))
    + 'nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)\n'
)


def remarks(
    config: str | Mapping[str, Any] | None = None,
    *,
    script: str | None = None,
    network: NetworkInfo | None = None,
    script_path: Path | None = None,
    config_path: Path | None = None,
) -> list[Diagnostic]:
    """The remarks about texts, as `hailo_decode.lint.check` gives them about files."""
    given: dict[str, Any] = {"network": network, "script_path": script_path, "config_path": config_path}
    if script is not None:
        given["script"] = read_script(script)
    if config is not None:
        text = config if isinstance(config, str) else json.dumps(config, indent=2)
        given |= config_inputs(text, given.get("script"))
    files = {"config": "nms.json", "script": "model.alls", "network": "net"}
    return run_rules(config_rules(), given, files)


def told(found: list[Diagnostic], *, notes: bool = False) -> list[str]:
    """Severity and code of each remark, such as ``"error HD401"``, notes left out unless asked for."""
    kept = [d for d in found if notes or d.severity is not Severity.NOTE]
    return [f"{d.severity.value} {d.code}" for d in kept]


def codes(found: list[Diagnostic], severity: str | None = None) -> set[str]:
    """Codes of the remarks of one severity, or of all."""
    return {d.code for d in found if severity in (None, d.severity.value)}


def with_changes(config: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """A deep copy of a configuration with some keys replaced."""
    return {**json.loads(json.dumps(config)), **changes}
