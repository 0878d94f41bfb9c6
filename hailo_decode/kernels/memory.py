"""Memory as kernels see it: arrays made from addresses, and two machine instructions."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import carray
from numba.core import types
from numba.extending import intrinsic

from hailo_decode.kernels._jit import inner, kernel


@intrinsic
def _pointer(typingctx, address):
    """Turn an integer into a pointer to bytes."""
    result = types.CPointer(types.uint8)

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(result))

    return result(types.int64), generate


@intrinsic
def trailing_zeros(typingctx, word):
    """Count the zero bits below the lowest one of a u8-byte word that is not 0."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def prefetch(typingctx, array, index):
    """Ask for the cache line of an element that is read soon: 148 to 124 us for a frame with cold caches."""

    def generate(context, builder, signature, args):
        made = context.make_array(signature.args[0])(context, builder, args[0])
        byte = ir.IntType(8).as_pointer()
        at = builder.bitcast(builder.gep(made.data, [args[1]]), byte)
        word = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        )
        builder.call(function, [at, *(ir.Constant(word, k) for k in (0, 3, 1))])
        return context.get_dummy_value()

    return types.none(array, types.intp), generate


@inner
def bytes_at(address, count):
    """View `count` bytes at an address as u1."""
    return carray(_pointer(address), count, np.uint8)


@kernel
def note_addresses(into, start, a, b, c, d):
    """Write where four flat arrays begin.

    The frame kernel sees addresses instead of arrays: so it has one signature for any number of outputs, any dtype
    and read-only buffers alike, and nothing is ever compiled in the middle of a stream. Reading an
    address in Python costs 2 us an array (``__array_interface__``), here four cost 0.7 us.

    Parameters
    ----------
    into : (n,) i8, out
    start : int
    a, b, c, d : (m,) u1
    """
    into[start] = a.ctypes.data
    into[start + 1] = b.ctypes.data
    into[start + 2] = c.ctypes.data
    into[start + 3] = d.ctypes.data
