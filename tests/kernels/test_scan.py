"""The first pass over class scores: maxima, comparisons and bad numbers, against numpy."""

import numpy as np
import pytest
from compiled import compiled
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.kernels.scan import any_reaches, largest, reaches_or_bad

BYTES = st.lists(st.integers(0, 255), max_size=200).map(lambda v: np.array(v, np.uint8))
WHOLE = st.sampled_from([np.uint8, np.uint16]).flatmap(
    lambda dtype: st.lists(st.integers(0, np.iinfo(dtype).max), max_size=200).map(
        lambda v: np.array(v, dtype)
    )
)


@pytest.mark.parametrize("form", [compiled(largest), largest], ids=["compiled", "plain"])
@given(WHOLE)
def test_the_largest_number_is_found(form, values):
    assert form(values) == values.max(initial=0)


@pytest.mark.parametrize("form", [compiled(any_reaches), any_reaches], ids=["compiled", "plain"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@given(st.lists(st.integers(0, 255), max_size=70), st.integers(0, 255))
def test_any_reaches_tells_whether_one_does(form, dtype, values, floor):
    array = np.array(values, dtype)
    assert form(array, dtype(floor)) == bool((array >= dtype(floor)).any())


def test_nan_reaches_nothing():
    assert not any_reaches(np.full(9, np.nan, np.float32), np.float32(-np.inf))


@pytest.mark.parametrize("form", [compiled(any_reaches), any_reaches], ids=["compiled", "plain"])
def test_infinity_reaches_everything(form):
    assert form(np.array([-1, np.inf], np.float32), np.float32(3e38))


@pytest.mark.parametrize("form", [compiled(reaches_or_bad), reaches_or_bad], ids=["compiled", "plain"])
@given(
    st.lists(st.sampled_from([0.0, -1.5, 3e38, np.nan, np.inf, -np.inf]), max_size=40),
    st.sampled_from([-2.0, 0.0, 1.0]),
)
def test_one_pass_tells_what_reaches_the_floor_and_what_is_no_number(form, values, floor):
    array = np.array(values, np.float32)
    with np.errstate(invalid="ignore"):
        told = form(array, np.float32(floor))
    assert bool(told & 1) == bool((array >= np.float32(floor)).any())
    assert bool(told & 2) == bool((~np.isfinite(array)).any())
