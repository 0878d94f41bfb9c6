"""The pages of the rules are as their script would write them now, and every hundred has its title."""

import importlib.util

from docs import pages
from hailo_decode.lint import all_rules

SPEC = importlib.util.spec_from_file_location("make_rules", pages.DOCS / "make_rules.py")
MAKE_RULES = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MAKE_RULES)


def test_the_pages_are_as_the_script_writes_them():
    there = {path.name: path.read_text(encoding="utf-8") for path in MAKE_RULES.FOLDER.glob("*.md")}
    wanted = MAKE_RULES.pages()
    assert there.keys() == wanted.keys(), "python docs/make_rules.py writes them anew"
    stale = [name for name in wanted if there[name] != wanted[name]]
    assert stale == [], "python docs/make_rules.py writes them anew"


def test_every_rule_has_one_page_with_a_bad_and_a_good_example():
    for code, one in all_rules().items():
        text = MAKE_RULES.page(one)
        assert text.startswith(f"{MAKE_RULES._BY}\n\n# {code}\n")
        assert "Remarked on:" in text
        assert "Right:" in text


def test_every_code_stands_under_a_title():
    assert {code[:3] for code in all_rules()} <= MAKE_RULES.HUNDREDS.keys()
