"""Show what is in a model file, and what is wrong with it.

Reads HEF, HAR, ONNX, the text of `hailortcli parse-hef`, Ultralytics' *_hailo_model folders and our JSON
descriptions; the bytes decide which it is. Needs neither HailoRT nor the compiler. Weights are not read.

Exit code 1 when there are remarks that are more than notes, 2 when the file cannot be read.
"""

from __future__ import annotations

import argparse
import sys


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", help="the model file or folder")
    parser.add_argument(
        "--json", action="store_true", help="everything as JSON; docs/model-files.md lists the keys"
    )
    parser.add_argument("--device", metavar="NAME", help="the device it shall run on, such as hailo8l")
    parser.add_argument(
        "--names", metavar="FILE", help="class names: labels.txt, data.yaml, metadata.yaml or JSON"
    )
    parser.add_argument("--verify", action="store_true", help="check the file's checksum, however big it is")


def run(args: argparse.Namespace) -> int:
    """Print one file."""
    from hailo_decode.cli._reading import reading_of
    from hailo_decode.lint import check_network
    from hailo_decode.networks import read_network
    from hailo_decode.networks._labels import read_names
    from hailo_decode.values.diagnostic import Severity

    network = read_network(args.file, verify=args.verify)
    names = read_names(args.names) if args.names else None
    remarks = check_network(network, names, args.device)
    reading = reading_of(network)
    if args.json:
        from hailo_decode.cli._network_json import as_json

        sys.stdout.write(as_json(args.file, network, reading, names, remarks))
    else:
        from hailo_decode.cli._network_text import lines_of

        sys.stdout.write("\n".join(lines_of(args.file, network, reading, names, remarks)) + "\n")
    return int(any(remark.severity is not Severity.NOTE for remark in remarks))
