"""Remarks as text, JSON, GitHub annotations and SARIF: the same remarks, each in its form."""

from __future__ import annotations

import json

import pytest

from hailo_decode.lint import render
from hailo_decode.values.diagnostic import Confidence, Diagnostic, Edit, Severity, Span

LINE = '    {"stride": 16, "reg_layer": "conv41"}'
TEXTS = {"cfg/nms.json": "{\n" + LINE + "\n}"}
REMARK = Diagnostic(
    "HD401",
    Severity.ERROR,
    "stride 16 does not fit, 100% sure",
    "write 8: it is right",
    "cfg/nms.json",
    Span(2, 16, 2, 18),
    ("bbox_decoders", 0, "stride"),
    Confidence.PROVED,
    (Edit(("bbox_decoders", 0, "stride"), 8),),
)
BARE = Diagnostic("HD229", Severity.NOTE, "not compared")


def test_text_has_place_code_marked_line_hint_and_fix():
    assert render.text([REMARK], TEXTS).splitlines() == [
        "cfg/nms.json:2:16: error HD401 (proved): stride 16 does not fit, 100% sure",
        "  |",
        f"2 | {LINE}",
        "  |                ^^",
        "  = hint: write 8: it is right",
        "  = fix: bbox_decoders[0].stride = 8",
    ]


def test_text_of_a_remark_without_file_and_place():
    assert render.text([BARE], {}) == "the configuration: note HD229: not compared\n"


def test_a_long_line_is_cut_around_its_mark():
    long = Diagnostic(
        "HD401", Severity.ERROR, "odd", file="a", span=Span(1, 301, 1, 304), confidence=Confidence.LIKELY
    )
    _, _, shown, marks = render.text([long], {"a": "x" * 300 + "abc" + "y" * 300}).splitlines()
    assert len(shown) <= render.WIDTH + 4
    start = marks.index("^")
    assert (shown[start : start + 3], marks.count("^")) == ("abc", 3)


def test_a_place_behind_the_last_line_is_not_marked():
    gone = Diagnostic("HD401", Severity.ERROR, "odd", file="a", span=Span(9, 1, 9, 2))
    assert render.text([gone], {"a": "x"}) == "a:9:1: error HD401: odd\n"


def test_json_has_every_field():
    (entry,) = json.loads(render.as_json([REMARK], TEXTS))
    assert entry == {
        "code": "HD401",
        "rule": "stride-off-grid",
        "severity": "error",
        "confidence": "proved",
        "message": "stride 16 does not fit, 100% sure",
        "hint": "write 8: it is right",
        "file": "cfg/nms.json",
        "line": 2,
        "column": 16,
        "end_line": 2,
        "end_column": 18,
        "path": ["bbox_decoders", 0, "stride"],
        "fix": [{"path": ["bbox_decoders", 0, "stride"], "value": 8}],
    }


def test_github_commands_are_escaped():
    assert render.github([REMARK, BARE], TEXTS).splitlines() == [
        "::error title=HD401 stride-off-grid,file=cfg/nms.json,line=2,endLine=2,col=16,endColumn=18"
        "::stride 16 does not fit, 100%25 sure%0Awrite 8: it is right",
        "::notice title=HD229 not-compared-with-a-network::not compared",
    ]


def test_github_escapes_what_parts_properties():
    odd = Diagnostic("HD401", Severity.WARNING, "a", file="c:\\x,y.json", span=Span(1, 1, 2, 1))
    assert "file=c%3A\\x%2Cy.json,line=1,endLine=2::a" in render.github([odd], {})


def test_sarif_names_the_rules_and_the_places():
    log = json.loads(render.sarif([REMARK, BARE], TEXTS))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [one["id"] for one in run["tool"]["driver"]["rules"]] == ["HD229", "HD401"]
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("HD401", 1, "error")
    region = first["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 16, "endLine": 2, "endColumn": 18}
    assert "locations" not in second


@pytest.mark.parametrize("form", render.FORMATS)
def test_no_remarks_are_rendered_too(form):
    render.FORMATS[form]([], {})


@pytest.mark.parametrize(
    ("remarks", "files", "words"),
    [
        ([], 1, "1 file checked: nothing to remark"),
        ([REMARK], 2, "2 files checked: 1 error"),
        ([REMARK, REMARK, BARE], 3, "3 files checked: 2 errors, 1 note"),
    ],
)
def test_the_summary_counts(remarks, files, words):
    assert render.summary(remarks, files) == words
