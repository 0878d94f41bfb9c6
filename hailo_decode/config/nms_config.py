"""The NMS configuration: what holds for every shape. The shapes themselves stand in `shapes`.

Every key of a file is known here, in the compiler's own spelling; others are kept in `extra`. Which keys a
file must hold was read off the files that Hailo's model zoo ships (releases 2.3 to 5.2).
"""

# Annotations are evaluated as they stand, as they are read at run time.

from typing import Any, ClassVar

from hailo_decode.config.decoders import Decoder
from hailo_decode.config.fields import Count, Index, Part, Share, Size
from hailo_decode.config.meta_archs import MetaArch, Shape, meta_arch_of

ALL = ("nms_scores_th", "nms_iou_th", "image_dims", "max_proposals_per_class", "classes", "bbox_decoders")


class NmsConfig(Part):
    """The configuration of an NMS step, whatever its shape.

    Attributes
    ----------
    nms_scores_th, nms_iou_th : float or None
        Lowest score, and IoU above which the lower of two boxes goes; baked into the HEF.
    image_dims : (int, int) or None
        Height and width of the network's input in pixels, after any resize in the script.
    max_proposals_per_class, classes : int or None
    bbox_decoders : list of Decoder or None
        One entry for each scale.
    """

    shape: ClassVar[Shape]
    required: ClassVar[tuple[str, ...]] = ALL
    # Keys that nearly all files of this shape hold, and that one public file does without.
    expected: ClassVar[tuple[str, ...]] = ()

    nms_scores_th: Share | None = None
    nms_iou_th: Share | None = None
    image_dims: tuple[Size, Size] | None = None
    max_proposals_per_class: Count | None = None
    classes: Count | None = None
    background_removal: bool | None = None
    background_removal_index: Index | None = None
    input_division_factor: Count | None = None
    mask_threshold: Share | None = None
    bbox_decoders: Any = None

    @property
    def arch(self) -> MetaArch:
        """The NMS step that reads configurations of this shape."""
        return meta_arch_of(self.shape)

    @property
    def decoders(self) -> list[Decoder]:
        """The entries of the decoder list; empty when there is none."""
        return list(self.bbox_decoders or ())

    def channels(self, index: int, role: str) -> int | None:
        """Return how many channels the layer of a role must have by this configuration; None: not known."""
        return None

    def classes_by(self, index: int, role: str, channels: int) -> int | None:
        """Return the number of classes that a layer's channels mean; None where they do not tell."""
        return channels if role == "cls_layer" else None


class OpenConfig(NmsConfig):
    """A configuration whose shape cannot be told."""

    bbox_decoders: list[Decoder] | None = None
