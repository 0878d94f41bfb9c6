"""Twelve kinds of damage to what was generated for ten networks: each is caught, and its culprit is named."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from lint.texts import remarks, told
from networks.build_har import conv, har, hn, layer, yolov8_hn

from hailo_decode.config.generate import generate_nms
from hailo_decode.networks import read_network
from hailo_decode.values.diagnostic import Diagnostic
from hailo_decode.values.network import NetworkInfo

V5_ANCHORS = {
    8: ((10, 13), (16, 30), (33, 23)),
    16: ((30, 61), (62, 45), (59, 119)),
    32: ((116, 90), (156, 198), (373, 326)),
}


@dataclass(frozen=True)
class Sample:
    """A network with the configuration and the script that were generated for it."""

    network: NetworkInfo
    config: dict[str, Any]
    script: str

    def box(self, decoder: int) -> str:
        """The layer of a decoder that holds its boxes."""
        return str(next(v for k, v in self.config["bbox_decoders"][decoder].items() if k.endswith("_layer")))


def bins_network(name: str, **options: Any) -> dict[str, Any]:
    return yolov8_hn(name, normalization=False, **options)


def other_head(name: str, kinds: list[tuple[str, int]], size: tuple[int, int] = (640, 640)) -> dict[str, Any]:
    """A parsed graph with one layer for each kind (end of its node's name, channels) at strides 8, 16, 32."""
    layers = {"input_layer1": layer("input_layer", (*size, 3))}
    before, number, outputs = "input_layer1", 20, []
    for scale, stride in enumerate((8, 16, 32)):
        grid = (size[0] // stride, size[1] // stride)
        neck = f"conv{number}"
        layers[neck] = conv((*grid, 64), [before])
        for node, channels in kinds:
            number += 1
            own = f"conv{number}"
            layers[own] = conv((*grid, channels), [neck], activation="linear", original=[node.format(scale)])
            outputs.append(own)
        before, number = neck, number + 4
    for k, own in enumerate(outputs, 1):
        layers[f"output_layer{k}"] = layer("output_layer", layers[own]["output_shapes"][0][1:], [own])
    return hn(name, layers)


GRAPHS: dict[str, dict[str, Any]] = {
    "80 classes": bins_network("stock"),
    "1 class": bins_network(
        "uav", classes=1, input_size=(736, 960), conv_numbers=((81, 83), (110, 111), (138, 139))
    ),
    "64 classes": bins_network("sixtyfour", classes=64, input_size=(480, 640)),
    "4 classes, wide": bins_network("wide", classes=4, input_size=(384, 640)),
    "8 bins": bins_network("eight", classes=2, bins=8, input_size=(320, 448)),
    "4 scales from stride 4": bins_network(
        "fine",
        classes=10,
        conv_numbers=((30, 31), (41, 42), (52, 53), (62, 63)),
        strides=(4, 8, 16, 32),
    ),
    "tall": bins_network(
        "tall", classes=7, input_size=(640, 480), conv_numbers=((51, 54), (62, 65), (77, 80))
    ),
    "anchors": other_head("anchors", [("/model.24/m.{}/Conv", 3 * 25)], (384, 640)),
    "objectness": other_head(
        "objectness",
        [("/head/reg_preds.{}/Conv", 4), ("/head/obj_preds.{}/Conv", 1), ("/head/cls_preds.{}/Conv", 6)],
        (608, 1088),
    ),
    "plain distances": other_head(
        "plain", [("/detect/reg_preds.{}/Conv", 4), ("/detect/cls_preds.{}/Conv", 5)], (416, 640)
    ),
}


@pytest.fixture(scope="module")
def samples(tmp_path_factory) -> dict[str, Sample]:
    folder = tmp_path_factory.mktemp("networks")
    found = {}
    for name, graph in GRAPHS.items():
        path = folder / f"{graph['name']}.har"
        path.write_bytes(har(graph))
        network = read_network(path)
        made = generate_nms(network, anchors=V5_ANCHORS)
        found[name] = Sample(network, json.loads(made.config), made.script)
    return found


def found_in(sample: Sample, config: dict[str, Any], script: str | None = None) -> list[Diagnostic]:
    text = json.dumps(config, indent=2)
    return [
        d
        for d in remarks(text, script=script or sample.script, network=sample.network)
        if d.severity.value != "note"
    ]


# --- each kind of damage returns what is left, and words of which one must stand in a remark


def swap_strides(sample: Sample, config: dict[str, Any]) -> list[str]:
    decoders = config["bbox_decoders"]
    decoders[0]["stride"], decoders[-1]["stride"] = decoders[-1]["stride"], decoders[0]["stride"]
    return [f"stride {decoders[0]['stride']} of"]


def swap_roles(sample: Sample, config: dict[str, Any]) -> list[str]:
    decoder = config["bbox_decoders"][1]
    decoder["reg_layer"], decoder["cls_layer"] = decoder["cls_layer"], decoder["reg_layer"]
    return [repr(decoder["reg_layer"])]


def classes_off_by_one(sample: Sample, config: dict[str, Any]) -> list[str]:
    config["classes"] += 1
    return [f"classes is {config['classes']}"]


def fifteen_bins(sample: Sample, config: dict[str, Any]) -> list[str]:
    config["regression_length"] = 15
    return ["regression_length is 15"]


def sides_exchanged(sample: Sample, config: dict[str, Any]) -> list[str]:
    height, width = config["image_dims"]
    config["image_dims"] = [width, height]
    return [f"image_dims is {[width, height]}"]


def stale_layer_name(sample: Sample, config: dict[str, Any]) -> list[str]:
    decoder = config["bbox_decoders"][-1]
    role = next(key for key in decoder if key.endswith("_layer"))
    decoder[role] = "conv977"
    return ["'conv977'"]


def doubled_decoder(sample: Sample, config: dict[str, Any]) -> list[str]:
    config["bbox_decoders"].append(dict(config["bbox_decoders"][0]))
    return [f"'{sample.box(0)}' is named here and"]


def missing_scale(sample: Sample, config: dict[str, Any]) -> list[str]:
    stride = config["bbox_decoders"].pop(0)["stride"]
    return [f"no decoder reads the scale of stride {stride}"]


def concat_for_a_convolution(sample: Sample, config: dict[str, Any]) -> list[str]:
    decoder = config["bbox_decoders"][0]
    role = next(key for key in decoder if key.endswith("_layer"))
    decoder[role] = "concat12"
    return ["'concat12'"]


def prefix_of_another_network(sample: Sample, config: dict[str, Any]) -> list[str]:
    for decoder in config["bbox_decoders"]:
        for role in [key for key in decoder if key.endswith("_layer")]:
            decoder[role] = f"yolov5xs_wo_spp/{decoder[role]}"
    return [f"no layer 'yolov5xs_wo_spp/{sample.box(0)}'"]


IN_CONFIG: list[Callable[[Sample, dict[str, Any]], list[str]]] = [
    *(swap_strides, swap_roles, classes_off_by_one, fifteen_bins, sides_exchanged, stale_layer_name),
    *(doubled_decoder, missing_scale, concat_for_a_convolution, prefix_of_another_network),
]


WITH_BINS = [*list(GRAPHS)[:7]]
# Where a kind of damage cannot be done: one layer with all roles, no bins, a square input.
WHERE = {
    swap_roles: [name for name in GRAPHS if name != "anchors"],
    fifteen_bins: WITH_BINS,
    sides_exchanged: [name for name in GRAPHS if name not in ("80 classes", "4 scales from stride 4")],
}
CASES = [
    pytest.param(name, damage, id=f"{damage.__name__}-{name}")
    for damage in IN_CONFIG
    for name in WHERE.get(damage, GRAPHS)
]


@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_generated_passes_the_check(samples, name):
    sample = samples[name]
    assert told(found_in(sample, sample.config)) == []


@pytest.mark.parametrize(("name", "damage"), CASES)
def test_damage_to_a_configuration_is_caught_and_its_culprit_named(samples, name, damage):
    sample = samples[name]
    config = json.loads(json.dumps(sample.config))
    words = damage(sample, config)
    found = found_in(sample, config)
    assert any(d.severity.value == "error" for d in found)
    for word in words:
        assert any(word in d.message for d in found), [d.message for d in found]
    assert all(d.span is not None for d in found if d.file == "nms.json")


@pytest.mark.parametrize("name", [*WITH_BINS, "objectness"])
def test_a_sigmoid_on_one_of_several_class_layers_is_caught(samples, name):
    sample = samples[name]
    lines = sample.script.splitlines()
    sigmoids = [line for line in lines if line.startswith("change_output_activation(conv")]
    script = "\n".join(line for line in lines if line not in sigmoids[1:])
    found = found_in(sample, sample.config, script)
    assert told(found) == ["error HD330"]
    for line in sigmoids[1:]:
        assert line in str(found[0].hint)


@pytest.mark.parametrize("name", [name for name in GRAPHS if name != "anchors"])
def test_a_wrong_engine_is_caught(samples, name):
    sample = samples[name]
    engine = "cpu" if "engine=nn_core" in sample.script else "nn_core"
    script = sample.script.rpartition("engine=")[0] + f"engine={engine})\n"
    found = found_in(sample, sample.config, script)
    assert told(found) == ["error HD315"]
    assert found[0].span.column == script.splitlines()[-1].index(engine) + 1


@pytest.mark.parametrize("name", GRAPHS)
def test_a_network_that_was_cut_at_a_concat_is_caught(tmp_path, name):
    graph = json.loads(json.dumps(GRAPHS[name]))
    outputs = [key for key, entry in graph["layers"].items() if entry["type"] == "output_layer"]
    ends = [graph["layers"][key]["input"][0] for key in outputs]
    scope = graph["name"]
    layers = {k.partition("/")[2]: v for k, v in graph["layers"].items() if k not in outputs}
    first = graph["layers"][ends[0]]["output_shapes"][0][1:]
    layers["concat12"] = layer("concat", (*first[:2], 144), [e.partition("/")[2] for e in ends])
    layers["output_layer1"] = layer("output_layer", (*first[:2], 144), ["concat12"])
    path = tmp_path / "cut.har"
    path.write_bytes(har(hn(scope, layers)))
    whole = tmp_path / "whole.har"
    whole.write_bytes(har(GRAPHS[name]))
    made = generate_nms(read_network(whole), anchors=V5_ANCHORS)
    found = remarks(made.config, script=made.script, network=read_network(path))
    assert {"HD411", "HD412"} <= {d.code for d in found if d.severity.value == "error"}
    assert any("'concat12'" in d.message or "concat12'" in d.message for d in found)


def test_two_kinds_of_damage_at_once_are_both_caught(samples):
    sample = samples["4 classes, wide"]
    chance = random.Random(3)
    for _ in range(20):
        one, other = chance.sample(IN_CONFIG, 2)
        if {one, other} & {swap_roles, doubled_decoder, missing_scale, prefix_of_another_network}:
            continue  # These take away what another one changes.
        config = json.loads(json.dumps(sample.config))
        words = one(sample, config) + other(sample, config)
        found = found_in(sample, config)
        for word in words:
            assert any(word in d.message for d in found), (one.__name__, other.__name__)
