"""One layer a scale that holds classes and bins."""

# Annotations are evaluated as they stand, as they are read at run time.

from hailo_decode.config.decoders import Decoder
from hailo_decode.config.fields import Bins
from hailo_decode.config.meta_archs import Shape
from hailo_decode.config.nms_config import ALL, NmsConfig


class CombinedDecoder(Decoder):
    """A scale whose classes and bins are channels of one layer."""

    roles = ("combined_layer",)
    required = ("stride", *roles)
    combined_layer: str | None = None


class CombinedConfig(NmsConfig):
    """One layer a scale with ``classes + 4 * regression_length`` channels."""

    shape = Shape.COMBINED
    required = (*ALL, "regression_length")
    regression_length: Bins | None = None
    bbox_decoders: list[CombinedDecoder] | None = None

    def channels(self, index: int, role: str) -> int | None:
        """Return the sum of classes and bins."""
        bins = self.regression_length
        return self.classes + 4 * bins if self.classes and bins else None

    def classes_by(self, index: int, role: str, channels: int) -> int | None:
        """Return what is left beside the bins."""
        return channels - 4 * self.regression_length if self.regression_length else None


CONFIG = CombinedConfig
