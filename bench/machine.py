"""Where and with what the figures were taken."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import time
from pathlib import Path

PACKAGES = (
    "numpy",
    "numba",
    "llvmlite",
    "opencv-python",
    "opencv-python-headless",
    "torch",
    "torchvision",
    "edgefirst-decoder",
    "pycocotools",
)


def machine() -> dict[str, str]:
    """Return what the figures depend on: processor, system, versions."""
    from hailo_decode import __version__

    found = {
        "date": time.strftime("%Y-%m-%d"),
        "processor": f"{_processor()}, {os.cpu_count()} CPUs",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "hailo_decode": __version__,
    }
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def load() -> float | None:
    """Return how many processes wanted to run over the last minute, None where the system does not tell."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def _processor() -> str:
    keys = ("model name", "Model", "Hardware")  # x86, Raspberry Pi, older ARM kernels
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    told = {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in lines if ":" in line}
    return next((told[key] for key in keys if told.get(key)), platform.machine())
