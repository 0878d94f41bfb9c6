"""HD422 to HD424: the sigmoids of the class layers, as the network has them."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.alls import Script, Statement
from hailo_decode.config.heads import head_layers, is_optimized
from hailo_decode.config.meta_archs import MetaArch
from hailo_decode.lint._names import same_layer
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._wiring import Wiring
from hailo_decode.values.network import NetworkInfo


@rule("HD422")
def class_layers_differ_in_activation(wiring: Wiring, network: NetworkInfo) -> Iterator[Finding]:
    """Some class layers of the optimized network end in a sigmoid, and others do not.

    HailoRT applies no sigmoid. Scores of the layers without one are logits: they pass every threshold or
    none, and those of the other scales look right.

    ```network
    input 640x640
    state quantized_model
    conv41 80x80x64 linear
    conv42 80x80x3 sigmoid
    conv52 40x40x64 linear
    conv53 40x40x3 linear
    ```
    ```bad
    {"classes": 3, "bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                                     {"stride": 16, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```

    Both with one:

    ```network
    input 640x640
    state quantized_model
    conv41 80x80x64 linear
    conv42 80x80x3 sigmoid
    conv52 40x40x64 linear
    conv53 40x40x3 sigmoid
    ```
    ```good
    {"classes": 3, "bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                                     {"stride": 16, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```
    """
    hot = class_activations(wiring, network)
    without = [name for name, on in hot.items() if on is False]
    if is_optimized(network) and without and any(hot.values()):
        wire = next(w for w in wiring.wires if w.name == without[0])
        having = ", ".join(name for name, on in hot.items() if on)
        what = f"{', '.join(without)} have no sigmoid, {having} have one"
        yield Finding(
            wire.path, what, "change_output_activation(LAYER, sigmoid) for all class layers, or for none"
        )


@rule("HD423")
def class_layers_without_sigmoid(wiring: Wiring, network: NetworkInfo, arch: MetaArch) -> Iterator[Finding]:
    """The class layers of the optimized network end without a sigmoid.

    HailoRT compares their values with the score threshold as they are. Logits pass it or not by luck, and
    come out as scores below 0 or above 1. The script's NMS command adds the sigmoid by itself for heads
    with bins, if it is loaded before optimization; `change_output_activation` adds it for any.

    ```network
    input 640x640
    state quantized_model
    conv41 80x80x64 linear
    conv42 80x80x3 linear
    ```
    ```bad
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```

    With one:

    ```network
    input 640x640
    state quantized_model
    conv41 80x80x64 linear
    conv42 80x80x3 sigmoid
    ```
    ```good
    {"classes": 3, "stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    """
    hot = class_activations(wiring, network)
    if not is_optimized(network) or "cls_layer" not in arch.sigmoid or not hot:
        return
    if all(on is False for on in hot.values()):
        wire = next(w for w in wiring.wires if w.name in hot)
        lines = "; ".join(f"change_output_activation({name}, sigmoid)" for name in hot)
        yield Finding(wire.path, f"no class layer has a sigmoid: {', '.join(hot)}", f"add {lines}")


def class_activations(wiring: Wiring, network: NetworkInfo) -> dict[str, bool | None]:
    """Return for each class layer, as the file names it, whether it ends in a sigmoid; None: not known."""
    ends = {end.name: end.activation for end in head_layers(network)}
    listed = [str(n) for op in network.ops for n in op.fields.get("sigmoid_layers", ())]
    found: dict[str, bool | None] = {}
    for wire in wiring.wires:
        if wire.role != "cls_layer" or wire.layer is None:
            continue
        activation = ends.get(wire.layer.name) or wire.layer.activation
        if any(same_layer(name, wire.layer.name) for name in listed):
            activation = "sigmoid"
        found[wire.name] = None if activation is None else activation == "sigmoid"
    return found


@rule("HD424")
def sigmoid_twice(
    script: Script, nms: Statement, network: NetworkInfo, by_role: dict[str, list[str]]
) -> Iterator[Finding]:
    """The script puts a sigmoid on a layer that has one in the parsed network already.

    The model was cut behind its own sigmoids. Applied twice, every score lies between 0.5 and 0.731:
    everything is found everywhere, and nothing is sure.

    ```config
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x80 sigmoid
    ```
    ```bad
    change_output_activation(conv42, sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    if is_optimized(network):
        return
    layers = [layer for layer in network.layers if layer.activation == "sigmoid"]
    for statement in script.calls("change_output_activation"):
        values = statement.positional
        if len(values) != 2 or values[1].text != "sigmoid":
            continue
        for layer in layers:
            if same_layer(values[0].text, layer.name):
                what = f"{layer.name!r} ends in a sigmoid already, before the script"
                yield Finding(
                    script.span(values[0]), what, "remove this line, or cut the model before the sigmoid"
                )
