"""Nothing is timed that found something else."""

from dataclasses import replace

import numpy as np
import pytest

from bench.agreement import compare
from bench.frames import dfl_scene
from bench.objects import Shape
from bench.peers import plain_numpy, ways
from bench.peers._peer import Boxes, Choice, Way, as_boxes
from bench.reference import reference
from bench.rows._decoding import agreeing, our_way
from bench.rows._row import OURS, Figures

SCENE = dfl_scene(Shape(size=128, classes=3, objects=3), 1)
RIGHT = reference(SCENE, Choice())


def changed(**columns):
    return replace(RIGHT, **columns)


def without_first():
    return Boxes(RIGHT.xyxy[1:], RIGHT.score[1:], RIGHT.class_id[1:])


def with_one_more():
    return Boxes(
        np.vstack([RIGHT.xyxy, [[1, 1, 5, 5]]]), np.append(RIGHT.score, 0.3), np.append(RIGHT.class_id, 0)
    )


def test_a_result_agrees_with_itself():
    assert compare(RIGHT, RIGHT).share == 1
    assert len(RIGHT.score) > 0


def test_nothing_agrees_with_nothing():
    none = Boxes(np.empty((0, 4)), np.empty(0), np.empty(0, np.int64))
    assert compare(none, none).share == 1
    assert compare(none, RIGHT).share == 0


@pytest.mark.parametrize(
    "wrong",
    [
        changed(xyxy=RIGHT.xyxy + 40),
        changed(score=RIGHT.score - 0.05),
        changed(class_id=(RIGHT.class_id + 1) % 3),
        without_first(),
        with_one_more(),
    ],
    ids=["moved", "weaker", "another class", "one missing", "one more"],
)
def test_a_wrong_result_does_not_agree(wrong):
    assert compare(RIGHT, wrong).share < 1


def test_a_wrong_answer_of_ours_is_an_error():
    way = Way(OURS, lambda k: without_first(), lambda found: found)
    with pytest.raises(
        RuntimeError, match=r"hailo_decode disagrees with the float64 decode: \d+ of \d+ boxes"
    ):
        agreeing([way], RIGHT, Figures())


def test_a_peer_that_finds_something_else_is_left_out_and_said_to_be():
    figures = Figures()
    way = Way("peer", lambda k: changed(xyxy=RIGHT.xyxy + 40), lambda found: found)
    assert agreeing([way], RIGHT, figures) == []
    assert figures.notes == [
        f"peer: not timed, it found something else: 0 of {len(RIGHT.score)} boxes found again, {len(RIGHT.score)} others"
    ]


@pytest.mark.parametrize("choice", [Choice(), Choice(multi_label=True), Choice(conf=0.01)], ids=str)
def test_every_peer_that_is_here_finds_the_same(choice):
    scene = dfl_scene(Shape(classes=3, objects=5), 1)  # in tiny boxes inclusive edges make another result
    wanted = reference(scene, choice)
    found = {
        w.name: compare(wanted, w.boxes(w.run(0))) for w in ways("detect", scene, choice, notes=[]) if w.boxes
    }
    own = our_way(scene, choice)
    assert compare(wanted, own.boxes(own.run(0))).share == 1
    assert found[plain_numpy.NAME].share == 1
    assert all(agreement.share >= 0.9 for agreement in found.values()), found


def test_plain_numpy_is_the_reference_in_single_precision():
    way = plain_numpy.detect(SCENE, Choice())[0]
    assert np.allclose(as_boxes(way.run(0)).xyxy, RIGHT.xyxy, atol=1e-3)


def test_a_peer_that_fails_is_noted_and_ends_nothing(monkeypatch):
    def fails(scene, choice):
        raise TypeError("another version")

    monkeypatch.setattr(plain_numpy, "detect", fails)
    notes = []
    names = [way.name for way in ways("detect", SCENE, Choice(), notes=notes)]
    assert plain_numpy.NAME not in names
    assert names
    assert notes == ["plain NumPy: cannot run: TypeError: another version"]
