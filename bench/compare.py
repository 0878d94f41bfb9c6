#!/usr/bin/env python3
"""Time this package and others on the same frames; ``--help`` tells more."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> int:
    """Run the driver; `bench` stands beside the package and is not installed with it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from bench.timing import hold_to_one_thread

    hold_to_one_thread()  # before any library is imported that asks
    os.environ["HAILO_DECODE_WAIT"] = (
        "1"  # what the interpreter would take until kernels are compiled is no figure
    )
    from bench.driver import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
