"""The driver: chosen rows one after the other, as text, JSON and a page."""

from __future__ import annotations

import argparse
import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from bench.machine import machine
from bench.outcome import Outcome, row_text, summary
from bench.peers import absent
from bench.rows import all_rows
from bench.rows._row import Row
from bench.timing import Budget, keep_freed_memory
from hailo_decode.cli._machine import load

FULL, QUICK = Budget(), Budget(0.03, 3)


def run(argv: list[str] | None = None) -> int:
    """Measure, print, write, and return the exit code.

    0 where every target that was measured is met, 1 where one is missed or a row failed, 2 where no row was chosen.
    """
    args = _arguments(argv)
    chosen = _chosen(args.only)
    if args.list or not chosen:
        names = [
            f"{row.name:20} {subject:12} {row.title}" for subject, rows in all_rows().items() for row in rows
        ]
        print("\n".join(names))
        return 0 if args.list else 2
    budget = QUICK if args.quick else Budget(args.seconds, FULL.rounds)
    keep_freed_memory()
    outcome = Outcome(machine(), absent(), quick=args.quick)
    before = load()
    if args.json != "-":
        print(_about(outcome, before), flush=True)
    for subject, row in chosen:
        _measure(outcome, subject, row, budget, quiet=args.json == "-")
    outcome.load = (before, load())
    if args.json != "-":
        print(summary(outcome), end="")
    _write(args, outcome)
    return 1 if outcome.failed or any(v.met is False for _, v in outcome.verdicts()) else 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/compare.py",
        description="Time this package and others on the same frames, in turns, in one process.",
    )
    parser.add_argument(
        "--only", metavar="NAMES", help="rows or subjects, with commas; * stands for any letters"
    )
    parser.add_argument("--quick", action="store_true", help="a look in seconds: few frames, few calls")
    parser.add_argument(
        "--seconds", type=float, default=FULL.seconds, help="for each way of a row (%(default)s)"
    )
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    parser.add_argument(
        "--json", metavar="FILE", nargs="?", const="-", help="write all figures; alone or -, print them"
    )
    parser.add_argument("--write", metavar="PAGE", help="write the page of the documentation")
    return parser.parse_args(argv)


def _chosen(only: str | None) -> list[tuple[str, Row]]:
    every = [(subject, row) for subject, rows in all_rows().items() for row in rows]
    if only is None:
        return every
    wanted = [word.strip() for word in only.split(",")]
    return [
        (subject, row)
        for subject, row in every
        if any(fnmatchcase(row.name, word) or fnmatchcase(subject, word) for word in wanted)
    ]


def _measure(outcome: Outcome, subject: str, row: Row, budget: Budget, *, quiet: bool) -> None:
    try:
        figures = row.measure(budget)
    except Exception as error:  # one row that fails shall not lose the others
        outcome.failed[row.name] = f"{type(error).__name__}: {error}"
        if not quiet:
            print(f"{row.name}: {outcome.failed[row.name]}\n", file=sys.stderr, flush=True)
        return
    outcome.measured.append((subject, row, figures))
    if not quiet:
        print(row_text(row, figures), flush=True)


def _about(outcome: Outcome, before: float | None) -> str:
    lines = [f"{key}: {value}" for key, value in outcome.machine.items()]
    lines += [f"absent: {name} ({reason})" for name, reason in outcome.absent.items()]
    if before is not None and before > 0.5:
        lines.append(f"the machine is busy (load {before:.1f}): long calls come out longer than they are")
    return "\n".join(lines) + "\n"


def _write(args: argparse.Namespace, outcome: Outcome) -> None:
    if args.json is not None:
        text = json.dumps(outcome.as_json(), indent=1) + "\n"
        if args.json == "-":
            sys.stdout.write(text)
        else:
            Path(args.json).write_text(text, encoding="utf-8")
    if args.write is not None:
        from bench.page import page

        Path(args.write).write_text(page(outcome, FULL.rounds), encoding="utf-8")
