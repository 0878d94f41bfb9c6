"""Row: one thing that is measured, what is claimed of it, and what came out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bench.agreement import Agreement
from bench.timing import Budget, Samples

OURS = "hailo_decode"
FASTEST_PEER = "the fastest peer"


@dataclass(frozen=True)
class Claim:
    """What a row is held to.

    Attributes
    ----------
    text : str
    ours : str
        Name of the samples that are judged.
    over : str or None
        Name of the samples that divide them, or that they divide; `FASTEST_PEER` for those of the fastest way that finds
        boxes and is not ours; None for a plain figure.
    at_least : float or None
        Least value of ``over / ours`` (times faster), or of `ours` itself.
    at_most : float or None
        Most value of ``ours / over``, or of `ours` itself.
    """

    text: str
    ours: str = OURS
    over: str | None = None
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Verdict:
    """A claim, and what was found; `value` is None where it could not be measured."""

    claim: Claim
    value: float | None
    met: bool | None

    def __str__(self) -> str:
        claim, relative = self.claim, self.claim.over is not None
        if self.value is None:
            return f"{claim.text}: not measured"
        bound = claim.at_least if claim.at_least is not None else claim.at_most
        word = "at least" if claim.at_least is not None else "at most"
        times = " times" if relative else ""
        return f"{claim.text}: {self.value:.3g}{times} ({word} {bound:g}): {'met' if self.met else 'MISSED'}"


@dataclass
class Figures:
    """What came out of a row.

    Attributes
    ----------
    samples : dict of str to Samples
    agreements : dict of str to Agreement
        Of each way's result with the reference's.
    notes : list of str
    """

    samples: dict[str, Samples] = field(default_factory=dict)
    agreements: dict[str, Agreement] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """One thing that is measured.

    Attributes
    ----------
    name : str
        What ``--only`` takes.
    title : str
    measure : callable
    claims : tuple of Claim
    """

    name: str
    title: str
    measure: Callable[[Budget], Figures]
    claims: tuple[Claim, ...] = ()


def faster(than: str, times: float, text: str | None = None, ours: str = OURS) -> Claim:
    """Claim to be at least so many times faster than a way of another name."""
    return Claim(text or f"faster than {than}", ours, than, at_least=times)


def within(of: str, times: float, text: str | None = None, ours: str = OURS) -> Claim:
    """Claim to take at most so many times what a way of another name takes."""
    return Claim(text or f"time over that of {of}", ours, of, at_most=times)


def ahead(times: float = 1.0) -> Claim:
    """Claim to be so many times faster than every peer."""
    return Claim("ahead of every peer", OURS, FASTEST_PEER, at_least=times)


def _named(name: str, figures: Figures) -> Samples | None:
    if name != FASTEST_PEER:
        return figures.samples.get(name)
    peers = [
        one
        for peer, one in figures.samples.items()
        if peer in figures.agreements and not peer.startswith(OURS)
    ]
    return min(peers, key=lambda one: one.median, default=None)


def judge(claim: Claim, figures: Figures) -> Verdict:
    """Compare medians with what is claimed; a figure that is not there is no verdict.

    Two ways are compared by the clock and by the processor's time, and the less flattering of both counts: on a busy machine
    the clock charges long calls for the time in which others ran.
    """
    ours = _named(claim.ours, figures)
    other = None if claim.over is None else _named(claim.over, figures)
    if ours is None or not ours.values or (other is None and claim.over is not None):
        return Verdict(claim, None, None)
    values = [ours.median]
    if other is not None:
        worked = other.cpu_times(ours)
        values = [other.times(ours)] if worked is None else [other.times(ours), worked]
        if claim.at_most is not None:
            values = [1 / value for value in values]
    if claim.at_least is not None:
        return Verdict(claim, min(values), min(values) >= claim.at_least)
    return Verdict(claim, max(values), max(values) <= (claim.at_most or 0.0))
