"""Remarks as text with the marked line, as JSON, as GitHub annotations, and as SARIF."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hailo_decode.lint._registry import all_rules
from hailo_decode.values.diagnostic import Diagnostic, Path, Severity

WIDTH = 100


def text(remarks: Sequence[Diagnostic], texts: Mapping[str, str]) -> str:
    """Render remarks for people: place, code, what is, the marked line, what to do.

    Parameters
    ----------
    remarks : sequence of Diagnostic
    texts : mapping of str to str
        The text of each file by its name.

    Examples
    --------
    >>> text([], {})
    ''
    """
    return "\n".join(_told(remark, texts) for remark in remarks)


def summary(remarks: Iterable[Diagnostic], files: int) -> str:
    """Return how many errors, warnings and notes there are, in one line.

    Examples
    --------
    >>> summary([], 1)
    '1 file checked: nothing to remark'
    """
    found = [remark.severity for remark in remarks]
    parts = [_count(found.count(s), s.value) for s in Severity if found.count(s)]
    return f"{_count(files, 'file')} checked: {', '.join(parts) or 'nothing to remark'}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _told(remark: Diagnostic, texts: Mapping[str, str]) -> str:
    where = remark.file or "the configuration"
    if remark.span:
        where += f":{remark.span.line}:{remark.span.column}"
    sure = f" ({remark.confidence.value})" if remark.confidence else ""
    lines = [f"{where}: {remark.severity.value} {remark.code}{sure}: {remark.message}"]
    lines += _marked(remark, texts.get(remark.file or "", ""))
    for label, words in (("hint", remark.hint), ("fix", shown_fix(remark))):
        if words:
            first = f"  = {label}: "
            lines += textwrap.wrap(
                words,
                WIDTH,
                initial_indent=first,
                subsequent_indent=" " * len(first),
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "\n".join(lines) + "\n"


def _marked(remark: Diagnostic, source: str) -> list[str]:
    """Return the line that a remark is about, with carets under its place."""
    lines = source.splitlines()
    span = remark.span
    if span is None or span.line > len(lines):
        return []
    line = lines[span.line - 1].replace("\t", " ")
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    cut = max(0, start - 60) if len(line) > WIDTH else 0
    shown = line[cut : cut + WIDTH]
    length = max(1, min(end, cut + len(shown)) - start)
    number = str(span.line)
    margin = " " * len(number)
    return [f"{margin} |", f"{number} | {shown}", f"{margin} | {' ' * (start - cut)}{'^' * length}"]


def shown_fix(remark: Diagnostic) -> str:
    """Return a remark's fix in words; empty where it has none.

    Examples
    --------
    >>> from hailo_decode.values.diagnostic import Edit
    >>> fix = (Edit(("bbox_decoders", 0, "stride"), 32),)
    >>> shown_fix(Diagnostic("HD401", Severity.ERROR, "", fix=fix))
    'bbox_decoders[0].stride = 32'
    """
    return ", ".join(f"{shown_path(e.path)} = {json.dumps(e.value)}" for e in remark.fix)


def shown_path(path: Path) -> str:
    """Return a path as people write it."""
    parts = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return parts.removeprefix(".")


def as_dict(remark: Diagnostic) -> dict[str, Any]:
    """Return a remark as JSON holds it."""
    span = remark.span
    return {
        "code": remark.code,
        "rule": all_rules()[remark.code].slug,
        "severity": remark.severity.value,
        "confidence": remark.confidence.value if remark.confidence else None,
        "message": remark.message,
        "hint": remark.hint,
        "file": remark.file,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "end_line": span.end_line if span else None,
        "end_column": span.end_column if span else None,
        "path": list(remark.path),
        "fix": [{"path": list(edit.path), "value": edit.value} for edit in remark.fix],
    }


def as_json(remarks: Sequence[Diagnostic], texts: Mapping[str, str]) -> str:
    """Render remarks as a JSON list.

    Examples
    --------
    >>> as_json([], {})
    '[]'
    """
    return json.dumps([as_dict(remark) for remark in remarks], indent=2)


def github(remarks: Sequence[Diagnostic], texts: Mapping[str, str]) -> str:
    """Render remarks as workflow commands, which GitHub shows beside the changed lines.

    Source: docs.github.com, "Workflow commands for GitHub Actions" (setting a message).
    """
    return "\n".join(_command(remark) for remark in remarks)


def _command(remark: Diagnostic) -> str:
    level = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}[remark.severity]
    fields = [f"title={_escaped(f'{remark.code} {all_rules()[remark.code].slug}', ':,')}"]
    if remark.file:
        fields.append(f"file={_escaped(remark.file, ':,')}")
    if remark.span:
        fields += [f"line={remark.span.line}", f"endLine={remark.span.end_line}"]
        if remark.span.line == remark.span.end_line:
            fields += [f"col={remark.span.column}", f"endColumn={remark.span.end_column}"]
    words = remark.message + (f"\n{remark.hint}" if remark.hint else "")
    return f"::{level} {','.join(fields)}::{_escaped(words)}"


def _escaped(words: str, more: str = "") -> str:
    for letter in "%\r\n" + more:
        words = words.replace(letter, f"%{ord(letter):02X}")
    return words


def sarif(remarks: Sequence[Diagnostic], texts: Mapping[str, str]) -> str:
    """Render remarks as SARIF 2.1.0, which code scanners read."""
    used = sorted({remark.code for remark in remarks})
    about = [
        {
            "id": code,
            "name": all_rules()[code].slug,
            "shortDescription": {"text": all_rules()[code].title},
            "fullDescription": {"text": all_rules()[code].page},
        }
        for code in used
    ]
    driver = {"name": "hailo-decode", "rules": about}
    run = {"tool": {"driver": driver}, "results": [_result(r, used.index(r.code)) for r in remarks]}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(remark: Diagnostic, index: int) -> dict[str, Any]:
    words = remark.message + (f" ({remark.hint})" if remark.hint else "")
    result: dict[str, Any] = {
        "ruleId": remark.code,
        "ruleIndex": index,
        "level": remark.severity.value,
        "message": {"text": words},
    }
    if remark.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": remark.file.replace("\\", "/")}}
        if span := remark.span:
            place["region"] = {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.end_line,
                "endColumn": span.end_column,
            }
        result["locations"] = [{"physicalLocation": place}]
    return result


FORMATS: Mapping[str, Callable[[Sequence[Diagnostic], Mapping[str, str]], str]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
