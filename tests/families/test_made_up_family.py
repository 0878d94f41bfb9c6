"""A head that nobody has: one module in the folder, and it is read, named, asked about and tested like any other."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hailo_decode.families as room
from hailo_decode import decode
from hailo_decode.errors import AmbiguousError, UnknownName
from hailo_decode.families import families, families_named

ROOT = Path(__file__).parents[2]

# NAME stands for its name. Anchors, objectness, a softmax, keypoints and a grid that is rounded up, at once:
# no real head has all of them.
SOURCE = '''
"""A made-up head: anchors side by side, each with box, objectness, classes and three keypoints."""

from __future__ import annotations

from collections.abc import Mapping

from hailo_decode.families._family import Extra, Family, Part, Sizes

POINTS = 9  # three points of x, y and visibility


def sizes(channels: Mapping[str, int], anchors: int | None) -> Sizes | None:
    """Read the classes that are left beside five numbers and three keypoints."""
    count = anchors or 2
    each, rest = divmod(channels["blob"], count)
    if rest or each < 6 + POINTS:
        return None
    return Sizes(classes=each - 5 - POINTS, anchors=count, extra=POINTS)


def fields(s: Sizes) -> dict[str, Part]:
    """Keypoints come first, then the box."""
    step = POINTS + 5 + s.classes
    return {
        "extra": Part("blob", 0, step, POINTS),
        "box": Part("blob", POINTS, step, 4),
        "obj": Part("blob", POINTS + 4, step, 1),
        "cls": Part("blob", POINTS + 5, step, s.classes),
    }


FAMILY = Family(
    name="NAME",
    title="made-up head with everything",
    archs=("NAME_s", "NAME_l"),
    task="pose",
    roles=("blob",),
    sizes=sizes,
    fields=fields,
    box_code="anchors",
    softmax=True,
    grid="ceil",
    anchors=(
        {8: ((9.0, 6.0), (20.0, 30.0)), 16: ((40.0, 20.0), (50.0, 60.0)), 32: ((70.0, 80.0), (90.0, 99.0))},
    ),
    extra=Extra("keypoints", (2.0, 0.25)),
    source="made up for this test",
)
'''


def named(name):
    return SOURCE.replace("NAME", name)


def forget():
    room.families.cache_clear()
    for name in [n for n in sys.modules if n.startswith("hailo_decode.families.made_up")]:
        del sys.modules[name]


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """Put the module into a folder of its own that the walk goes through too."""
    (tmp_path / "made_up.py").write_text(named("made_up"), encoding="utf-8")
    monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path)])
    forget()
    yield tmp_path
    monkeypatch.undo()
    forget()


def frame():
    """Return a frame of 3 classes in an input of 30 x 44, with one object at row 1, column 2 of the first level."""
    blobs = {f"net/out{s}": np.full((-(-30 // s), -(-44 // s), 34), -9, np.float32) for s in (8, 16, 32)}
    anchor = blobs["net/out8"][1, 2, 17:34]
    anchor[:9] = [0.5, -1, 0, 1, 0, 0, 0, 0, 0]  # keypoints
    anchor[9:13] = 0  # box
    anchor[13:] = [2, 0, 1, -1]  # objectness, classes
    return blobs


def test_one_module_is_a_family_and_no_other_line_is_written(made_up):
    assert "made_up" in families()
    assert families_named("Made-Up-L") == [families()["made_up"]]


def test_its_frame_decodes_by_its_own_words(made_up):
    dets = decode(frame(), (30, 44), family="made_up", keypoints=(3, 3))
    x, y = (0.5 + 2) * 8, (0.5 + 1) * 8
    np.testing.assert_allclose(dets.xyxy, [[x - 10, y - 15, x + 10, y + 15]])
    shares = np.exp([0, 1, -1]) / np.exp([0, 1, -1]).sum()
    np.testing.assert_allclose(dets.confidence, [shares[1] / (1 + np.exp(-2))], rtol=1e-6)
    assert dets.class_id.tolist() == [1]
    points = [[(2 * a + 2.25) * 8, (2 * b + 1.25) * 8, 0.5] for a, b in ((0.5, -1), (1, 0), (0, 0))]
    np.testing.assert_allclose(dets.keypoints[0], points)
    assert dets.meta["head"].startswith("made-up head with everything: 3 classes")
    assert "published made_up" in dets.meta["anchors"]


def test_it_is_recognised_and_asked_about_like_any_other(made_up):
    told = {"names": ["a", "b", "c"], "task": "pose", "keypoints": (3, 3)}
    assert decode(frame(), (30, 44), **told).class_id.tolist() == [1]
    (made_up / "made_up_twin.py").write_text(named("made_up_twin"), encoding="utf-8")
    forget()
    assert decode(frame(), (30, 44), **told).class_id.tolist() == [1]  # decodes alike: no need to ask
    other = named("made_up_other").replace('box_code="anchors"', 'box_code="cells"')
    (made_up / "made_up_other.py").write_text(other, encoding="utf-8")
    forget()
    with pytest.raises(AmbiguousError) as caught:
        decode(frame(), (30, 44), **told)
    assert 'family="made_up" or "made_up_other"' in caught.value.hint


def test_a_wrong_spelling_of_it_is_answered_with_the_right_one(made_up):
    with pytest.raises(UnknownName) as caught:
        decode(frame(), (30, 44), family="mode_up")
    assert "made_up" in caught.value.hint


def test_it_is_gone_with_its_file():
    assert not [name for name in families() if name.startswith("made_up")]


def test_it_passes_the_tests_of_every_family(tmp_path):
    (tmp_path / "made_up.py").write_text(named("made_up"), encoding="utf-8")
    (tmp_path / "add_made_up.py").write_text(
        f"import hailo_decode.families as room\nroom.__path__.append({str(tmp_path)!r})\n", encoding="utf-8"
    )
    file = ROOT / "tests" / "families" / "test_every_family.py"
    options = ["-q", "-p", "add_made_up", "-p", "no:cacheprovider", str(file), "-k", "made_up"]
    code = f"import sys; sys.path[:0] = {[str(tmp_path), *sys.path]!r}\nimport pytest; sys.exit(pytest.main({options!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-500:]
    assert " passed" in done.stdout
    assert int(done.stdout.rpartition(" passed")[0].split()[-1]) >= 10
