"""NC: a vector; padded behind its end on the device.

HailoRT 5.2, transform.cpp: offset ``c``, the first C of Cp.
"""

from hailo_decode.readers._reader import Reader
from hailo_decode.values.order import FormatOrder

READER = Reader(FormatOrder.NC, host="h w c", device="h w c")
