"""Fixing puts in what the network proves, and leaves the rest of the text as it is."""

from __future__ import annotations

import json

import pytest
from lint.examples import network
from lint.texts import SNAIL, SNAIL_NETWORK, with_changes

from hailo_decode.lint import config_rules
from hailo_decode.lint._case import Case, config_inputs
from hailo_decode.lint.fix import fix

RULES = config_rules()
NET = network(SNAIL_NETWORK)


def fixed(config, net=NET):
    text = config if isinstance(config, str) else json.dumps(config, indent=2)
    given = {**config_inputs(text), "network": net}
    return fix(Case(given, {"config": "nms.json", "script": None, "network": "net"}, {"config": text}), RULES)


def damaged(**decoder_changes):
    config = with_changes(SNAIL)
    for index, changes in decoder_changes.items():
        config["bbox_decoders"][int(index[1:])] |= changes
    return config


WRONG = {
    "strides exchanged": damaged(d0={"stride": 32}, d2={"stride": 8}),
    "classes of another network": with_changes(SNAIL, classes=80),
    "bins one short": with_changes(SNAIL, regression_length=15),
    "sides exchanged": with_changes(SNAIL, image_dims=[640, 480]),
    "roles exchanged in two decoders": damaged(
        d0={"reg_layer": "snail/conv42", "cls_layer": "snail/conv41"},
        d2={"reg_layer": "snail/conv63", "cls_layer": "snail/conv62"},
    ),
    "a stale name": damaged(d1={"cls_layer": "snail/conv59"}),
    "a decoder copied and not finished": damaged(
        d1={"reg_layer": "snail/conv41", "cls_layer": "snail/conv42"}
    ),
    "the class layer of another scale": damaged(d2={"cls_layer": "snail/conv42"}),
    "everything at once": {
        **damaged(
            d0={"stride": 16},
            d1={"stride": 8},
            d2={"reg_layer": "snail/conv63", "cls_layer": "snail/conv62"},
        ),
        "classes": 4,
        "regression_length": 8,
        "image_dims": [480, 480],
    },
}


@pytest.mark.parametrize("name", WRONG)
def test_what_the_network_proves_wrong_is_corrected(name):
    done = fixed(WRONG[name])
    assert [d for d in done.remarks if d.severity.value != "note"] == []
    repaired = {**json.loads(done.text)}
    by_stride = sorted(repaired["bbox_decoders"], key=lambda decoder: decoder["stride"])
    layers = [(d["stride"], d["reg_layer"], d["cls_layer"]) for d in by_stride]
    assert layers == [(d["stride"], d["reg_layer"], d["cls_layer"]) for d in SNAIL["bbox_decoders"]]
    assert {k: v for k, v in repaired.items() if k != "bbox_decoders"} == {
        k: v for k, v in SNAIL.items() if k != "bbox_decoders"
    }


def test_names_of_nodes_and_empty_names_are_filled_in():
    nodes = network(
        "input 480x640\n"
        + "\n".join(
            f"snail/conv{n + k} {60 >> i}x{80 >> i}x{c} : /model.22/cv{b}.{i}/cv{b}.{i}.2/Conv"
            for i, n in enumerate((41, 52, 62))
            for k, (b, c) in enumerate(((2, 64), (3, 3)))
        )
    )
    config = with_changes(SNAIL)
    for i, decoder in enumerate(config["bbox_decoders"]):
        decoder["reg_layer"] = f"/model.22/cv2.{i}/cv2.{i}.2/Conv"
        decoder["cls_layer"] = "" if i else f"/model.22/cv3.{i}/cv3.{i}.2/Conv"
    done = fixed(config, nodes)
    assert [list(d.values())[2:] for d in json.loads(done.text)["bbox_decoders"]] == [
        ["conv41", "conv42"],
        ["conv52", "conv53"],
        ["conv62", "conv63"],
    ]


def test_the_rest_of_the_text_stays_as_it_is():
    text = json.dumps(with_changes(SNAIL, classes=80), indent=3).replace('"classes"', '  "classes"')
    assert fixed(text).text == text.replace(" 80,", " 3,")


def test_nothing_is_changed_without_proof():
    config = with_changes(SNAIL, nms_iou_th=1.0, max_proposals_per_class=2)
    done = fixed(config)
    assert done.edits == ()
    assert json.loads(done.text) == config
    assert fixed(with_changes(SNAIL, classes=80), None).edits == ()


def test_a_name_that_could_be_two_layers_is_not_guessed():
    # Two heads of the same sizes, and no names of nodes: nothing tells which of them the file is for.
    twice = network(SNAIL_NETWORK + SNAIL_NETWORK.partition("640")[2].replace("conv", "conv1"))
    done = fixed(damaged(d1={"cls_layer": "snail/conv59"}), twice)
    assert done.edits == ()
    assert "HD402" in {d.code for d in done.remarks}
