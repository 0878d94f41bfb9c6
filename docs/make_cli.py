"""Write cli.md from what the commands say of themselves: ``python docs/make_cli.py``."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "cli.md"
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

_HEAD = """<!-- Written by docs/make_cli.py from the commands. Do not edit. -->

# Commands

`hailo-decode COMMAND --help` prints what stands here.

| exit code | means |
|---|---|
| 0 | clean |
| 1 | findings: the command did its work and has something to say |
| 2 | it could not run; what was got, wanted, and what to do is on standard error |

Results go to standard output, all else to standard error. `NO_COLOR` switches colours off. A fault of the program itself
is told in one line; `HAILO_DECODE_TRACEBACK=1` shows where it came from.

"""


def page() -> str:
    """Return the text of cli.md."""
    from hailo_decode.cli import commands

    known = commands()
    modules = {name: importlib.import_module(module) for name, module in known.items()}
    lines = ["| command | |\n|---|---|\n"]
    for name, module in modules.items():
        lines.append(f"| [{name}](#{name}) | {(module.__doc__ or '').partition(chr(10))[0]} |\n")
    return "".join([_HEAD, *lines, *(part for one in modules.items() for part in _section(*one))])


def _section(name: str, module) -> Iterator[str]:
    parser = argparse.ArgumentParser(prog=f"hailo-decode {name}", add_help=False)
    module.arguments(parser)
    first, _, more = (module.__doc__ or "").partition("\n")
    yield f"\n## {name}\n\n{first}\n"
    if more.strip():
        yield f"\n{_prose(more.strip(chr(10)))}\n"
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]
        if not actions:
            continue
        yield f"\n| {_title(group)} | |\n|---|---|\n"
        for action in actions:
            yield f"| {_spelling(action)} | {_cell(action.help or '')} |\n"


def _title(group: argparse._ArgumentGroup) -> str:
    return {"positional arguments": "argument", "optional arguments": "option", "options": "option"}.get(
        group.title or "", group.title or ""
    )


def _spelling(action: argparse.Action) -> str:
    """Return how an argument is typed."""
    names = [name for name in action.option_strings if not name.startswith("--no-")]
    off = [name for name in action.option_strings if name.startswith("--no-")]
    value = "" if action.nargs == 0 or off else _metavar(action)
    spelled = ", ".join(f"`{name}{' ' + value if value else ''}`" for name in (*names, *off))
    many = {"+": " ...", "*": " ..."}.get(str(action.nargs), "")
    return _cell(spelled or f"`{value}{many}`")


def _metavar(action: argparse.Action) -> str:
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return str(action.metavar or action.dest.upper())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _prose(text: str) -> str:
    """Put lines that are set in, which are command lines, into blocks of their own."""
    return re.sub(
        r"(?m)(?:^ {2}\S.*\n?)+",
        lambda match: "```text\n" + re.sub(r"(?m)^ {2}", "", match[0]).rstrip("\n") + "\n```\n",
        text.replace(" *_", " \\*_"),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
