"""Picking candidates from a class tensor in any layout: every key against a plain search."""

import naive
import numpy as np
import pytest
import strategies
from compiled import compiled
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hailo_decode import Decoder
from hailo_decode.families import ANCHOR_FREE
from hailo_decode.kernels import layout as at
from hailo_decode.kernels.pick import TOP_SCORE, pick_real, pick_scored
from hailo_decode.kernels.rank import AT_ONCE, find_ranked, keep_ranked, scan_ranked
from hailo_decode.kernels.scan import BLOCK
from hailo_decode.kernels.select import score_of

keep_ranked, pick_real, pick_scored = map(compiled, (keep_ranked, pick_real, pick_scored))


def planned(network, conf):
    told = {**network.told, "conf": conf, "family": ANCHOR_FREE, "multi_label": True}
    return Decoder.from_outputs(network.outputs, network.input_size, **told).plan(network.outputs)


def buffers_of(plan, network):
    """Return each output of the plan as the flat array that its tensor reads."""
    return [np.ascontiguousarray(plan.tensors[slot.name].data) for slot in plan.slots]


def room_for_keys(tables):
    """Return room for all keys of a frame, behind them for the offsets of a whole class tensor, or of the first scan."""
    return np.empty(2 * int(tables.fields[:, at.CLASS, at.ELEMENTS].sum()) + AT_ONCE + BLOCK, np.uint64)


def unpacked(keys, plan):
    """Return (score, class, anchor) of each key, in the order in which they were picked."""
    settings = plan.tables.settings
    anchor_bits, class_bits = int(settings[at.ANCHOR_BITS]), int(settings[at.CLASS_BITS])
    out = []
    for key in keys.tolist():
        score = score_of(key >> (anchor_bits + class_bits), settings, plan.tables.lookup[2])
        out.append(
            (float(score), key >> anchor_bits & ((1 << class_bits) - 1), key & ((1 << anchor_bits) - 1))
        )
    return out


def wanted(network, conf):
    found = naive.candidates_of(network.levels, network.logits, conf, multi_label=True)
    return sorted((float(score), c, anchor) for score, c, anchor, _ in found)


FORMS = pytest.mark.parametrize("form", [compiled, lambda function: function], ids=["compiled", "plain"])


@FORMS
@settings(max_examples=80)
@given(data=st.data())
def test_ranked_bytes_become_the_keys_of_the_twin(form, data):
    network = data.draw(strategies.networks(dtypes=["uint8"]))
    conf = data.draw(strategies.thresholds(network))
    plan = planned(network, conf)
    tables, held = plan.tables, buffers_of(plan, network)
    addresses = np.array([array.ctypes.data for array in held], np.int64)
    keys = room_for_keys(tables)
    ranks, cuts = tables.lookup[0], tables.lookup[1]
    count = int(tables.settings[at.RANKS])
    ends = [0]
    for level, fields in enumerate(tables.fields):
        x = held[fields[at.CLASS, at.TENSOR]]
        maxima = np.zeros(len(x) // BLOCK + 1, np.uint8)
        ends.append(form(scan_ranked)(addresses, fields, cuts[level, count], maxima, keys, ends[-1]))
        blocks = range(0, len(x), BLOCK)
        assert maxima[: len(blocks)].tolist() == [x[start : start + BLOCK].max() for start in blocks]
    assume(ends[-1] <= AT_ONCE)
    n = 0
    for level, fields in enumerate(tables.fields):
        rates, span = tables.rates[level, at.CLASS], (ends[level], ends[level + 1])
        n = keep_ranked(addresses, fields, rates, (0, count), ranks, tables.settings, keys, span, n)
    assert sorted(unpacked(keys[:n], plan)) == wanted(network, conf)


@FORMS
@settings(max_examples=80)
@given(data=st.data())
def test_bands_of_ranks_part_the_keys_without_loss(form, data):
    network = data.draw(strategies.networks(dtypes=["uint8"], per_channel=False))
    plan = planned(network, 0.0)
    tables, held = plan.tables, buffers_of(plan, network)
    addresses = np.array([array.ctypes.data for array in held], np.int64)
    keys = room_for_keys(tables)
    ranks, cuts = tables.lookup[0], tables.lookup[1]
    count = int(tables.settings[at.RANKS])
    middle = data.draw(st.integers(0, count))
    n = 0
    for band in ((0, middle), (middle, count)):
        for level, fields in enumerate(tables.fields):
            x = held[fields[at.CLASS, at.TENSOR]]
            blocks = range(0, len(x), BLOCK)
            maxima = np.array([x[start : start + BLOCK].max() for start in blocks], np.uint8)
            end = form(find_ranked)(addresses, fields, cuts[level, band[1]], maxima, keys, n)
            before, rates = n, tables.rates[level, at.CLASS]
            n = keep_ranked(addresses, fields, rates, band, ranks, tables.settings, keys, (n, end), n)
            places = keys[before:n] >> np.uint64(
                tables.settings[at.ANCHOR_BITS] + tables.settings[at.CLASS_BITS]
            )
            assert all(band[0] <= rank < band[1] for rank in places.tolist())
    assert sorted(unpacked(keys[:n], plan)) == wanted(network, 0.0)


@FORMS
@pytest.mark.parametrize("size", [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 17])
def test_more_than_are_noted_at_once_are_counted_as_too_many(form, size, rng):
    """Every byte reaches the threshold: what is noted is all of them, or more than can be."""
    values = rng.integers(9, 250, size, np.uint8)
    fields = np.zeros((at.FIELDS, at.COLUMNS), np.int64)
    fields[at.CLASS, at.ELEMENTS] = size
    addresses = np.array([values.ctypes.data], np.int64)
    keys, maxima = np.zeros(AT_ONCE + BLOCK, np.uint64), np.zeros(size // BLOCK + 1, np.uint8)
    n = form(scan_ranked)(addresses, fields, 9, maxima, keys, 0)
    if size <= AT_ONCE:
        assert keys[:n].tolist() == list(range(size))
    else:
        assert n > AT_ONCE
    assert form(scan_ranked)(addresses, fields, 256, maxima, keys, 5) == 5


@settings(max_examples=80)
@given(st.data())
def test_computed_scores_become_the_keys_of_the_twin(data):
    network = data.draw(strategies.networks(dtypes=["uint8", "uint16", "float32"]))
    conf = data.draw(strategies.thresholds(network))
    plan = planned(network, conf)
    tables = plan.tables
    assume(tables.floors is not None)  # None: all are bytes, and ranked
    held = buffers_of(plan, network)
    keys = room_for_keys(tables)
    addresses = np.array([array.ctypes.data for array in held], np.int64)
    n = 0
    report = np.zeros(at.REPORT, np.int64)
    for level in range(len(tables.fields)):
        field = tables.fields[level, at.CLASS]
        x = held[field[at.TENSOR]]
        numbers = (
            x,
            addresses,
            tables.fields[level],
            tables.rates[level, at.CLASS],
            tables.floors,
            tables.lookup[3],
            tables.settings,
            keys,
            n,
        )
        n = pick_real(*numbers, report) if x.dtype == np.float32 else pick_scored(*numbers)
    assert report[at.BAD_VALUES] == 0
    assert sorted(unpacked(keys[:n], plan)) == wanted(network, conf)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 699, 1279])
def test_numbers_that_are_none_are_counted_by_block(bad, place):
    cls = np.full((8, 8, 20), -9, np.float32)
    outputs = {"box": np.ones((8, 8, 4), np.float32), "cls": cls}
    tables = Decoder.from_outputs(outputs, 64, family=ANCHOR_FREE).plan(outputs).tables
    x = cls.reshape(-1).copy()
    x[place] = bad
    report = np.zeros(at.REPORT, np.int64)
    fields, rates = tables.fields[0], tables.rates[0, at.CLASS]
    addresses = np.array([array.ctypes.data for array in outputs.values()], np.int64)
    pick_real(
        x,
        addresses,
        fields,
        rates,
        tables.floors,
        tables.lookup[3],
        tables.settings,
        room_for_keys(tables),
        0,
        report,
    )
    assert report[at.BAD_VALUES] == 1


def test_the_largest_float_has_rank_zero_and_nothing_has_less():
    assert np.uint32(TOP_SCORE).view(np.float32) == np.finfo(np.float32).max
