"""The commands: one file each; the only room that prints.

A command's file has a docstring (its help), ``arguments(parser)`` and ``run(args) -> int``, and imports what
it needs inside `run`, so that no command pays for another. Exit codes: 0 clean, 1 findings, 2 could not run.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, Protocol, cast

from hailo_decode.errors import HailoDecodeError, OptionError, UnknownName
from hailo_decode.plugins import entries

PROGRAM = "hailo-decode"
CLEAN, FINDINGS, COULD_NOT_RUN, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


class Command(Protocol):
    """What a command's module holds."""

    __doc__: str | None

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Do the work, print, and return the exit code."""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse makes one for each argument, and would ask `shutil` for the width, which loads every compressor: 5 ms."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_width())


def _width() -> int:
    """Return the columns that `shutil.get_terminal_size` would tell, less the two that argparse leaves free."""
    try:
        wide = int(os.environ.get("COLUMNS", 0))
    except ValueError:
        wide = 0
    with contextlib.suppress(AttributeError, ValueError, OSError):  # no terminal
        wide = wide if wide > 0 else os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    return (wide if wide > 0 else 80) - 2


class _Parser(argparse.ArgumentParser):
    """A parser that complains as the rest of the package does."""

    def error(self, message: str) -> NoReturn:
        raise OptionError(message, hint=f"{self.prog} --help")


def commands() -> dict[str, str]:
    """Return the commands' names, as they are typed, to the modules that hold them."""
    return {name.replace("_", "-"): f"{__name__}.{name}" for name in entries(__name__)}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; the entry point of ``hailo-decode``.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.

    Returns
    -------
    int
        The exit code.
    """
    gc.set_threshold(
        50_000, 20, 100
    )  # imports make many objects and no garbage: looking for it takes a tenth of the time
    words = list(sys.argv[1:] if argv is None else argv)
    _never_choke_on_a_letter()
    try:
        code = _run(words)
        sys.stdout.flush()
    except HailoDecodeError as error:
        return _complain(str(error))
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            return _hang_up()
        return _complain(f"{error.filename or 'a file'}: {error.strerror or error}")
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("HAILO_DECODE_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error}"
        return _complain(
            f"unexpected {what}\n  hint: this is a fault of {PROGRAM}; please report it with the "
            "traceback that HAILO_DECODE_TRACEBACK=1 shows"
        )
    return code


def _run(words: list[str]) -> int:
    known = commands()
    name = words[0] if words else "--help"
    if name in ("-h", "--help"):
        sys.stdout.write(_overview(known))
        return CLEAN
    if name in ("-V", "--version"):
        from hailo_decode import __version__

        sys.stdout.write(f"{PROGRAM} {__version__}\n")
        return CLEAN
    if name not in known:
        raise UnknownName("command", name, known)
    command = _load(known[name])
    parser = _Parser(
        prog=f"{PROGRAM} {name}",
        description=command.__doc__,
        formatter_class=_Formatter,
    )
    command.arguments(parser)
    try:
        return command.run(parser.parse_args(words[1:]))
    except SystemExit as stop:  # argparse after --help
        return stop.code if isinstance(stop.code, int) else CLEAN


def _load(module: str) -> Command:
    return cast("Command", importlib.import_module(module))


def _overview(known: dict[str, str]) -> str:
    width = max(map(len, known))
    lines = [f"usage: {PROGRAM} COMMAND ...", "", "commands:"]
    for name, module in known.items():
        first = (_load(module).__doc__ or "").partition("\n")[0]
        lines.append(f"  {name:{width}}  {first}")
    lines += ["", f"{PROGRAM} COMMAND --help tells more; --version tells the version."]
    return "\n".join(lines) + "\n"


def _complain(text: str) -> int:
    from hailo_decode.cli._style import paint

    with contextlib.suppress(OSError):  # a reader that has gone shall not hide what went wrong
        sys.stdout.flush()
    sys.stderr.write(f"{paint('error', 'red', sys.stderr)}: {text}\n")
    return COULD_NOT_RUN


def _hang_up() -> int:
    """Leave quietly when the reader of a pipe has gone: the flush at exit must find somewhere to write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE


def _never_choke_on_a_letter() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
