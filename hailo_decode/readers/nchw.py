"""NCHW: one plane for each channel; on the host only, where the caller asked for it.

HailoRT 5.2, transform_internal.hpp: host offset ``(c*H + h)*W + w``. pyhailort hands these bytes over in an array whose
shape reads (H, W, C) (4.10 to 5.2): the label tells, not the shape.
"""

from hailo_decode.readers._reader import Reader
from hailo_decode.values.order import FormatOrder

READER = Reader(FormatOrder.NCHW, host="c h w", device=None)
