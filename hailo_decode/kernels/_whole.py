"""A kernel and all it calls as one LLVM module: for a process that lowers kernels and does nothing else.

numba optimises every function by itself, makes machine code of it, and does so again in each of its callers: a frame kernel
takes 17 s like that, and 7 as a whole. What is lowered here cannot be called by numba, so numba must not be used in this
process for anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.registry import cpu_target

# What kernels have no use for: closures, lists, exceptions, parallel loops. Behind each pass numba works out anew where each
# variable lives: a seventh of the time.
_NEEDLESS = {
    "DumpParforDiagnostics",
    "FindLiterallyCalls",
    "InlineClosureLikes",
    "InlineInlinables",
    "InlineOverloads",
    "LiteralPropagationSubPipelinePass",
    "LiteralUnroll",
    "MakeFunctionToJitFunction",
    "NoPythonSupportedFeatureValidation",
    "NopythonRewrites",
    "RewriteDynamicRaises",
    "WithLifting",
}


class Lean(CompilerBase):
    """numba's passes, less those that change nothing here."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [one for one in passes.passes if getattr(one[0], "__name__", "") not in _NEEDLESS]
        passes.finalize()
        return [passes]


class _Part(JITCodeLibrary):
    """The code of one function, as numba lowers it: neither optimised nor linked until the whole is."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


def _below(library: Any, seen: dict[Any, None]) -> Iterator[Any]:
    for part in library._linking_libraries:
        if part not in seen:
            seen[part] = None
            yield part
            yield from _below(part, seen)


def compile_whole(compile_entry: Callable[[], Any]) -> tuple[Any, str]:
    """Run numba's compiler, keep LLVM from it until all parts are there, and return them as one module.

    Parameters
    ----------
    compile_entry : callable
        Compiles the outermost function, and returns numba's result.

    Returns
    -------
    module : llvmlite's module
    symbol : str
        The outermost function in it.
    """
    codegen = cpu_target.target_context.codegen()
    codegen._library_class = _Part
    codegen.set_env = lambda name, env: None
    result = compile_entry()
    library = result.library
    for part in _below(library, {}):
        library._final_module.link_in(part._get_module_for_linking(), preserve=True)
    return library._final_module, result.fndesc.llvm_func_name
