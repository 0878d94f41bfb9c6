"""Machine code of kernels: kept on disk, loaded without numba, made by another process while the interpreter works."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from threading import RLock
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from hailo_decode.kernels import _lowered
from hailo_decode.kernels._emit import Built, emit, initialize
from hailo_decode.kernels._kernel import Kernel, Native

WAIT = "HAILO_DECODE_WAIT"  # set: rather wait for compiled kernels than have the interpreter run them
_KEPT: list[Any] = []  # engines
_LOCK = RLock()
_HOPELESS: set[str] = set()  # kernels that could not be compiled: it is not tried again in each frame


def cache_folder() -> Path | None:
    """Return the folder that keeps machine code, made if need be; None where no place can be written.

    ``HAILO_DECODE_CACHE`` names another place. The folder's name holds a digest of the kernels' source, of the version of
    LLVM's binding, and of the processor.
    """
    return _folder(tuple(os.environ.get(name) for name in ("HAILO_DECODE_CACHE", "XDG_CACHE_HOME")))


@functools.lru_cache(8)
def _folder(named: tuple[str | None, ...]) -> Path | None:
    roots = [Path(place).expanduser() for place in named if place]
    with contextlib.suppress(RuntimeError):  # no home directory is known
        roots.append(Path.home() / ".cache")
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    roots.append(Path(tempfile.gettempdir()) / f"cache-{owner}")
    for root in roots:
        folder = root / "hailo_decode" / f"kernels-{_digest()}"
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
    return None


@functools.cache
def _digest() -> str:
    digest = hashlib.sha256(llvmlite.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    digest.update(llvm.get_host_cpu_name().encode())
    with contextlib.suppress(RuntimeError):  # not every processor tells its features
        digest.update(llvm.get_host_cpu_features().flatten().encode())
    return digest.hexdigest()[:12]


def machine_code(kernel: Kernel, wait: bool = False) -> Native | None:
    """Return a kernel's machine code; None while another process compiles it.

    Parameters
    ----------
    kernel : Kernel
    wait : bool
        Return when it is there.
    """
    with _LOCK:
        if kernel.native is None:
            address = _loaded(kernel.name) or _made(kernel, wait or bool(os.environ.get(WAIT)))
            if address:
                kernel.load(address)
        return kernel.native


def prepare(*kernels: Kernel) -> None:
    """Load kernels that will be wanted, and have those compiled that are not kept: all by one process, in this order."""
    with _LOCK:
        for kernel in kernels:
            address = 0 if kernel.native else _loaded(kernel.name)
            if address:
                kernel.load(address)
        missing = [kernel.name for kernel in kernels if kernel.native is None]
        if missing:
            from hailo_decode.kernels import _maker

            _maker.start(missing)


def _made(kernel: Kernel, wait: bool) -> int:
    """Return where a kernel's machine code is entered; 0 while another process compiles it."""
    from hailo_decode.kernels import _maker

    if _maker.is_being_made(kernel.name):
        if not wait:
            return 0
        _maker.wait_for(kernel.name)
    address = _loaded(kernel.name)
    if not address and kernel.name not in _HOPELESS:
        # No folder, no Python to run, or what it wrote cannot be loaded: in this process, then.
        built = _emitted(kernel.name)
        if built is not None and _all_known(built.wanted):
            return _entered(built.code)
        _HOPELESS.add(kernel.name)  # the interpreter goes on, and `meta` says so
    return address


def is_hopeless(kernel: Kernel) -> bool:
    """Tell whether it was tried to compile a kernel, and failed."""
    return kernel.name in _HOPELESS


def keep(kernel: Kernel) -> None:
    """Compile a kernel and keep its machine code: in a process that does nothing else."""
    folder = cache_folder()
    if folder is not None:
        built = _emitted(kernel.name)
        if built is None:
            from hailo_decode.kernels._build import lower

            built = emit(lower(kernel))
        _write(folder / f"{kernel.name}.code", built.code, built.wanted)


def _emitted(name: str) -> Built | None:
    """Make machine code of a kernel's text; None where there is none, or another LLVM than it was made for."""
    text = _lowered.text_of(name)
    with contextlib.suppress(RuntimeError):
        return None if text is None else emit(text)
    return None


def _write(path: Path, code: bytes, wanted: tuple[str, ...]) -> None:
    """Write a file whole or not at all: another process may be reading, or writing the same."""
    head = {"wanted": wanted, "sha256": hashlib.sha256(code).hexdigest()}
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(json.dumps(head).encode() + b"\n" + code)
    Path(file.name).replace(path)


def is_kept(name: str) -> bool:
    """Tell whether a kernel's machine code is on disk, whole."""
    return _read(name) is not None


def _read(name: str) -> tuple[dict[str, Any], bytes] | None:
    """Read what `_write` wrote; None where there is nothing, or something else."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        head_line, _, code = (folder / f"{name}.code").read_bytes().partition(b"\n")
        head = json.loads(head_line)
        whole = hashlib.sha256(code).hexdigest() == head["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return (head, code) if whole else None


def _loaded(name: str) -> int:
    """Load a kernel's machine code and return its entry; 0 where there is none, or it cannot be what was written."""
    found = _read(name)
    return _entered(found[1]) if found is not None and _all_known(found[0]["wanted"]) else 0


def _all_known(functions: Iterable[str]) -> bool:
    """Tell whether functions are there: LLVM ends the process where it misses one."""
    return all(llvm.address_of_symbol(symbol) for symbol in functions)


def _entered(code: bytes) -> int:
    """Load an object file for as long as the process lives, and return where it is entered."""
    engine = new_engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return int(engine.get_function_address(_lowered.ENTRY))


def new_engine() -> Any:
    """Return an engine of LLVM that holds nothing yet; it and its machine code live as long as the process."""
    initialize()
    machine = llvm.Target.from_default_triple().create_target_machine(codemodel="jitdefault", jit=True)
    _KEPT.append(llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine))
    return _KEPT[-1]
