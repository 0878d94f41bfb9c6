"""The README's first screen sets everything up, its commands exist, and its links lead somewhere."""

import re
from pathlib import Path

from hailo_decode.cli import commands

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)


def test_its_table_lists_the_commands_there_are():
    listed = re.findall(r"^\| `([a-z-]+)", TEXT, re.MULTILINE)
    assert sorted(listed) == sorted(commands())


def test_it_starts_with_two_commands_that_set_everything_up():
    assert BLOCKS[0] == ("sh", "make demo\nmake test\n")
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    assert TEXT.index("![") < TEXT.index("make demo") < 1200


def test_its_links_lead_somewhere():
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / name).read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{name}: {target}"
