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


def ways(job: str, *given: Any) -> Iterator[Way]:
    """Yield the ways in which peers that can run here do a job."""
    for peer in collect(__name__, "available").values():
        if hasattr(peer, job) and peer.available() is None:
            yield from getattr(peer, job)(*given)
