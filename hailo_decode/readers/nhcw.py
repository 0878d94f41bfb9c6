"""NHCW: rows, in a row one run of cells for each channel, padded in width; what most heads are on the device.

HailoRT 5.2, transform.cpp: device offset ``h*Cp*Wp + c*Wp + w``. A caller who asks for it on the host gets it only where
nothing is padded, dense.
"""

from hailo_decode.readers._reader import Reader
from hailo_decode.values.order import FormatOrder

READER = Reader(FormatOrder.NHCW, host="h c w", device="h c w")
