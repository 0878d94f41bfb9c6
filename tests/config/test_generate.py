"""What is generated for a network is what its file must say, or the reason why there is no such file."""

from __future__ import annotations

import json

import pytest
from lint.examples import network
from lint.texts import remarks, told
from networks.build_har import har, yolov8_hn
from networks.build_hef import hef, layer, ssd, yolov5, yolov8, yolox
from networks.build_onnx import network as onnx
from networks.parse_hef_texts import BOLTS, SNAIL

from hailo_decode.config.generate import generate_nms
from hailo_decode.errors import AmbiguousError, OptionError, PairingError, UnknownName
from hailo_decode.networks import read_network

ULTRALYTICS = [
    (f"/model.22/cv{branch}.{i}/cv{branch}.{i}.2/Conv", channels, 8 << i)
    for i in range(3)
    for branch, channels in ((2, 64), (3, 5))
]
ANCHORS = ((8, ((10, 13), (16, 30), (33, 23))), (16, ((30, 61), (62, 45), (59, 119))))


def read(folder, name: str, data: bytes | str):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_network(path)


def decoders(made) -> list[tuple]:
    return [tuple(v for k, v in d.items() if k != "name") for d in json.loads(made.config)["bbox_decoders"]]


def passes(made, net) -> bool:
    return told(remarks(made.config, script=made.script, network=net)) == []


def test_a_parsed_har_gives_names_classes_bins_and_lines(tmp_path):
    net = read(tmp_path, "best.har", har(yolov8_hn("best", (384, 640), classes=2, normalization=False)))
    made = generate_nms(net, conf=0.3, iou=0.5, max_per_class=50, config_path="cfg/nms.json")
    config = json.loads(made.config)
    assert {k: v for k, v in config.items() if k != "bbox_decoders"} == {
        "nms_scores_th": 0.3,
        "nms_iou_th": 0.5,
        "image_dims": [384, 640],
        "max_proposals_per_class": 50,
        "classes": 2,
        "regression_length": 16,
        "background_removal": False,
        "background_removal_index": 0,
    }
    assert decoders(made) == [(8, "conv41", "conv42"), (16, "conv52", "conv53"), (32, "conv62", "conv63")]
    assert made.script.splitlines() == [
        "normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])",
        "change_output_activation(conv42, sigmoid)",
        "change_output_activation(conv53, sigmoid)",
        "change_output_activation(conv63, sigmoid)",
        'nms_postprocess("cfg/nms.json", meta_arch=yolov8, engine=cpu)',
    ]
    assert (made.complete, passes(made, net)) == (True, True)


def test_what_the_model_does_itself_is_not_written_again(tmp_path):
    graph = yolov8_hn("best", classes=2, normalization=True, sigmoid=True)
    made = generate_nms(read(tmp_path, "best.har", har(graph)))
    assert made.script.splitlines() == ['nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)']


def test_an_optimized_har_gives_the_layers_behind_split_activations_and_all_lines(tmp_path):
    graph = yolov8_hn("best", classes=2, nms=True, sigmoid=True, split=("conv53",))
    made = generate_nms(read(tmp_path, "best.har", har(graph, state="quantized_model")))
    assert decoders(made)[1] == (16, "conv52", "conv53")
    assert len(made.script.splitlines()) == 5


def test_an_onnx_file_gives_its_nodes_and_a_parsed_har_the_names(tmp_path):
    model = read(tmp_path, "best.onnx", onnx(ULTRALYTICS))
    made = generate_nms(model)
    assert not made.complete
    assert decoders(made)[0] == (8, ULTRALYTICS[0][0], ULTRALYTICS[1][0])
    assert made.end_nodes == tuple(name for name, *_ in ULTRALYTICS)
    assert made.script.splitlines()[1:] == ['nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)']
    parsed = read(tmp_path, "best.har", har(yolov8_hn("best", classes=5, normalization=False)))
    # The file with nodes for names is an error by itself, and completed by the parsed network.
    found = remarks(made.config, network=parsed)
    assert {d.code for d in found if d.severity.value == "error"} == {"HD402"}
    assert [edit.value for d in found for edit in d.fix][:2] == ["conv41", "conv42"]


def test_a_hef_with_raw_outputs_gives_its_layers(tmp_path):
    grids = ((41, 80, 64), (42, 80, 2), (52, 40, 64), (53, 40, 2), (62, 20, 64), (63, 20, 2))
    outputs = [layer(f"net/conv{n}", (g, g, c)) for n, g, c in grids]
    net = read(tmp_path, "net.hef", hef(outputs))
    made = generate_nms(net)
    assert decoders(made) == [(8, "conv41", "conv42"), (16, "conv52", "conv53"), (32, "conv62", "conv63")]
    # It says that this very HEF was not made with the script.
    assert told(remarks(made.config, script=made.script, network=net)) == ["warning HD425"]


def test_a_hef_with_a_step_gives_the_steps_own_thresholds_and_plain_names(tmp_path):
    names = [(f"net/conv{n}_{i}", g, c) for i, (n, g, c) in enumerate(((41, 80, 64), (42, 80, 3)), 107)]
    outputs = [layer(name, (g, g, c)) for name, g, c in names]
    step = yolov8([(8, names[0][0], names[1][0])], score=0.4, iou=0.55, classes=3, most=25)
    net = read(tmp_path, "net.hef", hef(outputs, ops=[step]))
    made = generate_nms(net)
    config = json.loads(made.config)
    assert [round(config[k], 6) for k in ("nms_scores_th", "nms_iou_th", "max_proposals_per_class")] == [
        *(0.4, 0.55, 25)
    ]
    assert decoders(made) == [(8, "conv41", "conv42")]
    assert passes(made, net)


def test_a_hef_with_anchors_gives_them_back(tmp_path):
    outputs = [layer(f"net/conv{s}", (640 // s, 640 // s, 24)) for s, _ in ANCHORS]
    step = yolov5([(s, f"net/conv{s}", a) for s, a in ANCHORS], classes=3)
    net = read(tmp_path, "net.hef", hef(outputs, ops=[step]))
    made = generate_nms(net)
    assert decoders(made) == [
        (8, [10, 16, 33], [13, 30, 23], "conv8"),
        (16, [30, 62, 59], [61, 45, 119], "conv16"),
    ]
    assert "change_output_activation(sigmoid)" in made.script.splitlines()
    assert passes(made, net)


def test_a_hef_with_objectness_gives_all_three_roles(tmp_path):
    kinds = ((54, 80), (55, 4), (56, 1))
    outputs = [layer(f"net/conv{n}", (80, 80, c)) for n, c in kinds]
    net = read(
        tmp_path, "net.hef", hef(outputs, ops=[yolox([(8, "net/conv55", "net/conv54", "net/conv56")])])
    )
    made = generate_nms(net)
    assert decoders(made) == [(8, "conv55", "conv56", "conv54")]
    assert "normalization" not in made.script
    assert passes(made, net)


def test_a_hef_with_default_boxes_gives_the_steps_anchors_and_factors(tmp_path):
    outputs = [layer("net/conv13", (19, 19, 12)), layer("net/conv14", (19, 19, 273))]
    inputs = [layer("net/input_layer1", (300, 300, 3))]
    anchors = [(0.1, 0.1), (0.25, 0.125), (0.125, 0.25)]
    net = read(
        tmp_path,
        "net.hef",
        hef(outputs, inputs=inputs, ops=[ssd([("net/conv13", "net/conv14", anchors)], classes=91)]),
    )
    config = json.loads(generate_nms(net).config)
    assert (config["classes"], config["centers_scale_factor"], config["image_dims"]) == (91, 10, [300, 300])
    (entry,) = config["bbox_decoders"]
    assert (entry["w"], entry["h"]) == (pytest.approx([0.1, 0.25, 0.125]), pytest.approx([0.1, 0.125, 0.25]))
    assert (entry["reg_layer"], entry["cls_layer"]) == ("conv13", "conv14")


def test_the_text_of_parse_hef_gives_the_same_as_the_file(tmp_path):
    net = read(tmp_path, "snail.txt", SNAIL)
    made = generate_nms(net)
    assert decoders(made) == [(8, "conv41", "conv42"), (16, "conv52", "conv53"), (32, "conv62", "conv63")]
    assert json.loads(made.config)["classes"] == 5


def test_the_text_of_a_hef_with_a_step_does_not_name_the_layers(tmp_path):
    with pytest.raises(PairingError, match="no outputs that are maps"):
        generate_nms(read(tmp_path, "bolts.txt", BOLTS))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"extra": 51}, "extra layers"),
        ({"extra": 1}, "extra layers"),
        ({"extra": 32, "proto": True}, "extra layers"),
        ({"bins": 1}, "four plain distances"),
    ],
)
def test_a_head_without_a_step_is_told_so_with_its_end_nodes_and_the_raw_path(tmp_path, changes, words):
    numbers = ((41, 42, 43), (52, 53, 54), (62, 63, 64))
    net = read(tmp_path, "net.har", har(yolov8_hn("net", conv_numbers=numbers, **changes)))
    with pytest.raises(PairingError, match="there is no NMS step for this head") as caught:
        generate_nms(net)
    assert words in caught.value.message
    for branch in (2, 3):
        assert f"/model.22/cv{branch}.2/cv{branch}.2.2/Conv" in caught.value.hint
    assert ("/proto/cv3/act/Mul" in caught.value.hint) == ("proto" in changes)
    assert "Decoder.from_file" in caught.value.hint


def test_anchors_that_the_file_does_not_hold_are_asked_for():
    net = network("input 640x640\nconv74 80x80x24\nconv84 40x40x24")
    with pytest.raises(AmbiguousError, match="does not hold the anchors of strides 8, 16"):
        generate_nms(net)
    made = generate_nms(net, anchors=dict(ANCHORS))
    assert decoders(made)[0] == (8, [10, 16, 33], [13, 30, 23], "conv74")


def test_classes_and_bins_in_one_layer_need_the_number_of_bins():
    net = network("input 416x416\nconv59 52x52x124\nconv65 26x26x124\nconv71 13x13x124")
    with pytest.raises(PairingError, match="fit no anchors") as caught:
        generate_nms(net)
    assert "how many bins" in caught.value.hint
    made = generate_nms(net, bins=11)
    config = json.loads(made.config)
    assert (config["classes"], config["regression_length"]) == (80, 11)
    assert decoders(made)[0] == (8, "conv59")
    assert passes(made, net)


def test_four_plain_distances_without_names_can_be_two_kinds():
    net = network("input 640x640\nconv41 80x80x4\nconv42 80x80x80")
    with pytest.raises(AmbiguousError, match="one of two kinds") as caught:
        generate_nms(net)
    assert caught.value.hint == "meta_arch='yolov6', or no NMS step at all"
    made = generate_nms(net, meta_arch="yolov6")
    assert made.script.splitlines() == ['nms_postprocess("nms.json", meta_arch=yolov6, engine=nn_core)']
    assert passes(made, net)


def test_a_head_that_channels_cannot_tell_is_refused_with_both_readings():
    net = network("input 640x640\nconv41 80x80x64\nconv42 80x80x4")
    with pytest.raises(AmbiguousError, match="cannot be told apart by their channels") as caught:
        generate_nms(net)
    assert len(caught.value.readings) == 2


def test_options_that_cannot_be_used_are_refused():
    net = network("input 640x640\nconv41 80x80x64\nconv42 80x80x3")
    with pytest.raises(OptionError, match=r"conf must lie in 0\.\.1"):
        generate_nms(net, conf=30)
    with pytest.raises(OptionError, match="max_per_class must be at least 1"):
        generate_nms(net, max_per_class=0)
    with pytest.raises(UnknownName, match="no meta_arch named 'yolov9'"):
        generate_nms(net, meta_arch="yolov9")
    with pytest.raises(OptionError, match="yolox does not decode this head"):
        generate_nms(net, meta_arch="yolox")
