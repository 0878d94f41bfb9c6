"""A network on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hailo_decode.cli._network_tables import outputs_of, size_of, step_of
from hailo_decode.cli._reading import ShownReading, parts_of
from hailo_decode.cli._style import paint, plain
from hailo_decode.values.diagnostic import Diagnostic, Severity
from hailo_decode.values.network import NetworkInfo

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_WIDTH, _LONGEST = 100, 2000
# What a kind of source is called where its own word says too little.
_KINDS = {
    "json": "JSON description",
    "parse-hef": "text of parse-hef",
    "ultralytics": "Ultralytics folder, HEF",
}


def lines_of(
    file: str,
    network: NetworkInfo,
    readings: Sequence[ShownReading],
    names: Sequence[str] | None,
    remarks: Sequence[Diagnostic],
) -> Iterator[str]:
    """Yield the lines that `inspect` prints."""
    yield f"{paint(plain(Path(file).resolve().name), 'bold')}  {plain(_what(file, network))}"
    yield from _labelled(_about(network, names))
    for part, reading in zip(parts_of(network), readings, strict=True):
        if len(readings) > 1:
            yield ""
            yield paint(f"network {plain(part.name)}", "bold")
        yield from _labelled(_head(part, reading))
        for title, outputs in (("outputs", part.outputs), ("heads that feed the host step", part.heads)):
            if outputs:
                yield ""
                yield paint(f"{title} ({len(outputs)})", "bold")
                yield from outputs_of(outputs, reading, part.input_size)
        for op in part.ops:
            yield ""
            yield from step_of(op)
    yield ""
    yield from _remarks(remarks)


def _what(file: str, network: NetworkInfo) -> str:
    """Return format and size in a line."""
    facts = network.facts
    size = facts.get("file_bytes") or (Path(file).stat().st_size if Path(file).is_file() else None)
    sizes = ((size, "bytes"), (facts.get("metadata_bytes"), "of them metadata"))
    version = facts.get("header_version")
    parts = [
        _KINDS.get(network.source, network.source.upper())
        + (f" version {version}" if version is not None else "")
    ]
    parts += [f"{number:,} {what}" for number, what in sizes if isinstance(number, int)]
    parts += [
        f"opset {number}" for domain, number in _mapping(facts, "opsets").items() if domain == "ai.onnx"
    ]
    parts += [str(facts[key]) for key in ("producer", "state") if facts.get(key)]
    return ", ".join(parts)


def _mapping(facts: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a key; a description by hand may hold anything there."""
    found = facts.get(key)
    return found if isinstance(found, dict) else {}


def _objects(facts: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects of the list under a key."""
    found = facts.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _labelled(entries: Iterator[tuple[str, str]]) -> Iterator[str]:
    """Yield a line for each entry, with its label once; long text is folded beside it."""
    last = ""
    for label, text in entries:
        for line in _folded(plain(text, _LONGEST)):
            yield f"  {'' if label == last else label:10} {line}".rstrip()
            last = label


def _about(network: NetworkInfo, names: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    """Yield what goes for the whole file."""
    counts = [group.get("contexts") for group in _objects(network.facts, "network_groups")]
    contexts = [f"{count} context{'s' * (count != 1)}" for count in counts if isinstance(count, int)]
    yield "network", " · ".join(filter(None, [network.name, *contexts]))
    yield "runs on", ", ".join(network.devices)
    yield "compiler", network.compiler or ""
    classes = network.classes if names is None else names
    if names is not None or classes:
        shown = ", ".join(map(plain, classes[:6])) + (", ..." if len(classes) > 6 else "")
        yield "names", f"{len(classes)}: {shown}"
    yield "checksum", _integrity(_mapping(network.facts, "integrity"))


def _integrity(told: dict[str, Any]) -> str:
    if not told:
        return ""
    what = f"{told.get('checksum')} of the {told.get('covers')}"
    return f"{what} is right" if told.get("checked") else f"{what} not checked: {told.get('why_not')}"


def _head(network: NetworkInfo, reading: ShownReading) -> Iterator[tuple[str, str]]:
    """Yield what goes in, and what its outputs are read as."""
    for one in network.inputs:
        order = one.order.value if one.order else str(one.facts.get("order", ""))
        yield "input", " ".join(filter(None, (one.name, size_of(one.shape), order, one.dtype)))
    if not network.inputs and network.input_size:
        yield "input", size_of(network.input_size)
    for change in _objects(network.facts, "before_input"):
        rest = [f"{key} {value}" for key, value in change.items() if key not in ("layer", "cmd_type")]
        yield "prepared", ", ".join([str(change.get("cmd_type", "")), *rest])
    known = [reading.family, reading.task]
    known += [f"{reading.classes} class{'es' * (reading.classes != 1)}"] if reading.classes else []
    known += [f"{reading.bins} bins"] if reading.bins else []
    known += ["one-to-one, nothing to suppress"] if network.nms_free else []
    yield "head", " · ".join(filter(None, known)) or "not known"
    notes = _mapping(network.facts, "head").get("notes")
    odd = [*(notes if isinstance(notes, list) else ()), network.facts.get("no_head")]
    for text in (*reading.why, *reading.choices, *odd):
        yield "", str(text or "")
    if reading.settle:
        yield "", f"to settle it: {reading.settle}"


def _remarks(remarks: Sequence[Diagnostic]) -> Iterator[str]:
    if not remarks:
        yield paint("no remarks", "green")
        return
    yield paint(f"remarks ({len(remarks)})", "bold")
    for one in remarks:
        severity = one.severity.value
        first, *rest = _folded(f"  {one.code} {severity}: {plain(one.message, _LONGEST)}", "    ")
        yield first.replace(severity, paint(severity, _COLOURS[one.severity]), 1)
        yield from rest
        if one.hint:
            yield from _folded(f"    hint: {plain(one.hint, _LONGEST)}", "      ")


def _folded(text: str, indent: str = "") -> list[str]:
    import textwrap

    return textwrap.wrap(
        text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
