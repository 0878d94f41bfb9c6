"""Compile all kernels now, so that no frame has to wait for them later.

Machine code is kept on disk for this state of the package, for the version of LLVM, and this processor; later processes
load it from there, without numba. HAILO_DECODE_CACHE names another folder, which a container image may hold. Where none is
kept, decoding starts at once all the same: Python's interpreter runs the kernels while another process compiles them.

Exit code 1 when no folder can be written: then each process compiles for itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import time


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--json", action="store_true", help="print folder, bytes and seconds as JSON, at the end"
    )


def run(args: argparse.Namespace) -> int:
    """Have every kernel compiled, and tell where the machine code is."""
    from hailo_decode.kernels._maker import make_all
    from hailo_decode.kernels._store import cache_folder

    start = time.perf_counter()
    steps = []
    for name in make_all():
        steps.append({"kernel": name, "seconds": round(time.perf_counter() - start, 3)})
        if not args.json:
            sys.stdout.write(f"  {steps[-1]['seconds']:6.2f} s  {name}\n")
            sys.stdout.flush()
    seconds = time.perf_counter() - start
    folder = cache_folder()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder else 0
    if args.json:
        told = {
            "folder": str(folder) if folder else None,
            "bytes": size,
            "seconds": round(seconds, 3),
            "steps": steps,
        }
        sys.stdout.write(json.dumps(told, indent=1) + "\n")
    elif folder:
        sys.stdout.write(
            f"all kernels ready in {seconds:.1f} s; {size / 1e6:.1f} MB of machine code in {folder}\n"
        )
    else:
        sys.stdout.write(
            f"all kernels compiled in {seconds:.1f} s, and kept nowhere: no folder can be written\n"
            "  hint: HAILO_DECODE_CACHE=FOLDER names one\n"
        )
    return 0 if folder else 1
