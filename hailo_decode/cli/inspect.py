"""Show what is in a model file, and what is wrong with it.

Reads HEF, HAR, ONNX, the text of `hailortcli parse-hef`, Ultralytics' *_hailo_model folders and our JSON
descriptions; the bytes decide which it is. Needs neither HailoRT nor the compiler. Weights are not read.

Exit code 1 when there are remarks that are more than notes, 2 when nothing of the file can be read.
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
    """Print one file, or what could be read of it."""
    from hailo_decode.cli._reading import readings_of
    from hailo_decode.errors import FormatError
    from hailo_decode.lint import check_network
    from hailo_decode.networks import read_network
    from hailo_decode.values.diagnostic import Severity

    device, names = _device(args.device), _names(args.names)
    failure = None
    try:
        network = read_network(args.file, verify=args.verify)
    except FormatError as error:
        failure, network = error, error.partial
    readings = readings_of(network) if network is not None else []
    classes = readings[0].classes if len(readings) == 1 else None
    remarks = check_network(network, names, device, classes=classes, failure=failure, file=args.file)
    if args.json:
        from hailo_decode.cli._network_json import as_json

        sys.stdout.write(as_json(args.file, network, readings, names, remarks))
    elif network is not None:
        from hailo_decode.cli._network_text import lines_of

        sys.stdout.write("\n".join(lines_of(args.file, network, readings, names, remarks)) + "\n")
    if failure is not None and network is None:
        pages = [f"`hailo-decode explain {remark.code}` tells more" for remark in remarks]
        failure.hint = "; ".join(filter(None, (failure.hint, *pages))) or None
        raise failure
    return int(any(remark.severity is not Severity.NOTE for remark in remarks))


def _device(name: str | None) -> str | None:
    """Return the name of a device as model files have it.

    Raises
    ------
    UnknownName
        When there is no such device.
    """
    if name is None:
        return None
    from hailo_decode.errors import UnknownName
    from hailo_decode.networks import known_devices

    known = known_devices()
    wanted = "".join(letter for letter in name.lower() if letter.isalnum() or letter == "_")
    if wanted not in known:
        raise UnknownName("device", name, known)
    return wanted


def _names(file: str | None) -> tuple[str, ...] | None:
    if file is None:
        return None
    from hailo_decode.networks._labels import read_names

    return tuple(read_names(file))
