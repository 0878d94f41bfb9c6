"""Many calls of kernels in one: a thread gives up the interpreter's lock once for a dozen frames, not for each.

With two threads and a lock given up for each frame of 40 us, both wait for each other: 256 frames took 1.3 times as long as
on one thread.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from hailo_decode.kernels._kernel import Bound
from hailo_decode.kernels._store import new_engine

_NOTHING = ctypes.create_string_buffer(64)


def run_all(calls: Sequence[Bound]) -> None:
    """Run calls one after the other; their kernels must be compiled."""
    entries = [word for call in calls for word in call.entry]
    words = (ctypes.c_int64 * len(entries))(*entries)
    _caller()(ctypes.addressof(_NOTHING), ctypes.addressof(words), len(calls))


@functools.cache
def _caller() -> Callable[[int, int, int], None]:
    module = llvm.parse_assembly(str(_module()))
    engine = new_engine()
    engine.add_module(module)
    engine.finalize_object()
    take = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    return take(engine.get_function_address("run_all"))


def _module() -> Any:
    """Write the loop: ``entries`` holds a function and its argument by turns."""
    word, byte = ir.IntType(64), ir.IntType(8).as_pointer()
    kernel = ir.FunctionType(ir.IntType(32), [byte, byte, byte]).as_pointer()
    module = ir.Module("run_all")
    module.triple = llvm.get_process_triple()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [byte, word.as_pointer(), word]), "run_all")
    nothing, entries, count = function.args
    begin, loop, end = (function.append_basic_block(name) for name in ("begin", "loop", "end"))
    builder = ir.IRBuilder(begin)
    builder.cbranch(builder.icmp_signed(">", count, word(0)), loop, end)
    builder.position_at_end(loop)
    k = builder.phi(word)
    place = builder.shl(k, word(1))
    run = builder.inttoptr(builder.load(builder.gep(entries, [place])), kernel)
    table = builder.inttoptr(builder.load(builder.gep(entries, [builder.add(place, word(1))])), byte)
    builder.call(run, [nothing, nothing, table])
    following = builder.add(k, word(1))
    k.add_incoming(word(0), begin)
    k.add_incoming(following, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, end)
    builder.position_at_end(end)
    builder.ret_void()
    return module
