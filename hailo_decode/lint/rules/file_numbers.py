"""HD540 to HD543: scales, zero points, thresholds and the range of the calibration in a model file."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.meta_archs import meta_arch_of_step
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._steps import listed, steps
from hailo_decode.values.diagnostic import Confidence, Severity
from hailo_decode.values.network import NetworkInfo, OutputInfo

_TOPS = {"uint8": 255, "uint16": 65_535}
# From here on an evaluation shows it: precision is measured down to scores of a thousandth.
HIGH_SCORE = 0.25
# A divisor from here on is one for pictures of 0..255, and a largest number from here on is a picture's of that range.
_BRIGHT = 50.0
_UNIT = 1.01  # the rounding of a scale puts 1 a little beyond
_DIVIDE = "add normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0]), unless the model divides by itself"
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


@rule("HD543", confidence=Confidence.LIKELY)
def calibrated_with_another_range(network: NetworkInfo) -> Iterator[Finding]:
    """The pictures of the calibration had another range than the network is made for.

    A quantised HAR keeps the range that its input had. Where that is 0..1 and the script inside divides by 255, the
    pictures were divided before as well: nearly black to the network, they give ranges that fit no real picture,
    with scores that are low or all alike. Calibrate with pictures of 0..255. Where it is 0..255 and nothing divides,
    a network that was trained on 0..1 has seen numbers 255 times too large; it has ended with
    "NegativeSlopeExponentNonFixable ... Desired shift is 8.0, but op has only 8 data bits".

    ```bad
    {"inputs": [{"name": "net/input_layer1", "shape": [640, 640, 3], "dtype": "uint8", "scale": 0.00392}],
     "outputs": [], "state": "quantized_model",
     "scripts": {"net.alls": "normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])"}}
    ```
    ```bad
    {"inputs": [{"name": "net/input_layer1", "shape": [640, 640, 3], "dtype": "uint8", "scale": 1.0}],
     "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}], "state": "quantized_model",
     "layers": [{"name": "net/input_layer1", "kind": "input_layer"}],
     "ops": [{"name": "nms", "kind": "yolov8", "output": "net/nms"}]}
    ```
    ```good
    {"inputs": [{"name": "net/input_layer1", "shape": [640, 640, 3], "dtype": "uint8", "scale": 1.0}],
     "outputs": [], "state": "quantized_model",
     "scripts": {"net.alls": "normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])"}}
    ```
    ```good
    {"inputs": [{"name": "net/input_layer1", "shape": [640, 640, 3], "dtype": "uint8", "scale": 0.00392}],
     "outputs": [{"name": "net/nms", "order": "HAILO NMS BY CLASS"}], "state": "quantized_model",
     "layers": [{"name": "net/input_layer1", "kind": "input_layer"}],
     "ops": [{"name": "nms", "kind": "yolov8", "output": "net/nms"}]}
    ```
    """
    if not network.layers and not network.facts.get("scripts"):  # no HAR, and nothing to load for one
        return
    from hailo_decode.config.heads import is_optimized, network_normalizes

    if not is_optimized(network):
        return
    divisors = _divisors(network)
    archs = [meta_arch_of_step(op.kind) for op in network.ops]
    unit = any(arch is not None and arch.unit_input for arch in archs)
    bare = not divisors and network_normalizes(network) is False
    for i, one in enumerate(network.inputs):
        if one.quant is None or one.limits is None:
            continue
        low, high = one.limits
        told = f"{one.name!r} was calibrated with numbers of {low:.3g} to {high:.3g}"
        if high <= _UNIT and divisors and min(divisors) >= _BRIGHT:
            what = f"{told}, and the script divides by {min(divisors):g} once more"
            yield Finding(("inputs", i, "scale"), what, "calibrate again, with pictures of 0..255")
        elif high >= _BRIGHT and unit and bare:
            what = f"{told}, nothing divides them, and networks of this kind are trained on 0..1"
            yield Finding(("inputs", i, "scale"), what, _DIVIDE, severity=Severity.WARNING)


def _divisors(network: NetworkInfo) -> list[float]:
    """Return the divisors of the normalizations in the scripts that a HAR holds."""
    from hailo_decode.config.alls import MAX_LENGTH, read_script

    scripts = network.facts.get("scripts")
    texts = [text for text in scripts.values() if isinstance(text, str)] if isinstance(scripts, dict) else []
    found: list[float] = []
    for script in (read_script(text) for text in texts if len(text) <= MAX_LENGTH):
        for statement in script.calls("normalization"):
            lists = [value.numbers for value in statement.positional if value.kind == "list"]
            found += (lists[1] if len(lists) == 2 else None) or []
    return found
