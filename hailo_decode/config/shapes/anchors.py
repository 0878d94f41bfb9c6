"""One layer a scale, with anchors in pixels."""

# Annotations are evaluated as they stand, as they are read at run time.

from hailo_decode.config.decoders import Decoder
from hailo_decode.config.fields import Lengths
from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.nms_config import NmsConfig


class AnchorDecoder(Decoder):
    """A scale with one layer for all, and anchor sizes `w` and `h` in input pixels."""

    roles = ("encoded_layer",)
    required = ("stride", "w", "h", *roles)
    w: Lengths | None = None
    h: Lengths | None = None
    encoded_layer: str | None = None


class AnchorConfig(NmsConfig):
    """Layers of ``(5 + classes)`` channels for each anchor."""

    shape = Shape.ANCHORS
    bbox_decoders: list[AnchorDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return anchors times the length of one box."""
        anchors = (self.bbox_decoders or [])[index].w
        coefficients = self.coefficients
        if not anchors or not self.classes or coefficients is None:
            return None
        return len(anchors) * (5 + self.classes + coefficients)

    def classes_by(self, index: int, role: str, channels: int) -> int | None:
        """Return what is left of one anchor's share beside box, objectness and coefficients."""
        anchors = (self.bbox_decoders or [])[index].w
        coefficients = self.coefficients
        if not anchors or coefficients is None:
            return None
        each, rest = divmod(channels, len(anchors))
        return None if rest else each - 5 - coefficients

    @property
    def coefficients(self) -> int | None:
        """Mask coefficients of one box."""
        return 0


CONFIG = AnchorConfig
