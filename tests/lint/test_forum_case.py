"""The forum's case: a compile that ends with `map::at`, from the posted texts alone and with the network's files.

A detector of one class, of which the configuration, the script and the list of what feeds the NMS step were posted;
the network's files are built to these facts. Nothing is claimed that the files at hand do not show.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from networks.build_har import har, modifications, yolov8_hn

from hailo_decode.lint import check, explain_log, read_case
from hailo_decode.lint._registry import choose
from hailo_decode.lint.fix import fix

POSTED = {
    "nms_scores_th": 0.2,
    "nms_iou_th": 0.7,
    "image_dims": [640, 640],
    "max_proposals_per_class": 100,
    "classes": 1,
    "regression_length": 16,
    "background_removal": False,
    "background_removal_index": 0,
    "bbox_decoders": [
        {
            "name": f"bbox_decoder{reg}",
            "stride": stride,
            "reg_layer": f"conv{reg}",
            "cls_layer": f"conv{cls}",
        }
        for stride, reg, cls in ((8, 138, 139), (16, 110, 111), (32, 81, 83))
    ],
}
SCRIPT = """model_optimization_config(calibration, batch_size=8, calibset_size=1024)
post_quantization_optimization(finetune, policy=disabled)
nms_postprocess("best_uav_nms.json", meta_arch=yolov8, engine=cpu)
"""
# Layer numbers rise with the stride, as in every network with such a neck.
NUMBERS = ((81, 83), (110, 111), (138, 139))
COMMON: dict[str, Any] = {
    "input_size": 640,
    "classes": 1,
    "conv_numbers": NUMBERS,
    "module": 29,
    "normalization": False,
}


@pytest.fixture
def case(tmp_path) -> Path:
    (tmp_path / "best_uav_nms.json").write_text(json.dumps(POSTED, indent=2))
    (tmp_path / "best_uav.alls").write_text(SCRIPT)
    parsed = yolov8_hn("best_uav", **COMMON)
    (tmp_path / "parsed.har").write_bytes(har(parsed))
    split = yolov8_hn("best_uav", **COMMON, nms=True, sigmoid=True, split=("conv111",))
    (tmp_path / "optimized.har").write_bytes(
        har(
            split,
            modifications=modifications(split, normalization=None),
            nms_json=POSTED,
            state="quantized_model",
        )
    )
    return tmp_path


def shown(found) -> list[tuple[str, str, str]]:
    return [(d.code, d.severity.value, d.confidence.value) for d in found if d.severity.value != "note"]


def test_from_the_configuration_alone_the_order_is_suspicious_and_a_har_would_settle_it(case):
    found = check(case / "best_uav_nms.json")
    assert shown(found) == [("HD223", "warning", "likely")]
    order = next(d for d in found if d.code == "HD223")
    assert "8 -> conv138, 16 -> conv110, 32 -> conv81" in order.message
    assert "8 -> conv81, 16 -> conv110, 32 -> conv138" in order.hint
    assert (order.span.line, order.span.column) == (16, 17)
    assert "--network model.har" in next(d for d in found if d.code == "HD229").hint
    assert not any(d.fix for d in found)


def test_the_script_adds_that_nothing_normalises_the_input(case):
    found = check(case / "best_uav_nms.json", script=case / "best_uav.alls")
    assert shown(found) == [("HD223", "warning", "likely"), ("HD340", "warning", "likely")]
    missing = next(d for d in found if d.code == "HD340")
    assert (Path(missing.file).name, missing.span.line) == ("best_uav.alls", 3)
    assert "normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])" in missing.hint


def test_the_script_alone_finds_the_configuration_that_it_names(case):
    assert shown(check(script=case / "best_uav.alls")) == shown(
        check(case / "best_uav_nms.json", script=case / "best_uav.alls")
    )


def test_the_parsed_har_proves_that_the_outer_strides_are_exchanged(case):
    found = check(case / "best_uav_nms.json", script=case / "best_uav.alls", network=case / "parsed.har")
    assert shown(found) == [
        ("HD401", "error", "proved"),
        ("HD401", "error", "proved"),
        ("HD340", "warning", "likely"),
    ]
    assert "'conv138' (20x20x64) has 400 cells" in found[0].message
    assert "right for all: 8 -> conv81, 16 -> conv110, 32 -> conv138" in found[0].hint


def test_the_corrected_configuration_is_the_posted_one_with_two_strides_changed(case):
    files = read_case(case / "best_uav_nms.json", network=case / "parsed.har")
    done = fix(files, choose(["HD1", "HD2", "HD4"]))
    wanted = json.loads(json.dumps(POSTED))
    wanted["bbox_decoders"][0]["stride"], wanted["bbox_decoders"][2]["stride"] = 32, 8
    assert json.loads(done.text) == wanted
    assert shown(done.remarks) == []


def test_the_optimized_har_adds_what_feeds_the_step_and_what_to_do_in_order(case):
    found = check(case / "best_uav_nms.json", script=case / "best_uav.alls", network=case / "optimized.har")
    assert shown(found) == [
        ("HD401", "error", "proved"),
        ("HD420", "error", "proved"),
        ("HD401", "error", "proved"),
        ("HD340", "warning", "likely"),
    ]
    fed = found[1]
    assert "fed by 'best_uav/ne_activation_conv111'" in fed.message
    assert "here is 'conv111'" in fed.message
    assert (fed.span.line, fed.path) == (24, ("bbox_decoders", 1, "cls_layer"))
    steps = [
        fed.hint.index(step) for step in ("(1) correct", "(2) normalise", "(3) optimize again", "(4) check")
    ]
    assert steps == sorted(steps)
    assert "the network has none either" in found[3].message


def test_the_cause_of_the_message_is_called_likely_and_no_more(case):
    found = check(case / "best_uav_nms.json", script=case / "best_uav.alls", network=case / "optimized.har")
    claims = [d for d in found if "map::at" in f"{d.message} {d.hint}"]
    assert [d.code for d in claims] == ["HD420"]
    assert "likely cause of `map::at`" in claims[0].hint
    log = explain_log("[info] Building HEF...\n[error] Compilation failed: map::at\n")
    assert [(d.code, d.confidence.value) for d in log] == [("HD720", "likely")]


def test_once_normalised_and_not_split_nothing_is_left_to_say(case):
    right = yolov8_hn("best_uav", **{**COMMON, "normalization": True}, nms=True, sigmoid=True)
    corrected = json.loads(json.dumps(POSTED))
    corrected["bbox_decoders"][0]["stride"], corrected["bbox_decoders"][2]["stride"] = 32, 8
    (case / "best_uav_nms.json").write_text(json.dumps(corrected, indent=2))
    (case / "best_uav.alls").write_text(
        "normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])\n" + SCRIPT
    )
    (case / "optimized.har").write_bytes(
        har(right, modifications=modifications(right), nms_json=corrected, state="quantized_model")
    )
    found = check(case / "best_uav_nms.json", script=case / "best_uav.alls", network=case / "optimized.har")
    assert shown(found) == []


def test_the_posted_file_itself_gives_the_same_remarks(case):
    posted = Path(__file__).parents[3] / "shared" / "corpus" / "nms" / "seed__best_uav_nms.json"
    if not posted.is_file():
        pytest.skip(f"the posted file is not at {posted}")
    assert json.loads(posted.read_text()) == POSTED
    assert shown(check(posted)) == [("HD223", "warning", "likely")]
