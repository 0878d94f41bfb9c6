#!/usr/bin/env python3
"""Lower all kernels to LLVM's text, and write the file that the package ships; to be run whenever a kernel has changed."""

from __future__ import annotations

import gc
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from hailo_decode.kernels import _lowered
from hailo_decode.kernels._jit import all_kernels


def lower(name: str) -> str:
    """Return the text of one kernel, in a process of its own."""
    from hailo_decode.kernels import _build

    gc.disable()
    return _build.lower(all_kernels()[name])


def main() -> int:
    """Write the file, and tell its size."""
    names = list(all_kernels())
    with ProcessPoolExecutor(mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        texts = dict(zip(names, pool.map(lower, names), strict=True))
    _lowered.write(texts)
    print(f"{len(texts)} kernels in {_lowered.FILE.name}: {_lowered.FILE.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
