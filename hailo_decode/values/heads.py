"""Heads of a network by the names that its steps and its configuration have for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hailo_decode.values.network import OutputInfo


def head_finder(heads: Sequence[OutputInfo]) -> Callable[[str], OutputInfo | None]:
    """Return what finds a head by its name, or by that of the layer whose activation was split off as this head.

    Parameters
    ----------
    heads : sequence of OutputInfo

    Examples
    --------
    >>> find = head_finder([OutputInfo("net/conv41"), OutputInfo("net/conv42")])
    >>> find("conv42").name, find("conv43")
    ('net/conv42', None)
    """
    exact = {one.name: one for one in heads}
    near: dict[str, list[OutputInfo]] = {}
    for one in heads:
        for name in {_bare(one.name), _bare(str(one.facts.get("layer", "")))} - {""}:
            near.setdefault(name, []).append(one)

    def find(name: str) -> OutputInfo | None:
        found = near.get(_bare(name), ())
        return exact.get(name) or (found[0] if len(found) == 1 else None)

    return find


def _bare(name: str) -> str:
    return name.rpartition("/")[2]
