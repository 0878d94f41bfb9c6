"""Another process that compiles kernels meanwhile, and what it runs: ``python -m hailo_decode.kernels._maker NAME ...``."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from hailo_decode.kernels import _store

_ROOT = Path(__file__).parents[2]
_LONGEST = 300.0  # seconds that another process is waited for; then it is taken for dead
_PAUSE = 0.02
_MOST_MAKERS = 4  # of 250 MB each
_makers: dict[str, subprocess.Popen[bytes]] = {}


def is_being_made(name: str) -> bool:
    """Tell whether another process compiles a kernel; one is started if need be.

    False where none can do so: no folder to keep what it makes, no Python to run, or it has ended and made nothing.
    """
    if name not in _makers:
        return start([name])
    return _makers[name].poll() is None


def start(names: Sequence[str]) -> bool:
    """Start another process that compiles kernels, those apart that one compiles already; tell whether that can be."""
    names = [name for name in names if name not in _makers or _makers[name].poll() is not None]
    if not names:
        return True
    if _store.cache_folder() is None or not _can_start():
        return False
    paths = [str(_ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    try:
        maker = subprocess.Popen(
            [sys.executable, "-m", __name__, *names],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # it goes on when this process ends: the next one finds what it made
        )
    except OSError:
        return False
    _makers.update(dict.fromkeys(names, maker))
    return True


def wait_for(name: str) -> None:
    """Return when a kernel is kept on disk, or cannot be had."""
    while is_being_made(name) and not _store.is_kept(name):
        time.sleep(_PAUSE)


def make_all() -> Iterator[str]:
    """Have every kernel compiled that is not kept, and yield the names of all as they are there."""
    from hailo_decode.kernels._jit import all_kernels

    kernels = all_kernels()
    missing = [name for name in kernels if not _store.is_kept(name)]
    share = min(os.cpu_count() or 1, _MOST_MAKERS)
    for k in range(min(share, len(missing))):
        start(missing[k::share])
    waiting = dict(kernels)
    while waiting:
        for name in list(waiting):
            if _store.is_kept(name) or not is_being_made(name):
                _store.machine_code(waiting.pop(name), wait=True)
                yield name
        time.sleep(_PAUSE)


def _can_start() -> bool:
    """Tell whether this process's program is a Python: in a frozen or embedding one, running it would run that program."""
    return Path(sys.executable or "").name.startswith("python") and not getattr(sys, "frozen", False)


def _make(names: Sequence[str]) -> None:
    from hailo_decode.kernels._jit import all_kernels

    gc.disable()  # numba makes many objects and no garbage worth the search for it: an eighth of the time
    kernels = all_kernels()
    for name in names:
        with _alone(name):
            if not _store.is_kept(name):
                _store.keep(kernels[name])


@contextlib.contextmanager
def _alone(name: str) -> Iterator[None]:
    """Wait while another process compiles the same, as long as it may be alive."""
    folder = _store.cache_folder()
    lock = None if folder is None else folder / f"{name}.making"
    start = time.time()
    while lock is not None:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if _store.is_kept(name):
                yield
                return
            with contextlib.suppress(OSError):
                if time.time() - max(lock.stat().st_mtime, start - _LONGEST) > _LONGEST:
                    lock.unlink()
            time.sleep(_PAUSE)
        except OSError:
            break
    try:
        yield
    finally:
        if lock is not None:
            with contextlib.suppress(OSError):
                lock.unlink()


if __name__ == "__main__":
    _make(sys.argv[1:])
