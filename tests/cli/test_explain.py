"""`explain`: the page of a code, the list of codes, and what a log says."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from hailo_decode.cli import main
from hailo_decode.lint import all_rules

LOG = """\x1b[32m[info]\x1b[0m Applying selected partition to 3 contexts
[info] The activation function of layer net/conv42 was replaced by a Sigmoid
[info] The activation function of layer net/conv53 was replaced by a Sigmoid
[info] Building HEF...
[error] Compilation failed: map::at
"""


@pytest.fixture
def log(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("compile.log").write_text(LOG)
    return "compile.log"


@pytest.mark.parametrize("word", ["HD401", "hd401", "stride-off-grid"])
def test_a_code_or_a_name_prints_the_page(capsys, word):
    assert main(["explain", word]) == 0
    out = capsys.readouterr().out
    assert out.startswith("HD401 stride-off-grid (error, proved)\n\nA decoder's stride does not fit")
    assert "```bad" in out


def test_the_list_has_every_code(capsys):
    assert main(["explain", "--list"]) == 0
    assert [line[:5] for line in capsys.readouterr().out.splitlines()] == list(all_rules())


def test_a_log_is_searched_for_known_messages(log, capsys):
    assert main(["explain", log]) == 1
    out = capsys.readouterr().out
    assert "compile.log:2:" in out
    assert "note HD725 (proved): the compiler put a sigmoid on net/conv42, net/conv53" in out
    assert "compile.log:5:29: error HD720 (likely): a lookup failed while the HEF was written" in out
    assert out.endswith("1 file checked: 1 error, 1 note\n")


def test_a_log_comes_from_a_pipe_too(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(LOG))
    assert main(["explain", "-", "--json"]) == 1
    assert [d["code"] for d in json.loads(capsys.readouterr().out)] == ["HD725", "HD720"]


def test_a_log_without_a_known_message_claims_nothing(tmp_path, capsys):
    path = tmp_path / "a.log"
    path.write_text("[info] all is well\n")
    assert main(["explain", str(path)]) == 0
    assert "hold no message that is known here: that says nothing about the cause" in capsys.readouterr().out


def test_a_log_of_any_bytes_is_read(tmp_path, capsys):
    path = tmp_path / "a.log"
    path.write_bytes(bytes(range(256)) * 1000 + b"\r50%\rKeyError: 'bbox_decoders'\r\n")
    assert main(["explain", str(path)]) == 1
    assert "HD707" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["HD499"], "no rule named 'HD499'"),
        (["no.log"], "'no.log' cannot be read"),
        ([], "there is nothing to explain"),
    ],
)
def test_what_cannot_be_explained_says_so(capsys, words, message):
    assert main(["explain", *words]) == 2
    assert message in capsys.readouterr().err
