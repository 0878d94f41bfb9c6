"""Whatever stands in a configuration, a script or a network, the check ends, and every remark has its place."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from lint.texts import SNAIL, SNAIL_SCRIPT, remarks

from hailo_decode.lint import config_rules
from hailo_decode.lint._case import Case, config_inputs
from hailo_decode.lint.fix import fix
from hailo_decode.values.network import LayerInfo, NetworkInfo, OpInfo, OutputInfo

NAMES = st.sampled_from(
    [
        "conv41",
        "snail/conv42",
        "other/conv41",
        "",
        "output_layer1",
        "ne_activation_conv42",
        "/m/cv2.0/Conv",
        "é\n",
        "0",
    ]
)
NUMBERS = st.sampled_from([0, 1, 2, 3, 4, 8, 15, 16, 32, 64, 640, -1, 10**30, 0.5, 1.0, 1e-9])
ODD = st.none() | st.booleans() | NUMBERS | NAMES | st.lists(NUMBERS, max_size=3) | st.just({})
KEYS = st.sampled_from(
    [
        *("stride", "reg_layer", "cls_layer", "objectness_layer", "encoded_layer", "combined_layer"),
        *("reg_layer_h", "w", "h", "name", "odd"),
    ]
)
TOPS = st.sampled_from([*SNAIL, "proto", "centers_scale_factor", "number_of_detection_heads", "odd"])
ENTRIES = st.dictionaries(KEYS, ODD, max_size=5) | ODD
CONFIGS = st.builds(
    lambda changes, entries, dropped: {
        key: value
        for key, value in {
            **SNAIL,
            **changes,
            **({"bbox_decoders": entries} if entries is not None else {}),
        }.items()
        if key not in dropped
    },
    st.dictionaries(TOPS, ODD, max_size=3),
    st.none() | st.lists(ENTRIES, max_size=4) | ODD,
    st.lists(TOPS, max_size=2),
)
SHAPES = st.none() | st.tuples(*[st.sampled_from([1, 3, 4, 15, 20, 40, 60, 64, 80, 255])] * 3)
KINDS = st.sampled_from(
    ["conv", "activation", "concat", "output_layer", "normalization", "resize", "nms", ""]
)
ACTIVATIONS = st.sampled_from([None, "linear", "sigmoid"])
LAYERS = st.builds(
    LayerInfo,
    NAMES,
    KINDS,
    SHAPES,
    ACTIVATIONS,
    st.lists(NAMES, max_size=2).map(tuple),
    st.just(()),
    st.lists(st.just("/model.22/cv2.0/cv2.0.2/Conv") | NAMES, max_size=1).map(tuple),
)
OUTPUTS = st.builds(
    OutputInfo,
    NAMES,
    shape=SHAPES,
    activation=ACTIVATIONS,
    role=st.sampled_from([None, "box", "cls", "obj", "extra", "proto"]),
    facts=st.sampled_from([{}, {"layer": "conv41"}, {"layer": 3}]),
)
NETWORKS = st.builds(
    NetworkInfo,
    st.just("net"),
    st.sampled_from(["har", "onnx", "hef", "json"]),
    st.none() | st.tuples(NUMBERS.filter(lambda n: isinstance(n, int) and 0 < n < 10**6), st.just(640)),
    outputs=st.lists(OUTPUTS, max_size=6).map(tuple),
    heads=st.lists(OUTPUTS, max_size=4).map(tuple),
    layers=st.lists(LAYERS, max_size=6).map(tuple),
    ops=st.lists(
        st.builds(OpInfo, NAMES, st.just("nms"), inputs=st.lists(NAMES, max_size=3).map(tuple)), max_size=1
    ).map(tuple),
    facts=st.sampled_from(
        [
            {},
            {"state": "quantized_model"},
            {"state": 3, "nms_json": [1], "before_input": [3]},
            {
                "state": "quantized_model",
                "nms_json": {"classes": "x", "bbox_decoders": [1, {"reg_layer": 3}]},
            },
        ]
    ),
)
LINES = st.sampled_from(
    [
        *SNAIL_SCRIPT.splitlines(),
        "change_output_activation(sigmoid)",
        "change_output_activation()",
        "quantization_param([conv41], force_range_out=[0, 3], precision_mode=a16_w16)",
        "quantization_param(force_range_out=x)",
        "normalization()",
        "normalization([], [0])",
        "nms_postprocess()",
        'nms_postprocess("\x00", 3, [a], engine=[x], meta_arch="")',
        "post_quantization_optimization(finetune, loss_layer_names=x, loss_factors=[1])",
        "model_optimization_config(calibset_size=[1])",
    ]
)


@settings(max_examples=300)
@given(CONFIGS, st.none() | NETWORKS, st.none() | st.lists(LINES, max_size=4).map("\n".join))
def test_any_configuration_script_and_network_are_checked(config, network, script):
    found = remarks(config, network=network, script=script)
    for remark in found:
        assert remark.message
        assert (remark.span is not None) == (remark.file in ("nms.json", "model.alls"))


@settings(max_examples=150)
@given(CONFIGS, NETWORKS)
def test_fixing_anything_ends_and_leaves_json(config, network):
    text = json.dumps(config)
    given_ = {**config_inputs(text), "network": network}
    case = Case(given_, {"config": "nms.json", "script": None, "network": "net"}, {"config": text})
    done = fix(case, config_rules())
    json.loads(done.text)


@settings(max_examples=100)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_are_checked(config, script):
    remarks(config, script=script)
