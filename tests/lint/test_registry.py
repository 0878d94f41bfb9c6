"""A rule is one function: what it may ask for, when it runs, and in which order remarks come."""

from __future__ import annotations

import pytest
from lint.examples import network

from hailo_decode.errors import OptionError, UnknownName
from hailo_decode.lint import all_rules, check, check_network, config_rules, rule
from hailo_decode.lint._case import config_inputs
from hailo_decode.lint._registry import Finding, by_code, choose, run_rules
from hailo_decode.values.diagnostic import Confidence, Severity

CONFIG = (
    '{\n  "classes": 3,\n  "bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}]\n}'
)


def test_an_unknown_parameter_fails_when_the_rule_is_made():
    with pytest.raises(UnknownName, match="no input of rule HD999 named 'konfig'") as caught:

        @rule("HD999")
        def something(konfig):
            """It is wrong."""

    assert "'config'" in str(caught.value.hint)


def test_a_taken_code_fails_when_rules_are_collected():
    @rule("HD998")
    def one(config):
        """It is wrong."""

    @rule("HD998")
    def other(config):
        """It is wrong, too."""

    with pytest.raises(OptionError, match="code HD998 is taken by one, other needs another"):
        by_code([one, other])


@pytest.mark.parametrize("code", ["HD1", "XX101", "HD1011", "hd101"])
def test_a_code_is_hd_and_three_digits(code):
    with pytest.raises(OptionError, match="is no rule code"):
        rule(code)


def test_a_rule_without_docstring_fails():
    with pytest.raises(OptionError, match="needs a parameter and a docstring"):

        @rule("HD997")
        def silent(config):
            yield from ()


def test_every_rule_is_in_a_file_whose_name_says_what_it_is_about():
    codes = {"HD5": "file_", "HD7": "log_", "HD": ("json_", "script_", "network_")}
    for code in all_rules():
        assert code in all_rules(next(prefix for start, prefix in codes.items() if code.startswith(start)))
    assert [one.code for one in config_rules()] == [c for c in all_rules() if c < "HD5"]


def test_a_rule_whose_inputs_are_absent_is_passed_over():
    ran = []

    @rule("HD996")
    def needs_network(config, network):
        """It is wrong."""
        ran.append("needed")
        yield from ()

    @rule("HD995")
    def may_have_network(config, network=None):
        """It is wrong."""
        ran.append(network)
        yield Finding(("classes",), "odd")

    given = config_inputs(CONFIG)
    assert len(run_rules([needs_network, may_have_network], given, {})) == 1
    assert ran == [None]


def test_a_rule_may_ask_for_the_network_and_the_device_alone():
    @rule("HD994", severity=Severity.NOTE, confidence=Confidence.POSSIBLE)
    def made_for_another_device(network, device):
        """It was made for another device."""
        if device not in network.devices:
            yield Finding((), f"made for {network.devices}, not for {device}")

    found = run_rules(
        [made_for_another_device],
        {"network": network("input 640x640"), "device": "hailo8l"},
        {"network": "n.hef"},
    )
    assert [(d.code, d.file, d.span, d.severity.value, d.confidence.value) for d in found] == [
        ("HD994", "n.hef", None, "note", "possible")
    ]


def test_rules_about_a_model_file_alone_run_on_a_network():
    remarks = check_network(network("input 640x640\nconv41 80x80x64"), names=("a",), device="hailo8")
    assert all(remark.code.startswith("HD5") for remark in remarks)


def test_a_finding_says_its_own_severity_confidence_and_place():
    @rule("HD993")
    def odd_classes(config):
        """It is odd."""
        yield Finding(
            ("classes",),
            "odd",
            severity=Severity.WARNING,
            confidence=Confidence.LIKELY,
            on_key=True,
        )

    (found,) = run_rules([odd_classes], config_inputs(CONFIG), {"config": "nms.json"})
    assert (found.severity, found.confidence) == (Severity.WARNING, Confidence.LIKELY)
    assert (found.span.line, found.span.column, found.span.end_column) == (2, 3, 12)


def test_remarks_come_in_the_order_of_the_text_whatever_the_order_of_the_rules():
    text = '{"bbox_decoders": [], // a\n "nms_iou_th": 1.0,\n "regression_length": 16}'
    given = config_inputs(text)
    everything = list(all_rules().values())
    files = {"config": "nms.json"}
    found = run_rules(everything, given, files)
    assert found == run_rules(reversed(everything), given, files)
    places = [(d.span.line, d.span.column) for d in found]
    assert places == sorted(places)


def test_select_and_ignore_take_codes_beginnings_and_names():
    assert [one.code for one in choose(["HD401", "key-missing"])] == ["HD113", "HD401"]
    assert {one.code[:3] for one in choose(["HD1", "HD2"], ["hd2"])} == {"HD1"}
    assert "HD401" not in [one.code for one in choose(["HD4"], ["stride-off-grid"])]
    assert choose(["HD9"]) == []


@pytest.mark.parametrize("entry", ["HD499", "stride-of-grid", "", "4"])
def test_an_entry_that_names_no_rule_is_an_error(entry):
    with pytest.raises(UnknownName, match="no rule named"):
        choose([entry])


def test_every_rule_stands_in_its_hundred_and_states_a_fault():
    hundreds = {"HD1": "config", "HD2": "config", "HD3": "script", "HD7": "log"}
    for code, one in all_rules().items():
        assert one.about == hundreds.get(code[:3], one.about), code
        assert one.slug.replace("-", "_") == one.run.__name__


def test_a_mapping_is_checked_like_a_file():
    found = check({"bbox_decoders": [{"stride": 8, "reg_layer": "a1", "cls_layer": "a1"}]}, select=["HD220"])
    assert [(d.file, d.path) for d in found] == [(None, ("bbox_decoders", 0, "cls_layer"))]
    assert found[0].span.line == 6
