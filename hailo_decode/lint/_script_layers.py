"""What a script does to a layer of the head: sigmoids and forced ranges."""

from __future__ import annotations

from collections.abc import Mapping

from hailo_decode.config.alls import Script, Statement, Value
from hailo_decode.config.meta_archs import MetaArch
from hailo_decode.lint._names import names_layer


def sigmoids(script: Script) -> list[tuple[Statement, Value | None]]:
    """Return the commands that put a sigmoid on a layer, with the layer; None is every output."""
    found: list[tuple[Statement, Value | None]] = []
    for statement in script.calls("change_output_activation"):
        values = statement.positional
        if values and values[-1].text == "sigmoid":
            found.append((statement, values[0] if len(values) > 1 else None))
    return found


def given_sigmoid(script: Script, layer: str) -> bool:
    """Whether the script puts a sigmoid on a layer."""
    return any(value is None or names_layer(value, layer) for _, value in sigmoids(script))


def forced(script: Script, layer: str) -> Statement | None:
    """Return the command that forces the range of a layer's output, or None."""
    for statement in script.calls("quantization_param"):
        values = statement.positional
        if values and statement.get("force_range_out") is not None and names_layer(values[0], layer):
            return statement
    return None


def hot_layers(by_role: Mapping[str, list[str]], arch: MetaArch) -> list[str]:
    """Return the layers that must end in a sigmoid."""
    return [name for role in arch.sigmoid for name in by_role.get(role, ())]
