#!/usr/bin/env python3
"""Compare this tree with another commit: by time in turns, and by instructions.

    python bench/regression.py [COMMIT] [--only CASES] [--instructions]

The commit (by default the last one, or the one before it where nothing is changed) is checked out beside this tree for as
long as it takes. Both sides are processes of their own, each with its own package, on the same frames; they take turns. Exit
code 1 when a case has become slower than `--allow` permits.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the comparison."""
    args = _arguments(argv)
    sys.path.insert(0, str(ROOT))
    from bench.two_sides import Sides, checked_out, count_instructions, valgrind_missing

    with (
        tempfile.TemporaryDirectory() as folder,
        checked_out(args.commit or _base(), Path(folder) / "base") as base,
    ):
        print(f"base {base.described}; now {_described()}", flush=True)
        with Sides(base.root, ROOT, Path(folder)) as sides:
            names = [n for n in sides.cases() if args.only is None or n in args.only.split(",")]
            found = {name: sides.race(name, args.rounds, args.calls) for name in names}
        reason = valgrind_missing() if args.instructions else "not asked for: --instructions"
        if reason is None:
            for name, counted in count_instructions(names, base.root, ROOT, Path(folder)).items():
                found[name] |= counted
    print(_table(found), end="")
    if reason is not None:
        print(f"  instructions: {reason}")
    if args.json:
        Path(args.json).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    slower = [name for name, figures in found.items() if _is_slower(figures, args.allow)]
    for name in slower:
        print(f"slower: {name}")
    return 1 if slower else 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/regression.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", nargs="?", help="what to compare with")
    parser.add_argument("--only", metavar="CASES", help="with commas")
    parser.add_argument("--rounds", type=int, default=40, help="turns of each side (%(default)s)")
    parser.add_argument("--calls", type=int, default=20, help="frames in a turn (%(default)s)")
    parser.add_argument(
        "--allow", type=float, default=1.05, help="most that now may take over base (%(default)s)"
    )
    parser.add_argument(
        "--instructions", action="store_true", help="count instructions with valgrind; takes minutes"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    return parser.parse_args(argv)


def _base() -> str:
    changed = _git("status", "--porcelain", "--untracked-files=no", "hailo_decode")
    return "HEAD" if changed else "HEAD~1"


def _described() -> str:
    changed = _git("status", "--porcelain", "--untracked-files=no", "hailo_decode")
    return _git("log", "-1", "--format=%h %s") + (" with changes" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True
    ).stdout.strip()


def _table(found: dict[str, dict[str, Any]]) -> str:
    head = ("case", "base us", "now us", "now/base", "spread", "base instr.", "now instr.", "now/base")
    rows = [head, *(_cells(name, figures) for name, figures in found.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "".join(
        "  "
        + "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        + "\n"
        for row in rows
    )


def _cells(name: str, figures: dict[str, Any]) -> tuple[str, ...]:
    if "failed" in figures:
        return (name, figures["failed"], "", "", "", "", "", "")
    counted: tuple[str, ...] = ("", "", "")
    if "base_instructions" in figures:
        base, now = figures["base_instructions"], figures["now_instructions"]
        counted = (f"{base:,.0f}", f"{now:,.0f}", f"{now / base:.3f}")
    ratios = figures["ratios"]
    low, high = statistics.quantiles(ratios, n=10)[0], statistics.quantiles(ratios, n=10)[-1]
    times = (
        f"{figures['base']:.1f}",
        f"{figures['now']:.1f}",
        f"{figures['ratio']:.3f}",
        f"{low:.2f}..{high:.2f}",
    )
    return (name, *times, *counted)


def _is_slower(figures: dict[str, Any], allow: float) -> bool:
    """Tell by instructions where they were counted, else by time.

    Instructions do not depend on what else the machine does.
    """
    if "base_instructions" in figures:
        return bool(figures["now_instructions"] > allow * figures["base_instructions"])
    return "ratio" in figures and bool(figures["ratio"] > allow)


if __name__ == "__main__":
    sys.exit(main())
