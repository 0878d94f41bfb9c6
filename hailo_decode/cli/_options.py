"""Arguments that every command with a decoder has, and the options they stand for."""

from __future__ import annotations

import argparse
from typing import Any

from hailo_decode.errors import OptionError

# Argument to option, where the two differ in more than the dash.
_PLAIN = (
    "conf",
    "iou",
    "max_det",
    "max_per_class",
    "max_nms",
    "agnostic",
    "multi_label",
    "suppress",
    "logits",
    "family",
    "task",
    "turned_iou",
)


def decoder_arguments(parser: argparse.ArgumentParser) -> None:
    """Add them; an argument that is not given is not passed on, and the decoder's own default holds."""
    group = parser.add_argument_group("decoding")
    group.add_argument("--conf", type=float, help="least score, 0..1 (0.25)")
    group.add_argument("--iou", type=float, help="overlap from which a box is dropped, 0..1 (0.7)")
    group.add_argument("--max-det", type=int, metavar="N", help="most boxes of a result (300)")
    group.add_argument("--max-per-class", type=int, metavar="N", help="most boxes of a class (no limit)")
    group.add_argument(
        "--max-nms", type=int, metavar="N", help="most candidates that suppression looks at (30000)"
    )
    group.add_argument(
        "--agnostic",
        action="store_const",
        const=True,
        help="let boxes of different classes suppress each other",
    )
    group.add_argument(
        "--multi-label",
        action="store_const",
        const=True,
        help="let every class of a cell count, not its best alone",
    )
    group.add_argument(
        "--suppress",
        action=argparse.BooleanOptionalAction,
        help="whether overlapping boxes are dropped (as the network's kind wants)",
    )
    group.add_argument(
        "--logits",
        action=argparse.BooleanOptionalAction,
        help="whether class tensors still want a sigmoid (decided from quantisation or values)",
    )
    group.add_argument(
        "--turned-iou",
        choices=("exact", "gaussian"),
        help="overlap of turned boxes: their common area, or the likeness of Gaussians (exact)",
    )
    group.add_argument(
        "--task", metavar="NAME", help="detect, segment, pose, obb or classify, where several would fit"
    )
    group.add_argument("--family", metavar="NAME", help="kind of head, where several would fit")
    group.add_argument(
        "--network-name",
        metavar="NAME",
        help="which network, of a file that holds several: `inspect` lists them",
    )
    group.add_argument(
        "--names", metavar="FILE", help="class names: labels.txt, data.yaml, metadata.yaml or JSON"
    )
    group.add_argument(
        "--input-size",
        metavar="SIZE",
        help="size of the network's input: 640, or HEIGHTxWIDTH; needed without --network",
    )


def decoder_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options that were given, as `Decoder.from_network` takes them.

    Raises
    ------
    OptionError
        When a size cannot be read.
    FormatError
        When the file of names cannot.
    """
    options = {name: getattr(args, name) for name in _PLAIN if getattr(args, name) is not None}
    if args.network_name is not None:
        options["network_name"] = args.network_name
    if args.names is not None:
        from hailo_decode.networks._labels import read_names

        options["names"] = read_names(args.names)
    if args.input_size is not None:
        options["input_size"] = _size(args.input_size)
    return options


def _size(text: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() and 0 < len(part) < 7 for part in parts):
        raise OptionError(f"the size {text!r} cannot be read", wanted="640, or HEIGHTxWIDTH such as 384x640")
    return int(parts[0]), int(parts[-1])
