"""What is measured: a file a subject, each with ``rows()``.

To stand in this folder is to be in the table.
"""

from __future__ import annotations

from bench.rows._row import Row
from hailo_decode.plugins import collect


def all_rows() -> dict[str, list[Row]]:
    """Return the rows of every subject, by the subject's name."""
    return {name: module.rows() for name, module in collect(__name__, "rows").items()}
