"""Several networks in one text of parse-hef, and all that may stand around its lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks.parse_hef_texts import BOLTS, DEMO, SNAIL, TWO

from hailo_decode.errors import FormatError
from hailo_decode.networks.parse_hef import FORMAT, parse


def test_two_networks_of_one_hef_stay_apart_by_name():
    net = parse(TWO)
    assert [(o.name, o.network) for o in net.outputs] == [
        ("left/conv41", "pair/left"),
        ("right/conv41", "pair/right"),
    ]
    assert [i.network for i in net.inputs] == ["pair/left", "pair/right"]
    assert net.input_size == (320, 320)
    assert [n["network"] for n in net.facts["networks"]] == ["pair/left", "pair/right"]


def test_networks_of_different_sizes_have_no_common_input_size():
    text = TWO.replace("right/input_layer1 UINT8, NHWC(320", "right/input_layer1 UINT8, NHWC(640")
    assert parse(text).input_size is None


def test_a_folder_of_hefs_gives_every_file_its_own_label():
    stars = "*" * 80
    text = (
        f"{stars}\nParsing m/a.hef:\n{BOLTS}\n{stars}\nParsing m/b.hef:\n{BOLTS.replace('HAILO8L', 'HAILO8')}"
    )
    net = parse(text)
    assert [o.network for o in net.outputs] == ["m/a.hef:bolts_net/bolts_net", "m/b.hef:bolts_net/bolts_net"]
    assert net.devices == ("hailo8l", "hailo8")


def test_the_same_print_twice_is_one_network():
    assert parse(BOLTS + BOLTS) == parse(BOLTS)


def test_a_print_without_and_one_with_streams_are_one_network():
    plain = DEMO.replace(DEMO[DEMO.index("        Stream") : DEMO.index("        VStream")], "")
    assert parse(plain + DEMO) == parse(DEMO)


@pytest.mark.parametrize(("printed", "today"), [("PLUTO", "hailo15l"), ("MARS", "hailo12l")])
def test_old_names_of_chips_become_todays(printed: str, today: str):
    assert parse(BOLTS.replace("HAILO8L", printed)).devices == (today,)


def _colour(text: str) -> str:
    return "".join(f"\x1b[32m{line}\x1b[0m\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "around",
    [
        lambda t: "pi@raspberrypi:~ $ hailortcli parse-hef bolts.hef\n" + t + "pi@raspberrypi:~ $ \n",
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("    ", "\t"),
        _colour,
        lambda t: "".join(f"> {line}\n" for line in t.splitlines()),
        lambda t: "".join(f"Dec 01 07:00:00 pi run[41]: {line}\n" for line in t.splitlines()),
        lambda t: t.replace("\n", "\n[HailoRT] [info] [hef.cpp:42] [parse] Score of nothing: 3\n"),
        lambda t: "".join(f"{line}   # what this is\n" for line in t.splitlines()),
        lambda t: "\ufeff" + t,
    ],
    ids=["prompt", "crlf", "tabs", "colours", "quoted", "journal", "log", "comments", "mark"],
)
def test_what_stands_around_the_lines_changes_nothing(around):
    assert parse(around(BOLTS)) == parse(BOLTS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line of this text"),
        ("Network group name: a, Single Context", "no line of this text"),
        ("Output a/b UINT8, FCR(80x80x4x4x4)", "line 1: 'a/b' cannot have this shape"),
        ("Output a/b UINT8, FCR(0x80x4)", "line 1: 'a/b' cannot have this shape"),
        ("\nOutput a/b UINT8, FCR(axbxc)", "line 2: the shape of 'a/b' cannot be read"),
        (f"Output a/b UINT8, FCR({'9' * 900}x1x1)", "is too large a size for 'a/b'"),
        (
            "Output a/b FLOAT32, HAILO NMS BY CLASS(number of classes: x)",
            "'number of classes' of 'a/b' is no",
        ),
        (
            "Output a/b UINT8, FCR(80x80x4)\nOutput a/b UINT8, FCR(40x40x4)",
            "line 2: 'a/b' is described twice, differently",
        ),
    ],
)
def test_text_that_cannot_be_meant_is_refused_with_its_line(text: str, message: str):
    with pytest.raises(FormatError, match=message):
        parse(text)


def test_a_file_is_known_by_its_lines_and_read_from_utf_16_too(tmp_path: Path):
    for encoding in ("utf-8", "utf-16"):
        path = tmp_path / f"{encoding}.txt"
        path.write_bytes(BOLTS.encode(encoding))
        assert FORMAT.sniff(path.read_bytes(), path)
        assert FORMAT.read(path) == parse(BOLTS)
    assert FORMAT.sniff(SNAIL.encode(), tmp_path)
    for other in (b"", b"\x01HEF\x00\x00", b"{}", b"Input of all kinds"):
        assert not FORMAT.sniff(other, tmp_path)


def test_a_file_of_five_megabytes_is_refused(tmp_path: Path):
    path = tmp_path / "log.txt"
    path.write_bytes(BOLTS.encode() + b"\n" * (5 << 20))
    with pytest.raises(FormatError, match="larger than 4 MiB"):
        FORMAT.read(path)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_changed_text_is_read_or_refused_and_never_breaks(data: st.DataObject):
    text = data.draw(st.sampled_from([BOLTS, DEMO, TWO, SNAIL]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        width = data.draw(st.integers(0, 30))
        text = text[:at] + data.draw(st.text(max_size=6)) + text[at + width :]
    try:
        net = parse(text)
    except FormatError:
        return
    assert net.inputs or net.outputs


def test_more_networks_than_a_folder_holds_are_refused():
    text = "".join(f"Network name: a/{i}\nOutput a/b UINT8, FCR(1x1x1)\n" for i in range(600))
    with pytest.raises(FormatError, match="more than 512 networks"):
        parse(text)
