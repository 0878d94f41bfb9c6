"""NHWC: rows of cells, the channels of a cell side by side; padded in width and channels on the device.

HailoRT 5.2, transform.cpp: device offset ``h*Wp*Cp + w*Cp + c``, host offset the same without padding.
"""

from hailo_decode.readers._reader import Reader
from hailo_decode.values.order import FormatOrder

READER = Reader(FormatOrder.NHWC, host="h w c", device="h w c")
