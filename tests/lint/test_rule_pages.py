"""Every rule's page holds its word: its bad examples fire, its good ones do not."""

from __future__ import annotations

import pytest
from lint.examples import blocks, inputs_of

from hailo_decode.lint import all_rules
from hailo_decode.lint._registry import run_rules

EXAMPLES = [
    pytest.param(one, blocks(one.page), block, id=f"{code}-{block.word}{i}")
    for code, one in all_rules().items()
    for i, block in enumerate(blocks(one.page))
    if block.word in ("bad", "good")
]


@pytest.mark.parametrize(("one", "page_blocks", "example"), EXAMPLES)
def test_a_bad_example_fires_and_a_good_one_does_not(one, page_blocks, example):
    found = run_rules([one], inputs_of(one, page_blocks, example), {})
    assert bool(found) == (example.word == "bad"), found
    assert all(remark.code == one.code and remark.message for remark in found)


@pytest.mark.parametrize("code", all_rules())
def test_every_page_has_a_title_a_bad_and_a_good_example(code):
    page = all_rules()[code].page
    assert {block.word for block in blocks(page)} >= {"bad", "good"}
    assert page.partition("\n")[0].endswith(".")
    assert len(page.partition("\n")[0]) <= 110
