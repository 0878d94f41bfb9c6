"""entries() and collect(): to stand in a folder is to be registered there."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def entries(package: str) -> list[str]:
    """Return the names of a package's modules that are entries of the room, sorted; none is imported.

    Modules whose name starts with an underscore are parts of the room, not entries of it.
    """
    room = importlib.import_module(package)
    return sorted(m.name for m in pkgutil.iter_modules(room.__path__) if not m.name.startswith("_"))


def collect(package: str, attribute: str) -> dict[str, ModuleType]:
    """Import the `entries` of a package that carry an attribute.

    Parameters
    ----------
    package : str
        Dotted name of the folder, such as ``"hailo_decode.families"``.
    attribute : str
        What an entry must define, such as ``"FAMILY"``.

    Returns
    -------
    dict of str to module
        By file name, sorted.
    """
    modules = {name: importlib.import_module(f"{package}.{name}") for name in entries(package)}
    return {name: module for name, module in modules.items() if hasattr(module, attribute)}
