"""The page of the documentation: what a run measured, and how, as Markdown.

No figure on it is typed by hand.
"""

from __future__ import annotations

from bench.outcome import HEAD, Outcome, cells
from bench.rows._row import Row, Verdict, judge

_INTRO = """# Performance

Written by `python bench/compare.py --write docs/performance.md`; every figure below comes from that one run.

## Where and how

{machine}

Every way runs a little in each of {rounds} rounds, in one process, on the same made-up frames, with one thread for
every library; six frames rotate, so that they lie in the caches as they do when HailoRT has just written them, or 64,
so that they come from memory. Times are those of the whole public call. `median` and `p10` are over all calls,
`spread` is from p10 to p90 over the median. `times ours` is the ratio of the medians of one round, and of all rounds
the middle one: a machine that is slow for some seconds is so for all ways of a round. `by CPU time` is the same ratio
of processor time, which other programs on the machine disturb less. A target counts as met when the less flattering
of both ratios meets it. The start of processes is measured with Python's bytecode in place, as pip leaves it.

Before a way is timed, its boxes are compared with those of a float64 decode of the same tensors: same class, corners
within 0.1 pixels, scores within the rounding of a byte. One that finds something else is not timed, and said to be
left out.

HailoRT's own C++ step and Hailo's own Python examples are not among the peers: the one cannot be had without its
source tree, the others are not ours to copy. Others stand in for them, by ratios that were measured apart, once,
where all could run: plain NumPy takes 14 times as long as HailoRT 5.2's step (-O2) on the frame of 20 objects, 2.5
times on that of 300, 10.8 times at conf 0.001, and 0.83 times as long as Hailo's example; torch takes twice as long
as Hailo's example for masks. The peers written here after public descriptions (NumPy as in Hailo's examples, torch as
Ultralytics has it) are in `bench/peers/`; their code is ours, and not slower than the originals.
"""


def page(outcome: Outcome, rounds: int) -> str:
    """Return the page."""
    parts = [_INTRO.format(machine=_machine(outcome), rounds=rounds)]
    if outcome.quick:
        parts.append("```{warning}\nA quick look on few frames: these are no measurements.\n```\n")
    parts.append("## Targets\n\n" + _targets(outcome))
    subjects = dict.fromkeys(subject for subject, _, _ in outcome.measured)
    for subject in subjects:
        parts.append(f"## {subject.replace('_', ' ').capitalize()}\n")
        for of, row, figures in outcome.measured:
            if of != subject:
                continue
            table = _table(HEAD, cells(figures))
            notes = "".join(f"* {note}\n" for note in figures.notes)
            parts.append(f"### {row.name}: {row.title}\n\n{table}\n{notes}")
    return "\n".join(parts)


def _machine(outcome: Outcome) -> str:
    told = {**outcome.machine}
    before, behind = outcome.load
    if before is not None and behind is not None:
        told["load"] = f"{before:.1f} before, {behind:.1f} behind"
    told |= {name: f"absent: {reason}" for name, reason in outcome.absent.items()}
    return "\n".join(f"* {key}: {value}" for key, value in told.items())


def _targets(outcome: Outcome) -> str:
    lines = [
        _target(row, judge(claim, figures)) for _, row, figures in outcome.measured for claim in row.claims
    ]
    lines += [
        (f"`{name}`", f"could not be measured: {reason}", "", "", "")
        for name, reason in outcome.failed.items()
    ]
    return _table(("row", "target", "bound", "found", ""), lines)


def _target(row: Row, verdict: Verdict) -> tuple[str, ...]:
    claim = verdict.claim
    bound = f"≥ {claim.at_least:g}" if claim.at_least is not None else f"≤ {claim.at_most:g}"
    found = "not measured" if verdict.value is None else f"{verdict.value:.3g}"
    word = {True: "met", False: "**missed**", None: ""}[verdict.met]
    return f"`{row.name}`", claim.text, bound, found, word


def _table(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    rows = [head, tuple("---" if i < 1 else "--:" for i in range(len(head))), *lines]
    return "\n".join("| " + " | ".join(cell or " " for cell in row) + " |" for row in rows) + "\n"
