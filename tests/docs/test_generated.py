"""Pages that are written by a script are as the script would write them now, and what they list is true."""

import importlib.util

import numpy as np
import pytest

from docs import pages
from hailo_decode import Decoder
from hailo_decode.families import families
from hailo_decode.kernels.layout import BOX_CODES


def script(name):
    spec = importlib.util.spec_from_file_location(name, pages.DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKE_FAMILIES = script("make_families")


@pytest.mark.parametrize("name", ["make_families", "make_cli"])
def test_a_page_is_as_its_script_writes_it(name):
    made = script(name)
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), f"python docs/{name}.py writes it anew"


def test_the_drawings_of_layouts_are_what_the_readers_say():
    draw = script("draw_layouts")
    text = draw.PAGE.read_text(encoding="utf-8")
    assert len(draw.MARK.findall(text)) == text.count("<!-- drawn:") > 5
    assert draw.drawn(text) == text, "python docs/draw_layouts.py draws them anew"


def test_every_box_code_has_its_maths_on_the_page():
    assert set(MAKE_FAMILIES.MATHS) == set(BOX_CODES)


@pytest.mark.parametrize("name", sorted(families()))
def test_the_shapes_that_the_page_lists_are_read_as_the_family(name):
    family = families()[name]
    example = MAKE_FAMILIES.example_of(family)
    shapes = MAKE_FAMILIES.shapes_of(example)
    outputs = {name: np.full(shape, -2, np.float32) for name, shape in shapes.items()}
    told = {}
    if family.grid == "fraction" and not family.anchors:
        told["anchors"] = {stride: [(8, 8)] * example.sizes.anchors for stride, _ in example.levels}
    decoder = Decoder.from_outputs(outputs, MAKE_FAMILIES.INPUT, family=name, task=family.task, **told)
    reading = decoder.plan(outputs).reading
    assert reading.family is family
    assert reading.sizes == example.sizes
    assert [len(level.outputs) for level in reading.levels] == [len(family.roles)] * len(example.levels)
