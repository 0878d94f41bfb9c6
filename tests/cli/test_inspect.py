"""inspect: one screen or everything as JSON, soon, and without a heavy package."""

import json
import re
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
    assert "net/reg8 box 8 80x80x64 NHWC NHCW 80x84x64 uint8 0.1 128 -12.8 .. 12.7" in lines
    assert "net/cls32 cls 32 20x20x80 FCR uint8 0.00392157 0 0 .. 1" in lines


def test_a_host_step_is_told_with_its_baked_thresholds_and_layers(capsys, model):
    _, text = shown(capsys, model(op=STEP))
    assert "host step yolov8_nms_postprocess (yolov8)" in text
    assert "score at least 0.25, overlap below 0.7, at most 100 of each of 80 classes" in text
    assert "boxes divided by 640x640" in text
    assert "      16  reg net/reg16, cls net/cls16\n" in text
    assert "  net/yolov8_nms_postprocess  HAILO NMS BY CLASS, float32, 80 classes" in text
    assert "160,320 bytes" in text
    assert "heads that feed the host step (6)" in text


def test_anchors_masks_and_channel_scales_are_told(capsys, model):
    outs = [layer("net/c8", (8, 8, 126)), layer("net/proto", (16, 16, 32))]
    _, text = shown(capsys, model(outs, op=yolov5_seg([(8, "net/c8", [(10, 13), (16, 30)])], "net/proto")))
    assert "  stride  layers          anchors\n       8  encoded net/c8  10x13 16x30\n" in text
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
    assert "  head       not known\n             " in text
    assert "  net/a   91.43  7x7x3  NHWC   NHCW " in text


def test_readings_that_stay_possible_are_listed_with_what_settles_them(capsys, model):
    heads = [layer(f"net/c{s}", (g, g, 255)) for s, g in GRIDS.items()]
    _, text = shown(capsys, model(heads))
    assert "  head       not known\n" in text
    assert "             yolov5 with 80 classes, 3 anchors (cells=net/c8)\n" in text
    assert "             to settle it: family=" in text
    (reading,) = json.loads(shown(capsys, model(heads), "--json")[1])["readings"]
    assert reading["family"] is None
    assert any(choice.startswith("yolov5 with 80 classes") for choice in reading["choices"])


def test_columns_are_aligned_and_no_line_is_longer_than_a_wide_terminal(capsys, model):
    _, text = shown(capsys, model(op=STEP))
    tables = text.partition("\noutputs")[2].splitlines()
    rows = [line for line in tables if line.startswith(("  name ", "  net/reg", "  net/cls"))]
    assert len(rows) == 7
    shapes = {re.search(r"\d+x\d+x\d+", row).start() for row in rows[1:]}
    assert len(shapes) == 1
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("op", [None, STEP], ids=["raw", "with a step"])
def test_json_holds_everything_and_describes_the_network(capsys, model, op):
    path = model(op=op)
    _, text = shown(capsys, path, "--json")
    told = json.loads(text)
    assert sorted(told) == ["file", "format", "names", "network", "readings", "remarks"]
    assert (told["file"], told["format"], told["names"]) == (path, "hef", None)
    assert network_from_description(told["network"]) == read_network(path)
    (reading,) = told["readings"]
    assert list(reading) == [
        *("network", "family", "task", "classes", "bins", "roles", "why", "choices", "settle"),
    ]
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
    assert text.startswith("n.json  JSON description, 184 bytes\n  network    net\n")
    assert "  names      2: a, b\n  input      64x64x3\n" in text


def test_several_networks_are_told_one_by_one(capsys, model):
    outs = [
        layer("left/reg", (8, 8, 64), network=0),
        layer("left/cls", (8, 8, 3), network=0),
        layer("right/reg", (4, 4, 64), network=1),
        layer("right/cls", (4, 4, 5), network=1),
    ]
    ins = [
        layer("left/in", (64, 64, 3), order="NHWC", network=0),
        layer("right/in", (128, 128, 3), order="NHWC", network=1),
    ]
    path = model(outs, inputs=ins, networks=["left", "right"])
    code, text = shown(capsys, path)
    assert code == 0
    left, right = text.partition("\nnetwork net/left\n")[2].split("\nnetwork net/right\n")
    assert "  input      left/in 64x64x3 NHWC uint8\n  head       yolov8 · detect · 3 classes" in left
    assert "  input      right/in 128x128x3 NHWC uint8\n  head       yolov8 · detect · 5 classes" in right
    told = json.loads(shown(capsys, path, "--json")[1])
    assert [one["network"] for one in told["readings"]] == ["net/left", "net/right"]


def test_what_a_damaged_file_still_tells_is_shown_with_the_remark(capsys, model):
    path = Path(model(op=STEP))
    path.write_bytes(path.read_bytes()[:-5])
    code, text = shown(capsys, str(path))
    assert code == 1
    assert "net/reg8  " in text
    assert "HD502 error: the file is 5 bytes too short" in text
    told = json.loads(shown(capsys, str(path), "--json")[1])
    assert told["remarks"][0]["code"] == "HD502"
    assert told["network"]["facts"]["trailing_bytes"] == -5


@pytest.mark.parametrize(
    ("data", "said", "code"),
    [
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull", "HD501"),
        (b"\x01HEF\0\0\0", "inside its header", "HD502"),
        (b"\x01HEF\0\0\0\7" + bytes(60), "version 7 is not known", "HD504"),
        (b'{"outputs": 3}', "outputs cannot be used", "HD505"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_with_its_page(capsys, tmp_path, data, said, code):
    path = tmp_path / "model.hef"
    path.write_bytes(data)
    assert main(["inspect", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert f"`hailo-decode explain {code}` tells more" in err
    assert main(["inspect", str(path), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["format"], told["network"], told["readings"]) == (None, None, [])
    assert [remark["code"] for remark in told["remarks"]] == [code]


def test_a_file_that_is_not_there_is_no_remark(capsys, tmp_path):
    assert main(["inspect", str(tmp_path / "none.hef")]) == 2
    assert "explain" not in capsys.readouterr().err


@pytest.mark.parametrize("spelling", ["hailo8", "HAILO8", "Hailo-8"])
def test_a_device_is_known_in_any_spelling(capsys, model, spelling):
    assert shown(capsys, model(arch="hailo8l"), "--device", spelling)[0] == 0
    assert "does not run on hailo10h" in shown(capsys, model(), "--device", "hailo-10h")[1]


def test_an_unknown_device_is_told_with_the_known_ones(capsys, model):
    assert main(["inspect", model(), "--device", "hailo9"]) == 2
    assert "no device named 'hailo9'\n  wanted: hailo10h," in capsys.readouterr().err


def loaded(words):
    """Return the modules of a process that has run a command."""
    code = (
        "import sys; from hailo_decode.cli import main\nmain(sys.argv[1:])\nprint('loaded:', *sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.rpartition("loaded:")[2].split())


def test_nothing_heavy_is_loaded(model):
    heavy = {"numpy", "numba", "llvmlite", "cv2", "pydantic", "pydantic_core"}
    assert loaded(["inspect", model(op=STEP)]) & heavy == set()


def test_no_other_format_and_no_other_rule_is_loaded(model):
    """It is what keeps the command short: a HEF costs its own reader, and the rules about model files."""
    ours = {name.removeprefix("hailo_decode.") for name in loaded(["inspect", model(op=STEP)])}
    assert ours & {"networks.har", "networks.onnx", "networks.description", "networks.parse_hef"} == set()
    rules = {name for name in ours if name.startswith("lint.rules.")}
    assert rules
    assert {name for name in rules if not name.startswith("lint.rules.file_")} == set()
    assert ours & {"config.alls", "config.heads", "config.reading", "lint._wiring", "lint._case"} == set()
