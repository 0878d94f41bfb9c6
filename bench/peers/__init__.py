"""Everybody else: one file a peer. To stand in this folder is to be timed.

A file defines ``NAME``, ``available()`` (None, or the reason why it cannot run here), and a function for each job that it
knows: ``detect(scene, choice)``, ``masks(...)`` and so on, each returning a list of `Way`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.peers._peer import Way
from hailo_decode.plugins import collect


def absent() -> dict[str, str]:
    """Return the peers that cannot run here, and why."""
    reasons = {peer.NAME: peer.available() for peer in collect(__name__, "available").values()}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def ways(job: str, *given: Any, notes: list[str]) -> Iterator[Way]:
    """Yield the ways in which peers that can run here do a job.

    Parameters
    ----------
    job : str
        Name of a function that peers may have.
    *given
        What it takes.
    notes : list of str, out
        Peers that failed, and how: another version of one may have other arguments, and shall not end the run.
    """
    for peer in collect(__name__, "available").values():
        if not hasattr(peer, job) or peer.available() is not None:
            continue
        try:
            found = getattr(peer, job)(*given)
        except Exception as error:
            notes.append(f"{peer.NAME}: cannot run: {type(error).__name__}: {error}")
        else:
            yield from found
