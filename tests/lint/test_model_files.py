"""Model files by themselves: sound ones have no remarks, and each fault has one, with the file's own numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from networks.build_archives import qparams
from networks.build_har import har, modifications, nms_json, yolov8_hn
from networks.build_hef import CHANNEL_SCALE, hef, layer, ssd, yolov5, yolov5_seg, yolov8, yolox

from hailo_decode.errors import FormatError
from hailo_decode.lint import check_network
from hailo_decode.networks import read_network

SHARED = Path(__file__).parents[3] / "shared"
GRIDS = {8: 80, 16: 40, 32: 20}
ANCHORS = [(10, 13), (16, 30), (33, 23)]


def scores(name, shape, **more):
    return layer(name, shape, **{"scale": 1 / 255, "zero_point": 0.0, "limits": (0.0, 1.0), **more})


def heads(classes=80, bins=16, box=None, cls=None):
    """Box and class layers of three scales; `box` and `cls` change what they are made with."""
    return [
        one
        for stride, grid in GRIDS.items()
        for one in (
            layer(f"net/reg{stride}", (grid, grid, 4 * bins), **(box or {})),
            scores(f"net/cls{stride}", (grid, grid, classes), **(cls or {})),
        )
    ]


STEP = [(stride, f"net/reg{stride}", f"net/cls{stride}") for stride in GRIDS]


@pytest.fixture
def remarks(tmp_path):
    """Write a HEF, read it, and return the remarks on it as (code, severity, message)."""

    def found(outputs, *, names=None, device=None, size=640, **rest):
        path = tmp_path / "net.hef"
        ins = [layer("net/input_layer1", (size, size, 3), order="NHWC", scale=1.0, zero_point=0.0)]
        path.write_bytes(hef(outputs, inputs=ins, **rest))
        network = read_network(path)
        told = check_network(network, names, device, classes=80 if names else None, file="net.hef")
        assert all(remark.file == "net.hef" for remark in told)
        return [(remark.code, remark.severity.value, remark.message) for remark in told]

    return found


SOUND = {
    "raw heads": (heads(), None),
    "raw heads in FCR": (heads(box={"order": "FCR"}, cls={"order": "F8CR"}), None),
    "logits": (heads(cls={"scale": 0.1, "zero_point": 180.0, "limits": (-18.0, 7.5)}), None),
    "bins": (heads(), yolov8(STEP)),
    "bins in 16 bits": (heads(box={"dtype": "uint16"}, cls={"dtype": "uint16"}), yolov8(STEP)),
    "padded width": (
        [layer("net/reg8", (80, 80, 64), hw_shape=(80, 88, 64)), scores("net/cls8", (80, 80, 80))],
        yolov8([(8, "net/reg8", "net/cls8")]),
    ),
    "anchors": ([scores("net/c8", (80, 80, 255))], yolov5([(8, "net/c8", ANCHORS)])),
    "masks": (
        [layer("net/c8", (80, 80, 351)), layer("net/proto", (160, 160, 32))],
        yolov5_seg([(8, "net/c8", ANCHORS)], "net/proto"),
    ),
    "objectness": (
        [layer("net/r", (80, 80, 4)), scores("net/c", (80, 80, 80)), scores("net/o", (80, 80, 1))],
        yolox([(8, "net/r", "net/c", "net/o")]),
    ),
    "default boxes": (
        [layer("net/r", (19, 19, 12)), layer("net/c", (19, 19, 273))],
        ssd([("net/r", "net/c", [(0.1, 0.1)] * 3)], (640, 640), classes=91),
    ),
}


@pytest.mark.parametrize(("outputs", "op"), SOUND.values(), ids=SOUND)
def test_a_sound_file_has_no_remarks(remarks, outputs, op):
    assert remarks(outputs, op=op) == []


@pytest.mark.parametrize("path", sorted((SHARED / "hefs").glob("*.hef")) or [None], ids=str)
def test_a_public_file_is_called_wrong_in_nothing(path):
    if path is None:
        pytest.skip("the collection of public HEF files is not here")
    network = read_network(path, verify=True)
    assert [one for one in check_network(network) if one.severity.value != "note"] == []


FAULTY = {
    "a device": (
        {"outputs": heads(), "arch": "hailo8", "device": "hailo8l"},
        ("HD510", "error", "it is compiled for hailo8, and does not run on hailo8l"),
    ),
    "a name twice": (
        {"outputs": [*heads(), layer("net/reg8", (4, 4, 4))]},
        ("HD511", "error", "HailoRT 5.2 refuses the file: two layers have the name 'net/reg8'"),
    ),
    "an old compiler": (
        {"outputs": heads(), "drop": (26,)},
        ("HD511", "warning", "it lacks the extension PERIPH_CALCULATION_IN_HAILORT"),
    ),
    "names": (
        {"outputs": heads(), "op": yolov8(STEP), "names": ["a", "b"]},
        ("HD512", "error", "2 class names do not go with the 80 classes of 'net/yolov8_nms_postprocess'"),
    ),
    "names of raw heads": (
        {"outputs": heads(), "names": ["a"] * 79},
        ("HD512", "error", "79 class names do not go with the 80 classes of the outputs"),
    ),
    "the image's size": (
        {"outputs": heads(), "op": yolov8(STEP, (320, 640))},
        ("HD520", "error", "at 2 (down) and 1 (across) times their place and size"),
    ),
    "the image's size of anchors": (
        {"outputs": [scores("net/c8", (80, 80, 255))], "op": yolov5([(8, "net/c8", ANCHORS)], (320, 320))},
        ("HD520", "error", "boxes come out at 2 times their size"),
    ),
    "a stride": (
        {"outputs": heads(), "op": yolov8([(16, "net/reg8", "net/cls8"), *STEP[1:]])},
        ("HD521", "error", "not the 640x640 of the network's input: 16 x 80x80 is 1280x1280 ('net/reg8')"),
    ),
    "a stride that nothing uses": (
        {"outputs": [scores("net/c8", (80, 80, 255))], "op": yolov5([(4, "net/c8", ANCHORS)])},
        ("HD521", "note", "4 x 80x80 is 320x320 ('net/c8')"),
    ),
    "classes": (
        {"outputs": heads(classes=3), "op": yolov8(STEP)},
        (
            "HD522",
            "error",
            "cls layers 'net/cls8', 'net/cls16', 'net/cls32': 3 channels, where the 80 classes",
        ),
    ),
    "anchors": (
        {"outputs": [scores("net/c8", (80, 80, 255))], "op": yolov5([(8, "net/c8", ANCHORS[:2])])},
        ("HD522", "error", "encoded layer 'net/c8': 255 channels, where the 80 classes"),
    ),
    "mask coefficients": (
        {
            "outputs": [layer("net/c8", (80, 80, 351)), layer("net/proto", (160, 160, 32))],
            "op": yolov5_seg([(8, "net/c8", ANCHORS)], "net/proto", count=16),
        },
        ("HD522", "error", "ask for 303"),
    ),
    "plain distances": (
        {"outputs": heads(bins=1), "op": yolov8(STEP, bins=1)},
        ("HD523", "error", "4 channels, one bin for each side: every box comes out empty"),
    ),
    "no four sides": (
        {
            "outputs": [layer("net/r", (80, 80, 63)), scores("net/c", (80, 80, 80))],
            "op": yolov8([(8, "net/r", "net/c")]),
        },
        ("HD523", "error", "box layer 'net/r': 63 channels, which are no four sides"),
    ),
    "bins": (
        {"outputs": heads(), "op": yolov8(STEP, bins=8)},
        ("HD523", "note", "64 channels, where 8 bins would be 32"),
    ),
    "exchanged": (
        {"outputs": heads(classes=3), "op": yolov8([(s, c, r) for s, r, c in STEP], classes=3)},
        ("HD524", "error", "'net/cls8' and class layer 'net/reg8' have 3 and 64 channels, each the other's"),
    ),
    "exchanged, of equal channels": (
        {"outputs": heads(classes=64), "op": yolov8([(s, c, r) for s, r, c in STEP], classes=64)},
        ("HD524", "error", "box layer 'net/cls8' holds values in 0..1, class layer 'net/reg8' does not"),
    ),
    "an order": (
        {"outputs": heads(cls={"order": "FCR"}), "op": yolov8(STEP)},
        ("HD530", "error", "reads NHCW alone, and 'net/cls8', 'net/cls16', 'net/cls32' are FCR"),
    ),
    "types": (
        {"outputs": heads(box={"dtype": "uint16"}), "op": yolov8(STEP)},
        ("HD531", "error", "uint16: 'net/reg8', 'net/reg16', 'net/reg32'"),
    ),
    "padded bins": (
        {
            "outputs": [layer("net/r", (80, 80, 44), hw_shape=(80, 80, 48)), scores("net/c", (80, 80, 80))],
            "op": yolov8([(8, "net/r", "net/c")], bins=11),
        },
        ("HD532", "warning", "layer 'net/r': 44 channels, 48 with padding; boxes come out too small"),
    ),
    "padded classes": (
        {
            "outputs": [layer("net/r", (80, 80, 64)), scores("net/c", (80, 80, 3), hw_shape=(80, 80, 8))],
            "op": yolov8([(8, "net/r", "net/c")], classes=3),
        },
        ("HD532", "warning", "layer 'net/c': 3 channels, 8 with padding; the step refuses its size"),
    ),
    "padded prototypes": (
        {
            "outputs": [
                layer("net/c8", (80, 80, 351)),
                layer("net/p", (150, 150, 32), hw_shape=(150, 152, 32)),
            ],
            "op": yolov5_seg([(8, "net/c8", ANCHORS)], "net/p"),
        },
        ("HD532", "warning", "'net/p': 150x150x32, 150x152x32 with padding; masks are sheared"),
    ),
    "raw scores": (
        {
            "outputs": heads(cls={"scale": 0.1, "zero_point": 180.0, "limits": (-18.0, 7.5)}),
            "op": yolov8(STEP),
        },
        ("HD533", "error", "cls layers 'net/cls8' (-18 to 7.5), 'net/cls16'"),
    ),
    "raw objectness": (
        {
            "outputs": [
                layer("net/r", (80, 80, 4)),
                scores("net/c", (80, 80, 80)),
                layer("net/o", (80, 80, 1), scale=0.1, zero_point=128.0),
            ],
            "op": yolox([(8, "net/r", "net/c", "net/o")]),
        },
        ("HD533", "error", "obj layer 'net/o' (-12.8 to 12.7): values beyond 0..1"),
    ),
    "a scale for each channel": (
        {"outputs": [layer("net/a", (80, 80, 2), scales=(0.1, 0.2))], "extensions": [CHANNEL_SCALE]},
        ("HD540", "warning", "each channel of 'net/a' has its own scale"),
    ),
    "equal scales for each channel": (
        {"outputs": [layer("net/a", (80, 80, 2), scales=(0.1, 0.1))], "extensions": [CHANNEL_SCALE]},
        ("HD540", "warning", "HailoRT shows one, and that is zero"),
    ),
    "a scale for each channel behind a step": (
        {
            "outputs": heads(classes=2, cls={"scales": (0.1, 0.2)}),
            "op": yolov8(STEP, classes=2),
            "extensions": [CHANNEL_SCALE],
        },
        ("HD540", "error", "the host step reads the one scale of 'net/reg8', 'net/cls8'"),
    ),
    "a zero point": (
        {"outputs": [layer("net/a", (80, 80, 64), scale=0.001, zero_point=32_768.0)]},
        ("HD541", "error", "'net/a' is uint8, 0 to 255, and its zero point is 32768"),
    ),
    "a zero point below zero": (
        {"outputs": [layer("net/a", (80, 80, 64), zero_point=-9.0)]},
        ("HD541", "warning", "its zero point is -9: it never holds 0"),
    ),
    "a threshold": (
        {"outputs": heads(), "op": yolov8(STEP, score=0.25)},
        ("HD542", "note", "drops every score below 0.25"),
    ),
}


@pytest.mark.parametrize(("given", "wanted"), FAULTY.values(), ids=FAULTY)
def test_a_fault_is_told_once_with_the_files_own_numbers(remarks, given, wanted):
    code, severity, said = wanted
    found = [remark for remark in remarks(**given) if remark[0] == code]
    assert len(found) == (3 if code == "HD524" else 1)
    assert found[0][1] == severity
    assert said in found[0][2]


def test_one_fault_brings_no_other_remark(remarks):
    """What follows from it would only hide the one thing to mend."""
    for name, (faulty, (code, *_)) in FAULTY.items():
        codes = {remark[0] for remark in remarks(**faulty)}
        assert codes == {code}, name


def test_an_archive_made_for_another_device_can_still_be_compiled(tmp_path):
    graph = yolov8_hn("drone", classes=3)
    path = tmp_path / "drone.har"
    path.write_bytes(har(graph, metadata={"hw_arch": "hailo8"}))
    (remark,) = check_network(read_network(path), device="hailo8l")
    assert (remark.code, remark.severity.value) == ("HD510", "warning")
    assert remark.message == "it was made with hailo8 in mind, not hailo8l"


@pytest.mark.parametrize("sigmoid", [True, False])
def test_an_archive_with_a_step_tells_a_class_layer_without_sigmoid(tmp_path, sigmoid):
    graph = yolov8_hn("drone", classes=3, nms=True, sigmoid=sigmoid, split=("conv53",))
    path = tmp_path / "drone.har"
    records = modifications(graph, sigmoid_layers=[])
    path.write_bytes(har(graph, modifications=records, nms_json=nms_json(graph), state="quantized_model"))
    found = [one.message for one in check_network(read_network(path)) if one.code == "HD533"]
    layers = "'drone/conv42', 'drone/ne_activation_conv53', 'drone/conv63'"
    assert found == ([] if sigmoid else [f"cls layers {layers}: no sigmoid at its end, not probabilities"])


DIVIDES = "normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])\n"
IMAGENET = "normalization1 = normalization([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])\n"
BRIGHT, DIVIDED = (1.0, 0.0), (1 / 255, 0.0)  # scale and zero point of an input of 0..255, of one of 0..1


@pytest.mark.parametrize(
    ("quant", "script", "layer_divides", "told"),
    [
        (DIVIDED, DIVIDES, True, "numbers of 0 to 1, and the script divides by 255 once more"),
        (BRIGHT, DIVIDES, True, None),
        (DIVIDED, IMAGENET, True, None),  # means and divisors of pictures that were divided before
        (DIVIDED, "", False, None),
        (BRIGHT, "", True, None),  # the model divides by itself
        (
            BRIGHT,
            "",
            False,
            "numbers of 0 to 255, nothing divides them, and networks of this kind are trained on 0..1",
        ),
        (None, DIVIDES, True, None),
    ],
)
def test_an_archive_tells_the_range_of_its_calibration(tmp_path, quant, script, layer_divides, told):
    graph = yolov8_hn("drone", classes=3, nms=True, sigmoid=True, normalization=layer_divides)
    numbers = qparams("drone", {"input_layer1": quant} if quant else {"conv41": (0.1, 3.0)})
    path = tmp_path / "drone.har"
    records = modifications(graph)
    records.pop("inputs", None)
    path.write_bytes(
        har(
            graph,
            modifications=records,
            nms_json=nms_json(graph),
            state="quantized_model",
            script=script,
            quant=numbers,
        )
    )
    found = [one for one in check_network(read_network(path)) if one.code == "HD543"]
    name = "'drone/input_layer1' was calibrated with "
    assert [one.message for one in found] == ([name + told] if told else [])
    assert [one.severity.value for one in found] == (["error" if script else "warning"] if told else [])


def test_metadata_of_another_model_is_told(tmp_path):
    (tmp_path / "net.hef").write_bytes(hef(heads(), op=yolov8(STEP)))
    (tmp_path / "metadata.yaml").write_text("task: detect\nimgsz: [320, 320]\nnames:\n  0: a\n  1: b\n")
    found = check_network(read_network(tmp_path))
    assert {(one.code, one.severity.value) for one in found} == {("HD513", "warning")}
    assert found[0].message == "2 names, the result 'net/yolov8_nms_postprocess' has 80 classes"


def test_names_in_the_folder_of_raw_heads_are_counted(tmp_path):
    (tmp_path / "net.hef").write_bytes(hef(heads()))
    (tmp_path / "metadata.yaml").write_text("task: detect\nimgsz: [640, 640]\nnames:\n  0: a\n  1: b\n")
    (found,) = check_network(read_network(tmp_path), classes=80)
    assert (found.code, found.message) == (
        "HD512",
        "2 class names do not go with the 80 classes of the outputs",
    )


def test_a_file_that_could_not_be_read_has_its_one_remark(tmp_path):
    path = tmp_path / "net.hef"
    path.write_bytes(hef(heads())[:-1])
    with pytest.raises(FormatError) as caught:
        read_network(path)
    (found,) = check_network(None, failure=caught.value, file="net.hef")
    assert (found.code, found.file) == ("HD502", "net.hef")
    assert check_network(None) == []
