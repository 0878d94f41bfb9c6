"""A network as JSON, with keys that stay; docs/model-files.md lists them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from hailo_decode.cli._reading import ShownReading
from hailo_decode.lint.render import as_dict
from hailo_decode.networks.description import description_of
from hailo_decode.values.diagnostic import Diagnostic
from hailo_decode.values.network import NetworkInfo


def as_json(
    file: str,
    network: NetworkInfo | None,
    readings: Sequence[ShownReading],
    names: Sequence[str] | None,
    remarks: Sequence[Diagnostic],
) -> str:
    """Return what `inspect --json` prints; `network` is None where nothing of the file can be read."""
    shown = {
        "file": file,
        "format": None if network is None else network.source,
        "network": None if network is None else description_of(network),
        "readings": [asdict(one) for one in readings],
        "names": None if names is None else list(names),
        "remarks": [as_dict(one) for one in remarks],
    }
    return json.dumps(shown, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
