"""The cases that were stated for the check, each with its verdict at the right line and column."""

from __future__ import annotations

import json

import pytest
from lint.examples import network
from lint.texts import NORMALIZED, SNAIL, SNAIL_NETWORK, SNAIL_SCRIPT, codes, remarks, told, with_changes

from hailo_decode.config.generate import generate_nms

NET = network(SNAIL_NETWORK)
NMS = 'nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)\n'


def place(text: str, before: str, value: str) -> tuple[int, int]:
    """Line and column of the first `value` behind the first `before`."""
    at = text.index(value, text.index(before) + len(before))
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def the_error(text: str, **files):
    """The one error about a configuration."""
    found = [d for d in remarks(text, **files) if d.severity.value == "error"]
    assert len(found) == 1, found
    return found[0]


def where(remark) -> tuple[int, int]:
    return remark.span.line, remark.span.column


def test_a_right_configuration_is_valid_with_and_without_the_networks_name():
    assert told(remarks(SNAIL, script=SNAIL_SCRIPT, network=NET)) == []
    assert told(remarks(json.dumps(SNAIL).replace("snail/", ""), script=SNAIL_SCRIPT, network=NET)) == []


def test_generating_from_its_end_nodes_gives_it_back():
    made = generate_nms(NET)
    bare = json.loads(json.dumps(SNAIL).replace("snail/", ""))
    assert json.loads(made.config) == {**bare, "background_removal_index": 0}
    assert made.script == SNAIL_SCRIPT
    assert told(remarks(made.config, script=made.script, network=NET)) == []


def test_eighty_classes_do_not_fit_three_channels():
    text = json.dumps(with_changes(SNAIL, classes=80), indent=2)
    error = the_error(text, network=NET)
    assert (error.code, where(error)) == ("HD404", place(text, '"classes"', "80"))
    assert error.message == "classes is 80, and 'snail/conv42' has 3 channels"


def test_a_decoder_of_stride_8_with_layers_of_stride_16():
    config = with_changes(SNAIL)
    config["bbox_decoders"][0] |= {"reg_layer": "snail/conv52", "cls_layer": "snail/conv53"}
    text = json.dumps(config, indent=2)
    found = {d.code: d for d in remarks(text, network=NET)}
    stride = found["HD401"]
    assert where(stride) == place(text, '"stride"', "8")
    assert "60x80 (4800 cells)" in stride.message
    assert "1200 cells" in stride.message
    assert stride.hint == "for stride 8 name 'snail/conv41', 'snail/conv42'"
    assert codes(remarks(text, network=NET), "error") == {"HD401", "HD220"}


def test_buffer_sizes_of_a_stride_that_is_off_can_be_read_off_the_message():
    # HailoRT's error has the bytes of an 80x80x4 and of a 40x40x4 map: 25600 and 6400.
    decoder = {"stride": 8, "reg_layer": "conv68", "objectness_layer": "conv70", "cls_layer": "conv69"}
    changed = {k: v for k, v in SNAIL.items() if k not in ("regression_length", "background_removal")}
    config = with_changes(
        changed, image_dims=[640, 640], number_of_detection_heads=1, bbox_decoders=[decoder]
    )
    leaky = network("input 640x640\nconv68 40x40x4\nconv70 40x40x1\nconv69 40x40x3")
    error = the_error(json.dumps(config, indent=2), network=leaky)
    assert "(6400 cells)" in error.message
    assert "'conv68' (40x40x4) has 1600 cells" in error.message
    assert 6400 * 4, 1600 * 4 == (25600, 6400)


@pytest.mark.parametrize("stated", [[640, 640], [640, 480]])
def test_image_dims_are_height_and_width_of_the_input(stated):
    text = json.dumps(with_changes(SNAIL, image_dims=stated), indent=2)
    error = the_error(text, network=NET)
    assert (error.code, where(error)) == ("HD406", place(text, '"image_dims"', "["))
    assert error.hint == "write [480, 640]" + (": height first" if stated == [640, 480] else "")


def test_box_and_class_layer_exchanged():
    config = with_changes(SNAIL)
    config["bbox_decoders"][1] |= {"reg_layer": "snail/conv53", "cls_layer": "snail/conv52"}
    text = json.dumps(config, indent=2)
    error = the_error(text, network=NET)
    assert (error.code, where(error)) == ("HD403", place(text, '"reg_layer"', '"snail/conv53"'))
    assert error.hint == "exchange it with 'snail/conv52'"


def test_fifteen_bins_do_not_fit_64_channels():
    text = json.dumps(with_changes(SNAIL, regression_length=15), indent=2)
    error = the_error(text, network=NET)
    assert (error.code, where(error)) == ("HD405", place(text, '"regression_length"', "15"))
    assert error.message.endswith("64 = 4 x 16 channels")


def test_the_flat_form_has_no_decoders():
    text = json.dumps(
        {
            "nms_scores_th": 0.25,
            "nms_iou_th": 0.7,
            "image_dims": [640, 640],
            "max_proposals_per_class": 100,
            "classes": 2,
            "reg_layers": ["output_layer1", "output_layer3"],
            "cls_layers": ["output_layer2", "output_layer4"],
        },
        indent=2,
    )
    error = the_error(text)
    assert (error.code, where(error)) == ("HD112", (1, 1))
    assert error.message == "'bbox_decoders' is missing"
    assert error.hint.endswith("name the layer before output_layer1, never the output layer itself")


def test_four_box_channels_cannot_be_decoded_as_bins():
    text = json.dumps(SNAIL, indent=2)
    plain = network(SNAIL_NETWORK.replace("x64", "x4"))
    error = the_error(text, network=plain)
    assert (error.code, where(error)) == ("HD405", place(text, '"reg_layer"', '"snail/conv41"'))
    assert "four plain distances" in error.message


def test_a_script_without_sigmoid_lines_is_told_the_three_lines():
    # The compiler adds them by itself (its log says so, and official scripts without them work): a note.
    found = [d for d in remarks(SNAIL, script=NORMALIZED + NMS, network=NET) if d.code == "HD332"]
    assert [d.severity.value for d in found] == ["note"]
    for name in (42, 53, 63):
        assert f"change_output_activation(snail/conv{name}, sigmoid)" in found[0].hint


def test_an_optimized_network_without_sigmoids_is_an_error_with_the_three_lines():
    cold = network("state quantized_model\n" + SNAIL_NETWORK.replace("x3", "x3 linear"))
    error = next(d for d in remarks(SNAIL, network=cold) if d.code == "HD423")
    assert error.severity.value == "error"
    for name in (42, 53, 63):
        assert f"change_output_activation(snail/conv{name}, sigmoid)" in error.hint


def test_sigmoid_and_forced_range_on_one_layer():
    script = SNAIL_SCRIPT + "quantization_param([conv42], force_range_out=[0.0, 1.0])\n"
    found = [d for d in remarks(SNAIL, script=script, network=NET) if d.code == "HD334"]
    assert [(d.severity.value, where(d)) for d in found] == [
        ("error", place(script, "[conv42]", "force_range_out"))
    ]


def test_the_step_for_bins_does_not_run_on_the_chip():
    script = SNAIL_SCRIPT.replace("engine=cpu", "engine=nn_core")
    error = the_error(json.dumps(SNAIL), script=script, network=NET)
    assert (error.code, where(error)) == ("HD315", place(script, "meta_arch=yolov8", "nn_core"))
    assert (error.message, error.hint) == ("yolov8 does not run on the chip", "write engine=cpu")


def test_empty_names_are_accepted_and_can_be_filled():
    config = with_changes(SNAIL)
    for decoder in config["bbox_decoders"]:
        decoder |= {"reg_layer": "", "cls_layer": ""}
    found = remarks(config, network=NET)
    assert told(found) == ["warning HD118"]
    assert {edit.path[-1]: edit.value for edit in found[0].fix[:2]} == {
        "reg_layer": "conv41",
        "cls_layer": "conv42",
    }
    assert len(found[0].fix) == 6


def test_nine_end_nodes_mean_a_branch_that_would_be_lost():
    nodes = [
        f"snail/conv{number} {60 // k}x{80 // k}x{channels} : /model.23/cv{branch}.{i}/cv{branch}.{i}.2/Conv"
        for i, (k, base) in enumerate(((1, 41), (2, 52), (4, 62)))
        for number, channels, branch in ((base, 64, 2), (base + 1, 3, 3), (base + 2, 51, 4))
    ]
    pose = network("\n".join(["input 480x640", *nodes]))
    text = json.dumps(SNAIL, indent=2)
    found = [d for d in remarks(text, network=pose) if d.severity.value != "note"]
    assert told(found) == ["warning HD414"]
    assert where(found[0]) == place(text, '"bbox_decoders"', "[")
    assert found[0].message.startswith("3 layers of the network are for masks, keypoints or angles")
