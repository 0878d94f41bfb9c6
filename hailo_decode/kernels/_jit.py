"""The one compiler setting for all kernels, and where their machine code is kept."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core import config as _numba_config

Kernel = Callable[..., Any]
_njit: Any = numba.njit
_config: Any = _numba_config

# _nrt: no memory manager, so that a kernel that would allocate does not compile; counting references to the arrays of a
# frame had cost 50 us of 100. nogil: frames of several threads run side by side. error_model: a float divided by zero gives
# inf or nan instead of a branch. No fastmath: `reassoc` makes LLVM gather the softmax tables, four times
# slower, and `nnan` would let a NaN through. No `parallel`: a frame is too short for a thread pool.
_OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False, "_nrt": False}


def cache_folder() -> Path | None:
    """Return the folder that keeps compiled kernels, made if need be; None where no place can be written.

    ``HAILO_DECODE_CACHE`` names another place. The folder's name holds a digest of the kernels' source: numba
    itself looks only at the file of the outermost function, and would run stale code after a change in an inner one.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    name = f"kernels-{digest.hexdigest()[:12]}"
    places = [os.environ.get("HAILO_DECODE_CACHE"), os.environ.get("XDG_CACHE_HOME")]
    roots = [Path(p).expanduser() for p in places if p]
    with contextlib.suppress(RuntimeError):  # no home directory is known
        roots.append(Path.home() / ".cache")
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    roots.append(Path(tempfile.gettempdir()) / f"cache-{owner}")
    for root in roots:
        folder = root / "hailo_decode" / name
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
    return None


@contextlib.contextmanager
def _numba_cache_in(folder: Path) -> Iterator[None]:
    # numba takes its cache folder from a process-wide setting, at the moment a function is decorated.
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        _config.CACHE_DIR = before


_FOLDER = cache_folder()


def kernel(function: Kernel) -> Any:
    """Compile a function on first use and keep the machine code on disk."""
    if _FOLDER is None:  # costs a compilation in each process, nothing else
        return _njit(**_OPTIONS)(function)
    with _numba_cache_in(_FOLDER):
        return _njit(cache=True, **_OPTIONS)(function)


def inner(function: Kernel) -> Any:
    """Compile a small function into its callers: arrays cost seven arguments each in a real call."""
    return _njit(forceinline=True, **_OPTIONS)(function)


def apart(function: Kernel) -> Any:
    """Compile a function that kernels call now and then by itself: its code stands once, and is compiled once."""
    return _njit(**_OPTIONS)(function)
