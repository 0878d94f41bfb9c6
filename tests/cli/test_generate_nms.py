"""`generate-nms`: what it writes, what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from networks.build_har import har, yolov8_hn
from networks.build_onnx import network as onnx

from hailo_decode.cli import main

ENDS = [
    (f"/model.22/cv{branch}.{i}/cv{branch}.{i}.2/Conv", channels, 8 << i)
    for i in range(3)
    for branch, channels in ((2, 64), (3, 3))
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("parsed.har").write_bytes(har(yolov8_hn("best", classes=3, normalization=False)))
    Path("best.onnx").write_bytes(onnx(ENDS))
    return tmp_path


def test_the_pair_that_is_written_passes_the_check(folder, capsys):
    Path("cfg").mkdir()
    words = ["generate-nms", "parsed.har", "-o", "cfg/nms.json", "--script", "model.alls", "--conf", "0.3"]
    assert main(words) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("cfg/nms.json written\nmodel.alls written\n")
    assert 'nms_postprocess("cfg/nms.json", meta_arch=yolov8, engine=cpu)' in Path("model.alls").read_text()
    assert json.loads(Path("cfg/nms.json").read_text())["nms_scores_th"] == 0.3
    assert main(["validate-nms", "cfg/nms.json", "--script", "model.alls", "--network", "parsed.har"]) == 0
    assert capsys.readouterr().out == "2 files checked: nothing to remark\n"


def test_without_names_both_are_printed(folder, capsys):
    assert main(["generate-nms", "parsed.har"]) == 0
    config, _, script = capsys.readouterr().out.partition("\n\n")
    assert json.loads(config)["classes"] == 3
    assert script.splitlines()[-1] == 'nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)'


def test_a_file_that_is_there_is_not_written_over(folder, capsys):
    Path("nms.json").write_text("mine")
    assert main(["generate-nms", "parsed.har", "-o", "nms.json"]) == 2
    assert "'nms.json' is there already" in capsys.readouterr().err
    assert Path("nms.json").read_text() == "mine"
    assert main(["generate-nms", "parsed.har", "-o", "nms.json", "--force"]) == 0
    assert Path("nms.json").read_text() != "mine"


def test_an_onnx_file_tells_where_to_cut_and_how_to_complete(folder, capsys):
    assert main(["generate-nms", "best.onnx", "-o", "nms.json", "--script", "model.alls"]) == 0
    told = capsys.readouterr().err
    assert "hailo parser onnx best.onnx --end-node-names " + " ".join(name for name, *_ in ENDS) in told
    assert "hailo-decode generate-nms best.onnx --network parsed.har -o nms.json --force" in told
    # As it is, the check refuses it; with the parsed network it is completed, in either way.
    assert main(["validate-nms", "nms.json"]) == 1
    assert "error HD119" in capsys.readouterr().out
    assert main(["validate-nms", "nms.json", "--network", "parsed.har", "--fix", "-o", "fixed.json"]) == 0
    words = ["generate-nms", "best.onnx", "--network", "parsed.har", "-o", "nms.json", "--force"]
    assert main(words) == 0
    layers = [
        [
            [d["stride"], d["reg_layer"], d["cls_layer"]]
            for d in json.loads(Path(name).read_text())["bbox_decoders"]
        ]
        for name in ("nms.json", "fixed.json")
    ]
    assert (
        layers[0]
        == layers[1]
        == [[8, "conv41", "conv42"], [16, "conv52", "conv53"], [32, "conv62", "conv63"]]
    )


def test_a_har_that_was_cut_elsewhere_does_not_complete_a_model(folder, capsys):
    Path("other.har").write_bytes(har(yolov8_hn("other", classes=3, module=23)))
    assert main(["generate-nms", "best.onnx", "--network", "other.har"]) == 2
    told = capsys.readouterr().err
    assert "'other.har' is not 'best.onnx', cut at its head" in told
    assert ENDS[0][0] in told


def test_a_network_without_a_step_is_told_so(folder, capsys):
    numbers = ((41, 42, 43), (52, 53, 54), (62, 63, 64))
    Path("pose.har").write_bytes(har(yolov8_hn("pose", conv_numbers=numbers, extra=51)))
    assert main(["generate-nms", "pose.har"]) == 2
    told = capsys.readouterr().err
    assert "there is no NMS step for this head" in told
    assert "/model.22/cv4.0/cv4.0.2/Conv" in told


def anchored() -> None:
    ends = [(f"/model.24/m.{i}/Conv", 24, 8 << i) for i in range(3)]
    Path("v5.onnx").write_bytes(onnx(ends, decoding="none"))


def test_anchors_come_from_a_family_or_from_numbers(folder, capsys):
    anchored()
    assert main(["generate-nms", "v5.onnx"]) == 2
    assert "does not hold the anchors of strides 8, 16, 32" in capsys.readouterr().err
    assert main(["generate-nms", "v5.onnx", "--anchors", "yolov7", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["config"]["bbox_decoders"][0]
    assert (first["w"], first["h"]) == ([12, 19, 40], [16, 36, 28])
    assert main(["generate-nms", "v5.onnx", "--anchors", "1,2,3,4/5,6/7,8", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["config"]["bbox_decoders"]
    assert [(e["w"], e["h"]) for e in entries] == [([1, 3], [2, 4]), ([5], [6]), ([7], [8])]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("yolov8", "yolov8 has published no anchors for strides 8, 16, 32"),
        ("yolov99", "no family named 'yolov99'"),
        ("1,2/3,4", "2 lists of anchors do not go with 3 scales"),
        ("1,2,3/4,5/6,7", "widths and heights in pairs"),
        ("1,a/2,3/4,5", "are no numbers"),
    ],
)
def test_anchors_that_cannot_be_used_are_refused(folder, capsys, said, message):
    anchored()
    assert main(["generate-nms", "v5.onnx", "--anchors", said]) == 2
    assert message in capsys.readouterr().err
