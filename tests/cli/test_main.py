"""The command line itself: finding a command, complaining, hanging up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hailo_decode import __version__, cli
from hailo_decode.cli import inspect as command
from hailo_decode.cli import main

ROOT = Path(__file__).parents[2]


def hailo_decode(*words, **rest):
    return subprocess.run(
        [sys.executable, "-m", "hailo_decode", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        **rest,
    )


def test_every_command_has_a_help_that_starts_with_what_it_does(capsys):
    for name in cli.commands():
        assert main([name, "--help"]) == 0
        assert f"hailo-decode {name}" in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_without_a_command_all_are_listed(capsys, words):
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in cli.commands())


def test_the_version_is_the_packages(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"hailo-decode {__version__}\n"


def test_a_mistyped_command_offers_the_nearest(capsys):
    assert main(["inspec", "x"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: no command named 'inspec'\n")
    assert "hint: did you mean 'inspect'" in shown.err


def test_a_wrong_argument_says_where_the_help_is(capsys):
    assert main(["inspect"]) == 2
    shown = capsys.readouterr().err
    assert shown == "error: the following arguments are required: file\n  hint: hailo-decode inspect --help\n"


def test_our_errors_have_no_traceback(capsys, tmp_path):
    path = tmp_path / "x.hef"
    path.write_bytes(b"PK\x03\x04" + b"\0" * 40)
    assert main(["inspect", str(path)]) == 2
    shown = capsys.readouterr().err.splitlines()
    assert shown[0] == f"error: {str(path)!r} is no model file that is known here"
    assert [line.split(":")[0].strip() for line in shown[1:]] == ["got", "wanted", "hint"]
    assert "50 4b 03 04" in shown[1]
    assert "this is a zip archive, as PyTorch's own files are" in shown[3]


def stop(error):
    def run(args):
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (PermissionError(13, "Permission denied", "out.png"), 2, "error: out.png: Permission denied\n"),
        (ZeroDivisionError("oops"), 2, "error: unexpected ZeroDivisionError: oops\n"),
    ],
    ids=["interrupt", "no permission", "a fault of ours"],
)
def test_whatever_happens_ends_with_a_code_and_a_line(capsys, monkeypatch, error, code, said):
    monkeypatch.delenv("HAILO_DECODE_TRACEBACK", raising=False)
    monkeypatch.setattr(command, "run", stop(error))
    assert main(["inspect", "x"]) == code
    assert capsys.readouterr().err.startswith(said)


def test_a_fault_of_ours_shows_its_traceback_when_asked_to(monkeypatch):
    monkeypatch.setenv("HAILO_DECODE_TRACEBACK", "1")
    monkeypatch.setattr(command, "run", stop(ZeroDivisionError("oops")))
    with pytest.raises(ZeroDivisionError):
        main(["inspect", "x"])


def test_a_reader_that_hangs_up_is_no_error():
    code = (
        "import sys, hailo_decode.cli as cli, hailo_decode.cli.inspect as c\n"
        "c.run = lambda args: sys.stdout.write('x' * 1_000_000) and 0\n"
        "sys.exit(cli.main(['inspect', 'x']))\n"
    )
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=buffered, stdout=pipe, stderr=pipe
    ) as run:
        run.stdout.read(10)
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 141


def test_letters_that_a_terminal_lacks_do_not_stop_it(tmp_path):
    path = tmp_path / "network.json"
    path.write_text('{"name": "\u7f51", "outputs": []}', encoding="utf-8")
    done = hailo_decode(
        "inspect", str(path), env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert done.returncode == 0
    assert "network    ?" in done.stdout


def test_colour_is_for_terminals_that_want_it(monkeypatch):
    from hailo_decode.cli._style import paint

    class Terminal:
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert paint("x", "red", Terminal()) == "\x1b[31mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint("x", "red", Terminal()) == "x"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert paint("x", "red", Terminal()) == "x"
