"""Layer names: with and without the network's in front, and the globs of a script."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hailo_decode.config.alls import Value


def same_layer(one: str, other: str) -> bool:
    """Whether two names can be of one layer: equal, or equal where one lacks the network's name.

    Examples
    --------
    >>> same_layer("best/conv41", "conv41"), same_layer("best/conv41", "yolov8n/conv41")
    (True, False)
    """
    if one == other:
        return True
    (scope, _, bare), (other_scope, _, other_bare) = one.rpartition("/"), other.rpartition("/")
    return bare == other_bare and (not scope or not other_scope)


def names_layer(value: Value, layer: str) -> bool:
    """Whether a value of a script, a name, a list or a set of globs, means a layer.

    A short name means it with or without the network's in front.
    """
    return any(_matches(member, layer) for member in value.members)


def _matches(member: Value, layer: str) -> bool:
    name = member.text
    if not name:
        return False
    bare = layer.rpartition("/")[2]
    if any(letter in name for letter in "*?["):
        return (
            fnmatchcase(layer, name) or fnmatchcase(bare, name) or fnmatchcase(bare, name.rpartition("/")[2])
        )
    return same_layer(name, layer)
