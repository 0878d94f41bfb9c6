"""Stored NMS results of trained networks, in every order, against what an independent reader found in them."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from hailo_decode import Decoder, decode_nms
from hailo_decode.networks.description import network_from_description

GOLDENS = Path(__file__).parents[3] / "shared" / "goldens"
CASES = sorted(p.name for p in GOLDENS.glob("*") if "nms" in p.name or "bytemask" in p.name)
CONF = {"A": 0.25, "B": 0.05, "C": 0.25}  # suppression was done before: settings only filter by score

needs_goldens = pytest.mark.skipif(not CASES, reason=f"the golden cases are not at {GOLDENS}")


@pytest.fixture(scope="module")
def check_case():
    spec = importlib.util.spec_from_file_location("check_case", GOLDENS / "check_case.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(dets):
    columns = {"xyxy": dets.xyxy, "score": dets.confidence, "class_id": dets.class_id}
    if dets.mask is not None:
        columns["mask"] = dets.mask
    return [{name: column[i] for name, column in columns.items()} for i in range(len(dets))]


@needs_goldens
@pytest.mark.parametrize("setting", CONF)
@pytest.mark.parametrize("name", CASES)
def test_a_stored_result_gives_the_boxes_and_masks_that_are_in_it(check_case, name, setting):
    case = check_case.load(str(GOLDENS / name))
    network = network_from_description(case["network"])
    known = {"image_size": network.input_size, "classes": len(network.classes)}
    for dets in (
        decode_nms(case["outputs"], network=network, conf=CONF[setting]),
        decode_nms(case["outputs"], conf=CONF[setting], **known),
        Decoder.from_network(network, conf=CONF[setting])(case["outputs"]),
    ):
        result = check_case.compare(case, rows(dets), setting, box_tol=1e-3, score_tol=1e-6, mask_iou=1.0)
        assert result["ok"], result


@needs_goldens
@pytest.mark.parametrize("name", [n for n in CASES if "bytemask" in n])
def test_masks_of_a_stored_result_are_the_bytes_that_were_stored(check_case, name):
    case = check_case.load(str(GOLDENS / name))
    dets = decode_nms(case["outputs"], network=network_from_description(case["network"]), conf=0.25)
    wanted = case["expected"]["settings"]["A"]["detections"]
    assert [int(mask.sum()) for mask in dets.mask] == [one["mask"]["area"] for one in wanted]
    for mask, one in zip(dets.mask, wanted, strict=True):
        np.testing.assert_array_equal(mask, check_case.rle_mask(one["mask"], *dets.mask.shape[1:]))


@needs_goldens
def test_a_class_that_reached_its_limit_is_told(check_case):
    case = check_case.load(str(GOLDENS / "yolov8_detect_nms_truncated"))
    dets = decode_nms(case["outputs"], network=network_from_description(case["network"]))
    assert dets.meta["cut"] == "class 0 reached max_proposals_per_class=3: weaker boxes may be missing"
