"""Sorting of keys: against sorted(), compiled and plain."""

import numpy as np
import pytest
from compiled import compiled
from hypothesis import given
from hypothesis import strategies as st

from hailo_decode.kernels.sort import sort_keys

FORMS = pytest.mark.parametrize("sort", [compiled(sort_keys), sort_keys], ids=["compiled", "plain"])


def sorted_by(sort, keys, lowest_bit, key_bits):
    array = np.array(keys, np.uint64)
    sort(array, np.empty_like(array), len(array), lowest_bit, key_bits, np.empty(512, np.int32))
    return array.tolist()


@FORMS
@given(st.lists(st.integers(0, 2**40 - 1), max_size=80, unique=True))
def test_keys_are_sorted_ascending(sort, keys):
    assert sorted_by(sort, keys, 0, 40) == sorted(keys)


@FORMS
@pytest.mark.parametrize("count", [0, 1, 2, 23, 24, 25, 26, 1000])
def test_few_and_many_keys_are_sorted_alike(sort, count, rng):
    keys = rng.integers(0, 2**63, count, dtype=np.uint64).tolist()
    assert sorted_by(sort, keys, 0, 63) == sorted(keys)


@FORMS
@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 999)), max_size=80, unique=True), st.integers(10, 14)
)
def test_low_bits_that_arrive_in_order_need_no_look(sort, parts, low_bits):
    arriving = sorted(parts, key=lambda part: part[1])
    keys = [(high << low_bits) | low for high, low in arriving]
    assert sorted_by(sort, keys, low_bits, low_bits + 3) == sorted(keys)


@FORMS
def test_only_the_first_n_are_touched(sort):
    keys = np.array([3, 1, 2, 99, 0], np.uint64)
    sort(keys, np.empty_like(keys), 3, 0, 8, np.empty(512, np.int32))
    assert keys.tolist() == [1, 2, 3, 99, 0]
