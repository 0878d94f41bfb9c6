"""What a rule may ask for by parameter name: the files at hand, and what is derived from them once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

# The files at hand. A remark of a rule is about the file of its first parameter.
GIVEN: Mapping[str, str] = {
    "document": "config",  # the JSON text with the place of every value
    "config": "config",  # the same as a model; what is missing or broken is None
    "script": "script",  # the model script
    "network": "network",  # what a model file says
    "names": "network",  # class names
    "device": "network",  # the device it shall run on
    "log": "log",  # lines of a compiler's or HailoRT's log
}

# name -> (function, the file that remarks are about)
_DERIVED: dict[str, tuple[Callable[..., Any], str]] = {}


def derived(about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function's result something that rules may ask for by the function's name.

    Its own parameters are inputs too. It runs at most once for a set of files, and None means absent.

    Parameters
    ----------
    about : str
        The file that a rule speaks of when this is its first parameter.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _DERIVED[function.__name__] = (function, about)
        return function

    return register


def known() -> list[str]:
    """Return every name that a parameter may have."""
    return sorted((*GIVEN, *_DERIVED))


def about(name: str) -> str:
    """Return the file that a rule speaks of when `name` is its first parameter."""
    return GIVEN[name] if name in GIVEN else _DERIVED[name][1]


class Inputs:
    """The files of one check, and what has been derived from them so far."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._values: dict[str, Any] = dict(given)

    def get(self, name: str) -> Any:
        """Return an input, or None where it is absent."""
        if name not in self._values:
            function = _DERIVED[name][0] if name in _DERIVED else None
            self._values[name] = self.call(function) if function else None
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
