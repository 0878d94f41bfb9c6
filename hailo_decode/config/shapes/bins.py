"""Box layers with bins, and class layers: distances as distributions."""

# Annotations are evaluated as they stand, as they are read at run time.

from hailo_decode.config.decoders import Decoder
from hailo_decode.config.fields import Bins
from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.nms_config import ALL, NmsConfig


class BinsDecoder(Decoder):
    """A scale whose box distances are spread over bins."""

    roles = ("reg_layer", "cls_layer")
    required = ("stride", *roles)
    reg_layer: str | None = None
    cls_layer: str | None = None


class BinsConfig(NmsConfig):
    """Box layers of ``4 * regression_length`` channels, class layers of ``classes``."""

    shape = Shape.BINS
    required = (*ALL, "regression_length")
    regression_length: Bins | None = None
    bbox_decoders: list[BinsDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return ``4 * regression_length`` for boxes, ``classes`` for classes."""
        bins = self.regression_length
        return self.classes if role == "cls_layer" else 4 * bins if bins else None


CONFIG = BinsConfig
