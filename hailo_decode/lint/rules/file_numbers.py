"""HD540 to HD542: scales, zero points and thresholds of a model file."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._steps import listed, steps
from hailo_decode.values.diagnostic import Severity
from hailo_decode.values.network import NetworkInfo, OutputInfo

_TOPS = {"uint8": 255, "uint16": 65_535}
# From here on an evaluation shows it: precision is measured down to scores of a thousandth.
HIGH_SCORE = 0.25
_BY_CHANNEL = "OUTPUT_SCALE_PER_FEATURE"


def _tensors(network: NetworkInfo) -> Iterator[tuple[tuple[str, int], OutputInfo]]:
    """Yield every tensor that leaves the chip, with its place in the description."""
    for key, outputs in (("outputs", network.outputs), ("heads", network.heads)):
        for i, one in enumerate(outputs):
            if one.shape and not one.nms:
                yield (key, i), one


@rule("HD540", severity=Severity.WARNING)
def single_scale_is_zero(network: NetworkInfo) -> Iterator[Finding]:
    """Each channel has a scale of its own, and HailoRT's single one is zero.

    With the extension OUTPUT_SCALE_PER_FEATURE the `quant_info` of every output is four zeros, even where all
    channels agree. pyhailort shows nothing else, and its `dequantize` raises or gives zeros; the vectors are in
    the HEF alone, from which they are read here. A host step for boxes uses the single one, and can't work.

    ```bad
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 2], "dtype": "uint8", "scale": [0.1, 0.2]}]}
    ```
    ```good
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 2], "dtype": "uint8", "scale": 0.1}]}
    ```
    """
    extensions = network.facts.get("extensions")
    everywhere = isinstance(extensions, list) and _BY_CHANNEL in extensions
    found = {
        place: one for place, one in _tensors(network) if everywhere or (one.quant and one.quant.per_channel)
    }
    if not found:
        return
    fed = [one.name for (key, _), one in found.items() if key == "heads"]
    names = [one.name for one in found.values()]
    first = next(iter(found))
    if fed and any(steps(network)):
        what = f"the host step reads the one scale of {listed(fed)}, which is zero: each channel has its own"
        yield Finding(
            first, what, "compile it again without a scale for each channel", severity=Severity.ERROR
        )
    else:
        what = f"each channel of {listed(names)} has its own scale; HailoRT shows one, and that is zero"
        yield Finding(first, what, "Decoder.from_file reads them from this file; pyhailort can't dequantize")


@rule("HD541")
def zero_point_is_out_of_range(network: NetworkInfo) -> Iterator[Finding]:
    """A zero point is no number that the stream can hold.

    A stream of 8 bits stores 0 to 255; a zero point of 30,000 is that of 16 bits, and every value comes out far
    below zero. Compiler 3.33.0 wrote such files where it made a stream narrower and kept its numbers. Compile
    again with another release, and look for the stream's type in the log.

    ```bad
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 64], "dtype": "uint8",
                  "scale": 0.0005, "zero_point": 30000}]}
    ```
    ```good
    {"outputs": [{"name": "net/conv41", "shape": [80, 80, 64], "dtype": "uint8",
                  "scale": 0.125, "zero_point": 117}]}
    ```
    """
    for place, one in _tensors(network):
        top = _TOPS.get(one.dtype or "")
        if top is None or one.quant is None:
            continue
        low, high = min(one.quant.zero_point), max(one.quant.zero_point)
        if high > top + 0.5:
            what = f"{one.name!r} is {one.dtype}, 0 to {top}, and its zero point is {high:g}"
            yield Finding(place, what, "compile it again, with another release of the compiler")
        elif low < -0.5:
            what = f"{one.name!r} is {one.dtype}, and its zero point is {low:g}: it never holds 0"
            yield Finding(place, what, severity=Severity.WARNING)


@rule("HD542", severity=Severity.NOTE)
def score_threshold_is_high(network: NetworkInfo) -> Iterator[Finding]:
    """The score threshold that is baked into the file is high.

    Lower scores never leave HailoRT: `conf=0.1` finds nothing more than the file lets through. An evaluation
    shows it most, since mean average precision counts down to scores of a thousandth; the same model measures
    several points lower at 0.25. In HailoRT's C++ and InferModel interfaces `set_nms_score_threshold` lowers it.

    ```bad
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "ops": [{"name": "nms", "kind": "yolov8", "nms": {"number_of_classes": 80, "score_threshold": 0.3}}]}
    ```
    ```good
    {"outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}],
     "ops": [{"name": "nms", "kind": "yolov8", "nms": {"number_of_classes": 80, "score_threshold": 0.2}}]}
    ```
    """
    for step in steps(network):
        score = step.op.nms.score_threshold if step.op.nms else None
        if score is not None and score >= HIGH_SCORE:
            what = f"the step {step.op.name!r} drops every score below {score:g}; mAP measured so is low"
            hint = "compile with nms_scores_th 0.001 to measure, or use set_nms_score_threshold"
            yield Finding((*step.path, "nms", "score_threshold"), what, hint)
