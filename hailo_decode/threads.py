"""Many frames: each with its letterbox, on several threads, results in the order of the frames."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from hailo_decode.describe import Outputs
from hailo_decode.errors import OptionError
from hailo_decode.values.letterbox import Letterbox

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_order(function: Callable[[Job], Result], jobs: Iterable[Job], workers: int) -> Iterator[Result]:
    """Yield results in the order of the jobs, keeping at most two jobs a worker ahead of the reader."""
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[Result]] = deque()
        for job in jobs:
            waiting.append(pool.submit(function, job))
            if len(waiting) >= 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


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
