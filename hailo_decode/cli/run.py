"""Decode recorded outputs into boxes.

DUMP.npz is a recording (Recording.save), or a bare .npz with an array for each output: then --network names
the model file or its description; for float outputs --input-size is enough. With --image boxes are in pixels
of the photo, placed as the recording says, else in pixels of the network's input.

Exit code 2 when a file could not be decoded; of several files the others are decoded all the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hailo_decode.cli._decoding import MODES, Decoding
from hailo_decode.cli._options import decoder_arguments, decoder_options
from hailo_decode.errors import HailoDecodeError, OptionError

if TYPE_CHECKING:
    from hailo_decode.cli._decoding import Decoded

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("dump", nargs="+", metavar="DUMP.npz", help="recorded outputs")
    parser.add_argument(
        "--network", metavar="FILE", help="model file or description, as `inspect` reads them"
    )
    parser.add_argument(
        "--image",
        action="append",
        metavar="IMG",
        help="the photo; once, or once for each dump, in their order",
    )
    parser.add_argument(
        "--mode",
        choices=MODES,
        help="how the photo lies in the input (as the recording says, else letterbox)",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT.png", help="draw the boxes; a folder for several dumps"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write everything as JSON; - prints it, and nothing else"
    )
    decoder_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Decode each dump, print it, and go on past those that cannot be decoded."""
    from hailo_decode.cli._progress import progress
    from hailo_decode.cli._results import as_json, document, failure

    photos = _photos(args.image or [], len(args.dump))
    pictures = _pictures(args.output, args.dump)
    decode = Decoding(_network(args.network), decoder_options(args), args.mode)
    documents: list[dict[str, Any]] = []
    failures = 0
    try:
        for i, file in enumerate(progress(args.dump, "dump")):
            try:
                decoded = decode(file, photos[i])
                documents.append(document(file, decoded.network, decoded.detections, decoded.size))
                _show(file, decoded, pictures[i], quiet=args.json == "-")
            except (HailoDecodeError, OSError) as error:
                if len(args.dump) == 1:
                    raise
                failures += 1
                if len(documents) == i:
                    documents.append(failure(file, error))
                _complain(file, error)
    finally:  # what is decoded is not lost to an error in the last file, nor to Ctrl-C
        if args.json and documents:
            _write(args.json, as_json(documents, as_list=len(args.dump) > 1) + "\n")
    return 2 if failures else 0


def _network(path: str | None) -> Any:
    if path is None:
        return None
    from hailo_decode.networks import read_network

    return read_network(path)


def _photos(given: list[str], count: int) -> list[str | None]:
    """Return the photo of each dump."""
    if len(given) > 1 and len(given) != count:
        dumps = f"{count} dump{'' if count == 1 else 's'}"
        raise OptionError(
            f"{len(given)} photos do not go with {dumps}", wanted="one for all, or one for each"
        )
    return [given[min(i, len(given) - 1)] if given else None for i in range(count)]


def _pictures(output: str | None, dumps: list[str]) -> list[Path | None]:
    """Return the file for each dump's picture; of dumps with one name, the folder's name stands before it."""
    if output is None:
        return [None] * len(dumps)
    out = Path(output)
    if len(dumps) == 1 and not out.is_dir():
        return [out]
    if out.suffix.lower() in PICTURES:
        raise OptionError(f"{len(dumps)} pictures do not go into the file {output!r}", wanted="a folder")
    out.mkdir(parents=True, exist_ok=True)
    stems = [Path(dump).stem for dump in dumps]
    longer = [f"{Path(dump).resolve().parent.name}-{stem}" for dump, stem in zip(dumps, stems, strict=True)]
    names = [b if stems.count(a) > 1 else a for a, b in zip(stems, longer, strict=True)]
    return [
        out / (f"{name}-{names[:i].count(name) + 1}.png" if names.count(name) > 1 else f"{name}.png")
        for i, name in enumerate(names)
    ]


def _show(file: str, decoded: Decoded, picture: Path | None, *, quiet: bool) -> None:
    """Print a result and write its picture."""
    from hailo_decode.cli._results import frame_words, lines_of

    if not quiet:
        title = f"{file} ({frame_words(decoded.detections, decoded.size)})"
        sys.stdout.write("\n".join(lines_of(decoded.detections, title)) + "\n")
    if picture is not None:
        from hailo_decode.pictures import write_image

        write_image(picture, decoded.picture())
        sys.stderr.write(f"wrote {picture}\n")


def _complain(file: str, error: Exception) -> None:
    from hailo_decode.cli._style import paint

    sys.stdout.flush()
    sys.stderr.write(f"{paint('error', 'red', sys.stderr)}: {file}: {error}\n")


def _write(target: str, text: str) -> None:
    if target == "-":
        sys.stdout.write(text)
        return
    Path(target).write_text(text, encoding="utf-8")
    sys.stderr.write(f"wrote {target}\n")
