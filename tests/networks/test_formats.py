"""Every model file finds its own reader, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.seeds import SEEDS

from hailo_decode.networks import known_formats, read_network

FILES = [(name, i) for name, seeds in SEEDS.items() if name != "ultralytics" for i in range(len(seeds()))]
SOURCES = {"description": "json", "parse_hef": "parse-hef"}


@pytest.mark.parametrize(("name", "index"), FILES)
def test_a_file_is_known_by_one_format(name: str, index: int, tmp_path: Path):
    path = tmp_path / "a_name_that_says_nothing"
    path.write_bytes(SEEDS[name]()[index])
    takers = [f.name for f in known_formats() if f.sniff(path.read_bytes()[:65_536], path)]
    assert len(takers) == 1
    assert read_network(path).source == SOURCES.get(name, name)
