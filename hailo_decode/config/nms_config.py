"""The NMS configuration as pydantic models, one for each shape that a file can have.

Every key of a file is known to its model, in the compiler's own spelling; others are kept in `model_extra`.
Which keys a file must hold was read off the files that Hailo's model zoo ships (releases 2.3 to 5.2).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from hailo_decode.config.decoders import (
    AnchorDecoder,
    BinsDecoder,
    CentreDecoder,
    CombinedDecoder,
    Decoder,
    DefaultBoxDecoder,
    DistancesDecoder,
    ObjectnessDecoder,
    Part,
    Proto,
    Size,
)
from hailo_decode.config.meta_archs import MetaArch, Shape, meta_arch_of

Count = Annotated[int, Field(ge=1, le=1_000_000)]
Share = Annotated[float, Field(ge=0, le=1)]
Bins = Annotated[int, Field(ge=1, le=4096)]
Factor = Annotated[float, Field(gt=0)]

_ALL = ("nms_scores_th", "nms_iou_th", "image_dims", "max_proposals_per_class", "classes", "bbox_decoders")


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
    required: ClassVar[tuple[str, ...]] = _ALL
    # Keys that nearly all files of this shape hold, and that one public file does without.
    expected: ClassVar[tuple[str, ...]] = ()

    nms_scores_th: Share | None = None
    nms_iou_th: Share | None = None
    image_dims: Annotated[tuple[Size, Size], Field(strict=False)] | None = None
    max_proposals_per_class: Count | None = None
    classes: Count | None = None
    background_removal: bool | None = None
    background_removal_index: Annotated[int, Field(ge=0)] | None = None
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


class BinsConfig(NmsConfig):
    """Box layers of ``4 * regression_length`` channels, class layers of ``classes``."""

    shape = Shape.BINS
    required = (*_ALL, "regression_length")
    regression_length: Bins | None = None
    bbox_decoders: list[BinsDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return ``4 * regression_length`` for boxes, ``classes`` for classes."""
        bins = self.regression_length
        return self.classes if role == "cls_layer" else 4 * bins if bins else None


class CombinedConfig(NmsConfig):
    """One layer a scale with ``classes + 4 * regression_length`` channels."""

    shape = Shape.COMBINED
    required = (*_ALL, "regression_length")
    regression_length: Bins | None = None
    bbox_decoders: list[CombinedDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return the sum of classes and bins."""
        bins = self.regression_length
        return self.classes + 4 * bins if self.classes and bins else None

    def classes_by(self, index: int, role: str, channels: int) -> int | None:
        """Return what is left beside the bins."""
        return channels - 4 * self.regression_length if self.regression_length else None


class DistancesConfig(NmsConfig):
    """Box layers of 4 channels, class layers of ``classes``."""

    shape = Shape.DISTANCES
    bbox_decoders: list[DistancesDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return 4 for boxes, ``classes`` for classes."""
        return self.classes if role == "cls_layer" else 4


class ObjectnessConfig(NmsConfig):
    """Box layers of 4 channels, objectness layers of 1, class layers of ``classes``."""

    shape = Shape.OBJECTNESS
    required = (*_ALL, "number_of_detection_heads")
    number_of_detection_heads: Count | None = None
    bbox_decoders: list[ObjectnessDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return 4 for boxes, 1 for objectness, ``classes`` for classes."""
        return {"reg_layer": 4, "objectness_layer": 1}.get(role, self.classes)


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


class AnchorMasksConfig(AnchorConfig):
    """Layers of ``(5 + classes + coefficients)`` channels for each anchor, and a mask prototype."""

    shape = Shape.ANCHOR_MASKS
    required = (*_ALL, "proto")
    max_total_proposals: Count | None = None
    proto: list[Proto] | None = None

    @property
    def coefficients(self) -> int | None:
        """Mask coefficients of one box: the prototype's channels."""
        return self.proto[0].number if self.proto else None


class DefaultBoxConfig(NmsConfig):
    """Box layers of 4 channels and class layers of ``classes`` (with background), both for each anchor."""

    shape = Shape.DEFAULT_BOXES
    _scales = ("centers_scale_factor", "bbox_dimensions_scale_factor")
    required = (*(key for key in _ALL if key != "image_dims"), *_scales)
    expected = ("image_dims",)
    centers_scale_factor: Factor | None = None
    bbox_dimensions_scale_factor: Factor | None = None
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


class CentreConfig(NmsConfig):
    """Layers for height, width and classes of one scale; no suppression by IoU."""

    shape = Shape.CENTRE
    required = ("nms_scores_th", "max_proposals_per_class", "classes", "bbox_decoders")
    centers_scale_factor: Factor | None = None
    bbox_dimensions_scale_factor: Factor | None = None
    bbox_decoders: list[CentreDecoder] | None = None


MODELS: dict[Shape, type[NmsConfig]] = {
    model.shape: model
    for model in (
        *(BinsConfig, CombinedConfig, DistancesConfig, ObjectnessConfig, AnchorConfig, AnchorMasksConfig),
        *(DefaultBoxConfig, CentreConfig),
    )
}
