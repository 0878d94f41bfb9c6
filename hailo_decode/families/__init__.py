"""One file a kind of head: roles, channels, box code, activation, extras."""

from __future__ import annotations

from functools import cache

from hailo_decode.errors import UnknownName
from hailo_decode.families._family import Family
from hailo_decode.plugins import collect

# What `decode_yolov8` reads: the distributions of YOLOv8 to 12, and the plain distances that came after them.
ANCHOR_FREE = ("yolov8", "yolo26")


@cache
def families() -> dict[str, Family]:
    """Return every family by its own name."""
    modules = collect(__name__, "FAMILY")
    return {module.FAMILY.name: module.FAMILY for module in modules.values()}


def family_named(name: str) -> Family:
    """Return the family that answers to a name, its own or any other spelling.

    Raises
    ------
    UnknownName
    """
    wanted = name.lower().replace("-", "_")
    for family in families().values():
        if wanted in (family.name, *family.archs):
            return family
    raise UnknownName("family", name, [n for f in families().values() for n in (f.name, *f.archs)])
