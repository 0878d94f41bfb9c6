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


def families_named(name: str, task: str | None = None) -> list[Family]:
    """Return the families that answer to a name, its own or any other spelling.

    Parameters
    ----------
    name : str
        Families of several tasks may share one; the outputs then tell which it is.
    task : str or None
        ``"detect"``, ``"segment"``, ``"pose"``, ``"obb"``, ``"classify"``; None for every task.

    Raises
    ------
    UnknownName
    """
    wanted = name.lower().replace("-", "_")
    found = [f for f in families().values() if f.answers_to(wanted)]
    if task is None:  # a vector is taken for a classifier's only where that is asked for
        found = [f for f in found if f.name == wanted or f.task != "classify"]
    if not found:
        raise UnknownName("family", name, {n for f in families().values() for n in (f.name, *f.archs)})
    fitting = [f for f in found if f.answers_to(wanted, task)]
    if task is not None and not fitting:
        raise UnknownName(f"task of family {name!r}", task, [f.task for f in found])
    return fitting
