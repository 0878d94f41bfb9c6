"""Folders that Ultralytics exports for Hailo, and the YAML and Python literals in an export's metadata."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks.build_hef import hef, layer, yolov8

from hailo_decode.errors import FormatError
from hailo_decode.networks import read_network
from hailo_decode.networks._literal import literal
from hailo_decode.networks._yaml import read_yaml
from hailo_decode.networks.ultralytics import FORMAT

# As ultralytics 8.4 writes it: folded long text, quotes where they are needed, lists at the edge of their key.
METADATA = """\
description: Ultralytics YOLO11n model trained on /home/someone/a very long folder
  name/with spaces/data.yaml
author: Ultralytics
date: '2026-12-01T08:00:00.123456+00:00'
version: 8.4.190
license: AGPL-3.0 License (https://ultralytics.com/license)
stride: 32
task: detect
batch: 1
imgsz:
- 384
- 640
names:
  0: person
  1: it's
  2: 'yes'
  3: 'a: b'
args:
  batch: 1
  nms: false
  fraction: 1.0
  x: null
channels: 3
end2end: false
hailo_arch: hailo8l
nms: false
semantic_baked: false
"""


def raw(width: int = 640, **more):
    heads = [
        layer(f"net/conv{i}", (384 // s, width // s, c))
        for i, (s, c) in enumerate([(8, 64), (8, 4), (16, 64)])
    ]
    return hef([*heads], inputs=[layer("net/input_layer1", (384, width, 3))], arch="hailo8l", **more)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "yolo11n_hailo_model"
    place.mkdir()
    (place / "metadata.yaml").write_text(METADATA, encoding="utf-8")
    (place / "yolo11n.hef").write_bytes(raw())
    return place


def test_a_folder_gives_the_hef_and_what_only_the_metadata_knows(folder):
    net = read_network(folder)
    bare = read_network(folder / "yolo11n.hef")
    assert net.source == "ultralytics"
    assert (net.name, net.outputs, net.input_size) == (bare.name, bare.outputs, (384, 640))
    assert net.classes == ("person", "it's", "yes", "a: b")
    assert (net.task, net.nms_free, net.keypoints) == ("detect", False, None)
    assert net.devices[0] == "hailo8l"
    assert net.facts["ultralytics"]["args"] == {"batch": 1, "nms": False, "fraction": 1.0, "x": None}
    assert "disagreements" not in net.facts


def test_keypoints_and_one_to_one_heads_are_told(folder):
    text = METADATA.replace("end2end: false", "end2end: true").replace("task: detect", "task: pose")
    (folder / "metadata.yaml").write_text(text + "kpt_shape:\n- 17\n- 3\n", encoding="utf-8")
    net = read_network(folder)
    assert (net.task, net.nms_free, net.keypoints) == ("pose", True, (17, 3))


def test_where_metadata_and_hef_differ_both_are_named(folder):
    text = METADATA.replace("nms: false\nsemantic", "nms: true\nsemantic").replace("hailo8l", "hailo15h")
    (folder / "metadata.yaml").write_text(text.replace("- 384\n", "- 640\n"), encoding="utf-8")
    assert read_network(folder).facts["disagreements"] == [
        "imgsz is 640x640, the HEF's input is 384x640",
        "nms is true, the HEF does not suppress boxes",
        "hailo_arch is hailo15h, the HEF is for hailo8l, hailo8",
    ]


def test_a_result_with_other_classes_than_names_is_named(folder):
    heads = [layer("net/conv1", (48, 80, 64)), layer("net/conv2", (48, 80, 80))]
    step = yolov8([(8, "net/conv1", "net/conv2")], (384, 640), classes=80)
    inputs = [layer("net/input_layer1", (384, 640, 3))]
    (folder / "yolo11n.hef").write_bytes(hef(heads, inputs=inputs, ops=[step], arch="hailo8l"))
    (folder / "metadata.yaml").write_text(
        METADATA.replace("nms: false\nsem", "nms: true\nsem"), encoding="utf-8"
    )
    net = read_network(folder)
    assert net.nms_done
    assert net.facts["disagreements"] == ["4 names, the result 'net/yolov8_nms_postprocess' has 80 classes"]


def test_a_folder_without_one_hef_is_refused(folder):
    (folder / "second.hef").write_bytes(raw())
    with pytest.raises(FormatError, match="holds 2 HEFs"):
        read_network(folder)
    for path in folder.glob("*.hef"):
        path.unlink()
    with pytest.raises(FormatError, match="holds no HEF"):
        read_network(folder)


def test_other_folders_are_not_taken(tmp_path):
    assert not FORMAT.sniff(b"", tmp_path)
    assert not FORMAT.sniff(b"", tmp_path / "nothing")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: -2.5\nc: true\nd: null\ne:\nf: text", {"a": 1, "b": -2.5, "c": True, "d": None, "e": None, "f": "text"}),
        ("a:\n- 1\n- x y\nb:\n  - 2\n", {"a": [1, "x y"], "b": [2]}),
        ("a:\n  0:\n  - nose\n  1:\n  - ear\n", {"a": {0: ["nose"], 1: ["ear"]}}),
        ("a: [640, 640]\nb: {0: cat, 1: 'a b'}", {"a": [640, 640], "b": {0: "cat", 1: "a b"}}),
        ("a: [640,\n  384]\nb: [cat dog, it's]", {"a": [640, 384], "b": ["cat dog", "it's"]}),
        ("'a: b': 'it''s'\n\"c\\td\": \"x\\u00e9\\ny\"", {"a: b": "it's", "c\td": "xé\ny"}),
        ("a: 'one\n\n  two\n  three'", {"a": "one\ntwo three"}),
        ("# top\n---\na: b # not this\nc: d#e\n...", {"a": "b", "c": "d#e"}),
        ("a: x\n  y: z", {"a": "x y: z"}),
    ],
)  # fmt: skip
def test_yaml_as_exporters_write_it_is_read(text, value):
    assert read_yaml(text, "m") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2", "line 2 of m: the key 'a' stands twice"),
        ("just text", "line 1 of m: this is no 'key: value'"),
        ("a: &x 1", "values that start with '&' are not read here"),
        ("a: !!python/tuple\n- 1", "values that start with '!'"),
        ("a: |\n  x", "values that start with"),
        ("a: 'x", "line 1 of m: the quotes are never closed"),
        ("a: 'x' y", "something stands behind the closing quotes"),
        ("a:\n  b: 1\n c: 2", "line 3 of m: this line does not belong"),
        ("- a: 1", "a mapping inside a list"),
        ("- 1", "m is no mapping"),
        ("", "m is no mapping"),
        ("".join(" " * i + "a:\n" for i in range(20)), "nested more than 16 deep"),
        ("a: [1, 2", "line 1 of m cannot be read"),
    ],
)
def test_yaml_beyond_that_is_refused_with_its_line(text, message):
    with pytest.raises(FormatError, match=message):
        read_yaml(text, "m")


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(max_size=12)
    | st.sampled_from([0.5, -1e-3]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.integers(0, 99) | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_what_python_prints_is_read_back(value):
    assert literal(repr(value), "it") == value


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_text_of_any_kind_is_read_or_refused(text):
    for read in (literal, read_yaml):
        try:
            read(text, "it")
        except FormatError:
            continue


@settings(max_examples=200)
@given(st.data())
def test_changed_metadata_is_read_or_refused(data):
    text = METADATA
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.text("{}[]'\":-# \n\tab1&!|", max_size=4))
            + text[at + data.draw(st.integers(0, 5)) :]
        )
    try:
        assert isinstance(read_yaml(text, "it"), dict)
    except FormatError:
        return
