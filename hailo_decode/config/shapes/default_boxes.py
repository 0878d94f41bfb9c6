"""Box and class layers, with anchors as fractions of the image."""

# Annotations are evaluated as they stand, as they are read at run time.

from hailo_decode.config.decoders import Decoder
from hailo_decode.config.fields import Lengths, Positive
from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.nms_config import ALL, NmsConfig


class DefaultBoxDecoder(Decoder):
    """A scale with box and class layers, and anchor sizes `w` and `h` as fractions of the image."""

    roles = ("reg_layer", "cls_layer")
    required = ("w", "h", *roles)
    w: Lengths | None = None
    h: Lengths | None = None
    reg_layer: str | None = None
    cls_layer: str | None = None


class DefaultBoxConfig(NmsConfig):
    """Box layers of 4 channels and class layers of ``classes`` (with background), both for each anchor."""

    shape = Shape.DEFAULT_BOXES
    _scales = ("centers_scale_factor", "bbox_dimensions_scale_factor")
    required = (*(key for key in ALL if key != "image_dims"), *_scales)
    expected = ("image_dims",)
    centers_scale_factor: Positive | None = None
    bbox_dimensions_scale_factor: Positive | None = None
    bbox_decoders: list[DefaultBoxDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return anchors times 4 or times the classes."""
        anchors = (self.bbox_decoders or [])[index].w
        each = 4 if role == "reg_layer" else self.classes
        return len(anchors) * each if anchors and each else None

    def classes_by(self, index: int, role: str, channels: int) -> int | None:
        """Return one anchor's share of a class layer."""
        anchors = (self.bbox_decoders or [])[index].w
        if role != "cls_layer" or not anchors or channels % len(anchors):
            return None
        return channels // len(anchors)


CONFIG = DefaultBoxConfig
