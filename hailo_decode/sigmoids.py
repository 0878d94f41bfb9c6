"""Which fields of a head still want their sigmoid or softmax: decided tensor by tensor, then for the head."""

from __future__ import annotations

from collections.abc import Mapping

from hailo_decode.activation import Verdict, holds_logits, told_of
from hailo_decode.pairing import Reading
from hailo_decode.tables import FIELD_NAMES
from hailo_decode.values.tensor import Tensor

_GROUPS = {
    "cls": "class outputs",
    "obj": "objectness outputs",
    "box": "box outputs",
    "centre": "centre outputs",
}


def activations(
    reading: Reading, tensors: Mapping[str, Tensor], told: bool | None
) -> tuple[dict[tuple[str, str], bool], bool, list[str]]:
    """Decide which fields still want a sigmoid or softmax, whether this frame settles it, and say why."""
    parts = reading.family.fields(reading.sizes)
    squashed = {"cls", "obj"} & set(parts)
    if reading.family.box_code in ("anchors", "cells", "cells_apart"):
        squashed.add("box")
    if reading.family.extra is not None and reading.family.extra.kind != "masks":
        squashed.add("extra")
    scores_alone = len({part.role for part in parts.values()}) > 1
    verdicts: dict[str, Verdict] = {}
    roles: dict[str, str] = {}
    fields: list[tuple[str, str]] = []
    logits: dict[tuple[str, str], bool] = {}
    for level in reading.levels:
        for name in (n for n in FIELD_NAMES if n in squashed):
            tensor = tensors[level.outputs[parts[name].role].name]
            if reading.family.scores_ready:
                logits[name, tensor.name] = False
            elif name == "extra":  # raw, unless its description says otherwise
                logits[name, tensor.name] = tensor.activation != "sigmoid"
            else:
                fields.append((name, tensor.name))
                roles[tensor.name] = parts[name].role
                if tensor.name not in verdicts:
                    scores = scores_alone and parts[name].role not in reading.family.unit
                    verdicts[tensor.name] = holds_logits(tensor, told, scores)
    verdicts = _led_by_settled(verdicts)
    logits |= {(name, output): verdicts[output].logits for name, output in fields}
    squash = "sigmoid"
    if reading.family.softmax:
        squash = "softmax" if squashed == {"cls"} else "sigmoid and softmax"
    notes = []
    for role in dict.fromkeys(roles.values()):
        notes += told_of(
            [v for name, v in verdicts.items() if roles[name] == role], _GROUPS.get(role, "outputs"), squash
        )
    return logits, all(verdict.settled for verdict in verdicts.values()), notes


def _led_by_settled(verdicts: dict[str, Verdict]) -> dict[str, Verdict]:
    """Let tensors whose values prove nothing follow those that do, where these agree."""
    settled = [verdict for verdict in verdicts.values() if verdict.settled]
    if len({verdict.logits for verdict in settled}) != 1:
        return verdicts
    why = "as at the other levels, for its values are all one"
    return {
        name: verdict if verdict.settled else Verdict(name, settled[0].logits, why)
        for name, verdict in verdicts.items()
    }
