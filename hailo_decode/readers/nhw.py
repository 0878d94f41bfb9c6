"""NHW: one number for each cell, rows padded in width on the device.

HailoRT 5.2, transform.cpp: device offset ``h*Wp + w``.
"""

from hailo_decode.readers._reader import Reader
from hailo_decode.values.order import FormatOrder

READER = Reader(FormatOrder.NHW, host="h w c", device="h w c")
