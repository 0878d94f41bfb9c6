"""One hypothesis profile for all tests: the same examples in every run; and kernels that are missing are waited for."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("HAILO_DECODE_WAIT", "1")

settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


@pytest.fixture
def rng():
    """Random numbers that are the same in every run."""
    return np.random.default_rng(20240607)
