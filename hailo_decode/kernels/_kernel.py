"""Kernel: a function with one machine code, called without numba; and the interpreter's way until that is there."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator
from struct import Struct
from typing import Any

import numpy as np

from hailo_decode.errors import DtypeError, SizeError

Function = Callable[..., Any]
Native = Callable[[Any, Any, Any], int]
# numpy's arrays begin with Python's own header, then the address of their data (numpy/ndarraytypes.h; the same in 1 and 2).
# Compiled code reads address and shape there: 40 ns an array, where `ctypes.data` takes 1 us.
DATA = object.__basicsize__
_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_TOKEN = re.compile(r"[()]|[iuf][1248]\**")


def leaves(types: str) -> tuple[list[Any], str]:
    """Read types as `kernel` takes them.

    Returns
    -------
    parameters : list
        (dtype, axes) of each, a list of such for a tuple.
    result : str
        Type of what is returned; empty for nothing.
    """
    taken, _, result = types.partition("->")
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(taken):
        if token == "(":
            stack.append([])
        elif token == ")":
            inside = stack.pop()
            stack[-1].append(inside)
        else:
            stack[-1].append((token.rstrip("*"), token.count("*")))
    return stack[0], result.strip()


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        else:
            yield value


class Kernel:
    """A function that is compiled once for the types it states.

    Attributes
    ----------
    name : str
    function : callable
        The source, which the interpreter can run.
    types : str
    native : callable or None
        The machine code, once it is loaded; `address` is where it is entered.
    instead : dict of function to function
        What is compiled in place of functions that it calls.
    room, write : type of a ctypes array, callable
        The table of arguments, and what fills it with `words`.
    """

    def __init__(self, function: Function, types: str) -> None:
        self.function, self.types = function, types
        self.name: str = function.__name__
        self.__doc__ = function.__doc__
        self.native: Native | None = None
        self.address = 0
        self.instead: dict[Function, Function] = {}
        told = [(token.rstrip("*"), token.count("*")) for token in _TOKEN.findall(types.partition("->")[0])]
        told = [(kind, axes) for kind, axes in told if kind not in ("(", ")")]
        self._leaves = [(np.dtype(kind) if axes else None, axes) for kind, axes in told]
        self._nested = "(" in types
        codes = ("d" if kind[0] == "f" and not axes else "q" for kind, axes in told)
        self.write = Struct("q" + "".join(codes)).pack_into
        self.room = ctypes.c_int64 * (1 + len(told))

    def __call__(self, *args: Any) -> int:
        """Run once; returns what the function returns, 0 where that is nothing."""
        return Bound(self, args)()

    def load(self, address: int) -> Native:
        """Take machine code for it, which is entered at an address."""
        self.address, self.native = address, _CALL(address)
        return self.native

    def bind(self, *args: Any) -> Bound:
        """Return the call with these arguments, to be made again and again: 0.5 us, whatever their number."""
        return Bound(self, args)

    def words(self, args: tuple[Any, ...]) -> list[Any]:
        """Return what compiled code gets of the arguments: objects of arrays, and numbers; the place of the result first.

        Raises
        ------
        SizeError, DtypeError
            When an array has not the dtype, axes or order that the kernel states: compiled code would read other memory.
        """
        values = list(_flat(args)) if self._nested else args
        if len(values) != len(self._leaves):
            raise SizeError(
                f"{self.name} got {len(values)} arguments", wanted=f"{len(self._leaves)}, as {self.types}"
            )
        words: list[Any] = [0]
        for value, (dtype, axes) in zip(values, self._leaves, strict=True):
            if dtype is None:
                words.append(value)
            elif (
                (value.dtype is dtype or value.dtype == dtype)
                and value.ndim == axes
                and value.flags.c_contiguous
            ):
                words.append(id(value))
            else:
                raise DtypeError(
                    f"{self.name} got {value.dtype} of {value.ndim} axes",
                    wanted=f"{dtype} of {axes}, contiguous",
                )
        return words

    def interpreted(self, args: tuple[Any, ...]) -> int:
        """Let the interpreter run the function.

        Raises
        ------
        ArithmeticError, ValueError
            Where Python's own arithmetic raises, as for an exponential that overflows: machine code goes on with inf or nan.
        """
        with np.errstate(all="ignore"):
            return int(self.function(*args) or 0)


class Bound:
    """A kernel with its arguments. Arrays may change their contents, not their place."""

    __slots__ = ("_args", "_place", "_table", "kernel")

    def __init__(self, kernel: Kernel, args: tuple[Any, ...]) -> None:
        self.kernel, self._args = kernel, args
        self._table = kernel.room()
        kernel.write(self._table, 0, *kernel.words(args))
        self._place = ctypes.addressof(self._table)

    @property
    def entry(self) -> tuple[int, int]:
        """Addresses of its machine code, 0 where there is none yet, and of its arguments."""
        return self.kernel.address, self._place

    def __call__(self) -> int:
        native = self.kernel.native
        if native is None:
            from hailo_decode.kernels._store import machine_code

            native = machine_code(self.kernel)
            if native is None:
                try:
                    return self.kernel.interpreted(self._args)
                except (ArithmeticError, ValueError):
                    native = machine_code(self.kernel, wait=True)
                    if native is None:
                        raise
        native(_NOTHING, _NOTHING, self._place)
        return self._table[0]


_SINK = ctypes.create_string_buffer(64)
_NOTHING = ctypes.c_void_p(
    ctypes.addressof(_SINK)
)  # where numba's convention wants results and exceptions: there are none
