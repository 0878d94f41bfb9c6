"""Thresholds carried into raw units, ranks of bytes, tables of exponentials: against every number there is."""

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.lookup import exponentials, rank_bytes, raw_floor
from hailo_decode.values.quant import Quant

CONFS = st.sampled_from([0.0, 1e-6, 0.001, 0.25, 0.3, 0.5, 0.7, 1.0]) | st.floats(0, 1)


@st.composite
def score_quants(draw, dtype):
    """Draw the quantisation of a class tensor, and whether it holds logits."""
    kind = draw(st.sampled_from(["logits", "probabilities"]))
    scale, zero = draw(strategies.quants(kind, dtype, draw(st.sampled_from([1, 3]))))
    return Quant.of(scale, zero), kind == "logits"


def scores(quant, logits, raw):
    """Return (channels, n) f8."""
    real = np.array(
        [naive.dequantise(raw, (s, z)) for s, z in zip(quant.scale, quant.zero_point, strict=True)]
    )
    return naive.sigmoid(real) if logits else real


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@given(st.data())
def test_a_raw_number_reaches_the_floor_when_its_float64_score_reaches_the_threshold(dtype, data):
    quant, logits = data.draw(score_quants(dtype))
    every = np.arange(np.iinfo(dtype).max + 1)
    wanted = scores(quant, logits, every)
    picked = float(np.clip(data.draw(st.sampled_from(np.unique(wanted)[:: len(every) // 16].tolist())), 0, 1))
    conf = data.draw(
        CONFS | st.just(picked) | st.just(float(np.nextafter(np.float32(picked), np.float32(0))))
    )
    floors = raw_floor(quant, logits, conf, int(every[-1]))
    for row, floor in zip(wanted, floors, strict=True):
        assert ((every >= floor) == (row >= float(np.float32(conf)))).all()


@pytest.mark.parametrize("logits", [True, False])
@given(conf=CONFS)
def test_a_float_reaches_the_floor_when_its_float64_score_reaches_the_threshold(logits, conf):
    (floor,) = raw_floor(None, logits, conf, None)
    limit = float(np.float32(conf))

    def score(value):
        return float(naive.sigmoid(value)) if logits else value

    assert floor == float(np.float32(floor))
    with np.errstate(over="ignore"):
        below = float(np.nextafter(np.float32(floor), np.float32(-np.inf)))
    if np.isfinite(floor):
        assert score(floor) >= limit
    if np.isfinite(below):
        assert score(below) < limit


def test_a_threshold_of_one_lets_a_saturated_logit_pass_and_no_other():
    (floor,) = raw_floor(None, True, 1.0, None)
    assert naive.sigmoid(floor) == 1.0 > naive.sigmoid(np.nextafter(np.float32(floor), np.float32(0)))


def test_a_threshold_that_nothing_reaches_lies_above_the_dtype():
    assert raw_floor(Quant.of(0.002, 0), False, 0.9, 255).tolist() == [256.0]


@given(st.data())
def test_bytes_are_ranked_by_score_and_only_where_they_reach_the_threshold(data):
    levels = data.draw(st.lists(score_quants("uint8"), min_size=1, max_size=3))
    conf = data.draw(CONFS)
    ranked = rank_bytes(levels, conf)
    every = np.arange(256)
    table = np.concatenate([scores(quant, logits, every) for quant, logits in levels])
    kept = table >= float(np.float32(conf))
    assert ranked.scores.tolist() == sorted(set(table[kept].astype(np.float32).tolist()), reverse=True)
    assert (ranked.ranks[~kept] == ranked.count).all()
    assert ranked.scores[ranked.ranks[kept]].tolist() == table[kept].astype(np.float32).tolist()


@given(st.data())
def test_a_cut_is_the_smallest_byte_of_any_better_rank(data):
    levels = data.draw(st.lists(score_quants("uint8"), min_size=1, max_size=3))
    ranked = rank_bytes(levels, data.draw(CONFS))
    row = 0
    for cuts, (quant, _) in zip(ranked.cuts, levels, strict=True):
        best = ranked.ranks[row : row + len(quant.scale)].min(axis=0)
        row += len(quant.scale)
        for rank in range(0, ranked.count + 1, max(1, ranked.count // 40)):
            better = np.flatnonzero(best < rank)
            assert cuts[rank] == (better[0] if better.size else 256)


@pytest.mark.parametrize("quant", strategies.QUANTS["bins"]["uint8"])
def test_exponentials_differ_from_exp_by_one_factor_for_the_whole_table(quant):
    table = exponentials(Quant.of(*quant))
    if 255 * quant[0] > 700:
        assert table is None
        return
    real = naive.dequantise(np.arange(256), quant)
    np.testing.assert_allclose(table[0], np.exp(real - real[-1]), rtol=1e-12)
    assert table.max() == 1.0


@pytest.mark.parametrize("quant", strategies.QUANTS["bins"]["uint16"])
def test_exponentials_of_two_bytes_are_products(quant):
    tables = exponentials(Quant.of(*quant), wide=True)
    if 65535 * quant[0] > 700:
        assert tables is None
        return
    raw = np.array([0, 1, 255, 256, 257, 4095, 32768, 65279, 65280, 65534, 65535])
    real = naive.dequantise(raw, quant)
    top = naive.dequantise(np.array([65535]), quant)
    np.testing.assert_allclose(tables[0][raw >> 8] * tables[1][raw & 255], np.exp(real - top), rtol=1e-12)
