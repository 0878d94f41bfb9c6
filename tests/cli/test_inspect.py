"""inspect: one screen or everything as JSON, soon, and without a heavy package."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from networks.build_hef import CHANNEL_SCALE, hef, layer, ssd, yolov5_seg, yolov8

from hailo_decode.cli import main
from hailo_decode.networks import read_network
from hailo_decode.networks.description import network_from_description

ROOT = Path(__file__).parents[2]
GRIDS = {8: 80, 16: 40, 32: 20}
HEADS = [
    one
    for stride, grid in GRIDS.items()
    for one in (
        layer(f"net/reg{stride}", (grid, grid, 64), hw_shape=(grid, grid + 4, 64)),
        layer(f"net/cls{stride}", (grid, grid, 80), scale=1 / 255, zero_point=0, limits=(0, 1), order="FCR"),
    )
]
STEP = yolov8([(s, f"net/reg{s}", f"net/cls{s}") for s in GRIDS], score=0.25)


@pytest.fixture
def model(tmp_path):
    def make(outputs=HEADS, **rest):
        path = tmp_path / "model.hef"
        path.write_bytes(hef(outputs, **rest))
        return str(path)

    return make


def shown(capsys, *words):
    code = main(["inspect", *words])
    return code, capsys.readouterr().out


def test_raw_heads_are_told_by_role_stride_shape_padding_and_order(capsys, model):
    _, text = shown(capsys, model(arch="hailo8l"))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "runs on hailo8l, hailo8" in lines
    assert "compiler 5.2.0" in lines
    assert "input net/input_layer1 640x640x3 NHWC uint8" in lines
    assert "head yolov8 · detect · 80 classes · 16 bins" in lines
    assert "net/reg8 box 8 80x80x64 80x84x64 NHWC (device NHCW) uint8 0.1 128 -12.8 .. 12.7" in lines
    assert "net/cls32 cls 32 20x20x80 FCR uint8 0.00392157 0 0 .. 1" in lines


def test_a_host_step_is_told_with_its_baked_thresholds_and_layers(capsys, model):
    _, text = shown(capsys, model(op=STEP))
    assert "host step yolov8_nms_postprocess (yolov8)" in text
    assert "score at least 0.25, overlap below 0.7, at most 100 of each of 80 classes" in text
    assert "boxes divided by 640x640" in text
    assert "  stride 16: reg net/reg16, cls net/cls16\n" in text
    assert "  net/yolov8_nms_postprocess  HAILO NMS BY CLASS, float32, 80 classes" in text
    assert "160,320 bytes" in text
    assert "heads that feed the host step (6)" in text


def test_anchors_masks_and_channel_scales_are_told(capsys, model):
    outs = [layer("net/c8", (8, 8, 126)), layer("net/proto", (16, 16, 32))]
    _, text = shown(capsys, model(outs, op=yolov5_seg([(8, "net/c8", [(10, 13), (16, 30)])], "net/proto")))
    assert "stride 8: encoded net/c8  anchors 10x13 16x30" in text
    assert "masks above 0.5" in text
    _, text = shown(
        capsys,
        model([layer("net/a", (1, 1, 9)), layer("net/b", (1, 1, 9))], op=ssd([("net/a", "net/b", [])])),
    )
    assert "  reg net/a, cls net/b\n" in text
    one = layer("net/a", (8, 8, 3), scales=(0.5, 0.25, 1))
    _, text = shown(capsys, model([one], extensions=[CHANNEL_SCALE]))
    assert "0.25 to 1 (3 channels)" in text


def test_outputs_that_are_no_head_are_told_with_what_they_are(capsys, model):
    _, text = shown(capsys, model([layer("net/a", (7, 7, 3)), layer("net/b", (9, 9, 3))]))
    assert "  head       not known\n             the outputs fit no head" in text
    assert "net/a 7x7x3" in text


@pytest.mark.parametrize("op", [None, STEP], ids=["raw", "with a step"])
def test_json_holds_everything_and_describes_the_network(capsys, model, op):
    path = model(op=op)
    _, text = shown(capsys, path, "--json")
    told = json.loads(text)
    assert sorted(told) == ["file", "format", "names", "network", "reading", "remarks"]
    assert (told["file"], told["format"], told["names"]) == (path, "hef", None)
    assert network_from_description(told["network"]) == read_network(path)
    reading = told["reading"]
    assert (reading["family"], reading["task"], reading["classes"], reading["bins"]) == (
        "yolov8",
        "detect",
        80,
        16,
    )
    assert reading["roles"]["net/reg8"] == "box"


def test_names_are_read_and_shown(capsys, model, tmp_path):
    (tmp_path / "labels.txt").write_text("\n".join(f"class {i}" for i in range(80)))
    _, text = shown(capsys, model(), "--names", str(tmp_path / "labels.txt"))
    assert "names      80: class 0, class 1, class 2, class 3, class 4, class 5, ...\n" in text
    _, text = shown(capsys, model(), "--names", str(tmp_path / "labels.txt"), "--json")
    assert json.loads(text)["names"][79] == "class 79"


def test_the_checksum_is_checked_when_asked_for(capsys, model):
    path = model(version=2, weights=b"w" * 2_000_000)
    assert "not checked" in shown(capsys, path)[1]
    assert "checksum   xxh3-64 of the whole file is right\n" in shown(capsys, path, "--verify")[1]


def test_a_description_is_shown_like_any_other_format(capsys, tmp_path):
    given = {
        "name": "net",
        "input": [64, 64, 3],
        "classes": ["a", "b"],
        "family": "yolov8",
        "task": "detect",
        "outputs": [{"name": "o", "shape": [8, 8, 66], "order": "NHWC", "dtype": "float32"}],
    }
    (tmp_path / "n.json").write_text(json.dumps(given))
    _, text = shown(capsys, str(tmp_path / "n.json"))
    assert text.startswith("n.json  JSON\n  network    net\n")
    assert "names      a, b\n" in text


def test_nothing_heavy_is_loaded(model):
    code = (
        "import sys; from hailo_decode.cli import main\n"
        "main(sys.argv[1:])\n"
        "heavy = {'numpy', 'numba', 'llvmlite', 'cv2', 'pydantic', 'pydantic_core'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "inspect", model(op=STEP)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("heavy: []\n")
