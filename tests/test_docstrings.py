"""Every example in a docstring does what it shows."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import hailo_decode

FOUND = pkgutil.walk_packages(hailo_decode.__path__, "hailo_decode.")
SOURCES = {m.name: Path(m.module_finder.find_spec(m.name).origin).read_text(encoding="utf-8") for m in FOUND}
SHOWING = [name for name, source in SOURCES.items() if ">>> " in source]


@pytest.mark.parametrize("name", SHOWING)
def test_every_example_does_what_it_shows(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_there_are_examples():
    assert len(SHOWING) > 20
