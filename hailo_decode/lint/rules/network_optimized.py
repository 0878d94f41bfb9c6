"""HD420, HD425, HD426: what feeds the NMS step of an optimized network, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hailo_decode.config.alls import Script, Statement
from hailo_decode.config.heads import is_optimized
from hailo_decode.lint._names import same_layer
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._wiring import Wiring, nms_feeders
from hailo_decode.values.diagnostic import Confidence, Severity
from hailo_decode.values.network import NetworkInfo

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig


@rule("HD420")
def nms_is_fed_by_another_layer(wiring: Wiring, network: NetworkInfo) -> Iterator[Finding]:
    """The NMS step is fed by another layer than the one that its decoder names.

    During optimization the compiler splits an activation off its layer, as `ne_activation_conv111`, where one
    8-bit step could not hold it. A HEF names the inputs of its NMS step by number, so that the compiler has to
    find one for each layer name of the configuration. A name that feeds nothing is the likely cause of the
    message `map::at` at "Building HEF", and of a crash behind "Applying selected partition": one public case
    fits, and no public stack trace proves it.

    What to do, in this order: correct all else that is wrong here; see that the input is normalised (HD340);
    optimize again from the parsed HAR, with 1024 representative images or more; check the optimized HAR again.
    If the activation is still split off: `quantization_param([the class layers], force_range_out=[0.0, 1.0])`
    on all class layers, without `change_output_activation`; then 16-bit precision on box and class layers. Raw
    outputs without an NMS step, decoded by the program, did compile in that case.

    ```network
    input 640x640
    conv41 80x80x64 inner
    conv42 80x80x1 inner
    ne_activation_conv42 80x80x1 kind=activation inner <- conv42
    step kind=nms <- conv41 ne_activation_conv42
    ```
    ```bad
    {"classes": 1, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```

    Not split:

    ```network
    input 640x640
    conv41 80x80x64 inner
    conv42 80x80x1 sigmoid inner
    step kind=nms <- conv41 conv42
    ```
    ```good
    {"classes": 1, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    feeders = nms_feeders(network)
    names = {layer.name for layer in feeders}
    for wire in wiring.wires:
        if not feeders or wire.layer is None or wire.layer.name in names:
            continue
        through = next((f for f in feeders if wire.layer.name in f.inputs), None)
        if through is None:
            shown = ", ".join(f.name for f in feeders)
            yield Finding(wire.path, f"{wire} does not feed the network's NMS step", f"it is fed by {shown}")
        elif "ne_activation" in through.name:
            what = f"the NMS step is fed by {through.name!r}, and the {wire.role} here is {wire.name!r}"
            hint = (
                "optimization split the activation off, which is the likely cause of `map::at` when the HEF "
                "is built. (1) correct what else is wrong here, (2) normalise the input, (3) optimize again "
                "from the parsed HAR with 1024 representative images, (4) check the new HAR; `explain HD420` "
                "tells what to do if it is split again"
            )
            yield Finding(wire.path, what, hint)
        else:
            what = f"between {wire.name!r} and the NMS step stands {through.name!r} ({through.kind})"
            yield Finding(wire.path, what, severity=Severity.WARNING, confidence=Confidence.POSSIBLE)


@rule("HD425")
def nms_step_not_in_network(script: Script, nms: Statement, network: NetworkInfo) -> Iterator[Finding]:
    """The script puts an NMS step in, and the optimized network has none.

    The script was not in force when the network was optimized: it was loaded only for the compiler, the
    command stood in a comment then, or an older file was compiled. No message tells. Optimize again, from
    the parsed HAR, with this script.

    ```network
    input 640x640
    state quantized_model
    conv41 80x80x64
    conv42 80x80x3
    ```
    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```

    A parsed network has none yet:

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x3
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    if is_optimized(network) and not network.ops and not network.nms_done:
        count = len(network.outputs)
        what = f"the network has {count} raw outputs and no NMS step: this was not in force at optimization"
        compiled = network.source != "har"  # Made before this script, perhaps, and to be made anew with it.
        severity = Severity.WARNING if compiled else Severity.ERROR
        hint = "optimize again, from the parsed HAR, with this script"
        yield Finding(script.span(nms), what, hint, severity=severity)


# What of a configuration must be the same in the file and in the network.
_COMPARED = (
    "classes",
    "regression_length",
    "image_dims",
    "nms_scores_th",
    "nms_iou_th",
    "max_proposals_per_class",
)


@rule("HD426", severity=Severity.WARNING)
def network_holds_another_configuration(config: NmsConfig, network: NetworkInfo) -> Iterator[Finding]:
    """The optimized network was made with another configuration than this file.

    The one inside it counts when it is compiled: changes of the file have no effect until it is optimized
    anew.

    ```network
    input 640x640
    state quantized_model
    nms_json {"classes": 80}
    conv41 80x80x64
    conv42 80x80x3
    step kind=nms <- conv41 conv42
    ```
    ```bad
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```good
    {"classes": 80, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    held: Any = network.facts.get("nms_json")
    if not is_optimized(network) or not network.ops or not isinstance(held, dict):
        return
    for key in _COMPARED:
        own, other = config.field(key), held.get(key)
        own = list(own) if isinstance(own, tuple) else own
        if key in held and own is not None and own != other:
            what = f"{key} is {own} here, and {other} in the network"
            yield Finding((key,), what, "optimize again from the parsed HAR, or check the file that was used")
    for i, (decoder, entry) in enumerate(zip(config.decoders, held.get("bbox_decoders") or (), strict=False)):
        if not isinstance(entry, dict):
            continue
        for role, name in decoder.layers.items():
            if name and entry.get(role) and not same_layer(name, str(entry[role])):
                what = f"{role} is {name!r} here, and {entry[role]!r} in the network"
                yield Finding(("bbox_decoders", i, role), what, "optimize again from the parsed HAR")
