"""Memory as kernels see it, and two machine instructions: as Python has them; `_build` puts numba's in their place."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from hailo_decode.kernels._kernel import DATA


def _viewed(address: Any, count: Any, item: Any, dtype: Any) -> Any:
    room = (item * int(count)).from_address(int(address))
    return np.frombuffer(room, dtype) if count else np.empty(0, dtype)


def bytes_at(address, count):
    """View `count` u1 at an address as a flat array, without owning them."""
    return _viewed(address, count, ctypes.c_uint8, np.uint8)


def halves_at(address, count):
    """View u2."""
    return _viewed(address, count, ctypes.c_uint16, np.uint16)


def words_at(address, count):
    """View u8."""
    return _viewed(address, count, ctypes.c_uint64, np.uint64)


def longs_at(address, count):
    """View i8."""
    return _viewed(address, count, ctypes.c_int64, np.int64)


def reals_at(address, count):
    """View f4."""
    return _viewed(address, count, ctypes.c_float, np.float32)


def part_of(array, start, count):
    """View `count` elements of a flat array from `start` on: a slice, but nobody clamps its bounds. They must be inside."""
    return array[int(start) : int(start) + int(count)]


def fetch(address):
    """Have the memory at an address brought near, while other work goes on. The interpreter has better to do."""


def data_of(array):
    """Return where the data of an array begins, from the address of the array object: see `_kernel.DATA`."""
    return np.int64(ctypes.c_int64.from_address(int(array) + DATA).value)


def trailing_zeros(word):
    """Count the zero bits below the lowest one of a word of 64 bits that is not 0."""
    bits = int(word)
    return np.uint64((bits & -bits).bit_length() - 1)
