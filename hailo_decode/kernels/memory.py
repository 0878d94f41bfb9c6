"""Memory as kernels see it: arrays made from addresses, and one machine instruction."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from hailo_decode.kernels._jit import kernel


def _array_at(dtype):
    """Make the intrinsic that views `count` numbers at an address as a flat array, without owning them."""

    @intrinsic
    def view(typingctx, address, count):
        array_type = types.Array(dtype, 1, "C")

        def generate(context, builder, signature, args):
            array = context.make_array(array_type)(context, builder)
            item = context.get_constant(types.intp, dtype.bitwidth // 8)
            populate_array(
                array,
                data=builder.inttoptr(args[0], array.data.type),
                shape=[args[1]],
                strides=[item],
                itemsize=item,
                meminfo=None,
            )
            return array._getvalue()

        return array_type(types.int64, types.int64), generate

    return view


bytes_at = _array_at(types.uint8)
halves_at = _array_at(types.uint16)
words_at = _array_at(types.uint64)
reals_at = _array_at(types.float32)


@intrinsic
def trailing_zeros(typingctx, word):
    """Count the zero bits below the lowest one of a word of 64 bits that is not 0."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@kernel
def note_addresses(into, start, a, b, c, d, e, f):
    """Write where six flat arrays begin.

    The frame kernel sees addresses instead of arrays: so it has one signature for any number of outputs, any dtype
    and read-only buffers alike, and nothing is ever compiled in the middle of a stream. Reading an
    address in Python costs 2 us an array (``__array_interface__``), here six cost 0.8 us.

    Parameters
    ----------
    into : (n,) i8, out
    start : int
    a, b, c, d, e, f : (m,) u1
    """
    into[start] = a.ctypes.data
    into[start + 1] = b.ctypes.data
    into[start + 2] = c.ctypes.data
    into[start + 3] = d.ctypes.data
    into[start + 4] = e.ctypes.data
    into[start + 5] = f.ctypes.data
