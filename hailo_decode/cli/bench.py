"""Time this package on this machine, and tell where the time goes.

DUMP.npz is a recording (Recording.save), or a bare .npz together with --network; without one, the recording
that ships with the package is decoded. Its frame is decoded over and over from the same memory, whole and in
parts, in turns.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import resources
from typing import TYPE_CHECKING, Any

from hailo_decode.cli._options import decoder_arguments, decoder_options
from hailo_decode.errors import OptionError

if TYPE_CHECKING:
    from hailo_decode.cli._stages import Timing
    from hailo_decode.recording import Recording

_DEMO = "coffee.npz"
_LONGEST = 600.0  # seconds


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dump", nargs="?", metavar="DUMP.npz", help="recorded outputs")
    parser.add_argument(
        "--network", metavar="FILE", help="model file or description, as `inspect` reads them"
    )
    parser.add_argument("--seconds", type=float, default=3.0, metavar="S", help="how long to time (3)")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="also decode on N threads (one for each processor)"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON, and nothing else")
    decoder_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Time a recording and print what came out."""
    import json
    import os

    from hailo_decode.cli._machine import machine
    from hailo_decode.cli._progress import until_compiled
    from hailo_decode.cli._stages import time_stages

    _check(args)
    options = decoder_options(args)
    recording, name = _recording(args, options)
    begin = time.perf_counter()
    _once(recording, options)
    first = time.perf_counter() - begin
    found = until_compiled(lambda: _once(recording, options))
    timing = time_stages(recording, options, args.seconds)
    threads = args.threads or os.cpu_count() or 1
    told = {
        "file": name,
        "head": found.meta.get("head") or found.meta.get("nms", ""),
        "boxes": len(found),
        "machine": machine(),
        "first_frame_ms": round(first * 1e3, 1),
        "frame_us": {
            "median": _us(timing.median),
            "p10": _us(timing.share(0.1)),
            "p90": _us(timing.share(0.9)),
            "frames": len(timing.whole),
        },
        "frames_per_second": round(1 / timing.median, 1),
        "stages": [
            {"name": s.name, "us": _us(s.seconds), "share": round(s.seconds / timing.median, 3)}
            for s in timing.stages
        ],
        "floor_us": None if timing.floor is None else _us(timing.floor),
        "threads": {
            "threads": threads,
            "frames_per_second": _on_threads(recording, options, threads, timing.median),
        },
    }
    if args.json:
        sys.stdout.write(json.dumps(told, indent=1) + "\n")
    else:
        sys.stdout.write("\n".join(_lines(told, timing)) + "\n")
    return 0


def _check(args: argparse.Namespace) -> None:
    if not 0 < args.seconds <= _LONGEST:
        raise OptionError(f"--seconds is {args.seconds:g}", wanted=f"more than 0 and at most {_LONGEST:g}")
    if args.threads is not None and args.threads < 1:
        raise OptionError(f"--threads is {args.threads}", wanted="a whole number of at least 1")


def _recording(args: argparse.Namespace, options: dict[str, Any]) -> tuple[Recording, str]:
    from hailo_decode.networks import read_network
    from hailo_decode.recording import Recording

    network = None if args.network is None else read_network(args.network)
    if args.dump is not None:
        return Recording.load(args.dump, network, input_size=options.get("input_size")), args.dump
    if network is not None:
        raise OptionError(
            "--network describes a dump, and none is given", hint="hailo-decode bench DUMP.npz --network FILE"
        )
    with resources.as_file(resources.files("hailo_decode") / "demo" / _DEMO) as file:
        return Recording.load(file), f"the demo's recording ({_DEMO})"


def _once(recording: Recording, options: dict[str, Any]) -> Any:
    from hailo_decode.decoder import Decoder

    return Decoder.from_network(recording.network, **options)(
        recording.outputs, letterbox=recording.letterbox
    )


def _on_threads(recording: Recording, options: dict[str, Any], threads: int, median: float) -> float:
    """Return the frames a second of a batch of half a second or so."""
    from hailo_decode.decoder import Decoder

    decoder = Decoder.from_network(recording.network, **options)
    count = max(threads * 2, min(20_000, int(0.5 * threads / median)))
    boxes = [recording.letterbox] * count
    for length in (threads * 2, count):  # the first one makes the memory of each thread
        begin = time.perf_counter()
        for _ in decoder.batch([recording.outputs] * length, workers=threads, letterboxes=boxes[:length]):
            pass
        seconds = time.perf_counter() - begin
    return round(count / seconds, 1)


def _us(seconds: float) -> float:
    return round(seconds * 1e6, 2)


def _lines(told: dict[str, Any], timing: Timing) -> list[str]:
    from hailo_decode.cli._machine import load
    from hailo_decode.cli._style import paint, table

    frame, threads = told["frame_us"], told["threads"]
    lines = [paint(f"{told['file']}: {told['boxes']} boxes", "bold"), f"  {told['head']}"]
    lines += [f"  {key}: {value}" for key, value in told["machine"].items()]
    busy = load()
    if busy is not None and busy > 0.7:
        lines.append(
            paint(f"  the machine is busy (load {busy:.1f}): times come out longer than they are", "yellow")
        )
    if told["stages"]:
        rows = [[s["name"], f"{s['us']:.1f}", f"{100 * s['share']:.0f}"] for s in told["stages"]]
        lines += ["", *table(["stage", "us", "%"], [*rows, ["whole frame", f"{frame['median']:.1f}", "100"]])]
    lines += [
        "",
        f"  {told['frames_per_second']:,.0f} frames a second on one thread (median of {frame['frames']:,} frames; "
        f"p10 {frame['p10']:.1f}, p90 {frame['p90']:.1f} us)",
        f"  {told['first_frame_ms']:.0f} ms for the first frame, with all checks and what has to be loaded",
    ]
    if threads["threads"] > 1:
        lines.append(f"  {threads['frames_per_second']:,.0f} frames a second on {threads['threads']} threads")
    return lines + [f"  {line}" for line in _where(timing)]


def _where(timing: Timing) -> list[str]:
    """Say in words where the time goes."""
    if not timing.stages or timing.floor is None:
        return []
    largest = max(timing.stages, key=lambda stage: stage.seconds)
    return [
        f"most of it is {largest.name}: {100 * largest.seconds / timing.median:.0f} % of the frame",
        f"one np.max pass over the scores takes {timing.floor * 1e6:.1f} us: the whole frame is "
        f"{timing.median / timing.floor:.1f} of them",
    ]
