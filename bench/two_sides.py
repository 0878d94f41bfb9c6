"""Two trees side by side: a worktree of a commit, and a process on each side."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from bench.timing import hold_to_one_thread

_HERE = Path(__file__).resolve().parent
_COUNTED = 20  # frames whose instructions are counted
# valgrind knows no AVX-512: both sides are compiled for the same processor without it.
_PLAIN_PROCESSOR = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+avx2,+fma,+bmi,+bmi2"}


@dataclass(frozen=True)
class Tree:
    """A checked out commit, and its description."""

    root: Path
    described: str


@contextlib.contextmanager
def checked_out(commit: str, into: Path) -> Iterator[Tree]:
    """Check a commit out into a folder of its own, and remove it afterwards."""
    git = ["git", "-C", str(_HERE.parent)]
    subprocess.run([*git, "worktree", "add", "--detach", "--quiet", str(into), commit], check=True)
    try:
        told = subprocess.run(
            [*git, "log", "-1", "--format=%h %s", commit], check=True, capture_output=True, text=True
        )
        yield Tree(into, told.stdout.strip())
    finally:
        subprocess.run([*git, "worktree", "remove", "--force", str(into)], check=False)


class Side:
    """A process that decodes with the package of one tree when it is told to.

    Parameters
    ----------
    root : Path
    cache : Path
        For its machine code.
    under : tuple of str
        A command that runs it, such as valgrind's.
    environment : mapping, optional
        What to add to this process's own.
    """

    def __init__(
        self,
        root: Path,
        cache: Path,
        under: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        hold_to_one_thread()
        self._process = subprocess.Popen(
            [*under, sys.executable, str(_HERE / "one_side.py"), str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "HAILO_DECODE_CACHE": str(cache),
                "PYTHONDONTWRITEBYTECODE": "1",
                **(environment or {}),
            },
        )

    @property
    def number(self) -> int:
        """The process's number."""
        return self._process.pid

    def ask(self, line: str) -> str:
        """Send a line, and return the answer.

        Raises
        ------
        RuntimeError
            When the process has gone.
        """
        _pipe(self._process.stdin).write(line + "\n")
        _pipe(self._process.stdin).flush()
        answer = _pipe(self._process.stdout).readline().strip()
        if not answer:
            raise RuntimeError(f"a side stopped at {line!r}")
        return answer

    def close(self) -> None:
        """Let the process end."""
        _pipe(self._process.stdin).close()
        self._process.wait(timeout=600)


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


class Sides:
    """Both processes.

    Parameters
    ----------
    base, now : Path
        Trees.
    folder : Path
        For their machine code.
    """

    def __init__(self, base: Path, now: Path, folder: Path) -> None:
        self._sides = {"base": Side(base, folder / "cache-base"), "now": Side(now, folder / "cache-now")}

    def __enter__(self) -> Sides:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for side in self._sides.values():
            side.close()

    def cases(self) -> list[str]:
        """Return the names of what can be compared."""
        return self._sides["now"].ask("cases").split()

    def race(self, name: str, rounds: int, calls: int) -> dict[str, Any]:
        """Return both medians, their ratio and that of each round; or why there are none."""
        medians: dict[str, list[float]] = {"base": [], "now": []}
        for turn in range(rounds):
            for key in ("base", "now") if turn % 2 else ("now", "base"):
                answer = self._sides[key].ask(f"time {name} {calls}")
                if answer.startswith("failed"):
                    return {"failed": f"{key}: {answer.removeprefix('failed ')}"}
                medians[key].append(statistics.median(map(float, answer.split())))
        ratios = [now / base for base, now in zip(medians["base"], medians["now"], strict=True)]
        return {
            "base": statistics.median(medians["base"]),
            "now": statistics.median(medians["now"]),
            "ratio": statistics.median(ratios),
            "ratios": ratios,
        }


def valgrind_missing() -> str | None:
    """Return why instructions cannot be counted here, None where they can."""
    missing = [tool for tool in ("valgrind", "callgrind_control") if shutil.which(tool) is None]
    return f"{missing[0]} is not installed" if missing else None


def count_instructions(names: list[str], base: Path, now: Path, folder: Path) -> dict[str, dict[str, float]]:
    """Return the instructions of one frame of each case, its Python included.

    Parameters
    ----------
    names : list of str
    base, now : Path
        Trees.
    folder : Path
        For machine code and dumps.

    Returns
    -------
    dict
        Of each case that both sides know, ``base_instructions`` and ``now_instructions``.
    """
    counted = {}
    for key, root in (("base", base), ("now", now)):
        place = folder / f"counted-{key}"
        place.mkdir()
        counted[f"{key}_instructions"] = _instructions(names, root, place)
    known = [name for name in names if all(name in found for found in counted.values())]
    return {name: {key: found[name] for key, found in counted.items()} for name in known}


def _instructions(names: list[str], root: Path, place: Path) -> dict[str, float]:
    first = Side(
        root, place / "cache", environment=_PLAIN_PROCESSOR
    )  # compiles: under valgrind that would take minutes
    known = [name for name in names if not first.ask(f"run {name} 1").startswith("failed")]
    first.close()
    out = place / "callgrind.out"
    tool = (
        "--tool=callgrind",
        "--instr-atstart=no",
        f"--callgrind-out-file={out}",
        f"--log-file={place / 'log'}",
    )
    side = Side(root, place / "cache", ("valgrind", *tool), _PLAIN_PROCESSOR)
    for name in known:
        side.ask(f"run {name} 4")
        for order in ("-i on", f"run {name} {_COUNTED}", "-i off", "-d"):
            if order.startswith("-"):
                subprocess.run(
                    ["callgrind_control", *order.split(), str(side.number)], check=True, capture_output=True
                )
            else:
                side.ask(order)
    side.close()
    dumps = [
        Path(f"{out}.{i}").read_text(encoding="utf-8", errors="replace") for i in range(1, len(known) + 1)
    ]
    return {name: _total(dump) / _COUNTED for name, dump in zip(known, dumps, strict=True)}


def _total(dump: str) -> int:
    found = re.search(r"^totals: (\d+)", dump, re.MULTILINE)
    return int(found.group(1)) if found else 0
