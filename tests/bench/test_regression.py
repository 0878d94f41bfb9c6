"""Two commits side by side: what each process answers, and what counts as slower."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench import regression

ROOT = Path(__file__).resolve().parents[2]


def test_a_side_answers_line_by_line():
    told = "cases\nrun sparse 1\ntime sparse 3\nrun nothing 1\n"
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "one_side.py"), str(ROOT)],
        input=told,
        capture_output=True,
        text=True,
        check=True,
    )
    cases, ran, times, unknown = done.stdout.splitlines()
    assert {"sparse", "typical", "masks"} <= set(cases.split())
    assert ran == "done"
    assert all(float(t) > 0 for t in times.split())
    assert len(times.split()) == 3
    assert unknown == "failed KeyError: 'nothing'"


@pytest.mark.parametrize(
    ("figures", "slower"),
    [
        ({"ratio": 1.04}, False),
        ({"ratio": 1.06}, True),
        ({"ratio": 1.5, "base_instructions": 100, "now_instructions": 101}, False),
        ({"ratio": 0.9, "base_instructions": 100, "now_instructions": 110}, True),
        ({"failed": "base: KeyError"}, False),
    ],
)
def test_instructions_decide_where_they_were_counted(figures, slower):
    assert regression._is_slower(figures, 1.05) is slower
