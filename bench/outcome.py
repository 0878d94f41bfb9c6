"""What a run came to: rows, verdicts, absent peers; as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bench.rows._row import OURS, Figures, Row, Verdict, judge
from bench.timing import Samples

HEAD = ("", "median", "p10", "spread", "times ours", "by CPU time")


@dataclass
class Outcome:
    """A run.

    Attributes
    ----------
    machine : dict of str to str
    absent : dict of str to str
        Peers that could not run, and why.
    measured : list of (subject, Row, Figures)
    failed : dict of str to str
        Rows that could not be measured, and why.
    quick : bool
        Whether it was a look, not a measurement.
    load : (float or None, float or None)
        Of the machine, before and behind.
    """

    machine: dict[str, str]
    absent: dict[str, str]
    measured: list[tuple[str, Row, Figures]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    quick: bool = False
    load: tuple[float | None, float | None] = (None, None)

    def verdicts(self) -> list[tuple[Row, Verdict]]:
        """Return every claim with what was found."""
        return [(row, judge(claim, figures)) for _, row, figures in self.measured for claim in row.claims]

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain values."""
        return {
            "machine": self.machine,
            "load": list(self.load),
            "quick": self.quick,
            "absent": self.absent,
            "failed": self.failed,
            "rows": [_row_json(subject, row, figures) for subject, row, figures in self.measured],
        }


def _row_json(subject: str, row: Row, figures: Figures) -> dict[str, Any]:
    return {
        "subject": subject,
        "name": row.name,
        "title": row.title,
        "figures": {name: _samples_json(samples) for name, samples in figures.samples.items()},
        "agreement": {name: str(found) for name, found in figures.agreements.items()},
        "notes": figures.notes,
        "claims": [
            {
                "text": v.claim.text,
                "ours": v.claim.ours,
                "over": v.claim.over,
                "at_least": v.claim.at_least,
                "at_most": v.claim.at_most,
                "value": v.value,
                "met": v.met,
            }
            for v in (judge(claim, figures) for claim in row.claims)
        ],
    }


def _samples_json(samples: Samples) -> dict[str, Any]:
    return {
        "unit": samples.unit,
        "median": samples.median,
        "p10": samples.p10,
        "spread": samples.spread,
        "cpu": samples.cpu_median,
        "values": len(samples.values),
    }


def cells(figures: Figures) -> list[tuple[str, ...]]:
    """Return the lines of a row's table, ours first, each figure as text."""
    ours = figures.samples.get(OURS)
    lines: list[tuple[str, ...]] = []
    for name, samples in figures.samples.items():
        alike = ours is not None and samples.unit == ours.unit and ours.median > 0
        times = by_cpu = ""
        if alike and ours:
            times, worked = f"{samples.times(ours):.2f}", samples.cpu_times(ours)
            by_cpu = "" if worked is None else f"{worked:.2f}"
        lines.append(
            (
                name,
                shown(samples.median, samples.unit),
                shown(samples.p10, samples.unit),
                f"{samples.spread:.0%}",
            )
            + (times, by_cpu)
        )
    return lines


def shown(value: float, unit: str) -> str:
    """Return a figure with its unit, three digits wide."""
    if unit == "us" and value >= 10_000:
        value, unit = value / 1000, "ms"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def row_text(row: Row, figures: Figures) -> str:
    """Return a row as lines for a terminal."""
    table = [HEAD, *cells(figures)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    lines = [f"{row.name}: {row.title}"]
    for line in table:
        rest = "  ".join(text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True))
        lines.append(f"  {line[0]:{widths[0]}}  {rest}".rstrip())
    lines += [f"  note: {note}" for note in figures.notes]
    lines += [f"  target: {judge(claim, figures)}" for claim in row.claims]
    return "\n".join(lines) + "\n"


def summary(outcome: Outcome) -> str:
    """Return the last lines: targets met and missed, and who was absent."""
    verdicts = outcome.verdicts()
    met = sum(v.met is True for _, v in verdicts)
    missed = [(row, v) for row, v in verdicts if v.met is False]
    unknown = [(row, v) for row, v in verdicts if v.met is None]
    lines = [f"{met} of {len(verdicts)} targets met, {len(missed)} missed, {len(unknown)} not measured"]
    lines += [f"  missed  {row.name}: {v}" for row, v in missed]
    lines += [f"  absent  {name}: {reason}" for name, reason in outcome.absent.items()]
    lines += [f"  failed  {name}: {reason}" for name, reason in outcome.failed.items()]
    if outcome.quick:
        lines.append("  a quick look on few frames: no measurement")
    return "\n".join(lines) + "\n"
