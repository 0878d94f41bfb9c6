"""FCR: the same bytes as NHWC, on the host and on the device.

HailoRT 5.2, transform.cpp: one routine serves FCR to FCR and FCR to NHWC; ``hailort.h`` documents both as [N, H, W, C].
That an FCR output of a vstream must be transposed is a rumour.
"""

from hailo_decode.readers._reader import Reader
from hailo_decode.values.order import FormatOrder

READER = Reader(FormatOrder.FCR, host="h w c", device="h w c")
