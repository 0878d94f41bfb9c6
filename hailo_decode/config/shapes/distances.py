"""Box layers with four plain distances, and class layers."""

# Annotations are evaluated as they stand, as they are read at run time.

from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.nms_config import NmsConfig
from hailo_decode.config.shapes.bins import BinsDecoder


class DistancesDecoder(BinsDecoder):
    """A scale with four plain distances."""


class DistancesConfig(NmsConfig):
    """Box layers of 4 channels, class layers of ``classes``."""

    shape = Shape.DISTANCES
    bbox_decoders: list[DistancesDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return 4 for boxes, ``classes`` for classes."""
        return self.classes if role == "cls_layer" else 4


CONFIG = DistancesConfig
