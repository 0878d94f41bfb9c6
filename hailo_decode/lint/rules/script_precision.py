"""HD334 to HD336: forced ranges and bits of the head's layers."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.alls import Script
from hailo_decode.config.meta_archs import MetaArch
from hailo_decode.lint._names import names_layer
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._script_layers import forced, given_sigmoid, hot_layers
from hailo_decode.values.diagnostic import Confidence, Severity

ByRole = dict[str, list[str]]


@rule("HD334", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def forced_range_and_activation(script: Script, by_role: ByRole, arch: MetaArch) -> Iterator[Finding]:
    """A class layer is given a sigmoid, and its range is forced as well.

    Hailo's staff advise against both on one layer, in a case of missed detections; other authors report that
    both together work, on all class layers and with the range 0 to 1. On some of the class layers only,
    scores of one scale are quantised otherwise than those of the others. A range that leaves 0..1 cannot be
    a sigmoid's.

    ```config
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                       {"stride": 16, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```
    ```bad
    quantization_param([conv42, conv53], force_range_out=[0.0, 1.0])
    change_output_activation(conv42, sigmoid)
    change_output_activation(conv53, sigmoid)
    ```
    ```good
    quantization_param([conv42, conv53], force_range_out=[0.0, 1.0])
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    layers = hot_layers(by_role, arch)
    both = [(n, s) for n in layers if (s := forced(script, n)) is not None and given_sigmoid(script, n)]
    told: set[int] = set()
    for name, statement in both:
        if statement.start in told:
            continue
        told.add(statement.start)
        argument = statement.argument("force_range_out")
        span = script.span(argument or statement)
        limits = argument.value.numbers if argument else None
        if limits is not None and (min(limits, default=0) < 0 or max(limits, default=1) > 1):
            what = f"{name!r} ends in a sigmoid, and its range is forced to {limits[0]:g} .. {limits[-1]:g}"
            yield Finding(span, what, "a sigmoid gives 0 .. 1", severity=Severity.ERROR)
        elif len(both) < len(layers):
            some = ", ".join(n for n, _ in both)
            what = f"{some}: a sigmoid and a forced range, on {len(both)} of {len(layers)} class layers"
            yield Finding(span, what, "treat all class layers alike, and with one of the two", Severity.ERROR)
        else:
            what = "the class layers are given a sigmoid, and their range is forced as well"
            yield Finding(span, what, "leave one of the two out: the NMS command adds the sigmoid by itself")


@rule("HD335", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def forced_range_without_sigmoid(script: Script, by_role: ByRole, arch: MetaArch) -> Iterator[Finding]:
    """Class layers are forced into 0..1, and nothing puts a sigmoid on them.

    Without an NMS command that adds it, the layers give logits, and forcing cuts these at 0 and 1: what is
    below 0 is gone.

    ```config
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```bad
    quantization_param([conv42], force_range_out=[0.0, 1.0])
    ```
    ```good
    quantization_param([conv42], force_range_out=[0.0, 1.0])
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    if any(script.calls("nms_postprocess")) and arch.automatic:
        return
    for name in hot_layers(by_role, arch):
        statement = forced(script, name)
        argument = statement.argument("force_range_out") if statement else None
        if argument is not None and not given_sigmoid(script, name):
            what = f"{name!r} is forced into {argument.value.numbers}, and nothing gives it a sigmoid"
            yield Finding(script.span(argument), what, f"add change_output_activation({name}, sigmoid)")
            return


@rule("HD336", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def sixteen_bits_on_half_a_pair(script: Script, by_role: ByRole) -> Iterator[Finding]:
    """One layer of a scale is given 16 bits, and its partner is left at 8.

    HailoRT refuses a HEF whose box and class layers differ in type: "format type" of the two must be equal.
    Give both layers of a scale the same precision.

    ```config
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```bad
    quantization_param([conv42], precision_mode=a16_w16)
    ```
    ```good
    quantization_param([conv41, conv42], precision_mode=a16_w16)
    ```
    """
    wide = [
        statement
        for statement in script.calls("quantization_param")
        if (mode := statement.get("precision_mode")) and mode.text.startswith("a16") and statement.positional
    ]
    for group in zip(*by_role.values(), strict=False):
        having = {n: s for n in group for s in wide if names_layer(s.positional[0], n)}
        without = [name for name in group if name not in having]
        if having and without:
            name, statement = next(iter(having.items()))
            what = f"{name!r} has 16 bits, and {', '.join(map(repr, without))} of the same scale 8"
            yield Finding(
                script.span(statement.positional[0]), what, "give all layers of a scale one precision"
            )
            return
