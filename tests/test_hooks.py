"""The hook for pre-commit takes the files it is for, and runs a command that is there."""

import re
import shlex
from pathlib import Path

import pytest

from hailo_decode.cli import commands

HOOKS = (Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
FIELDS = dict(line.strip(" -").split(": ", 1) for line in HOOKS.splitlines() if not line.startswith("#"))


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("nms.json", True),
        ("cfg/yolov8n_nms_config.json", True),
        ("cfg/nms_config_yolox_tiny.json", True),
        ("cfg/alls/model.alls", True),
        ("package.json", False),
        ("columns.json.bak", False),
    ],
)
def test_the_hook_takes_configurations_and_scripts(name, taken):
    assert bool(re.search(FIELDS["files"], name)) == taken


def test_the_hook_runs_a_command_that_is_there():
    program, command, *options = shlex.split(FIELDS["entry"])
    assert (program, command in commands(), options) == ("hailo-decode", True, ["--severity", "warning"])
