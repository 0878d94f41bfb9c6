"""Class names, from every kind of file that people keep them in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.errors import FormatError, HailoDecodeError
from hailo_decode.networks._labels import names_of, read_names

FORMS = {
    "a name a line": "person\ntraffic light\ncar\n",
    "no line break at the end": "person\ntraffic light\ncar",
    "Windows line breaks": "person\r\ntraffic light\r\ncar\r\n",
    "numbered lines": "0 person\n1: traffic light\n2,car\n",
    "a JSON list": '["person", "traffic light", "car"]',
    "JSON by number": '{"1": "traffic light", "0": "person", "2": "car"}',
    "JSON under names": '{"names": {"0": "person", "1": "traffic light", "2": "car"}}',
    "Hailo's applications": '{"a": 1, "labels": ["unlabeled", "person", "traffic light", "car"]}',
    "metadata.yaml": "task: x\nnames:\n  0: person\n  1: traffic light\n  2: car\nimgsz:\n- 640\n- 640\n",
    "a YAML list": "nc: 3\nnames:\n- person\n- 'traffic light'\n- car # fast\ntrain: x\n",
    "an indented YAML list": 'names:\n  - person\n\n  # lamps\n  - "traffic light"\n  - car\n',
    "a YAML list in brackets": "nc: 3\nnames: [person, 'traffic light', \"car\"]  # three\n",
    "brackets over lines": "names: [ 'person', 'traffic light',\n         'car' ]\nnc: 3\n",
    "YAML in braces": "names: {0: person, 1: 'traffic light', 2: car}\n",
    "a byte order mark": "\ufeffperson\ntraffic light\ncar\n",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_every_form_gives_the_same_names(tmp_path, text):
    path = tmp_path / "names"
    path.write_bytes(text.encode())
    assert read_names(path) == ("person", "traffic light", "car")


def test_a_colon_a_quote_and_a_hash_stay_in_a_quoted_name():
    text = "names:\n  0: 'a: it''s'\n  1: \"b # \\\"c\\\"\"\n  2: d#e\n"
    assert names_of(text) == ("a: it's", 'b # "c"', "d#e")
    assert names_of("names: ['a, b', \"c]d\"]") == ("a, b", "c]d")


def test_numbers_that_do_not_count_from_0_belong_to_the_name():
    assert names_of("1 euro\n2 euro\n") == ("1 euro", "2 euro")


WRONG = {
    "nothing": ("", "holds no class names"),
    "an empty line inside": ("a\n\nb\n", "line 2 of labels is empty"),
    "a gap": ("names:\n  0: a\n  2: b\n", "none has the number 1"),
    "a number twice": ("names:\n  0: a\n  0: b\n", "an entry '0' that is no class"),
    "JSON of numbers": ("[1, 2]", "something else than names"),
    "a key that is no number": ('{"a": "b"}', "an entry 'a' that is no class"),
    "broken JSON": ("[", "is not JSON"),
    "no end": ("names: [a, b\nc", "line 1 of labels: the names cannot be read from here on"),
    "a file name": ("names: coco.yaml\n", "line 1 of labels: names are neither a list nor numbered"),
    "deeper YAML": ("names:\n  person: {id: 0}\n", "line 2 of labels: this is no entry"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_what_holds_no_names_is_refused_with_its_place(text, said):
    with pytest.raises(FormatError) as caught:
        names_of(text, "labels")
    assert said in caught.value.message


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        read_names(tmp_path / "none.txt")
    (tmp_path / "x").write_bytes(b"a\n\xff")
    with pytest.raises(FormatError, match="is not UTF-8"):
        read_names(tmp_path / "x")
    (tmp_path / "x").write_bytes(b"a\n" * 1_000_000)
    with pytest.raises(FormatError, match="too big"):
        read_names(tmp_path / "x")


plain = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=9)


@given(st.lists(plain, min_size=1, max_size=5))
def test_any_names_come_back_from_json_and_from_quoted_yaml(names):
    assert names_of(json.dumps(names)) == tuple(names)
    quoted = ["'" + name.replace("'", "''") + "'" for name in names]
    assert names_of("names:\n" + "".join(f"  {i}: {q}\n" for i, q in enumerate(quoted))) == tuple(names)
    assert names_of(f"names: [{', '.join(quoted)}]\n") == tuple(names)


@given(st.text(max_size=80), st.sampled_from(["", "names:", "names: [", "names: {", "{", "["]))
def test_any_text_gives_names_or_an_error_of_ours(text, start):
    try:
        found = names_of(start + text)
    except HailoDecodeError:
        return
    assert found
    assert all(isinstance(name, str) for name in found)
