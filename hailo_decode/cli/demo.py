"""Decode a recording that ships with the package, draw it, and say what to try next.

Writes four files: the recording and its photo, the photo with its boxes, and the boxes as JSON.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hailo_decode.values.boxes import Detections

_NAME = "coffee"
_FRAMES = 100


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--out", default="demo-out", metavar="FOLDER", help="where to write (demo-out)")
    parser.add_argument("--json", action="store_true", help="print the boxes as JSON, and nothing else")


def run(args: argparse.Namespace) -> int:
    """Decode the recording, write the files, and print what was found."""
    from hailo_decode.cli._results import as_json, document, frame_words, lines_of
    from hailo_decode.cli._style import paint
    from hailo_decode.decoder import Decoder
    from hailo_decode.recording import Recording

    out = Path(args.out)
    dump, photo = _unpacked(out)
    recording = Recording.load(dump)
    letterbox = recording.letterbox
    decoder = Decoder.from_network(recording.network)
    detections, first, later = _timed(lambda: decoder(recording.outputs, letterbox=letterbox))
    size = recording.network.image_size
    text = as_json([document(str(dump), recording.network, detections, size)], as_list=False) + "\n"
    written = out / f"{_NAME}-boxes.json"
    written.write_text(text, encoding="utf-8")
    if args.json:
        sys.stdout.write(text)
    else:
        kinds = sorted({array.dtype.name for array in recording.outputs.values()})
        lines = [
            f"{len(recording.outputs)} {'/'.join(kinds)} tensors as HailoRT hands them over, and their photo",
            *lines_of(detections, f"{dump} ({frame_words(detections, size)})"),
            f"  first frame {first * 1e3:.0f} ms, with all checks and what has to be loaded;",
            f"  then {later * 1e3:.2f} ms a frame (median of {_FRAMES})",
            f"wrote {written}",
        ]
        sys.stdout.write("\n".join(lines) + "\n")
    picture = out / f"{_NAME}-boxes.jpg"
    _draw(photo, detections, picture)
    if not args.json:
        sys.stdout.write(f"wrote {paint(str(picture), 'bold')}\n\n{_next(dump, photo)}")
    return 0


def _unpacked(out: Path) -> tuple[Path, Path]:
    """Copy recording and photo out of the package, so that the next commands have files to work on."""
    out.mkdir(parents=True, exist_ok=True)
    here = resources.files("hailo_decode") / "demo"
    copies = []
    for suffix in ("npz", "jpg"):
        copy = out / f"{_NAME}.{suffix}"
        copy.write_bytes((here / copy.name).read_bytes())
        copies.append(copy)
    return copies[0], copies[1]


def _timed(decode: Callable[[], Detections]) -> tuple[Detections, float, float]:
    """Return a result, the seconds of the first call, and the median of later ones, which run compiled."""
    from hailo_decode.cli._progress import until_compiled

    start = time.perf_counter()
    decode()
    seconds = [time.perf_counter() - start]
    detections = until_compiled(decode)
    for _ in range(_FRAMES):
        start = time.perf_counter()
        detections = decode()
        seconds.append(time.perf_counter() - start)
    return detections, seconds[0], statistics.median(seconds[1:])


def _draw(photo: Path, detections: Detections, picture: Path) -> None:
    from hailo_decode.draw import annotate
    from hailo_decode.pictures import read_image, write_image

    write_image(picture, annotate(read_image(photo), detections))


def _next(dump: Path, photo: Path) -> str:
    return f"""next:
  hailo-decode run {dump} --image {photo} --conf 0.05 -o out.png
      the same by hand, with other thresholds
  hailo-decode run dump.npz --network model.hef --image photo.jpg -o out.png
      your own outputs: numpy.savez("dump.npz", **outputs) keeps them
  hailo-decode inspect model.hef
      what is in a model file, and what is wrong with it
  hailo-decode --help
"""
