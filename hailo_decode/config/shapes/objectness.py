"""Box, objectness and class layers."""

# Annotations are evaluated as they stand, as they are read at run time.

from hailo_decode.config.decoders import Decoder
from hailo_decode.config.fields import Count
from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.nms_config import ALL, NmsConfig


class ObjectnessDecoder(Decoder):
    """A scale with box, objectness and class layers."""

    roles = ("reg_layer", "objectness_layer", "cls_layer")
    required = ("stride", *roles)
    reg_layer: str | None = None
    objectness_layer: str | None = None
    cls_layer: str | None = None


class ObjectnessConfig(NmsConfig):
    """Box layers of 4 channels, objectness layers of 1, class layers of ``classes``."""

    shape = Shape.OBJECTNESS
    required = (*ALL, "number_of_detection_heads")
    number_of_detection_heads: Count | None = None
    bbox_decoders: list[ObjectnessDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return 4 for boxes, 1 for objectness, ``classes`` for classes."""
        return {"reg_layer": 4, "objectness_layer": 1}.get(role, self.classes)


CONFIG = ObjectnessConfig
