"""Calls of which tests want to know what they are read as, or with which error they are refused."""

import pytest

from hailo_decode import Decoder, decode
from hailo_decode.errors import AmbiguousError, HailoDecodeError


def refused(kind, outputs, size=64, **options):
    """Return the error of that kind which a call raises."""
    with pytest.raises(HailoDecodeError) as caught:
        decode(outputs, size, **options)
    assert isinstance(caught.value, kind), repr(caught.value)
    return caught.value


def asked(outputs, size=64, **options):
    """Return the error that asks which of several readings is meant."""
    return refused(AmbiguousError, outputs, size, **options)


def families_in(error):
    """Return the families that an error of several readings names."""
    return {reading.split()[0] for reading in error.readings}


def plan_of(outputs, size=64, **told):
    """Return the plan that a frame gets."""
    return Decoder.from_outputs(outputs, size, **told).plan(outputs)


def read(outputs, size=64, **told):
    """Return family and sizes that a frame is read as."""
    plan = plan_of(outputs, size, **told)
    return plan.family.name, plan.sizes
