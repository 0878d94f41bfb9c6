"""Many frames: each with its letterbox, on several threads, results in the order of the frames."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from hailo_decode.describe import Outputs
from hailo_decode.errors import OptionError
from hailo_decode.values.letterbox import Letterbox

Function = Callable[[list[Any]], Iterable[Any]]  # from jobs to their results, in order
_SPAN = 0.002  # seconds of work that are handed over at once: a thread takes some 50 us to wake up, a frame 40 to decode
_MOST_JOBS = 8  # in one such span: frames that come slowly are handed over one by one


class _Part:
    """Some jobs, the thread that runs them first come, and their results once they are done."""

    def __init__(self, jobs: list[Any]) -> None:
        self.jobs = jobs
        self.results: list[Any] = []
        self.error: BaseException | None = None
        self.seconds = 0.0  # of one job
        self._taken = Lock()
        self._done = Lock()  # held until then: cheaper than an event
        self._done.acquire()

    def run(self, function: Function) -> None:
        """Do the jobs, unless another thread has taken them."""
        if not self._taken.acquire(blocking=False):
            return
        began = time.perf_counter()
        try:
            self.results.extend(function(self.jobs))
        except BaseException as error:  # raised where the results are read
            self.error = error
        self.seconds = (time.perf_counter() - began) / max(len(self.jobs), 1)
        self.jobs = []
        self._done.release()

    def is_done(self) -> bool:
        """Tell whether the results are there."""
        return not self._done.locked()

    def read(self) -> Iterator[Any]:
        """Wait for the results, and yield them; what the jobs raised comes behind those before it."""
        with self._done:
            yield from self.results
        if self.error is not None:
            raise self.error


def in_order(function: Function, jobs: Iterable[Any], workers: int) -> Iterator[Any]:
    """Yield results in the order of the jobs, keeping at most two spans of jobs a worker ahead of the reader.

    Jobs are taken in the reader's thread, which is one of the workers: it does what it would wait for otherwise. Where their
    source or the function raises, results of the jobs before come first.
    """
    todo: SimpleQueue[_Part | None] = SimpleQueue()
    threads = [Thread(target=_work, args=(function, todo), daemon=True) for _ in range(workers - 1)]
    for thread in threads:
        thread.start()
    waiting: deque[_Part] = deque()
    source, size, end = iter(jobs), 1, None
    try:
        while end is None or waiting:
            while end is None and len(waiting) < 2 * workers:
                began = time.perf_counter()
                taken, end = _take(source, size)
                each = (time.perf_counter() - began) / max(len(taken), 1)
                waiting.append(_Part(taken))
                todo.put(waiting[-1])
            for part in waiting:
                if waiting[0].is_done():
                    break
                part.run(function)
            part = waiting.popleft()
            yield from part.read()
            size = max(1, min(int(_SPAN / (part.seconds + each)), _MOST_JOBS))
    finally:
        for _ in threads:
            todo.put(None)
        for thread in threads:
            thread.join()
    if not isinstance(end, StopIteration):
        raise end


def _take(source: Iterator[Any], count: int) -> tuple[list[Any], Exception | None]:
    """Return jobs, and what ended them: StopIteration where that was the end, None where there may be more."""
    jobs: list[Any] = []
    try:
        for _ in range(count):
            jobs.append(next(source))
    except Exception as error:  # raised when all before it has been read
        return jobs, error
    return jobs, None


def _work(function: Function, todo: SimpleQueue[_Part | None]) -> None:
    while (part := todo.get()) is not None:
        part.run(function)


def with_letterboxes(
    frames: Iterable[Outputs], letterboxes: Sequence[Letterbox | None] | None
) -> Iterator[tuple[Outputs, Letterbox | None]]:
    """Yield each frame with its letterbox.

    Raises
    ------
    OptionError
        When there are more or fewer letterboxes than frames.
    """
    seen = 0
    for frame in frames:
        if letterboxes is not None and seen == len(letterboxes):
            raise OptionError(f"there are {seen} letterboxes and more frames", wanted="one for each frame")
        yield frame, letterboxes[seen] if letterboxes is not None else None
        seen += 1
    if letterboxes is not None and seen < len(letterboxes):
        raise OptionError(
            f"there are {len(letterboxes)} letterboxes for {seen} frames", wanted="one for each frame"
        )
