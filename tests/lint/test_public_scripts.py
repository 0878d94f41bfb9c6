"""Public scripts get the verdict that is known of them, each rebuilt from what is known of it."""

from __future__ import annotations

import pytest
from lint.texts import NORMALIZED, SNAIL, codes, remarks, told, with_changes

from hailo_decode.config.alls import read_script

NMS = 'nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)\n'
SIGMOIDS = "".join(f"change_output_activation(conv{n}, sigmoid)\n" for n in (42, 53, 63))


def config(**changes):
    return with_changes(SNAIL, image_dims=[640, 640], **changes)


# What is wrong in a script, by error codes; a script that only warns is in the table below.
BROKEN = {
    "British spelling, four means, no comma": (
        "quantisation_param([conv42, conv53, conv63], force_range_out=[0.0, 1.0])\n"
        "normalisation1 = normalization([0.0, 0.0, 0.0, 0.0], [255.0, 255.0, 255.0])\n"
        'nms_postprocess("config/nms.json" meta_arch=yolov8, engine=cpu)\n',
        {"HD306", "HD342", "HD301"},
    ),
    "typographic quotes": (
        NORMALIZED + "nms_postprocess(“nms.json”, meta_arch=yolov8, engine=cpu)\n",
        {"HD302"},
    ),
    "nms_config_file_path": (
        NORMALIZED + 'nms_postprocess(nms_config_file_path="nms.json")\n',
        {"HD310", "HD311"},
    ),
    "nms_config": (NORMALIZED + 'nms_postprocess(nms_config="nms.json", engine=cpu)\n', {"HD310", "HD311"}),
    "path without meta_arch": (NORMALIZED + 'nms_postprocess("nms.json")\n', {"HD311"}),
    "long names, a tuple, a lower-case boolean": (
        NORMALIZED + "nms_postprocess(\n    meta_arch=yolov8,\n    engine=cpu,\n    nms_iou_thresh=0.5,\n"
        "    nms_score_thresh=0.3,\n    image_dims=(640, 640),\n    max_proposals_total=100,\n"
        "    bbox_decoding_only=false)\n",
        {"HD310", "HD301", "HD307"},
    ),
    "feature word missing": (
        NORMALIZED + "post_quantization_optimization(offline_quantization=true)\n" + NMS,
        {"HD308", "HD309", "HD307"},
    ),
    "arguments of the flavor in the config command": (
        NORMALIZED + "model_optimization_config(optimization_level=0, batch_size=1)\n" + NMS,
        {"HD308"},
    ),
    "engine auto": (
        NORMALIZED + "nms_postprocess(meta_arch=yolov8, engine=auto, nms_scores_th=0.3, classes=3)\n",
        {"HD315"},
    ),
    "template that was not filled": (
        NORMALIZED + 'nms_postprocess("nms.json", meta_arch=__META_ARCH__, engine=__ENGINE__)\n',
        {"HD305"},
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_public_script_has_exactly_these_errors(name):
    script, expected = BROKEN[name]
    assert codes(remarks(config(), script=script), "error") == expected


ODD = {
    "one bracket too many, as the zoo shipped it": (
        NORMALIZED + SIGMOIDS + 'nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu))\n',
        {"HD303"},
    ),
    "no normalization": (SIGMOIDS + NMS, {"HD340"}),
    "a backslash at the end of a line": (
        "model_optimization_flavor(optimization_level=2) \\\n" + NORMALIZED + SIGMOIDS + NMS,
        {"HD304"},
    ),
    "sigmoid and forced range on all class layers": (
        NORMALIZED
        + SIGMOIDS
        + "quantization_param([conv42, conv53, conv63], force_range_out=[0.0, 1.0])\n"
        + NMS,
        {"HD334"},
    ),
    "sigmoids in comments, forced range kept, and a raw network": (
        NORMALIZED + "quantization_param([conv42, conv53, conv63], force_range_out=[0.0, 1.0])\n",
        {"HD319", "HD335"},
    ),
    "names of another network's script": (
        NORMALIZED + "change_output_activation(conv57, sigmoid)\n" + NMS,
        {"HD337"},
    ),
    "names of another network, and no step": (
        NORMALIZED + "change_output_activation(best_fixed/conv94, sigmoid)\n",
        {"HD319", "HD337"},
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_public_script_is_warned_of_and_no_more(name):
    script, expected = ODD[name]
    found = remarks(config(), script=script)
    assert codes(found, "error") == set()
    assert codes(found, "warning") == expected


RIGHT = {
    "activations left to the compiler": NORMALIZED + NMS,
    "activations in comments, forced range kept, with the step": (
        NORMALIZED
        + "".join(f"#{line}\n" for line in SIGMOIDS.splitlines())
        + "quantization_param([conv42, conv53, conv63], force_range_out=[0.0, 1.0])\n"
        + NMS
    ),
    "scoped file and bare script": NORMALIZED + SIGMOIDS + NMS,
    "keyword for the path": (
        NORMALIZED + SIGMOIDS + 'nms_postprocess(config_path="nms.json", meta_arch=yolov8, engine=cpu)\n'
    ),
    "decoding only": (
        NORMALIZED + 'nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu, bbox_decoding_only=True)\n'
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_public_script_is_left_alone(name):
    assert told(remarks(config(), script=RIGHT[name])) == []


def test_the_old_name_of_a_step_is_warned_of():
    found = remarks(
        script=NORMALIZED + 'change_output_activation(sigmoid)\nnms_postprocess("nms.json", yolo)\n'
    )
    assert told(found) == ["warning HD313"]
    assert found[-1].hint == "write yolov5"


def test_a_step_without_a_file_is_warned_of():
    assert told(remarks(script="nms_postprocess(meta_arch=ssd, engine=nn_core)\n")) == ["warning HD321"]


def test_heads_with_objectness_and_plain_distances_need_no_normalization():
    for step in ("yolox, engine=cpu", "yolov6, engine=nn_core"):
        assert "HD340" not in codes(remarks(script=f'nms_postprocess("nms.json", {step})\n'))


def test_a_path_that_is_one_folder_short_is_told_with_the_right_one(tmp_path):
    script = tmp_path / "cfg" / "alls" / "chip" / "base" / "net.alls"
    file = tmp_path / "cfg" / "postprocess_config" / "net_nms.json"
    for path in (script, file):
        path.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}")
    text = (
        NORMALIZED
        + 'nms_postprocess("../../postprocess_config/net_nms.json", meta_arch=yolov8, engine=cpu)\n'
    )
    found = [d for d in remarks(script=text, script_path=script) if d.code == "HD316"]
    assert [d.severity.value for d in found] == ["error"]
    assert found[0].hint == "'../../../postprocess_config/net_nms.json' is there"


def test_a_path_with_a_folder_that_is_not_shipped_is_told_with_the_right_one(tmp_path):
    script = tmp_path / "alls" / "generic" / "net.alls"
    file = tmp_path / "postprocess_config" / "net_nms.json"
    for path in (script, file):
        path.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}")
    text = (
        'nms_postprocess("../../postprocess_config/unreleased/net_nms.json", meta_arch=yolov8, engine=cpu)\n'
    )
    found = [d for d in remarks(script=text, script_path=script) if d.code == "HD316"]
    assert found[0].hint == "'../../postprocess_config/net_nms.json' is there"


def test_an_absolute_path_of_another_machine_is_warned_of_only(tmp_path):
    text = 'nms_postprocess("/home/someone/nms.json", meta_arch=yolov8, engine=cpu)\n'
    found = [d for d in remarks(script=text, script_path=tmp_path / "a.alls") if d.code == "HD316"]
    assert [d.severity.value for d in found] == ["warning"]


def test_a_resize_in_the_script_does_not_make_the_image_size_wrong():
    # The camera gives 1080x1920, the network behind the resize has 640x640.
    from lint.examples import network

    config_text = with_changes(SNAIL, image_dims=[640, 640], bbox_decoders=SNAIL["bbox_decoders"][:1])
    resized = network("input 1080x1920\nresize1 640x640x3 inner\nsnail/conv41 80x80x64\nsnail/conv42 80x80x3")
    script = NORMALIZED + "resize_input1 = resize(input_layer1, resize_shapes=[1080, 1920])\n" + NMS
    assert told(remarks(config_text, script=script, network=resized)) == []


# Statements in the forms that the model zoo's scripts and the compiler's own ones have.
FORMS = r"""
normalization1 = normalization([123.675, 116.28, 103.53], [58.395, 57.12, 57.375], input_layer1)
yuv_to_rgb1, resize1 = input_conversion(net/input_layer1, yuv_to_rgb, emulator_support=True)
model_optimization_config(negative_exponent, layers={*}, rank=0)
quantization_param({conv_feature_splitter[0-9]*_[2-3]}, precision_mode=a8_w8)   # all of them
quantization_param([conv1,output_layer2,], precision_mode=a16_w16)
pre_quantization_optimization(weights_clipping, layers=[conv75], mode=manual, clipping_values=[-32.52, 32.52])
post_quantization_optimization(finetune, policy=enabled, learning_rate=1e-5, epochs=8, loss_factors=[0.125, 2, 1.])
allocator_param(timeout=25m, cluster_timeout=5h, automatic_reshapes=disabled)
resources_param(max_utilization=0., strategy=greedy)
network = network_group([net])
conv1_sd0, conv1_sd1, conv1_sdc = defuse(conv1, 2, defuse_type=SPATIAL)
sh_from_conv11_to_conv12_sd0-3_22 = shortcut(conv11_dc, [conv12_sd0, conv12_sd1])
context_0.place([conv1_sd0, [conv1_sd1, conv1_sdc]])
output_from_conv71_to_nms = output_layer(conv71, offdevice_layer=nms)
buffers(conv1, 0, 12, 3)
nms_postprocess(
    "nms.json",
    meta_arch = yolov8,

    engine = cpu,
)
remove_node(postprocess_output_layer)
merged_layer_conv32_conv33 = merge(conv32, conv33)
yuv_to_rgb1 = yuv_to_rgb(input_layer1)
reshape1 = format_conversion(ew_add1, conv_slice1, conv3, reshape_1xw0_to_hxw)"""


def test_every_form_of_the_official_scripts_is_read():
    script = read_script(FORMS)
    assert script.faults == ()
    assert len(script.statements) == 20
    assert [s.command for s in script.statements][-6:-3] == ["buffers", "nms_postprocess", "remove_node"]
    by_command = {s.command: s for s in script.statements}
    assert by_command["allocator_param"].get("timeout").number == 25
    assert by_command["allocator_param"].get("timeout").unit == "m"
    assert by_command["defuse"].targets == ("conv1_sd0", "conv1_sd1", "conv1_sdc")
    assert by_command["nms_postprocess"].get("engine").text == "cpu"
    assert [m.text for m in by_command["model_optimization_config"].get("layers").members] == ["*"]
    assert codes(remarks(script=FORMS), "error") == set()
    assert "HD306" not in codes(remarks(script=FORMS))


def test_a_path_that_begins_with_a_variable_of_the_environment_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.delenv("HMZ_DATA", raising=False)
    text = NORMALIZED + 'change_output_activation(sigmoid)\nnms_postprocess("$HMZ_DATA/a/nms.json", yolov5)\n'
    assert told(remarks(script=text, script_path=tmp_path / "a.alls")) == []
    # Where the variable is set, the path is followed.
    monkeypatch.setenv("HMZ_DATA", str(tmp_path))
    assert codes(remarks(script=text, script_path=tmp_path / "a.alls")) == {"HD316"}
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "nms.json").write_text("{}")
    assert told(remarks(script=text, script_path=tmp_path / "a.alls")) == []
