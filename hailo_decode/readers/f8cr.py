"""F8CR: rows, in a row groups of eight channels, in a group all cells; plain (H, W, C) on the host.

HailoRT 5.2, transform.cpp: device offset ``h*Wp*Cp + (c div 8)*8*Wp + w*8 + c mod 8``.
"""

from hailo_decode.readers._reader import Reader
from hailo_decode.values.order import FormatOrder

READER = Reader(FormatOrder.F8CR, host="h w c", device="h c w c8")
