"""From LLVM's text to machine code for the processor at hand."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm


@dataclass(frozen=True, slots=True)
class Built:
    """Machine code of a kernel.

    Attributes
    ----------
    code : bytes
        An object file.
    wanted : tuple of str
        Functions of the C library that it calls.
    """

    code: bytes
    wanted: tuple[str, ...]


def initialize() -> None:
    """Make LLVM ready for this processor."""
    with contextlib.suppress(RuntimeError):  # newer versions do it by themselves, and refuse
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def emit(text: str) -> Built:
    """Optimise a module once, and make machine code of it.

    Raises
    ------
    RuntimeError
        When this version of LLVM does not understand the text.
    """
    initialize()
    machine = host_machine()
    module = llvm.parse_assembly(_at_home(text, machine))
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(3)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    functions = module.functions
    wanted = tuple(f.name for f in functions if f.is_declaration and not f.name.startswith("llvm."))
    return Built(machine.emit_object(module), wanted)


def host_machine() -> Any:
    """Return what LLVM makes machine code for: this very processor."""
    features = ""
    with contextlib.suppress(RuntimeError):  # not every processor tells its features
        features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=features,
        opt=3,
        reloc="static" if target.name.startswith("x86") else "default",  # as numba has it
        codemodel="jitdefault",
        jit=True,
    )


def _at_home(text: str, machine: Any) -> str:
    """Return a text that was made on another kind of machine as one of this kind."""
    text = re.sub(r"(?m)^target triple = .*$", f'target triple = "{machine.triple}"', text)
    return re.sub(r"(?m)^target datalayout = .*$", f'target datalayout = "{machine.target_data}"', text)
