"""A configuration with every fix put in that the files at hand prove; the rest of its text stays as it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hailo_decode.config.json_text import Document
from hailo_decode.lint._case import Case, config_inputs
from hailo_decode.lint._registry import Rule, run_rules
from hailo_decode.values.diagnostic import Diagnostic, Edit, Path

# One mistake can hide another; all public cases are right after two rounds.
_ROUNDS = 5


@dataclass(frozen=True)
class Fixed:
    """What fixing has come to.

    Attributes
    ----------
    text : str
        The configuration's new text.
    edits : tuple of Edit
        What was changed, in the order in which it was found.
    remarks : list of Diagnostic
        What is left to say about the new text.
    case : Case
        The same files, with the new text.
    """

    text: str
    edits: tuple[Edit, ...]
    remarks: list[Diagnostic]
    case: Case


def fix(case: Case, chosen: Iterable[Rule]) -> Fixed:
    """Put in every fix, and again those that then show, until none is left.

    Parameters
    ----------
    case : Case
        With a configuration.
    chosen : iterable of Rule
    """
    rules = list(chosen)
    done: dict[Path, Edit] = {}
    for _ in range(_ROUNDS):
        remarks = run_rules(rules, case.given, case.files)
        document = case.given.get("document")
        edits = _agreed(remarks, document, done) if isinstance(document, Document) else {}
        if not edits or not isinstance(document, Document):
            break
        done |= edits
        case = _with_text(case, edited(document, edits.values()))
    else:
        remarks = run_rules(rules, case.given, case.files)
    return Fixed(case.texts.get("config", ""), tuple(done.values()), remarks, case)


def _agreed(remarks: Iterable[Diagnostic], document: Document, done: Mapping[Path, Edit]) -> dict[Path, Edit]:
    """Return the edits of a round: for each place the first one, and none where one was made before."""
    found: dict[Path, Edit] = {}
    for remark in remarks:
        paths = [edit.path for edit in remark.fix]
        if any(p in found or p in done or document.offsets(p) is None for p in paths):
            continue
        found |= {edit.path: edit for edit in remark.fix}
    return found


def edited(document: Document, edits: Iterable[Edit]) -> str:
    """Return a document's text with some values replaced.

    Examples
    --------
    >>> from hailo_decode.config.json_text import read_json
    >>> edited(read_json('{"stride":  16}'), [Edit(("stride",), 8)])
    '{"stride":  8}'
    """
    text = document.text
    places: list[tuple[int, int, Any]] = []
    for edit in edits:
        where = document.offsets(edit.path)
        if where is not None:
            places.append((*where, edit.value))
    for start, end, value in sorted(places, key=lambda place: place[0], reverse=True):
        text = text[:start] + json.dumps(value) + text[end:]
    return text


def _with_text(case: Case, text: str) -> Case:
    given = {**case.given, **config_inputs(text, case.given.get("script"))}
    return replace(case, given=given, texts={**case.texts, "config": text})
