"""Model scripts: each statement with its arguments and places; a broken one does not stop the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.config.alls import ScriptKind, read_script
from hailo_decode.errors import FormatError

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}(/conv[0-9]{1,3})?", fullmatch=True)
VALUES = st.recursive(
    NAMES | st.integers(-99, 99).map(str) | st.sampled_from(["True", "0.5", "1e-5", '"a b.json"', "{conv*}"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=5,
)
ARGUMENTS = st.lists(
    VALUES | st.tuples(NAMES, VALUES).map(lambda pair: f"{pair[0].replace('/', '_')}={pair[1]}"), max_size=4
)
STATEMENTS = st.tuples(st.lists(NAMES, max_size=2), NAMES, ARGUMENTS).map(
    lambda parts: (", ".join(parts[0]) + " = ") * bool(parts[0]) + f"{parts[1]}({', '.join(parts[2])})"
)
PIECES = st.lists(
    st.sampled_from(
        [
            *("f(", ")", "[", "]", "{", "}", ",", "=", "\n", " ", "#x\n", '"', "'", "a", "1", "\\", "“", "”"),
            *("net/conv1", "nms_postprocess(", "x = y(", "{*}", ";", "é", "\x00", "\t"),
        ]
    ),
    max_size=40,
).map("".join)


@given(st.lists(STATEMENTS, max_size=5))
def test_what_follows_the_grammar_has_no_faults(statements):
    script = read_script("\n".join(statements))
    assert script.faults == ()
    assert len(script.statements) == len(statements)


@given(PIECES)
def test_no_text_crashes_or_hangs_the_reader(text):
    script = read_script(text)
    for part in (*script.statements, *script.faults):
        assert 0 <= part.start <= part.end <= len(text)
        assert script.span(part).line <= text.count("\n") + 1


@given(PIECES)
def test_a_right_statement_behind_anything_is_still_read(text):
    script = read_script(text + "\nnormalization1 = normalization([0.0], [255.0])\n")
    last = script.statements[-1]
    assert (last.command, len(last.arguments)) == ("normalization", 2)


FAULTS = {
    "a missing comma": ('f("a" b=c)', ScriptKind.SYNTAX, (1, 7), [("f", 2)]),
    "curled quotes": ("f(“a”)", ScriptKind.QUOTES, (1, 3), [("f", 1)]),
    "a bracket too many": ("f(a))\ng(b)", ScriptKind.EXTRA_BRACKET, (1, 5), [("f", 1), ("g", 1)]),
    "a backslash": ("f(a) \\\ng(b)", ScriptKind.BACKSLASH, (1, 6), [("f", 1), ("g", 1)]),
    "an open bracket": ("f(a,\ng(b)", ScriptKind.SYNTAX, (1, 2), [("f", 1), ("g", 1)]),
    "an open bracket before an assignment": (
        "f(a,\nx = g(b)",
        ScriptKind.SYNTAX,
        (1, 2),
        [("f", 1), ("g", 1)],
    ),
    "an open list": ("f([a, b)\ng(b)", ScriptKind.SYNTAX, (1, 8), [("f", 1), ("g", 1)]),
    "round brackets around a list": ("f(a=(1, 2))", ScriptKind.SYNTAX, (1, 5), [("f", 1)]),
    "an open quote": ('f("a)\ng(b)', ScriptKind.SYNTAX, (1, 3), [("f", 1), ("g", 1)]),
    "no arguments": ("f\ng(b)", ScriptKind.SYNTAX, (1, 1), [("g", 1)]),
    "a number for a command": ("12(a)\ng(b)", ScriptKind.SYNTAX, (1, 1), [("g", 1)]),
    "two statements in a line": ("f(a) g(b)", ScriptKind.SYNTAX, (1, 6), [("f", 1), ("g", 1)]),
    "a key without value": ("f(a=, b=1)", ScriptKind.SYNTAX, (1, 3), [("f", 1)]),
    "two commas": ("f(a,, b)", ScriptKind.SYNTAX, (1, 5), [("f", 2)]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_statement_has_its_fault_and_the_rest_is_read(name):
    text, kind, (line, column), statements = FAULTS[name]
    script = read_script(text)
    assert [(s.command, len(s.arguments)) for s in script.statements] == statements
    assert len(script.faults) == 1
    fault = script.faults[0]
    span = script.span(fault)
    assert (fault.kind, span.line, span.column) == (kind, line, column)


def test_comments_are_kept_with_their_places():
    script = read_script("f(a)  # one\n# two\n")
    assert [script.text[start:end] for start, end in script.comments] == ["# one", "# two"]


def test_values_know_what_they_are():
    (statement,) = read_script('f("a.json", net/conv1, -1.5e-3, 25m, True, [1, [2]], {a, b*})').statements
    kinds = [value.kind for value in statement.positional]
    assert kinds == ["string", "name", "number", "number", "bool", "list", "set"]
    assert statement.positional[2].number == -0.0015
    assert (statement.positional[3].number, statement.positional[3].unit) == (25, "m")
    assert [m.text for m in statement.positional[6].members] == ["a", "b*"]


@pytest.mark.parametrize("letter", "([{,=\"'\\“")
def test_a_hundred_thousand_of_one_letter_are_read_in_time(letter):
    assert len(read_script(letter * 100_000).faults) <= 60


def test_a_text_too_long_to_be_a_script_is_refused():
    with pytest.raises(FormatError, match="is no model script"):
        read_script(" " * 9_000_000)
