"""demo: the shipped recording is decoded, drawn and explained, and its files serve the next commands."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from hailo_decode import Recording
from hailo_decode.cli import main

DATA = Path(__file__).parents[2] / "hailo_decode" / "demo"
# Typed by hand from the photo: where the things are, give or take a few pixels.
THINGS = {"cup": (175, 20, 408, 308), "spoon": (327, 67, 424, 326), "dining table": (0, 0, 600, 400)}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_boxes_sit_on_the_things(capsys, here):
    assert main(["demo", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["frame"] == "photo"
    found = {one["name"]: one["xyxy"] for one in document["detections"]}
    assert set(found) == set(THINGS)
    for name, box in found.items():
        np.testing.assert_allclose(box, THINGS[name], atol=4)
    assert min(one["confidence"] for one in document["detections"]) > 0.9


def test_the_picture_differs_from_the_photo_on_the_boxes(capsys, here):
    main(["demo"])
    photo, picture = (cv2.imread(f"demo-out/coffee{end}.jpg").astype(int) for end in ("", "-boxes"))
    touched = np.abs(photo - picture).sum(axis=2) > 60
    assert touched[100:300, 172:176].any(axis=1).all()  # the left edge of the cup
    assert touched[220:250, 200:300].mean() < 0.02  # the inside of the cup


def test_the_text_tells_boxes_times_files_and_what_to_try_next(capsys, here):
    assert main(["demo", "--out", "there"]) == 0
    out = capsys.readouterr().out
    for words in ("cup", "spoon", "dining table", "first frame", "wrote there/coffee-boxes.jpg", "next:"):
        assert words in out
    written = json.loads(Path("there/coffee-boxes.json").read_text(encoding="utf-8"))
    assert len(written["detections"]) == 3


def test_what_it_says_to_try_next_works(capsys, here):
    main(["demo"])
    command = next(
        line for line in capsys.readouterr().out.splitlines() if line.startswith("  hailo-decode run demo")
    )
    assert main(command.split()[1:]) == 0
    assert Path("out.png").stat().st_size > 1000


def test_a_folder_that_cannot_be_made_is_named(capsys, here):
    Path("demo-out").write_text("a file", encoding="utf-8")
    assert main(["demo"]) == 2
    assert "demo-out" in capsys.readouterr().err


def test_the_recording_that_ships_is_small_whole_and_has_its_source_beside_it():
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 1_000_000
    recording = Recording.load(DATA / "coffee.npz")
    assert recording.letterbox.image_size == cv2.imread(str(DATA / "coffee.jpg")).shape[:2]
    assert "CC0" in (DATA / "SOURCE.md").read_text(encoding="utf-8")
