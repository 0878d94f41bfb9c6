"""HD340 to HD346: normalization of the input, calibration and fine-tuning."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.alls import Script, Statement, Value
from hailo_decode.config.heads import is_optimized, network_normalizes
from hailo_decode.config.meta_archs import MetaArch
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity
from hailo_decode.values.network import NetworkInfo

# From this many images on, the compiler's fine-tuning is worth its time.
ENOUGH_IMAGES = 1024


@rule("HD340", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def normalization_missing(
    script: Script, arch: MetaArch, network: NetworkInfo | None = None
) -> Iterator[Finding]:
    """The script does not normalise the input, and networks of this kind are trained on 0..1.

    Cameras give 0..255. Without `normalization` the network sees numbers 255 times too large: accuracy is
    gone, and so are the ranges that quantization measures. It has ended with
    "NegativeSlopeExponentNonFixable ... Desired shift is 8.0, but op has only 8 data bits"; adding the line
    cured it. Networks with objectness heads and those for plain distances take 0..255 and need none; so
    does a model with its own scaling.

    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    if not arch.unit_input or any(script.calls("normalization")) or network_normalizes(network):
        return
    proof = ""
    if network is not None and is_optimized(network) and network_normalizes(network) is False:
        proof = ", and the network has none either"
    hint = (
        "add normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0]), unless the model scales "
        "its input itself; calibrate with images of 0..255"
    )
    statement = next(script.calls("nms_postprocess"), None)
    place = script.span(statement) if statement else script.place(0, 0)
    yield Finding(place, f"no statement normalises the input{proof}", hint)


@rule("HD341")
def normalization_doubled(script: Script, network: NetworkInfo | None = None) -> Iterator[Finding]:
    """The input is normalised twice.

    Divided by 255 twice, every picture is nearly black to the network, and finds nothing.

    ```bad
    normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])
    normalization2 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])
    ```
    ```good
    normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0], input_layer1)
    normalization2 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0], input_layer2)
    ```
    """
    seen: set[str] = set()
    for statement in script.calls("normalization"):
        names = [v.text for v in statement.positional if v.kind == "name"]
        layer = names[0].rpartition("/")[2] if names else ""
        if layer in seen:
            what = f"{layer or 'the input'} is normalised a second time"
            yield Finding(script.span(statement), what, "remove one of the two")
        seen.add(layer)
        if network is not None and not is_optimized(network) and network_normalizes(network):
            what = "the parsed network has a normalization of its own, before the script's"
            hint = "remove this line, if the model scales its input to 0..1 itself"
            yield Finding(
                script.span(statement), what, hint, severity=Severity.WARNING, confidence=Confidence.LIKELY
            )


@rule("HD342")
def normalization_lengths_differ(script: Script) -> Iterator[Finding]:
    """Means and divisors of a normalization differ in number, or a divisor is zero.

    There is one of each for every channel of the input.

    ```bad
    normalization1 = normalization([0.0, 0.0, 0.0, 0.0], [255.0, 255.0, 255.0])
    ```
    ```good
    normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])
    ```
    """
    for statement in script.calls("normalization"):
        lists = [value for value in statement.positional if value.kind == "list"]
        if len(lists) != 2:
            what = f"normalization takes two lists, means and divisors; it is given {len(lists)}"
            yield Finding(script.span(statement), what)
            continue
        means, stds = lists
        if len(means.members) != len(stds.members):
            what = f"{len(means.members)} means and {len(stds.members)} divisors"
            yield Finding(script.span(means), what, "give one of each for every channel of the input")
        elif any(n == 0 for n in stds.numbers or ()):
            yield Finding(script.span(stds), "a divisor is zero", "pictures of 0..255 are divided by 255")


@rule("HD343", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def normalization_is_unusual(script: Script, arch: MetaArch) -> Iterator[Finding]:
    """The divisor is not 255, for a network that is trained on 0..1.

    `normalization` subtracts the means and divides by the second list. A factor of 1/255 in place of 255
    makes the numbers 65,025 times too large.

    ```bad
    normalization1 = normalization([0.0, 0.0, 0.0], [0.00392, 0.00392, 0.00392])
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    for statement in script.calls("normalization") if arch.unit_input else ():
        lists = [value for value in statement.positional if value.kind == "list"]
        stds = lists[1].numbers if len(lists) == 2 else None
        if stds and not all(50 <= n <= 260 for n in stds) and 0 not in stds:
            what = f"the input is divided by {stds[0]:g}; networks of this kind see pictures divided by 255"
            yield Finding(script.span(lists[1]), what, "write [255.0, 255.0, 255.0]")


@rule("HD344", severity=Severity.NOTE, confidence=Confidence.LIKELY)
def few_calibration_images(script: Script) -> Iterator[Finding]:
    """Few images are used for calibration.

    64 is the compiler's default, however many are given. Fine-tuning and the higher optimization levels want
    1,024 and a GPU; with less, the compiler lowers the level and says so in its log ("Reducing optimization
    level"). Networks with few classes suffer most.

    ```bad
    model_optimization_config(calibration, batch_size=4, calibset_size=64)
    ```
    ```good
    model_optimization_config(calibration, batch_size=4, calibset_size=1024)
    ```
    """
    for statement in script.calls("model_optimization_config"):
        value = statement.get("calibset_size")
        size = value.number if value else None
        if value is not None and size is not None and size < ENOUGH_IMAGES:
            what = f"calibration takes {size:g} images"
            yield Finding(
                script.span(value), what, f"{ENOUGH_IMAGES} or more, from where the device will stand"
            )


# Lists of the fine-tuning command with one entry for each layer.
_LISTS = ("loss_layer_names", "loss_factors", "loss_types")


@rule("HD345")
def finetune_lists_differ(script: Script) -> Iterator[Finding]:
    """The lists of a fine-tuning command differ in length.

    `loss_layer_names`, `loss_factors` and `loss_types` have one entry for each layer.

    ```bad
    post_quantization_optimization(finetune, loss_layer_names=[conv42, conv53], loss_factors=[1.0])
    ```
    ```good
    post_quantization_optimization(finetune, loss_layer_names=[conv42, conv53], loss_factors=[1.0, 1.0])
    ```
    """
    for statement in script.calls("post_quantization_optimization"):
        lists = {key: value for key in _LISTS if (value := _listed(statement, key)) is not None}
        lengths = {key: len(value.members) for key, value in lists.items()}
        if len(set(lengths.values())) > 1:
            what = ", ".join(f"{length} {key}" for key, length in lengths.items())
            last = list(lists.values())[-1]
            yield Finding(script.span(last), what, "give one of each for every layer")


def _listed(statement: Statement, key: str) -> Value | None:
    value = statement.get(key)
    return value if value is not None and value.kind == "list" else None
