"""Write rules/ from the docstrings of the rules: ``python docs/make_rules.py``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "rules"
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from hailo_decode.lint import Rule

_BY = "<!-- Written by docs/make_rules.py from the rule's docstring. Do not edit. -->"
HUNDREDS = {
    "HD1": "The text of a configuration: what keeps it from being one",
    "HD2": "The values of a configuration: what is legal and cannot be meant",
    "HD3": "The model script",
    "HD4": "A configuration and a script against the network",
    "HD5": "A model file by itself",
    "HD6": "Tensors",
    "HD7": "Messages in a log of the compiler or of HailoRT",
}
_HEAD = """# Rules

Each remark of `hailo-decode validate-nms`, `inspect` and `explain` has a code, and each code a page; `hailo-decode explain
CODE` prints it. An error makes results wrong or stops the compiler, a warning is odd, a note only tells. Behind the severity
stands how well a remark is founded: *proved* by the files at hand, *likely* by all public evidence, or *possible*. A single
remark may differ from its rule in both.

The examples of these pages are tests: what stands under "remarked on" is, and what stands under "right" is not.
"""
_CONTENTS = """
```{toctree}
:hidden:
:glob:

HD*
```
"""
_FENCE = re.compile(r"^(`{3,})(\w+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_TITLES = {
    "bad": "Remarked on",
    "good": "Right",
    "network": "In this network",
    "config": "Beside this configuration",
    "device": "For this device",
    "names": "With these class names",
}


def pages() -> dict[str, str]:
    """Return the text of each page by its file's name."""
    from hailo_decode.lint import all_rules

    known = all_rules()
    return {"index.md": _index(known.values()), **{f"{code}.md": page(one) for code, one in known.items()}}


def page(one: Rule) -> str:
    """Return the page of one rule."""
    first, _, more = one.page.partition("\n")
    about = f"*{one.slug}* · {one.severity.value} · {one.confidence.value}"
    text = _FENCE.sub(lambda block: _block(one, block), more.strip("\n"))
    return f"{_BY}\n\n# {one.code}\n\n**{first}**\n\n{about}\n\n{text.rstrip()}\n"


def _block(one: Rule, block: re.Match[str]) -> str:
    """Give an example a title, and the language of the rule's file."""
    fence, word, text = block[1], block[2], block[3]
    kind = one.about if word in ("bad", "good") else word
    language = "json" if kind == "config" else "text"
    if language == "json" and not _is_json(text):
        language = "text"  # What is wrong with some texts is that they are none.
    return f"{_TITLES.get(word, f'With this {word}')}:\n\n{fence}{language}\n{text}{fence}\n"


def _is_json(text: str) -> bool:
    import json

    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _index(every: Iterator[Rule]) -> str:
    lines = [f"{_BY}\n\n{_HEAD}"]
    rules = list(every)
    for hundred, title in HUNDREDS.items():
        own = [one for one in rules if one.code.startswith(hundred)]
        if own:
            lines.append(f"\n## {title}\n\n| code | | |\n|---|---|---|\n")
            lines += [
                f"| [{one.code}]({one.code}.md) | {one.severity.value} | {one.title} |\n" for one in own
            ]
    return "".join([*lines, _CONTENTS])


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    written = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in written:
            old.unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
