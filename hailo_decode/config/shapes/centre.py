"""Height, width and class layers of one scale."""

# Annotations are evaluated as they stand, as they are read at run time.

from hailo_decode.config.decoders import Decoder
from hailo_decode.config.fields import Positive
from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.nms_config import NmsConfig


class CentreDecoder(Decoder):
    """The only scale of a network that finds centres."""

    roles = ("reg_layer_h", "reg_layer_w", "cls_layer")
    required = roles
    reg_layer_h: str | None = None
    reg_layer_w: str | None = None
    cls_layer: str | None = None


class CentreConfig(NmsConfig):
    """Layers for height, width and classes of one scale; no suppression by IoU."""

    shape = Shape.CENTRE
    required = ("nms_scores_th", "max_proposals_per_class", "classes", "bbox_decoders")
    centers_scale_factor: Positive | None = None
    bbox_dimensions_scale_factor: Positive | None = None
    bbox_decoders: list[CentreDecoder] | None = None


CONFIG = CentreConfig
