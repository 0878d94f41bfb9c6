"""Write the NMS configuration of a network, and the script that goes with it.

  hailo-decode generate-nms parsed.har -o nms.json --script model.alls
  hailo-decode generate-nms model.onnx -o nms.json
  hailo-decode generate-nms model.onnx --network parsed.har -o nms.json

From a HAR, an HN, a HEF or the text of `hailortcli parse-hef` the file is complete. An ONNX file has no
layer names of the compiler yet: what comes out names the nodes to cut at, and a parsed HAR completes it.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hailo_decode.config.generate import Anchors, Generated
    from hailo_decode.values.network import NetworkInfo


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="HAR, HN, ONNX, HEF, or the text of parse-hef")
    parser.add_argument("-o", "--output", metavar="NMS.json", help="the configuration; or else it is printed")
    parser.add_argument("--script", metavar="FILE.alls", help="the model script; or else it is printed")
    parser.add_argument("--network", metavar="PARSED.har", help="where the compiler's layer names come from")
    parser.add_argument("--conf", type=float, metavar="SCORE", help="lowest score (0.2)")
    parser.add_argument("--iou", type=float, help="overlap that suppresses (0.7; with anchors 0.6)")
    parser.add_argument("--max-per-class", type=int, metavar="N", help="boxes of a class (100)")
    parser.add_argument(
        "--anchors",
        metavar="FAMILY|W,H,...",
        help="a family, or sizes by scale: 10,13,16,30,33,23/30,61,.../...",
    )
    parser.add_argument(
        "--bins", type=int, metavar="N", help="bins, where they share a layer with the classes"
    )
    parser.add_argument("--meta-arch", metavar="NAME", help="the NMS step, where two can read the head")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")
    parser.add_argument("--force", action="store_true", help="write over files that are there")


def run(args: argparse.Namespace) -> int:
    """Write or print the configuration and the script."""
    from hailo_decode.config.generate import generate_nms
    from hailo_decode.networks import read_network

    network = read_network(args.file)
    if args.network:
        network = _parsed(network, read_network(args.network), args)
    made = generate_nms(
        network,
        conf=args.conf,
        iou=args.iou,
        max_per_class=args.max_per_class,
        anchors=_anchors(args.anchors, network) if args.anchors else None,
        bins=args.bins,
        meta_arch=args.meta_arch,
        config_path=_path_in_script(args.output, args.script),
    )
    for path, text in ((args.output, made.config), (args.script, made.script)):
        if path:
            _write(Path(path), text, args.force)
    if args.json:
        _print_json(made)
        return 0
    if not args.output:
        sys.stdout.write(made.config)
    if not args.script:
        sys.stdout.write(("" if args.output else "\n") + made.script)
    sys.stderr.write(_told(made, args))
    return 0


def _parsed(network: NetworkInfo, parsed: NetworkInfo, args: argparse.Namespace) -> NetworkInfo:
    """Return the parsed network, once it is seen to be of the same model and cut at its head."""
    from hailo_decode.errors import PairingError

    there = {name for layer in parsed.layers for name in layer.original_names}
    wanted = [output.original_names[0] for output in network.outputs if output.original_names]
    missing = [name for name in wanted if name not in there]
    if missing and there and network.source == "onnx":
        raise PairingError(
            f"{args.network!r} is not {args.file!r}, cut at its head",
            got=f"without the node{'s' * (len(missing) > 1)} {', '.join(missing[:6])}",
            hint=f"parse it again with the end nodes {' '.join(wanted)}",
        )
    return parsed


def _anchors(said: str, network: NetworkInfo) -> Anchors:
    """Read anchors: the name of a family that published some, or numbers by scale, the finest first."""
    from hailo_decode.config.heads import find_heads, frame_size
    from hailo_decode.errors import OptionError
    from hailo_decode.families import families, families_named

    strides = [scale.stride for scale in find_heads(network, frame_size(network)).scales]
    if said[0].isdigit():
        try:
            scales = [[float(n) for n in scale.split(",")] for scale in said.split("/")]
        except ValueError as error:
            raise OptionError(f"anchors {said!r} are no numbers", wanted="W,H,W,H,.../W,H,...") from error
        if len(scales) != len(strides) or any(len(scale) % 2 for scale in scales):
            raise OptionError(
                f"{len(scales)} lists of anchors do not go with {len(strides)} scales",
                wanted="widths and heights in pairs, one list for each scale, the finest first",
            )
        return {s: list(zip(a[::2], a[1::2], strict=True)) for s, a in zip(strides, scales, strict=True)}
    for family in families_named(said):
        for published in family.anchors:
            if set(strides) <= set(published):
                return {stride: published[stride] for stride in strides}
    having = sorted(f.name for f in families().values() for a in f.anchors if set(strides) <= set(a))
    raise OptionError(
        f"{said} has published no anchors for strides {', '.join(map(str, strides))}",
        wanted=", ".join(dict.fromkeys(having)) or "W,H,W,H,.../...",
    )


def _path_in_script(config: str | None, script: str | None) -> str:
    """Return the configuration's path as seen from the script's folder."""
    if not config:
        return "nms.json"
    folder = Path(script).parent if script else Path(config).parent
    return Path(os.path.relpath(config, folder)).as_posix()


def _write(path: Path, text: str, force: bool) -> None:
    from hailo_decode.errors import OptionError

    if path.exists() and not force:
        raise OptionError(f"{str(path)!r} is there already", hint="--force writes over it")
    path.write_text(text, encoding="utf-8")


def _told(made: Generated, args: argparse.Namespace) -> str:
    lines = [f"{path} written" for path in (args.output, args.script) if path]
    lines += made.notes
    if not made.complete:
        nodes = " ".join(made.end_nodes)
        lines += [
            "layer names are those of the model's nodes: the compiler gives its own when it parses it",
            f"parse with: hailo parser onnx {args.file} --end-node-names {nodes}",
            f"complete with: hailo-decode generate-nms {args.file} --network parsed.har"
            + (f" -o {args.output} --force" if args.output else ""),
        ]
    return "".join(f"{line}\n" for line in lines)


def _print_json(made: Generated) -> None:
    import json

    shown: dict[str, Any] = {
        "config": json.loads(made.config),
        "script": made.script.splitlines(),
        "end_nodes": list(made.end_nodes),
        "complete": made.complete,
        "notes": list(made.notes),
    }
    sys.stdout.write(json.dumps(shown, indent=2) + "\n")
