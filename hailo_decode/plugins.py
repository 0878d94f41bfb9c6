"""To stand in a folder is to be registered there: the walk that finds families, rules, formats, commands."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def entries(package: str) -> list[str]:
    """Return the names of a package's modules that are entries of the room, sorted; none is imported.

    Modules whose name starts with an underscore are parts of the room, not entries of it.
    """
    room = importlib.import_module(package)
    return sorted(m.name for m in pkgutil.iter_modules(room.__path__) if not m.name.startswith("_"))


def walk(package: str, attribute: str) -> Iterator[tuple[str, ModuleType]]:
    """Import the `entries` of a package one by one, and yield those that carry an attribute.

    Parameters
    ----------
    package : str
        Dotted name of the folder, such as ``"hailo_decode.families"``.
    attribute : str
        What an entry must define, such as ``"FAMILY"``.

    Yields
    ------
    name : str
        Of the file.
    module : module
    """
    for name in entries(package):
        module = importlib.import_module(f"{package}.{name}")
        if hasattr(module, attribute):
            yield name, module


def collect(package: str, attribute: str) -> dict[str, ModuleType]:
    """Return all that `walk` yields, by file name."""
    return dict(walk(package, attribute))
