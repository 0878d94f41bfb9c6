#!/usr/bin/env python3
"""Checks that a wheel holds all that an installed package needs, and nothing else."""

from __future__ import annotations

import sys
import zipfile

PACKAGE = "hailo_decode/"
WANTED = (
    "py.typed",
    "__main__.py",
    "demo/coffee.npz",
    "demo/coffee.jpg",
    "demo/SOURCE.md",
    "kernels/lowered.xz",
)
SCRIPT = "hailo-decode = hailo_decode.cli:main"
MOST_BYTES = 2_000_000


def faults(path: str) -> list[str]:
    """Return what is wrong with a wheel."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        size = sum(info.compress_size for info in wheel.infolist())
        info = PACKAGE.rstrip("/") + "-" + path.rpartition("/")[2].split("-")[1] + ".dist-info/"
        scripts = wheel.read(f"{info}entry_points.txt").decode() if f"{info}entry_points.txt" in names else ""
    found = [f"{PACKAGE}{name} is missing" for name in WANTED if PACKAGE + name not in names]
    found += [f"{name} does not belong there" for name in names if not name.startswith((PACKAGE, info))]
    found += [f"{name} is left over" for name in names if "__pycache__" in name]
    if SCRIPT not in scripts:
        found.append(f"the console script {SCRIPT!r} is missing")
    if not any(name.startswith(info) and name.endswith("LICENSE") for name in names):
        found.append("the licence is missing")
    if size > MOST_BYTES:
        found.append(f"it is {size} bytes large, more than {MOST_BYTES}")
    return found


if __name__ == "__main__":
    wrong = [f"{path}: {fault}" for path in sys.argv[1:] for fault in faults(path)]
    print("\n".join(wrong) if wrong else f"{', '.join(sys.argv[1:])}: complete")
    sys.exit(1 if wrong or not sys.argv[1:] else 0)
