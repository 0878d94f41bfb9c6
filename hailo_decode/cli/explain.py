"""Explain the code of a remark, or the messages that a log of the compiler or of HailoRT holds.

  hailo-decode explain HD401
  hailo-decode explain compile.log
  hailo-decode explain --list

A log's remarks say what is known of the cause, how well that is founded, and what to do about it.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hailo_decode.lint import Rule


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("what", nargs="?", metavar="LOG|CODE", help="a code such as HD401, a log, or -")
    parser.add_argument("--list", action="store_true", help="list all codes")
    parser.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="--format json")


def run(args: argparse.Namespace) -> int:
    """Print a page, the list of codes, or the remarks about a log."""
    from hailo_decode.errors import OptionError
    from hailo_decode.lint import all_rules

    if args.list:
        for one in all_rules().values():
            sys.stdout.write(f"{one.code}  {one.severity.value:7}  {one.title}\n")
        return 0
    if not args.what:
        raise OptionError("there is nothing to explain", hint="name a code such as HD401, or a log")
    found = [one for code, one in all_rules().items() if args.what.upper() == code or args.what == one.slug]
    if found:
        sys.stdout.write(page(found[0]))
        return 0
    return _explain_log(args.what, args.format)


def page(one: Rule) -> str:
    """Return the page of a rule as it is printed."""
    return f"{one.code} {one.slug} ({one.severity.value}, {one.confidence.value})\n\n{one.page.rstrip()}\n"


def _explain_log(name: str, form: str) -> int:
    import re

    from hailo_decode.errors import UnknownName
    from hailo_decode.lint import all_rules, explain_log, render
    from hailo_decode.lint._case import read_log

    if re.fullmatch(r"(?i)hd\d+", name):
        raise UnknownName("rule", name.upper(), all_rules())
    text = sys.stdin.read() if name == "-" else read_log(name)
    remarks = explain_log(text, file=name)
    shown = render.FORMATS[form](remarks, {name: text})
    sys.stdout.write(shown + "\n" * bool(shown))
    if form == "text":
        lines = text.count("\n") + 1
        none = f"{lines} lines hold no message that is known here: that says nothing about the cause\n"
        sys.stdout.write(render.summary(remarks, 1) + "\n" if remarks else none)
    return 1 if any(r.severity.value != "note" for r in remarks) else 0
