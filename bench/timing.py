"""Timing in turns: what disturbs one way disturbs all."""

from __future__ import annotations

import ctypes
import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.peers._peer import Way

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
_MOST_CALLS = 400  # of one way in one round
_SLOW = 0.3  # seconds: a way this slow is called once a round, in three rounds at most


@dataclass(frozen=True)
class Budget:
    """How long to time: seconds for each way of a row, shared out over rounds."""

    seconds: float = 0.6
    rounds: int = 12

    @property
    def quick(self) -> bool:
        """Whether this is a look, not a measurement."""
        return self.rounds < 5


@dataclass
class Samples:
    """What was measured of one way.

    Attributes
    ----------
    unit : str
        ``"us"``, ``"ms"``, ``"MB"``, ``"bytes"`` or ``"frames/s"``.
    values : list of float
        One a call, or one a process.
    cpu : list of float
        Processor time a call, of the calling thread, one a round; empty where it was not taken.
    rounds : list of float
        The middle value of each round; empty where there were no rounds.
    """

    unit: str
    values: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The middle value."""
        return statistics.median(self.values)

    @property
    def p10(self) -> float:
        """What a tenth of the values stay under; steadier on a shared machine."""
        return float(np.percentile(self.values, 10))

    @property
    def spread(self) -> float:
        """From p10 to p90, as a share of the median."""
        low, high = np.percentile(self.values, [10, 90])
        return float((high - low) / self.median) if self.median else 0.0

    @property
    def cpu_median(self) -> float | None:
        """The middle of the processor times, None where there are none."""
        return statistics.median(self.cpu) if self.cpu else None

    def times(self, ours: Samples) -> float:
        """Return how many times as long this way takes: round by round, and the middle of that.

        A machine that is slow for some seconds is so for both ways of a round; over all calls together, it may be so for
        more of the one's than of the other's.
        """
        return _middle_ratio(self.rounds, ours.rounds) or self.median / ours.median

    def cpu_times(self, ours: Samples) -> float | None:
        """Return the same by processor time; None where it was not taken."""
        return _middle_ratio(self.cpu, ours.cpu)


def _middle_ratio(one: list[float], other: list[float]) -> float | None:
    ratios = [a / b for a, b in zip(one, other, strict=False) if b > 0]  # slow ways stop after a few rounds
    return statistics.median(ratios) if ratios else None


def hold_to_one_thread() -> None:
    """Ask every library for one thread; to be called before any of them is imported."""
    for name in _ONE_THREAD:
        os.environ[name] = "1"


def keep_freed_memory() -> None:
    """Let glibc keep what is freed, as it does in a long-lived process.

    Without it, page faults double the times of NumPy and torch.
    """
    try:
        libc = ctypes.CDLL(None)
        libc.mallopt(-1, 1 << 30)  # M_TRIM_THRESHOLD
        libc.mallopt(-3, 1 << 25)  # M_MMAP_THRESHOLD: 32 MiB are the most it takes
    except (OSError, AttributeError):  # another C library: the peers are then a little slower
        return


def race(ways: Sequence[Way], frames: int, budget: Budget) -> dict[str, Samples]:
    """Time ways in turns on rotating frames, after a first call of each.

    Parameters
    ----------
    ways : sequence of Way
    frames : int
        How many there are to rotate through.
    budget : Budget

    Returns
    -------
    dict of str to Samples
        In microseconds a call.
    """
    found = {way.name: Samples("us") for way in ways}
    seconds = {way.name: _estimate(way.run, frames) for way in ways}
    gc.collect()
    gc.disable()
    try:
        for turn in range(budget.rounds):
            for way in [*ways[turn % len(ways) :], *ways[: turn % len(ways)]]:
                if seconds[way.name] > _SLOW and turn >= 3:
                    continue
                calls = int(budget.seconds / budget.rounds / seconds[way.name])
                _one_turn(way.run, max(1, min(calls, _MOST_CALLS)), frames, turn, found[way.name])
    finally:
        gc.enable()
    return found


def _estimate(run: Callable[[int], Any], frames: int) -> float:
    """Return about how many seconds a call takes.

    The very first one, which may load or compile, does not count.
    """
    run(0)
    best = float("inf")
    for k in range(5):
        start = time.perf_counter()
        run(k % frames)
        best = min(best, time.perf_counter() - start)
        if best > _SLOW:
            break
    return best


def _one_turn(run: Callable[[int], Any], calls: int, frames: int, turn: int, into: Samples) -> None:
    clock, values = time.perf_counter_ns, into.values
    first = turn * calls
    worked = time.thread_time_ns()
    for k in range(first, first + calls):
        frame = k % frames
        start = clock()
        run(frame)
        values.append((clock() - start) / 1e3)
    into.rounds.append(statistics.median(values[-calls:]))
    into.cpu.append((time.thread_time_ns() - worked) / calls / 1e3)
