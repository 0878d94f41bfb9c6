"""Kernels as LLVM's text, between numba and machine code: tidied, and kept in a file that the package ships.

numba takes 6 s of the 8 that a frame kernel needs to become machine code; what it makes is the same on every machine with
pointers of 64 bits. So that part is done before the package is published (``tools/lower_kernels.py``), and LLVM does the
rest for the processor at hand. Text that belongs to another state of the source is not looked at: numba makes it anew, then.
"""

from __future__ import annotations

import functools
import hashlib
import json
import lzma
import re
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from hailo_decode.kernels._kernel import DATA

ENTRY = "hailo_decode_entry"  # the function that is called from outside
FILE = Path(__file__).with_name("lowered.xz")
_ROOM = Path(__file__).parent
_MAKERS = ("_build", "_jit", "_kernel", "_whole")  # beside the kernels, what the text depends on
# Shared code goes into its callers and what is unused goes: an eighth is left. All that looks at the processor comes later.
_PASSES = (
    "always_inliner",
    "sroa",
    "simplify_cfg",
    "ipsccp",
    "dead_arg_elimination",
    "argument_promotion",
    "instruction_combine",
    "simplify_cfg",
    "global_dead_code_eliminate",
    "strip_dead_prototype",
)
_NAME = re.compile(r'@(?:"[^"]+"|[\w.$-]+)')
# Hints that LLVM finds out again by itself, and that versions before 20 cannot read.
_HINTS = re.compile(
    r"(?<=zext )nneg |(?<=uitofp )nneg |(?<=or )disjoint |(?<=icmp )samesign |(?<=trunc )nuw |(?<=trunc )nsw "
    r"|(?<=inbounds )nuw |captures\(none\) |(?<=ptr )nocapture |range\(i\d+ [^)]*\) "
    r"|(?m:^.*@llvm\.lifetime\..*\n)|(?m:^; Function Attrs.*\n)|(?m:^attributes #.*\n)| #\d+\b"
)


def tidied(module: Any, symbol: str) -> str:
    """Return a module as text in which one function can be called from outside, `ENTRY`, and all other names are short."""
    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    for name in _PASSES:
        getattr(passes, f"add_{name}_pass")()
    machine = llvm.Target.from_default_triple().create_target_machine()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1)))
    text = _HINTS.sub("", str(module))
    inner = [f.name for f in module.functions if not f.is_declaration and f.name != symbol]
    inner += [v.name for v in module.global_variables]
    short = {f"@{name}": f"@f{k}" for k, name in enumerate(inner)} | {f"@{symbol}": f"@{ENTRY}"}
    return _NAME.sub(lambda found: short.get(found[0].replace('"', ""), found[0]), text)


@functools.cache
def source_digest() -> str:
    """Return a digest of all that the text depends on."""
    digest = hashlib.sha256(str(DATA).encode())
    for source in sorted(_ROOM.glob("*.py")):
        if not source.name.startswith("_") or source.stem in _MAKERS:
            digest.update(source.read_bytes())
    return digest.hexdigest()


def write(texts: dict[str, str]) -> None:
    """Write the file that `text_of` reads, from texts by the kernels' names."""
    told = json.dumps({"sources": source_digest(), "kernels": dict(sorted(texts.items()))}, indent=0)
    FILE.write_bytes(lzma.compress(told.encode(), preset=9 | lzma.PRESET_EXTREME))


def text_of(name: str) -> str | None:
    """Return a kernel's text; None where none of this state of the source is kept."""
    try:
        told = json.loads(lzma.decompress(FILE.read_bytes()))
        if told["sources"] == source_digest():
            return str(told["kernels"][name])
    except (OSError, ValueError, KeyError, TypeError, lzma.LZMAError):
        pass
    return None
