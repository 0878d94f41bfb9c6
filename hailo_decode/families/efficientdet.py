"""The head of EfficientDet-lite: SSD's maths with scale factors of 1 and the background last."""

from dataclasses import replace

from hailo_decode.families.ssd import FAMILY as SSD
from hailo_decode.families.ssd import last_is_background

FAMILY = replace(
    SSD,
    name="efficientdet",
    title="anchor head with background last (EfficientDet-lite)",
    archs=("efficientdet_lite",),
    fields=last_is_background,
    constants=(0.0, 1.0, 1.0),
    source="HailoRT 5.2 ssd_post_process.cpp; the Hailo Model Zoo's efficientdet_lite NMS configurations",
)
