"""HD201 to HD209: numbers of a configuration that are legal and cannot be meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig

# No public configuration that works has fewer than 20.
FEW_PROPOSALS = 10


@rule("HD201", severity=Severity.WARNING)
def suppression_is_off(config: NmsConfig) -> Iterator[Finding]:
    """The IoU threshold is 1, so that no box is ever suppressed.

    Every object then comes back as a heap of boxes. Files of the model zoo that have 1.0 are meant for
    networks that decode on the chip and suppress elsewhere.

    ```bad
    {"nms_iou_th": 1.0}
    ```
    ```good
    {"nms_iou_th": 0.7}
    ```
    """
    if config.nms_iou_th is not None and config.nms_iou_th >= 1:
        hint = "0.7 is usual for networks without anchors, 0.6 for those with"
        yield Finding(("nms_iou_th",), "an IoU threshold of 1 suppresses nothing", hint)


@rule("HD202", severity=Severity.NOTE)
def score_threshold_is_zero(config: NmsConfig) -> Iterator[Finding]:
    """The score threshold is 0: every cell of every class is a proposal.

    Good for measuring a network, slow and noisy for using it. The threshold is baked into the HEF; a program
    can raise it later, and never lower it.

    ```bad
    {"nms_scores_th": 0.0}
    ```
    ```good
    {"nms_scores_th": 0.2}
    ```
    """
    if config.nms_scores_th == 0:
        yield Finding(("nms_scores_th",), "a score threshold of 0 lets every cell through", "0.2 is usual")


@rule("HD203", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def few_proposals_per_class(config: NmsConfig) -> Iterator[Finding]:
    """Each class may give a handful of boxes only.

    `max_proposals_per_class` cuts hard: in a busy picture the boxes beyond it are lost without a word. It
    also fixes the size of the result. A small number is often the number of classes, put in the wrong place.

    ```bad
    {"classes": 2, "max_proposals_per_class": 2}
    ```
    ```good
    {"classes": 2, "max_proposals_per_class": 100}
    ```
    """
    most = config.max_proposals_per_class
    if most is not None and most < FEW_PROPOSALS:
        same = " (the number of classes, too)" if most == config.classes else ""
        what = f"at most {most} box{'es' * (most > 1)} of each class come back{same}"
        yield Finding(("max_proposals_per_class",), what, "100 is usual")


@rule("HD204", confidence=Confidence.LIKELY)
def bins_are_one_short(config: NmsConfig) -> Iterator[Finding]:
    """The number of bins is 15, which is the index of the last one, or 1, which is none.

    The model zoo's own YAML files give the largest index (15, with 16 bins), the JSON wants the count. One
    bin means four plain distances, which this step cannot decode: every box would shrink to a point.

    ```bad
    {"regression_length": 15, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```bad
    {"regression_length": 1, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```good
    {"regression_length": 16, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    bins = config.field("regression_length")
    if bins == 15:
        hint = "16, when the box layers have 64 channels"
        what = "regression_length is 15: the index of the last bin, where their number is asked for"
        yield Finding(("regression_length",), what, hint, severity=Severity.WARNING)
    elif bins == 1:
        hint = "a head with four plain distances is decoded from its raw outputs"
        yield Finding(("regression_length",), "one bin is no distribution: boxes shrink to points", hint)


@rule("HD205")
def head_count_differs(config: NmsConfig) -> Iterator[Finding]:
    """`number_of_detection_heads` is not the number of decoders.

    ```bad
    {"number_of_detection_heads": 4,
     "bbox_decoders": [{"stride": 8, "reg_layer": "a1", "objectness_layer": "a2", "cls_layer": "a3"}]}
    ```
    ```good
    {"number_of_detection_heads": 1,
     "bbox_decoders": [{"stride": 8, "reg_layer": "a1", "objectness_layer": "a2", "cls_layer": "a3"}]}
    ```
    """
    heads, listed = config.field("number_of_detection_heads"), len(config.decoders)
    if heads is not None and listed and heads != listed:
        what = f"number_of_detection_heads is {heads}, and {listed} decoders are listed"
        yield Finding(("number_of_detection_heads",), what, f"write {listed}, or list the others")


@rule("HD206", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def image_is_no_multiple_of_stride(config: NmsConfig) -> Iterator[Finding]:
    """The image's sides are not multiples of the largest stride.

    Grids would then not cover the image evenly. All public configurations have sides that the largest stride
    divides; another number is mostly a slip, or the camera's size in place of the network's.

    ```bad
    {"image_dims": [640, 650], "bbox_decoders": [{"stride": 32, "reg_layer": "conv62", "cls_layer":
    "conv63"}]}
    ```
    ```good
    {"image_dims": [640, 672], "bbox_decoders": [{"stride": 32, "reg_layer": "conv62", "cls_layer":
    "conv63"}]}
    ```
    """
    strides = [d.stride for d in config.decoders if d.stride]
    if config.image_dims and strides:
        largest = max(strides)
        for i, side in enumerate(config.image_dims):
            if side % largest:
                what = f"{('height', 'width')[i]} {side} is no multiple of the largest stride, {largest}"
                hint = "image_dims is [height, width] of the network's input, after any resize"
                yield Finding(("image_dims", i), what, hint)


@rule("HD207", severity=Severity.WARNING)
def background_is_removed(config: NmsConfig) -> Iterator[Finding]:
    """A class is dropped as background from a head that has no background.

    Heads with default boxes (SSD) have a background class; the others have none, and with
    `background_removal` they lose a real class, and all the others move by one. An index beyond the classes
    drops nothing.

    ```bad
    {"background_removal": true, "background_removal_index": 0,
     "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```good
    {"background_removal": false, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    index = config.background_removal_index
    if not config.background_removal:
        return
    if config.arch.unit_input is not None:
        what = "a class is dropped as background, and such heads have no background class"
        yield Finding(("background_removal",), what, "set it to false")
    elif index is not None and config.classes is not None and index >= config.classes:
        what = f"class {index} is dropped as background, and there are {config.classes}"
        yield Finding(("background_removal_index",), what, "classes are counted from 0")


@rule("HD208")
def anchors_do_not_fit(config: NmsConfig) -> Iterator[Finding]:
    """Widths and heights of anchors differ in number, or are in the wrong unit.

    `w` and `h` are lists of equal length, one entry for each anchor. Heads with one layer a scale (YOLOv5,
    v7) have them in pixels of the network's input, heads with default boxes (SSD) as fractions of the image.

    ```bad
    {"stride": 8, "w": [10, 16, 33], "h": [13, 30], "encoded_layer": "conv74"}
    ```
    ```bad
    {"stride": 8, "w": [0.02, 0.03, 0.05], "h": [0.02, 0.05, 0.04], "encoded_layer": "conv74"}
    ```
    ```good
    {"stride": 8, "w": [10, 16, 33], "h": [13, 30, 23], "encoded_layer": "conv74"}
    ```
    """
    for i, decoder in enumerate(config.decoders):
        w, h = decoder.field("w"), decoder.field("h")
        if not w or not h:
            continue
        at = ("bbox_decoders", i, "h")
        if len(w) != len(h):
            yield Finding(
                at, f"{len(w)} anchor widths and {len(h)} heights", "give one of each for an anchor"
            )
        elif decoder.stride is not None and max(*w, *h) <= 1:
            yield Finding(
                at, "anchors are fractions here, and must be pixels", "multiply by the input's size"
            )
        elif decoder.stride is None and min(*w, *h) > 2:
            yield Finding(at, "anchors are pixels here, and must be fractions", "divide by the input's size")
