"""Whatever a model file says, inspect shows it: no line breaks out of its place, and nothing moves the cursor."""

from __future__ import annotations

import json

from hypothesis import given, settings
from networks.odd_networks import NETWORKS

from hailo_decode.cli._network_json import as_json
from hailo_decode.cli._network_text import lines_of
from hailo_decode.cli._reading import readings_of
from hailo_decode.lint import check_network


@settings(max_examples=200)
@given(NETWORKS)
def test_any_network_is_shown_in_plain_lines_and_in_json(network):
    readings = readings_of(network)
    remarks = check_network(network)
    lines = list(lines_of("net.json", network, readings, None, remarks))
    assert [line for line in lines if not line.isprintable()] == []
    told = json.loads(as_json("net.json", network, readings, None, remarks))
    assert len(told["remarks"]) == len(remarks)
