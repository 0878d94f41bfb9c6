"""Scale and zero point: read in every form, refused where impossible, never rounded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode import Quant
from hailo_decode.errors import QuantError

SCALES = st.floats(1e-9, 1e6)
ZEROS = st.floats(-1e6, 1e6)


@given(SCALES, ZEROS, st.integers(0, 65_535))
def test_the_real_value_is_the_distance_from_the_zero_point_in_scales(scale, zero, stored):
    assert Quant.of(scale, zero).real(stored) == (stored - zero) * scale


@given(SCALES, ZEROS, st.sampled_from([255, 65_535]))
def test_limits_are_the_values_of_the_smallest_and_the_largest_number(scale, zero, top):
    quant = Quant.of(scale, zero)
    assert quant.limits(top) == (quant.real(0), quant.real(top))


@given(st.lists(st.tuples(SCALES, ZEROS), min_size=2, max_size=5))
def test_limits_of_channels_are_those_of_all_of_them(pairs):
    quant = Quant.of([s for s, _ in pairs], [z for _, z in pairs])
    lows, highs = zip(*(((0 - z) * s, (255 - z) * s) for s, z in pairs), strict=True)
    assert quant.limits(255) == (min(lows), max(highs))


def test_channels_that_are_all_alike_are_one():
    assert Quant.of([0.5, 0.5], [3, 3]) == Quant.of(0.5, 3)
    assert not Quant.of([0.5, 0.5], [3, 3]).per_channel
    assert Quant.of([0.5, 0.25], 3).zero_point == (3.0, 3.0)


@pytest.mark.parametrize(
    "value",
    [
        (0.5, 3),
        [0.5, 3],
        {"scale": 0.5, "zero_point": 3},
        {"qp_scale": 0.5, "qp_zp": 3},
        Quant.of(0.5, 3),
        (np.float32(0.5), np.int64(3)),
        (np.array(0.5), np.array([3])),
    ],
    ids=str,
)
def test_every_form_in_which_callers_hold_it_is_read(value):
    assert Quant.read(value) == Quant((0.5,), (3.0,))


@pytest.mark.parametrize(
    ("scale", "zero"),
    [(0, 0), (-1, 0), (float("nan"), 0), (float("inf"), 0), (1, float("nan")), (1, float("inf")), ("a", 0),
     (None, 0), ([], []), ([1, 2], [1, 2, 3]), ([1, None], 0), (1, {})],
    ids=str,
)  # fmt: skip
def test_what_no_quantisation_can_be_is_refused(scale, zero):
    with pytest.raises(QuantError):
        Quant.of(scale, zero)


def test_four_zeros_are_told_to_mean_one_for_each_channel():
    with pytest.raises(QuantError) as caught:
        Quant.of(0.0, 0.0)
    assert "scale 0, zero point 0" in caught.value.got
    assert "each channel" in caught.value.hint


@pytest.mark.parametrize(
    "value", [None, 3, "ab", (1,), (1, 2, 3), {}, {"scale": 1}, object()], ids=lambda v: type(v).__name__
)
def test_what_holds_no_scale_and_zero_point_is_refused(value):
    with pytest.raises(QuantError):
        Quant.read(value)
