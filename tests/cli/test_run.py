"""run: boxes from recordings, in pixels of the input or the photo, as a table or as JSON, and never half done."""

import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import frames
import numpy as np
import pytest

from hailo_decode import Letterbox
from hailo_decode.cli import main

ROOT = Path(__file__).parents[2]
PHOTO = (50, 100)  # height and width
PLACED = Letterbox.fit(PHOTO, frames.INPUT)
STATED = {"mode": "letterbox"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Give a folder with a recording, a bare dump, a description, and a photo."""
    monkeypatch.chdir(tmp_path)
    frames.recording(image_size=PHOTO, letterbox=STATED).save("dump.npz")
    frames.recording().save("placeless.npz")
    np.savez("bare.npz", **frames.one_object())
    made = frames.recording()
    text = json.loads(str(np.load(made.save("x.npz"))["network"]))
    Path("network.json").write_text(json.dumps(text), encoding="utf-8")
    Path("x.npz").unlink()
    cv2.imwrite("photo.png", np.full((*PHOTO, 3), 90, np.uint8))
    return tmp_path


def shown(capsys, *words):
    code = main(["run", *words])
    return code, *capsys.readouterr()


def told(capsys, *words):
    code, out, err = shown(capsys, *words, "--json", "-")
    return code, json.loads(out), err


def test_json_alone_goes_to_standard_output_and_holds_the_promised_keys(capsys, here):
    code, document, err = told(capsys, "dump.npz")
    assert (code, err) == (0, "")
    assert list(document) == ["file", "network", "frame", "size", "detections", "meta"]
    assert document["file"] == "dump.npz"
    assert document["network"] == {
        "name": "net",
        "source": "json",
        "family": None,
        "task": None,
        "input": [64, 64],
    }
    assert (document["frame"], document["size"]) == ("input", [64, 64])
    (found,) = document["detections"]
    assert found["xyxy"] == frames.box_of()
    assert (found["class_id"], found["name"]) == (1, "dog")
    assert np.float32(found["confidence"]) == np.float32(230 / 255)


def test_a_photo_puts_boxes_into_its_pixels_by_the_recordings_own_letterbox(capsys, here):
    _, document, _ = told(capsys, "dump.npz", "--image", "photo.png")
    wanted = PLACED.undo(np.array(frames.box_of()).reshape(2, 2)).ravel()
    wanted = np.clip(wanted, 0, (100, 50, 100, 50))
    assert (document["frame"], document["size"]) == ("photo", list(PHOTO))
    np.testing.assert_allclose(document["detections"][0]["xyxy"], wanted, atol=1e-4)
    assert "placement" not in document["meta"]


def test_a_photo_without_a_known_place_is_taken_as_letterboxed_and_that_is_said(capsys, here):
    _, document, _ = told(capsys, "placeless.npz", "--image", "photo.png")
    wanted = PLACED.undo(np.array(frames.box_of()).reshape(2, 2)).ravel()
    np.testing.assert_allclose(
        document["detections"][0]["xyxy"], np.clip(wanted, 0, (100, 50, 100, 50)), atol=1e-4
    )
    assert document["meta"]["placement"].startswith("letterbox (assumed")


def test_a_mode_overrules_the_recording(capsys, here):
    _, document, _ = told(capsys, "dump.npz", "--image", "photo.png", "--mode", "stretch")
    assert document["detections"][0]["xyxy"] == [37.5, 6.25, 87.5, 31.25]
    assert document["meta"]["placement"] == "stretch (--mode)"


def test_a_photo_of_another_size_is_refused(capsys, here):
    cv2.imwrite("other.png", np.zeros((10, 10, 3), np.uint8))
    code, _, err = shown(capsys, "dump.npz", "--image", "other.png")
    assert code == 2
    assert "got: 10x10" in err
    assert "wanted: 100x50" in err
    assert told(capsys, "dump.npz", "--image", "other.png", "--mode", "crop")[0] == 0


def test_bare_arrays_go_with_a_description(capsys, here):
    _, document, _ = told(capsys, "bare.npz", "--network", "network.json")
    assert document["detections"][0]["xyxy"] == frames.box_of()
    code, _, err = shown(capsys, "bare.npz")
    assert code == 2
    assert "--network FILE" in err


def test_one_network_of_several_is_named(capsys, here):
    text = json.loads(Path("network.json").read_text(encoding="utf-8"))
    other = {"name": "other/conv1", "shape": [4, 4, 8], "network": "pair/other"}
    text["outputs"] = [{**one, "network": "pair/net"} for one in text["outputs"]] + [other]
    text["inputs"] = [{"name": "in", "shape": [*frames.INPUT, 3], "network": "pair/net"}]
    Path("pair.json").write_text(json.dumps(text), encoding="utf-8")
    code, _, err = shown(capsys, "bare.npz", "--network", "pair.json")
    assert code == 2
    assert 'network_name="pair/net"' in err
    _, document, _ = told(capsys, "bare.npz", "--network", "pair.json", "--network-name", "net")
    assert document["detections"][0]["xyxy"] == frames.box_of()
    assert document["network"]["input"] == list(frames.INPUT)


def test_the_table_names_each_box_and_tells_what_was_decided(capsys, here):
    code, out, err = shown(capsys, "dump.npz")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "dump.npz (pixels of the network's input, 64 wide and 64 high): 1 box"
    assert lines[1].split() == ["class", "score", "left", "top", "right", "bottom"]
    assert lines[2].split() == ["dog", "0.902", "24.0", "8.0", "56.0", "40.0"]
    assert any(line.startswith("  head: ") for line in lines)
    assert max(map(len, lines)) <= 100


def test_no_box_is_an_answer(capsys, here):
    code, out, _ = shown(capsys, "dump.npz", "--conf", "0.95")
    assert code == 0
    assert out.splitlines()[0].endswith("no boxes")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["--conf", "0.95"], 0),
        (["--max-det", "1"], 1),
        (["--multi-label"], 1),
        (["--agnostic", "--iou", "0.1"], 1),
    ],
)
def test_options_reach_the_decoder(capsys, here, words, count):
    assert len(told(capsys, "dump.npz", *words)[1]["detections"]) == count


def test_names_are_read_from_a_file(capsys, here):
    Path("labels.txt").write_text("eins\nzwei\ndrei\n", encoding="utf-8")
    assert told(capsys, "dump.npz", "--names", "labels.txt")[1]["detections"][0]["name"] == "zwei"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--conf", "25"], "per cent is 0.25"),
        (["--conf", "high"], "invalid float value"),
        (["--mode", "sideways"], "invalid choice"),
        (["--input-size", "640x480x3"], "HEIGHTxWIDTH"),
        (["--family", "yolo8"], "did you mean"),
        (["--image", "a.png", "--image", "b.png"], "2 photos do not go with 1 dump\n"),
        (["--image", "none.png"], "there is no file 'none.png'"),
        (["--network", "none.hef"], "there is no file 'none.hef'"),
    ],
)
def test_what_cannot_be_is_said_without_a_traceback(capsys, here, words, said):
    code, out, err = shown(capsys, "dump.npz", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_the_picture_shows_the_box(capsys, here):
    code, _, err = shown(capsys, "dump.npz", "--image", "photo.png", "-o", "out.png")
    assert code == 0
    assert "wrote out.png" in err
    touched = (cv2.imread("out.png") != cv2.imread("photo.png")).any(axis=2)
    left, top, right, bottom = (int(v) for v in PLACED.undo(np.array(frames.box_of()).reshape(2, 2)).ravel())
    assert touched[max(top, 0) + 15 : bottom, left - 1 : left + 3].any(axis=1).all()
    assert not touched[max(top, 0) + 25 :, right + 5 :].any()


def test_without_a_photo_the_boxes_are_drawn_on_grey(capsys, here):
    shown(capsys, "dump.npz", "-o", "out.png")
    picture = cv2.imread("out.png")
    assert picture.shape == (64, 64, 3)
    assert tuple(picture[60, 60]) == (114, 114, 114)


def test_several_dumps_are_a_list_and_one_that_fails_does_not_lose_the_others(capsys, here):
    Path("broken.npz").write_bytes(b"PK no")
    code, documents, err = told(capsys, "dump.npz", "broken.npz", "placeless.npz")
    assert code == 2
    assert [document["file"] for document in documents] == ["dump.npz", "broken.npz", "placeless.npz"]
    assert documents[1]["error"]["kind"] == "FormatError"
    assert len(documents[0]["detections"]) == len(documents[2]["detections"]) == 1
    assert "broken.npz: 'broken.npz' is no whole zip" in err


def test_pictures_of_several_dumps_go_into_a_folder_under_names_of_their_own(capsys, here):
    Path("a").mkdir()
    Path("a/dump.npz").write_bytes(Path("dump.npz").read_bytes())
    code, _, _ = shown(capsys, "dump.npz", "a/dump.npz", "placeless.npz", "dump.npz", "-o", "out")
    assert code == 0
    folder = here.name
    assert sorted(p.name for p in Path("out").iterdir()) == sorted(
        ["a-dump.png", f"{folder}-dump-1.png", f"{folder}-dump-2.png", "placeless.png"]
    )
    code, _, err = shown(capsys, "dump.npz", "placeless.npz", "-o", "out.png")
    assert code == 2
    assert "wanted: a folder" in err


def test_each_dump_may_have_its_photo(capsys, here):
    cv2.imwrite("wide.png", np.zeros((64, 128, 3), np.uint8))
    _, documents, _ = told(capsys, "dump.npz", "placeless.npz", "--image", "photo.png", "--image", "wide.png")
    assert [document["size"] for document in documents] == [[50, 100], [64, 128]]


def test_json_is_written_even_if_the_picture_cannot_be(capsys, here):
    code, out, err = shown(capsys, "dump.npz", "-o", "out.docx", "--json", "out.json")
    assert code == 2
    assert "1 box" in out
    assert "no picture can be written as 'out.docx'" in err
    assert len(json.loads(Path("out.json").read_text(encoding="utf-8"))["detections"]) == 1


@pytest.mark.parametrize(("words", "code"), [(["dump.npz"], 0), (["none.npz"], 2), ([], 2), (["--help"], 0)])
def test_exit_codes_of_a_process(here, words, code):
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "hailo_decode", "run", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
