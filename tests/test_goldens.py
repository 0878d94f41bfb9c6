"""Golden cases: tensors of trained networks, and the boxes that an independent decoder found in them.

They lie beside the checkout, not in it; without them these tests are skipped, and say so.
"""

import importlib.util
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hailo_decode import Decoder, read_network
from hailo_decode.cli import main

GOLDENS = Path(__file__).parents[2] / "shared" / "goldens"
CLOSE = 1e-3  # pixels between our boxes and the rounded ones of the case


@cache
def checker():
    """Import the program that comes with the cases and compares detections with them."""
    spec = importlib.util.spec_from_file_location("check_case", GOLDENS / "check_case.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.corner_error = sooner(module.corner_error)
    return module


def sooner(corner_error):
    """Pass by quadrilaterals that lie too far apart to be a pair; all against all takes half a minute for 300.

    No corner distance is smaller than that of the centres, and the checker wants it below a quarter of the size.
    """

    def error(a, b):
        apart = float(np.abs(a.sum(axis=0) - b.sum(axis=0)).max()) / 4
        return apart if apart >= 0.25 * float(np.ptp(a, axis=0).max()) else corner_error(a, b)

    return error


@cache
def loaded(folder):
    return checker().load(folder)


def settings_of(folder):
    """Return the names of a case's settings: A, B, C, and those with or without suppression or for turned boxes."""
    return sorted(json.loads((folder / "expected.json").read_text(encoding="utf-8"))["settings"])


CASES = sorted(folder.parent for folder in GOLDENS.glob("*/expected.json"))
RUNS = [(folder, setting) for folder in CASES for setting in settings_of(folder)]
absent = pytest.mark.skipif(not CASES, reason=f"the golden cases are not at {GOLDENS}")
each_run = pytest.mark.parametrize(
    ("folder", "setting"), RUNS or [(None, None)], ids=[f"{f.name}-{s}" for f, s in RUNS] or ["absent"]
)
each_case = pytest.mark.parametrize("folder", CASES or [None], ids=[f.name for f in CASES] or ["absent"])


def options_of(case, setting):
    """Return what the decoder is told in a setting."""
    chosen = case["expected"]["settings"][setting]
    options = {
        "conf": chosen["conf"],
        "iou": chosen["iou"],
        "multi_label": chosen["multi_label"],
        "agnostic": chosen["class_agnostic"],
        "max_det": chosen["max_det"],
    }
    if setting.endswith("_nms"):
        options["suppress"] = True
    if setting.endswith("_gaussian"):
        options["turned_iou"] = "gaussian"
    return options


def rows_of(dets):
    """Return detections as the checker takes them."""
    rows = []
    for i in range(len(dets)):
        row = {"xyxy": dets.xyxy[i], "score": dets.confidence[i], "class_id": dets.class_id[i]}
        for part in ("keypoints", "corners", "mask"):
            column = getattr(dets, part)
            row[part] = None if column is None else column[i]
        rows.append(row)
    return rows


@absent
@each_run
def test_golden(folder, setting):
    check = checker()
    case = loaded(folder)
    network = read_network(folder / "network.json")
    dets = Decoder.from_network(network, **options_of(case, setting))(case["outputs"])
    result = check.compare(
        case, rows_of(dets), setting, box_tol=CLOSE, keypoint_tol=CLOSE, corner_tol=CLOSE, score_tol=1e-6
    )
    assert result["ok"], result


@absent
@each_case
def test_golden_is_near_to_the_float_network(folder):
    check = checker()
    case = loaded(folder)
    dets = Decoder.from_network(read_network(folder / "network.json"))(case["outputs"])
    result = check.compare_graph(case, rows_of(dets))
    assert result["ok"], result


@absent
@each_case
def test_golden_runs_from_the_command_line(folder, capsys):
    check = checker()
    case = loaded(folder)
    chosen = options_of(case, "A")
    words = ["run", str(folder / "outputs.npz"), "--network", str(folder / "network.json"), "--json", "-"]
    code = main([*words, "--conf", str(chosen["conf"]), "--iou", str(chosen["iou"])])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    document = json.loads(printed.out)
    height, width = case["network"]["input"][:2]
    rows = []
    for one in document["detections"]:
        row = {"xyxy": one["xyxy"], "score": one["confidence"], "class_id": one["class_id"]}
        row |= {part: one.get(part) for part in ("keypoints", "corners")}
        if "mask" in one:
            row["mask"] = filled(one["mask"], height, width)
        rows.append(row)
    result = check.compare(case, rows, "A", box_tol=CLOSE, keypoint_tol=CLOSE, corner_tol=CLOSE)
    assert result["ok"], result


def filled(mask, height, width):
    """Return (H, W) from run lengths down the columns, the first one unset."""
    counts = mask["counts"]
    flat = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
    assert mask["size"] == [height, width]
    return flat.reshape(width, height).T
