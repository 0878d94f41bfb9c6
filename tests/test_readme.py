"""The README's code runs, its commands exist, and its links lead somewhere."""

import re
import shutil
from pathlib import Path

import pytest
from networks.build_hef import hef, layer

from hailo_decode.cli import commands, main

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Give what the README's code speaks of: the demo's files and some model."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "hailo_decode" / "demo", "demo-out")
    heads = [
        layer(f"net/{kind}{n}", (n, n, c)) for n in (80, 40, 20) for kind, c in (("reg", 64), ("cls", 80))
    ]
    Path("model.hef").write_bytes(hef(heads))


def test_its_python_prints_what_is_on_the_table(capsys, here):
    names = {}
    for language, code in BLOCKS:
        if language == "python":
            exec(compile(code, "README.md", "exec"), names)
    out = capsys.readouterr().out
    assert "cup 0.99 at [173.0, 18.0, 408.0, 308.0]" in out
    assert "'image_id': 1, 'category_id': 41" in out


def test_its_commands_run(capsys, here):
    lines = [line for language, code in BLOCKS if language == "sh" for line in code.splitlines()]
    ours = [line.split()[1:] for line in lines if line.startswith("hailo-decode")]
    assert len(ours) >= 3
    for words in ours:
        assert main(words) in (0, 1), words
    assert Path("out.png").stat().st_size > 1000
    assert "net/reg80" in capsys.readouterr().out


def test_its_table_lists_the_commands_there_are():
    listed = re.findall(r"^\| `([a-z-]+)", TEXT, re.MULTILINE)
    assert sorted(listed) == sorted(commands())


def test_it_starts_with_two_commands_that_set_everything_up():
    assert BLOCKS[0] == ("sh", "make demo\nmake test\n")
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    assert TEXT.index("![") < TEXT.index("make demo") < 1200


def test_its_links_lead_somewhere():
    for text in (TEXT, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert (ROOT / target).exists(), target
