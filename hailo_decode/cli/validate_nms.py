"""Check an NMS configuration and a model script before the compiler does.

  hailo-decode validate-nms nms.json
  hailo-decode validate-nms nms.json --network parsed.har --script model.alls
  hailo-decode validate-nms nms.json --network parsed.har --fix

Text alone shows what is broken or odd; a network file (HAR, HN, ONNX, HEF, the text of parse-hef) shows
whether strides, channels, roles and names are right. `hailo-decode explain CODE` prints a remark's page.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hailo_decode.lint import Case
    from hailo_decode.values.diagnostic import Diagnostic
    from hailo_decode.values.network import NetworkInfo

# From this many files on, progress is told.
_MANY = 50


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("files", nargs="*", metavar="CONFIG.json", help="configurations, or scripts (.alls)")
    parser.add_argument(
        "--network", metavar="FILE", help="what the network is: HAR, HN, ONNX, HEF, parse-hef"
    )
    parser.add_argument("--script", metavar="FILE.alls", help="the model script that goes with it")
    parser.add_argument("--device", metavar="NAME", help="the device it shall run on, such as hailo8l")
    parser.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="--format json")
    parser.add_argument("--select", metavar="CODES", default="", help="run these only: HD4,HD301,...")
    parser.add_argument("--ignore", metavar="CODES", default="", help="do not run these")
    parser.add_argument(
        "--severity", choices=("error", "warning", "note"), help="leave out what is less severe than this"
    )
    parser.add_argument(
        "--fix", action="store_true", help="write a corrected copy where the network proves it"
    )
    parser.add_argument(
        "--write", action="store_true", help="with --fix: into the file itself, not into a copy"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="with --fix: the copy's name")


def run(args: argparse.Namespace) -> int:
    """Check every file, and print what is found."""
    from hailo_decode.errors import HailoDecodeError, OptionError
    from hailo_decode.lint import config_rules, render

    if not args.files and not args.script:
        raise OptionError("there is nothing to check", hint="name a configuration, or a script with --script")
    if args.output and (not args.fix or len(args.files) > 1):
        raise OptionError("-o names the corrected copy of one file", hint="use it with --fix and one file")
    config_rules(
        _codes(args.select), _codes(args.ignore)
    )  # a misspelt one is an error before any file is read
    network = _network(args.network)
    files = args.files or [None]
    remarks: list[Diagnostic] = []
    texts: dict[str, str] = {}
    failed = 0
    for done, name in enumerate(files):
        _progress(done, len(files))
        try:
            case, found = _checked(name, args, network)
        except HailoDecodeError as error:
            if len(files) == 1:
                raise
            sys.stderr.write(f"error: {error}\n")
            failed += 1
            continue
        remarks += found
        texts |= {case.files[kind] or "": text for kind, text in case.texts.items()}
    _progress(len(files), len(files))
    kept = _severe(remarks, args.severity)
    shown = render.FORMATS[args.format](kept, texts)
    sys.stdout.write(shown + "\n" * bool(shown))
    if args.format == "text":
        sys.stdout.write(render.summary(kept, len(texts)) + "\n")
    if failed:
        return 2
    return 1 if any(r.severity.value != "note" for r in kept) else 0


def _network(name: str | None) -> NetworkInfo | None:
    if name is None:
        return None
    from hailo_decode.networks import read_network

    return read_network(name)


def _checked(
    name: str | None, args: argparse.Namespace, network: NetworkInfo | None
) -> tuple[Case, list[Diagnostic]]:
    from hailo_decode.lint import check_case, read_case

    script = args.script
    if name is not None and name.endswith(".alls") and script is None:
        name, script = None, name
    case = read_case(name, script=script, network=network, device=args.device)
    if args.fix and case.files["config"]:
        return _fixed(case, args)
    return case, check_case(case, select=_codes(args.select), ignore=_codes(args.ignore))


def _fixed(case: Case, args: argparse.Namespace) -> tuple[Case, list[Diagnostic]]:
    """Write a corrected copy, tell what was changed, and return what is left to say."""
    from hailo_decode.lint import config_rules
    from hailo_decode.lint.fix import fix
    from hailo_decode.lint.render import shown_path

    name = str(case.files["config"])
    done = fix(case, config_rules(_codes(args.select), _codes(args.ignore)))
    if not done.edits:
        why = "" if args.network else ": without --network nothing is proved"
        sys.stderr.write(f"{name}: nothing to correct{why}\n")
        return done.case, done.remarks
    stem = name.removesuffix(".json")
    target = name if args.write else args.output or f"{stem}.fixed.json"
    newline = "\r\n" if b"\r\n" in Path(name).read_bytes() else "\n"
    Path(target).write_text(done.text, encoding="utf-8", newline=newline)
    for edit in done.edits:
        sys.stderr.write(f"{target}: {shown_path(edit.path)} = {json.dumps(edit.value)}\n")
    return replace(done.case, files={**done.case.files, "config": target}), [
        replace(remark, file=target) if remark.file == name else remark for remark in done.remarks
    ]


def _codes(listed: str) -> list[str]:
    return [code.strip() for code in listed.split(",") if code.strip()]


def _severe(remarks: Iterable[Diagnostic], least: str | None) -> list[Diagnostic]:
    order = ("error", "warning", "note")
    return [r for r in remarks if order.index(r.severity.value) <= order.index(least or "note")]


def _progress(done: int, total: int) -> None:
    """Tell how far it is: in place on a terminal, in ten lines elsewhere."""
    if total < _MANY:
        return
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {total} files" + "\n" * (done == total))
    elif done and (done == total or done * 10 // total > (done - 1) * 10 // total):
        sys.stderr.write(f"{done} of {total} files\n")
