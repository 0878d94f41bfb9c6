"""What a rule may ask for by parameter name: the files at hand, and what is derived from them once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from hailo_decode.lint._derived import DERIVED

# The files at hand. A remark of a rule is about the file of its first parameter.
GIVEN: Mapping[str, str] = {
    "document": "config",  # Document: the JSON text with the place of every value
    "schema": "config",  # its faults of keys and types
    "config": "config",  # NmsConfig: the same as a model; what is missing or broken is None
    "script": "script",  # Script: the model script
    "script_path": "script",  # Path: where it lies, when it is a file
    "config_path": "config",  # Path: where the JSON lies, when it is a file
    "network": "network",  # NetworkInfo: what a model file says
    "failure": "network",  # FormatError: why the model file could not be taken
    "names": "network",  # class names
    "classes": "network",  # number of classes that the outputs are read as
    "device": "network",  # the device it shall run on
    "log": "log",  # Log: lines of a compiler's or HailoRT's log
}


def known() -> list[str]:
    """Return every name that a parameter may have."""
    return sorted((*GIVEN, *DERIVED))


def about(name: str) -> str:
    """Return the file that a rule speaks of when `name` is its first parameter."""
    return GIVEN[name] if name in GIVEN else DERIVED[name][1]


class Inputs:
    """The files of one check, and what has been derived from them so far."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._values: dict[str, Any] = dict(given)

    def get(self, name: str) -> Any:
        """Return an input, or None where it is absent."""
        if name not in self._values:
            self._values[name] = self.call(DERIVED[name][0]) if name in DERIVED else None
        return self._values[name]

    def call(self, function: Callable[..., Any]) -> Any:
        """Call a function with the inputs it names; None when one that it needs is absent."""
        arguments = {}
        for name, needed in _parameters(function):
            arguments[name] = self.get(name)
            if needed and arguments[name] is None:
                return None
        return function(**arguments)


@functools.cache
def _parameters(function: Callable[..., Any]) -> list[tuple[str, bool]]:
    """Return each parameter's name, and whether it has no default."""
    return [(n, p.default is p.empty) for n, p in inspect.signature(function).parameters.items()]
