"""Remarks about configurations, scripts and model files, before a device sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hailo_decode.lint._registry import Finding, Rule, rule, rules, run_rules

if TYPE_CHECKING:
    from hailo_decode.values.diagnostic import Diagnostic
    from hailo_decode.values.network import NetworkInfo

__all__ = ["Finding", "Rule", "check_network", "rule", "rules"]


def check_network(
    network: NetworkInfo, names: Sequence[str] | None = None, device: str | None = None
) -> list[Diagnostic]:
    """Run the rules that speak of a model file alone.

    Parameters
    ----------
    network : NetworkInfo
    names : sequence of str, optional
        Class names, to be compared with the network's number of classes.
    device : str, optional
        The device it shall run on, such as ``"hailo8l"``.

    Returns
    -------
    list of Diagnostic
        In a fixed order; empty when nothing is wrong.
    """
    given = {"network": network, "names": tuple(names) if names is not None else None, "device": device}
    chosen = [one for code, one in rules().items() if code.startswith("HD5")]
    return run_rules(chosen, given, {"network": network.name})
