"""Marks of code that is to be compiled: what Python calls, what stands once, what goes into its callers.

The functions stay plain Python. `_build` lowers them with numba, `_emit` makes machine code of that, `_store` keeps and
loads it, and until it is there `_kernel` has the interpreter run them: the same source, the same numbers, slowly.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hailo_decode.kernels._kernel import Function, Kernel

KERNELS: dict[str, Kernel] = {}
INLINED: dict[Function, bool] = {}  # of functions that only kernels call
COMPILED: dict[Function, Function] = {}  # what is compiled in place of a function that the interpreter runs


def kernel(types: str) -> Callable[[Function], Kernel]:
    """Mark a function that Python calls.

    Parameters
    ----------
    types : str
        Of its parameters in order, and of what it returns: ``i8`` a whole number, ``f4``, ``f8`` a real one, ``u1*`` an
        array of one axis, ``u1**`` of two, ``( )`` a tuple, ``-> i8`` a result. Stated, and not found out from
        arguments: so there is one machine code for each kernel, and nothing is ever compiled in the middle of a stream.
    """

    def mark(function: Function) -> Kernel:
        made = Kernel(function, types)
        KERNELS[made.name] = made
        return made

    return mark


def variant(name: str, of: Kernel, instead: dict[Function, Function]) -> Kernel:
    """Return a kernel with other functions in place of some that it calls: less to compile, and the same results.

    The interpreter runs the kernel that it is a variant of.
    """
    made = Kernel(of.function, of.types)
    made.name, made.instead = name, instead
    KERNELS[name] = made
    return made


def inner(function: Function) -> Any:
    """Mark a small function to be compiled into its callers: arrays cost seven arguments each in a real call."""
    INLINED[function] = True
    return function


def apart(function: Function) -> Any:
    """Mark a function that kernels call now and then: its code stands once, and is compiled once."""
    INLINED[function] = False
    return function


def apart_from(plain: Function) -> Callable[[Function], Any]:
    """Mark a function to be compiled `apart`, where the interpreter runs another one: NumPy, where loops take too long."""

    def mark(function: Function) -> Any:
        INLINED[function] = False
        COMPILED[plain] = function
        return plain

    return mark


def all_kernels() -> dict[str, Kernel]:
    """Return every kernel of the package by name."""
    room = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.name.startswith("_"):
            importlib.import_module(f"{room}.{module.name}")
    return dict(sorted(KERNELS.items()))
