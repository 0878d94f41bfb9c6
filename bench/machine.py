"""Where and with what the figures were taken."""

from __future__ import annotations

import importlib.metadata
import time

from hailo_decode.cli import _machine

_PEERS = (
    "opencv-python",
    "opencv-python-headless",
    "torch",
    "torchvision",
    "edgefirst-decoder",
    "pycocotools",
)


def machine() -> dict[str, str]:
    """Return what the figures depend on: day, machine, versions, the peers' too."""
    found = {"date": time.strftime("%Y-%m-%d"), **_machine.machine()}
    for name in _PEERS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
