"""What figures of time depend on: the machine, and versions."""

from __future__ import annotations

import os
import platform
from pathlib import Path

PACKAGES = ("numpy", "numba", "llvmlite")
_BOARD = Path("/proc/device-tree/model")  # ends in a 0 byte
_PROCESSORS = Path("/proc/cpuinfo")


def machine() -> dict[str, str]:
    """Return board and processor, system, and versions.

    Returns
    -------
    dict of str to str
        ``board`` where the system tells, ``processor``, ``system``, ``python``, ``hailo_decode``, and what it runs on.
    """
    from importlib.metadata import PackageNotFoundError, version

    from hailo_decode import __version__

    found = {"board": board()} if board() else {}
    found["processor"] = f"{processor()}, {os.cpu_count()} CPUs"
    found["system"] = f"{platform.system()} {platform.release()} {platform.machine()}"
    found["python"] = platform.python_version()
    found["hailo_decode"] = __version__
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def board() -> str:
    """Return the model of a board such as a Raspberry Pi; empty where none is told."""
    return _text(_BOARD).rstrip("\0\n")


def processor() -> str:
    """Return the processor's own name, or its architecture."""
    lines = [line.partition(":") for line in _text(_PROCESSORS).splitlines()]
    told = {key.strip(): value.strip() for key, _, value in lines}
    return told.get("model name") or told.get("Hardware") or platform.processor() or platform.machine()


def load() -> float | None:
    """Return how many processes wanted to run over the last minute, if that is told."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
