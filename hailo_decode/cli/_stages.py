"""Where the time of a frame goes: a decoder's parts, timed alone and left out."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hailo_decode.plan import Plan
    from hailo_decode.recording import Recording

_ROUNDS = 25
_MOST_CALLS = 200  # of one part in one round
_RESULTS = {
    "masks": "masks, checks and result",
    "keypoints": "keypoints, checks and result",
    "angle": "corners, checks and result",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One part of a frame.

    Attributes
    ----------
    name : str
    seconds : float
        Of the median frame.
    """

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the time goes.

    Attributes
    ----------
    whole : tuple of float
        Seconds of every whole frame that was decoded, sorted.
    stages : tuple of Stage
        Parts of the median frame, in order; empty for NMS results, which are read in one.
    floor : float or None
        Seconds of one ``np.max`` pass over the tensors that hold the scores: no decoder can be faster than reading them.
    """

    whole: tuple[float, ...]
    stages: tuple[Stage, ...]
    floor: float | None

    @property
    def median(self) -> float:
        """Seconds of the median frame."""
        return statistics.median(self.whole)

    def share(self, part: float) -> float:
        """Return the value that a part of the frames stays under, 0..1, seconds."""
        return self.whole[min(int(part * len(self.whole)), len(self.whole) - 1)]


def time_stages(recording: Recording, options: Mapping[str, Any], seconds: float) -> Timing:
    """Decode a recording over and over, whole and in parts, in turns.

    The kernels are one call. What of it is the reading of all scores comes from a threshold that nothing reaches, what is
    suppression from a decoder that does without.

    Parameters
    ----------
    recording : Recording
    options : mapping
        As `Decoder.from_network` takes them.
    seconds : float
        To take in all, about.
    """
    from hailo_decode.decoder import Decoder

    decoder, box = Decoder.from_network(recording.network, **options), recording.letterbox
    parts: dict[str, Callable[[], Any]] = {"whole": lambda: decoder(recording.outputs, letterbox=box)}
    heads = "head" in parts["whole"]().meta  # not in that of an NMS result
    plan = decoder.plan(recording.outputs) if heads else None
    if plan is not None:
        parts |= _parts(plan, recording)
        for name, other in (("scan", {"conf": 1.0}), ("boxes", {"suppress": False})):
            parts[name] = _kernels(Decoder.from_network(recording.network, **{**options, **other}), recording)
    times = _in_turns(parts, seconds)
    whole = tuple(sorted(times["whole"]))
    if plan is None:
        return Timing(whole, (), None)
    middle = {name: statistics.median(values) for name, values in times.items()}
    return Timing(whole, _stages(middle, plan), middle["floor"])


def _parts(plan: Plan, recording: Recording) -> dict[str, Callable[[], Any]]:
    from hailo_decode.describe import named
    from hailo_decode.frame import laid_out, run_frame
    from hailo_decode.workspace import Workspace

    outputs = named(recording.outputs)
    arrays, workspace, box = laid_out(plan, outputs) or [], Workspace(plan), recording.letterbox
    role = plan.family.fields(plan.sizes)["cls"].role
    scores = [plan.tensors[level.outputs[role].name].data for level in plan.reading.levels]
    parts: dict[str, Callable[[], Any]] = {
        "flat": lambda: laid_out(plan, outputs),
        "kernels": lambda: _run(workspace, arrays),
        "frame": lambda: run_frame(plan, workspace, arrays, box, None),
        "floor": lambda: [np.max(one) for one in scores],
    }
    masks = plan.family.extra is not None and plan.family.extra.kind == "masks"
    if box is not None and not masks:  # masks are another work in pixels of the input
        parts["unplaced"] = lambda: run_frame(plan, workspace, arrays, None, None)
    return parts


def _kernels(decoder: Any, recording: Recording) -> Callable[[], Any]:
    from hailo_decode.describe import named
    from hailo_decode.frame import laid_out
    from hailo_decode.workspace import Workspace

    plan = decoder.plan(recording.outputs)
    arrays, workspace = laid_out(plan, named(recording.outputs)) or [], Workspace(plan)
    return lambda: _run(workspace, arrays)


def _run(workspace: Any, arrays: Any) -> None:
    workspace.take(arrays)
    workspace.run()


def _in_turns(parts: Mapping[str, Callable[[], Any]], seconds: float) -> dict[str, list[float]]:
    """Return the seconds of each call; what disturbs one part disturbs all."""
    share = seconds / _ROUNDS / len(parts)
    calls = {name: max(1, min(_MOST_CALLS, int(share / _once(part)))) for name, part in parts.items()}
    times: dict[str, list[float]] = {name: [] for name in parts}
    for _ in range(_ROUNDS):
        for name, part in parts.items():
            for _ in range(calls[name]):
                start = time.perf_counter()
                part()
                times[name].append(time.perf_counter() - start)
    return times


def _once(part: Callable[[], Any]) -> float:
    part()
    start = time.perf_counter()
    part()
    return max(time.perf_counter() - start, 1e-7)


def _stages(middle: Mapping[str, float], plan: Plan) -> tuple[Stage, ...]:
    """Return what one part has and another has not; 0 where noise makes it less."""
    extra = plan.family.extra
    result = _RESULTS[extra.kind] if extra is not None else "checks and result"
    boxes = min(middle["boxes"], middle["kernels"])
    unplaced = middle.get("unplaced", middle["frame"])
    spans = {
        "finding the outputs": middle["flat"],
        "reading all scores": min(middle["scan"], boxes),
        "candidates and boxes": boxes - middle["scan"],
        "suppression": middle["kernels"] - boxes,
        result: unplaced - middle["kernels"],
    }
    if "unplaced" in middle:
        spans["pixels of the photo"] = middle["frame"] - unplaced
    spans["the rest"] = middle["whole"] - sum(max(span, 0.0) for span in spans.values())
    return tuple(Stage(name, max(span, 0.0)) for name, span in spans.items())
