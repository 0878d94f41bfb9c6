"""What is derived from the files of a check, once, for every rule that asks for it.

A function's parameters are inputs too; it is not called when one of them is absent, and None means absent. Each
imports what it needs when it is called, so that no check pays for another's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hailo_decode.config.alls import Script, Statement, Value
    from hailo_decode.config.heads import Heads
    from hailo_decode.config.meta_archs import MetaArch
    from hailo_decode.config.nms_config import NmsConfig
    from hailo_decode.lint._wiring import Wiring
    from hailo_decode.values.network import NetworkInfo


def nms(script: Script) -> Statement | None:
    """Return the command that puts the NMS step in; the last one where there are several."""
    found = list(script.calls("nms_postprocess"))
    return found[-1] if found else None


def arch(nms: Statement | None = None, config: NmsConfig | None = None) -> MetaArch | None:
    """Return the NMS step in force: the one that the script names, or the one that reads such a file."""
    from hailo_decode.config.meta_archs import find_meta_arch

    if nms is not None and (named := find_meta_arch(meta_arch_name(nms))):
        return named
    return config.arch if config is not None else None


def meta_arch_value(nms: Statement) -> Value | None:
    """Return the value that names the step in a command, by key or by position, or None."""
    if value := nms.get("meta_arch"):
        return value
    return next((value for value in nms.positional if value.kind == "name"), None)


def meta_arch_name(nms: Statement) -> str:
    """Return the name of the step in a command; empty where it names none."""
    value = meta_arch_value(nms)
    return value.text if value is not None else ""


def config_value(nms: Statement) -> Value | None:
    """Return the path of the configuration in a command, by key or by position, or None."""
    if value := nms.get("config_path"):
        return value
    return next((value for value in nms.positional if value.kind == "string"), None)


def heads(network: NetworkInfo) -> Heads | None:
    """Return the head that the network shows."""
    from hailo_decode.config.heads import frame_size
    from hailo_decode.lint._wiring import heads_of

    return heads_of(network, frame_size(network))


def wiring(config: NmsConfig, network: NetworkInfo) -> Wiring | None:
    """Return which layer of the network each name of the configuration means."""
    from hailo_decode.lint._wiring import wired

    return wired(config, network)


def by_role(config: NmsConfig | None = None, heads: Heads | None = None) -> dict[str, list[str]] | None:
    """Return the layers of each role, such as ``"cls_layer"``: those of the file, or else of the network."""
    found: dict[str, list[str]] = {}
    listed = [d.layers for d in config.decoders] if config is not None else []
    if heads is not None and not all(name for layers in listed for name in layers.values()):
        listed = []
    if not listed and heads is not None:
        listed = [{key: layer.name for key, layer in scale.layers.items()} for scale in heads.scales]
    for layers in listed:
        for role, name in layers.items():
            if name:
                found.setdefault(role, []).append(name)
    return found or None


DERIVED: Mapping[str, tuple[Callable[..., Any], str]] = {
    "heads": (heads, "network"),
    "by_role": (by_role, "config"),
    "wiring": (wiring, "config"),
    "nms": (nms, "script"),
    "arch": (arch, "config"),
}
