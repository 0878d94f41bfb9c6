"""From a marked function to LLVM's text: this module and `_whole` are the only ones that import numba."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numba
from llvmlite import ir
from numba.core import compiler, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from hailo_decode.kernels import _jit, memory
from hailo_decode.kernels._kernel import DATA, Function, Kernel, leaves
from hailo_decode.kernels._lowered import tidied
from hailo_decode.kernels._whole import Lean, compile_whole

# _nrt: no memory manager, so that a kernel that would allocate does not compile; counting references to the arrays of a
# frame had cost 50 us of 100. error_model: a float divided by zero gives inf or nan instead of a branch. No fastmath:
# `reassoc` makes LLVM gather the softmax tables, four times slower, and `nnan` would let a NaN through. No `parallel`: a
# frame is too short for a thread pool.
# No wrappers: only kernels call these functions, and one for 40 arrays takes as long to compile as a small kernel.
_OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": Lean,
}
_njit: Any = numba.njit
_TYPES = {
    "u1": types.uint8,
    "i4": types.int32,
    "i8": types.int64,
    "u8": types.uint64,
    "f4": types.float32,
    "f8": types.float64,
}
_WORD = ir.IntType(64)


def lower(kernel: Kernel) -> str:
    """Return a kernel as LLVM's text; numba cannot be used in this process for anything else any more."""
    module, symbol = compile_whole(lambda: _lowered(kernel))
    return tidied(module, symbol)


def _lowered(kernel: Kernel) -> Any:
    flags: Any = compiler.Flags()
    flags.error_model, flags.nrt = _OPTIONS["error_model"], _OPTIONS["_nrt"]
    flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    typing, target = cpu_target.typing_context, cpu_target.target_context
    typing.refresh()
    target.refresh()
    return compiler.compile_extra(
        typing, target, _entry(kernel), (types.int64,), types.none, flags, {}, None, Lean
    )


def _entry(kernel: Kernel) -> Function:
    """Return a function of one number: the address of a table of arguments, whose first word gets the result."""
    parameters, result = leaves(kernel.types)
    arguments, run, longs_at = (
        _reader(parameters),
        compiled(kernel.function, True, kernel.instead),
        _MACHINE[memory.longs_at],
    )
    if result:

        def entry(table):
            longs_at(table, 1)[0] = run(*arguments(table))

    else:

        def entry(table):
            run(*arguments(table))

    return entry


def compiled(function: Function, inlined: bool, instead: dict[Function, Function]) -> Any:
    """Return numba's form of a function, in which the marked functions that it calls are numba's too."""
    key = (function, *instead.items())
    if key not in _DONE:
        names = {}
        for name in set(function.__code__.co_names) & function.__globals__.keys():
            value = function.__globals__[name]
            value = instead.get(value, value) if isinstance(value, FunctionType) else None
            value = _jit.COMPILED.get(value, value) if value is not None else None
            if value in _MACHINE:
                names[name] = _MACHINE[value]
            elif value in _jit.INLINED:
                names[name] = compiled(value, _jit.INLINED[value], instead)
        copy = FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__)
        copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
        _DONE[key] = _njit(forceinline=inlined, **_OPTIONS)(copy)
    return _DONE[key]


_DONE: dict[Any, Any] = {}


def _numba_type(parameter: Any) -> Any:
    if isinstance(parameter, list):
        return types.Tuple([_numba_type(one) for one in parameter])
    kind, axes = parameter
    return types.Array(_TYPES[kind], axes, "C") if axes else _TYPES[kind]


def _reader(parameters: list[Any]) -> Any:
    """Make the intrinsic that turns a table of arguments, as `Kernel.words` fills it, into a tuple of them."""
    wanted = types.Tuple([_numba_type(one) for one in parameters])

    @intrinsic
    def arguments(typingctx, table):
        def generate(context, builder, signature, args):
            words = builder.inttoptr(args[0], _WORD.as_pointer())
            places = iter(range(1, 1 << 20))
            return _value(context, builder, wanted, words, places)

        return wanted(types.int64), generate

    return arguments


def _value(context: Any, builder: Any, kind: Any, words: Any, places: Any) -> Any:
    if hasattr(kind, "types"):
        return context.make_tuple(
            builder, kind, [_value(context, builder, one, words, places) for one in kind.types]
        )
    word = builder.load(builder.gep(words, [_WORD(next(places))]))
    if isinstance(kind, types.Array):
        return _array(context, builder, kind, word)
    if isinstance(kind, types.Float):
        real = builder.bitcast(word, ir.DoubleType())
        return real if kind.bitwidth == 64 else builder.fptrunc(real, ir.FloatType())
    return word


def _array(context: Any, builder: Any, kind: Any, word: Any) -> Any:
    """Return the array of an array object: data at `DATA`, then the number of axes, then the address of its shape."""
    fields = builder.inttoptr(builder.add(word, _WORD(DATA)), _WORD.as_pointer())
    data = builder.load(fields)
    shape_at = builder.inttoptr(builder.load(builder.gep(fields, [_WORD(2)])), _WORD.as_pointer())
    shape = [builder.load(builder.gep(shape_at, [_WORD(k)])) for k in range(kind.ndim)]
    item = context.get_constant(types.intp, kind.dtype.bitwidth // 8)
    strides = [item]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    return _filled(context, builder, kind, data, shape, strides, item)


def _filled(context: Any, builder: Any, kind: Any, data: Any, shape: Any, strides: Any, item: Any) -> Any:
    array = context.make_array(kind)(context, builder)
    where = builder.inttoptr(data, array.data.type)
    populate_array(array, data=where, shape=shape, strides=strides, itemsize=item, meminfo=None)
    return array._getvalue()


def _view(dtype: Any) -> Any:
    """Make the intrinsic that views `count` numbers at an address as a flat array, without owning them."""

    @intrinsic
    def view(typingctx, address, count):
        kind = types.Array(dtype, 1, "C")

        def generate(context, builder, signature, args):
            item = context.get_constant(types.intp, dtype.bitwidth // 8)
            return _filled(context, builder, kind, args[0], [args[1]], [item], item)

        return kind(types.int64, types.int64), generate

    return view


@intrinsic
def _trailing_zeros(typingctx, word):
    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def _part_of(typingctx, array, start, count):
    kind = types.Array(array.dtype, 1, "C")

    def generate(context, builder, signature, args):
        whole = context.make_array(array)(context, builder, args[0])
        data = builder.ptrtoint(builder.gep(whole.data, [args[1]]), _WORD)
        item = context.get_constant(types.intp, array.dtype.bitwidth // 8)
        return _filled(context, builder, kind, data, [args[2]], [item], item)

    return kind(array, types.int64, types.int64), generate


@intrinsic
def _fetch(typingctx, address):
    def generate(context, builder, signature, args):
        number, place = ir.IntType(32), ir.IntType(8).as_pointer()
        known = ir.FunctionType(ir.VoidType(), [place, number, number, number])
        ask = builder.module.declare_intrinsic("llvm.prefetch", [place], known)
        # To read, to be kept in every cache, as data.
        builder.call(ask, [builder.inttoptr(args[0], place), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def _data_of(typingctx, array):
    def generate(context, builder, signature, args):
        return builder.load(builder.inttoptr(builder.add(args[0], _WORD(DATA)), _WORD.as_pointer()))

    return types.int64(types.int64), generate


_MACHINE: dict[Function, Any] = {
    memory.bytes_at: _view(types.uint8),
    memory.halves_at: _view(types.uint16),
    memory.words_at: _view(types.uint64),
    memory.longs_at: _view(types.int64),
    memory.reals_at: _view(types.float32),
    memory.part_of: _part_of,
    memory.fetch: _fetch,
    memory.data_of: _data_of,
    memory.trailing_zeros: _trailing_zeros,
}
