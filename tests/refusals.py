"""A call to decode_yolov8 that has to be refused, and the error that it is refused with."""

import pytest

from hailo_decode import decode_yolov8
from hailo_decode.errors import HailoDecodeError


def refused(kind, outputs, size=64, **options):
    """Return the error of that kind which a call raises."""
    with pytest.raises(HailoDecodeError) as caught:
        decode_yolov8(outputs, size, **options)
    assert isinstance(caught.value, kind), repr(caught.value)
    return caught.value
