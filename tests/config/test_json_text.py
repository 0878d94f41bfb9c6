"""JSON with places: strict JSON is read as any reader does, all else is read on, and every fault has its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.config.json_text import Kind, read_json
from hailo_decode.errors import FormatError

SCALARS = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)
# What people get wrong: pieces of JSON, of Python, of shells and of word processors in any order.
PIECES = st.lists(
    st.sampled_from(
        [
            *('{"a":', "1", "}", "{", "[", "]", ",", ":", '"', "'", "\n", " ", "// x\n", "/*", "*/", "#"),
            *(
                "“b”",
                "True",
                "None",
                "nul",
                "-",
                "1e999",
                "0x1",
                "\\",
                '"c"',
                "EOF",
                "```json",
                "\u00a0",
                "\x00",
            ),
        ]
    ),
    max_size=30,
).map("".join)


def at(document, path):
    start, end = document.offsets(path)
    return document.text[start:end]


@given(VALUES, st.sampled_from([None, 1, 4]), st.booleans())
def test_strict_json_is_read_as_the_standard_library_reads_it(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    if "\\ud" in text:  # Halves of surrogate pairs, which the standard library joins.
        return
    document = read_json(text)
    assert document.faults == ()
    assert document.value == json.loads(text)


@given(st.dictionaries(st.text(max_size=5), st.lists(SCALARS, max_size=3), max_size=3))
def test_the_place_of_a_value_holds_its_text(value):
    text = json.dumps(value, indent=2, ensure_ascii=False)
    document = read_json(text)
    for key, items in value.items():
        assert json.loads(at(document, (key,))) == items
        for i, item in enumerate(items):
            assert json.loads(at(document, (key, i))) == item


@given(PIECES)
def test_no_text_crashes_or_hangs_the_reader_and_faults_lie_inside_it(text):
    document = read_json(text)
    lines = text.count("\n") + 1
    for fault in document.faults:
        assert 1 <= fault.span.line <= fault.span.end_line <= lines
        assert fault.message
    try:
        strict = json.loads(text)
    except ValueError:
        assert document.faults
    else:
        if not isinstance(strict, float):  # NaN and Infinity are no JSON, whatever the library takes.
            assert document.value == strict or document.faults


@given(st.text(max_size=60))
def test_any_text_at_all_is_read(text):
    read_json(text)


FAULTS = {
    "comment of two slashes": ('{"a": 1} // b', Kind.COMMENT, (1, 10), {"a": 1}),
    "comment of a hash": ('# b\n{"a": 1}', Kind.COMMENT, (1, 1), {"a": 1}),
    "comment in a block": ('{"a": /* b\n */ 1}', Kind.COMMENT, (1, 7), {"a": 1}),
    "comma before a brace": ('{"a": 1,}', Kind.TRAILING_COMMA, (1, 8), {"a": 1}),
    "comma before a bracket": ('{"a": [1, 2, ]}', Kind.TRAILING_COMMA, (1, 12), {"a": [1, 2]}),
    "curled quotes around a key": ("{“a”: 1}", Kind.QUOTES, (1, 2), {"a": 1}),
    "a curled quote at one end": ('{"a": "b”}', Kind.QUOTES, (1, 7), {"a": "b"}),
    "a key twice": ('{"a": 1,\n "a": 2}', Kind.DUPLICATE, (2, 2), {"a": 2}),
    "a here-document": ('cat > x << EOF\n{"a": 1}', Kind.WRAPPER, (1, 1), {"a": 1}),
    "a Markdown fence": ('```json\n{"a": 1}\n```', Kind.WRAPPER, (1, 1), {"a": 1}),
    "an assignment": ('config = {"a": 1}', Kind.WRAPPER, (1, 1), {"a": 1}),
    "single quotes": ("{'a': 1}", Kind.SYNTAX, (1, 2), {"a": 1}),
    "no quotes around a key": ("{a: 1}", Kind.SYNTAX, (1, 2), {"a": 1}),
    "a word of Python": ('{"a": False}', Kind.SYNTAX, (1, 7), {"a": False}),
    "a missing comma": ('{"a": 1\n "b": 2}', Kind.SYNTAX, (1, 7), {"a": 1, "b": 2}),
    "a missing colon": ('{"a" 1}', Kind.SYNTAX, (1, 2), {"a": 1}),
    "a missing bracket": ('{"a": [1, 2}', Kind.SYNTAX, (1, 12), {"a": [1, 2]}),
    "an open brace": ('{"a": {"b": 1}', Kind.SYNTAX, (1, 1), {"a": {"b": 1}}),
    "a number without its zero": ('{"a": .5}', Kind.SYNTAX, (1, 7), {"a": 0.5}),
    "a space that does not break": ('{"a":\u00a01}', Kind.SYNTAX, (1, 6), {"a": 1}),
    "text behind the end": ('{"a": 1}}', Kind.SYNTAX, (1, 9), {"a": 1}),
    "no value": ('{"a": , "b": 2}', Kind.SYNTAX, (1, 2), {"b": 2}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_has_its_kind_and_place_and_reading_goes_on(name):
    text, kind, (line, column), value = FAULTS[name]
    document = read_json(text)
    assert document.value == value
    first = document.faults[0]
    assert (first.kind, first.span.line, first.span.column) == (kind, line, column)


def test_a_doubled_key_forgets_the_places_inside_the_first_value():
    document = read_json('{"a": [1, [2, 3]], "a": [4]}')
    assert document.offsets(("a", 1, 0)) is None
    assert at(document, ("a", 0)) == "4"


def test_a_place_that_is_absent_is_that_of_the_bracket_around_it():
    document = read_json('{"a": {\n  "b": 1}}')
    span = document.span(("a", "c"))
    assert (span.line, span.column, span.end_column) == (1, 7, 8)


def test_brackets_that_nest_without_end_stop_the_reader():
    document = read_json("[" * 100_000)
    assert any("nest deeper" in fault.message for fault in document.faults)


def test_a_text_full_of_faults_stops_after_a_while():
    assert len(read_json("{" + "a b c " * 10_000).faults) < 60


def test_a_text_too_long_to_be_a_configuration_is_refused():
    with pytest.raises(FormatError, match="is no configuration"):
        read_json(" " * 5_000_000)


def test_white_space_that_json_does_not_know_in_front_is_a_fault():
    document = read_json('\x85{"a": 1}')
    assert (document.value, len(document.faults)) == ({"a": 1}, 1)


def test_a_byte_order_mark_in_front_is_stepped_over():
    assert read_json('\ufeff{"a": 1}').faults == ()
