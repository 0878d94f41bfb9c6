"""One layer a scale, with anchors in pixels, and a mask prototype."""

# Annotations are evaluated as they stand, as they are read at run time.

from hailo_decode.config.fields import Count, Part, Size
from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.nms_config import ALL
from hailo_decode.config.shapes.anchors import AnchorConfig


class Proto(Part):
    """The mask prototype: `number` channels, at `stride` input pixels per cell."""

    required = ("number", "stride")
    number: Size | None = None
    stride: Size | None = None
    proto_layer: str | None = None


class AnchorMasksConfig(AnchorConfig):
    """Layers of ``(5 + classes + coefficients)`` channels for each anchor, and a mask prototype."""

    shape = Shape.ANCHOR_MASKS
    required = (*ALL, "proto")
    max_total_proposals: Count | None = None
    proto: list[Proto] | None = None

    @property
    def coefficients(self) -> int | None:
        """Mask coefficients of one box: the prototype's channels."""
        return self.proto[0].number if self.proto else None


CONFIG = AnchorMasksConfig
