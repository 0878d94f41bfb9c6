"""run, on every recorded case: what it prints is the case's expected result."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from hailo_decode.cli import main

GOLDENS = Path(__file__).parents[3] / "shared" / "goldens"
CASES = sorted(path.parent for path in GOLDENS.glob("*/expected.json"))

pytestmark = pytest.mark.skipif(not CASES, reason="the shared goldens are not beside this project")


@pytest.fixture(scope="module")
def check_case():
    spec = importlib.util.spec_from_file_location("check_case", GOLDENS / "check_case.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(printed):
    """Return a printed detection as the check takes it."""
    found = {**printed, "score": printed["confidence"]}
    if "mask" in found:
        (height, width), counts = found["mask"]["size"], found["mask"]["counts"]
        found["mask"] = np.repeat(np.arange(len(counts)) % 2 == 1, counts).reshape(width, height).T
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_run_prints_the_golden_result(capsys, check_case, case):
    code = main(["run", str(case / "outputs.npz"), "--network", str(case / "network.json"), "--json", "-"])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    result = check_case.compare(str(case), [row(found) for found in json.loads(out)["detections"]], "A")
    assert result["ok"], result
