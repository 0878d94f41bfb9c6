"""`hailo-decode bench`: where the time of a frame goes on this machine."""

import json

import numpy as np
import pytest
from frames import recording

from hailo_decode import NetworkInfo, Recording
from hailo_decode.cli import _machine, main
from hailo_decode.values.network import NmsInfo, OutputInfo
from hailo_decode.values.order import FormatOrder

QUICK = ["--seconds", "0.05", "--threads", "1"]


def told(capsys, *words):
    assert main(["bench", *words, *QUICK, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_without_a_dump_the_demos_recording_is_timed(capsys):
    found = told(capsys)
    assert found["boxes"] == 3
    assert found["file"] == "the demo's recording (coffee.npz)"
    assert found["frame_us"]["p10"] <= found["frame_us"]["median"] <= found["frame_us"]["p90"]
    assert found["frames_per_second"] == pytest.approx(1e6 / found["frame_us"]["median"], rel=0.01)
    assert found["threads"]["threads"] == 1
    assert found["threads"]["frames_per_second"] > 0


def test_stages_stand_in_the_order_in_which_they_pass(capsys, tmp_path):
    found = told(capsys, str(recording().save(tmp_path / "one.npz")))
    names = [stage["name"] for stage in found["stages"]]
    assert names == [
        "finding the outputs",
        "reading all scores",
        "candidates and boxes",
        "suppression",
        "checks and result",
        "the rest",
    ]
    assert all(stage["us"] >= 0 for stage in found["stages"])
    assert found["boxes"] == 1


def test_an_nms_result_is_read_in_one(capsys, tmp_path):
    info = OutputInfo("nms", order=FormatOrder.NMS_BY_CLASS, nms=NmsInfo(classes=2, max_per_class=4))
    network = NetworkInfo("net", "json", input_size=(64, 64), outputs=(info,), nms_done=True)
    buffer = np.zeros(2 * (1 + 5 * 4), np.float32)
    buffer[:6] = (1, 0.1, 0.2, 0.3, 0.4, 0.9)
    found = told(capsys, str(Recording(network, {"nms": buffer}).save(tmp_path / "nms.npz")))
    assert (found["boxes"], found["stages"], found["floor_us"]) == (1, [], None)


def test_for_people_it_says_where_the_time_goes(capsys, tmp_path):
    assert main(["bench", str(recording().save(tmp_path / "one.npz")), *QUICK]) == 0
    shown = capsys.readouterr().out
    assert "\n  whole frame " in shown
    assert "\n  most of it is " in shown
    assert "frames a second on 1 threads" not in shown
    assert f"\n  processor: {_machine.processor()}" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seconds", "0"], "--seconds is 0\n  wanted: more than 0 and at most 600"),
        (["--seconds", "nan"], "--seconds is nan"),
        (["--threads", "0"], "--threads is 0"),
        (["--network", "x.json"], "x.json"),
    ],
)
def test_what_cannot_be_timed_is_an_error(capsys, words, message):
    assert main(["bench", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_description_without_a_dump_has_nothing_to_time(capsys, tmp_path):
    from hailo_decode.networks.description import description_of

    file = tmp_path / "network.json"
    file.write_text(json.dumps(description_of(recording().network)), encoding="utf-8")
    assert main(["bench", "--network", str(file)]) == 2
    shown = capsys.readouterr().err
    assert "--network describes a dump, and none is given" in shown


def test_a_board_is_named_as_the_system_names_it(monkeypatch, tmp_path):
    file = tmp_path / "model"
    file.write_bytes(b"Raspberry Pi 5 Model B Rev 1.0\0")
    monkeypatch.setattr(_machine, "_BOARD", file)
    assert _machine.machine()["board"] == "Raspberry Pi 5 Model B Rev 1.0"


def test_a_processor_without_a_name_is_told_by_its_architecture(monkeypatch, tmp_path):
    monkeypatch.setattr(_machine, "_PROCESSORS", tmp_path / "none")
    assert _machine.processor()
