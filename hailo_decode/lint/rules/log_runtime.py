"""HD740 to HD743: messages of HailoRT about a HEF with an NMS step."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.lint._log import Log
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity


@rule("HD740", confidence=Confidence.LIKELY)
def detections_not_extracted(log: Log) -> Iterator[Finding]:
    """HailoRT's NMS step was given a map of another size than the configuration says.

    The class layer has more or fewer channels than `classes`, or the layer is one of another scale.

    ```bad
    Failed to extract_detections, cls conv42 buffer_size should be 512000, but is 19200
    ```
    ```good
    [info] Configured network group
    ```
    """
    for hit in log.hits("Failed to extract_detections", r"Failed to extract_detections,?\s*(\w*)[^\n]*"):
        sizes = f": {hit[0][:140]}" if "buffer_size" in hit[0] else ""
        hint = "`validate-nms nms.json --network parsed.har` compares classes, strides and layers"
        yield Finding(hit.span, f"a map has another size than the configuration says{sizes}", hint)


@rule("HD741")
def step_is_not_fed(log: Log) -> Iterator[Finding]:
    """HailoRT refuses the HEF: its NMS step is fed by no output of the chip.

    Compiler and runtime are of different releases, or the HEF was written wrongly.

    ```bad
    NMS op is not connected to core op
    ```
    ```good
    [info] Configured network group
    ```
    """
    for word in ("is not connected to core op", "is not connected to any core output stream"):
        for hit in log.hits(word):
            what = "an input of the NMS step leads to no output of the chip"
            yield Finding(hit.span, what, "`hailo-decode inspect model.hef` shows which")


@rule("HD742", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def score_out_of_range(log: Log) -> Iterator[Finding]:
    """A program got a score outside 0..1: class layers give logits.

    The HEF lacks the sigmoid that the program counts on.

    ```bad
    number should be between 0.0 and 1.0, got 2.31
    ```
    ```good
    [info] 3 detections
    ```
    """
    for hit in log.hits("between 0.0 and 1.0"):
        hint = "add change_output_activation(LAYER, sigmoid) for each class layer, or apply it in the program"
        yield Finding(hit.span, "scores are logits, not probabilities", hint)
