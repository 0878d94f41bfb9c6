"""HD330 to HD333, HD337, HD338: the sigmoids of a script, and the layers that it names."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.config.alls import Script, Statement, Value
from hailo_decode.config.heads import has_layer_names, is_optimized
from hailo_decode.config.meta_archs import MetaArch
from hailo_decode.lint._names import names_layer
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.lint._script_layers import given_sigmoid, hot_layers, sigmoids
from hailo_decode.values.diagnostic import Confidence, Severity
from hailo_decode.values.network import NetworkInfo

ByRole = dict[str, list[str]]


@rule("HD330")
def sigmoid_on_some_class_layers(script: Script, by_role: ByRole, arch: MetaArch) -> Iterator[Finding]:
    """The script puts a sigmoid on some class layers, and not on the others.

    HailoRT applies none, so scores of the scales without one would be logits. For heads with bins the
    compiler adds the sigmoid by itself; whether it still does for the layers that were left out is not
    known. Write the line for every class layer, or for none.

    ```config
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"},
                       {"stride": 16, "reg_layer": "conv52", "cls_layer": "conv53"}]}
    ```
    ```bad
    change_output_activation(conv42, sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    change_output_activation(conv42, sigmoid)
    change_output_activation(conv53, sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    layers = hot_layers(by_role, arch)
    without = [name for name in layers if not given_sigmoid(script, name)]
    if without and len(without) < len(layers):
        having = next(
            s for s, value in sigmoids(script) if value and any(names_layer(value, n) for n in layers)
        )
        what = f"a sigmoid is put on {len(layers) - len(without)} of {len(layers)} class layers"
        lines = "; ".join(f"change_output_activation({name}, sigmoid)" for name in without)
        yield Finding(script.span(having), what, f"add {lines}")


@rule("HD331")
def sigmoid_on_box_layer(script: Script, by_role: ByRole, arch: MetaArch) -> Iterator[Finding]:
    """The script puts a sigmoid on a box layer.

    Distances and bins are raw numbers. Squeezed into 0..1 they give boxes of a cell's size at the right
    places. Heads with anchors are the exception: there, one layer holds boxes and classes, and wants the
    sigmoid.

    ```config
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```bad
    change_output_activation(sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    change_output_activation(conv42, sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    boxes = [name for role, names in by_role.items() if role.startswith("reg_layer") for name in names]
    for statement, value in sigmoids(script):
        hit = [name for name in boxes if value is None or names_layer(value, name)]
        if hit and "encoded_layer" not in arch.sigmoid:
            what = f"a sigmoid is put on {'every output, ' if value is None else ''}box layer {hit[0]!r}"
            hint = f"name the class layers: {', '.join(hot_layers(by_role, arch))}"
            yield Finding(script.span(value or statement), what, hint)


@rule("HD332", severity=Severity.NOTE)
def sigmoid_left_to_compiler(
    script: Script, nms: Statement, by_role: ByRole, arch: MetaArch, network: NetworkInfo | None = None
) -> Iterator[Finding]:
    """The script does not put the sigmoid on the class layers, and counts on the compiler for it.

    For heads with bins the NMS command does it: the log then says "The activation function of layer ... was
    replaced by a Sigmoid" for each class layer. Most scripts of the model zoo write the lines all the same,
    some do not; both work. Look for these lines of the log, or check the optimized HAR.

    ```config
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}
    ```
    ```bad
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    change_output_activation(conv42, sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    layers = hot_layers(by_role, arch)
    if network is not None and is_optimized(network):
        return  # There it shows whether the compiler has added it.
    if arch.automatic and layers and not any(given_sigmoid(script, name) for name in layers):
        lines = "; ".join(f"change_output_activation({name}, sigmoid)" for name in layers)
        what = f"the sigmoid of {', '.join(layers)} is left to the compiler, which adds it"
        yield Finding(script.span(nms), what, f"to state it: {lines}")


@rule("HD333", severity=Severity.WARNING, confidence=Confidence.POSSIBLE)
def sigmoid_missing(
    script: Script, nms: Statement, by_role: ByRole, arch: MetaArch, network: NetworkInfo | None = None
) -> Iterator[Finding]:
    """The script puts no sigmoid on layers that need one, and the compiler is not known to add it.

    HailoRT applies none. Scripts of the model zoo have `change_output_activation(sigmoid)` for heads with
    anchors. A model that was cut behind its own sigmoids needs no line; a parsed HAR shows which is the case.

    ```config
    {"stride": 8, "w": [10, 16, 33], "h": [13, 30, 23], "encoded_layer": "conv74"}
    ```
    ```bad
    nms_postprocess("nms.json", meta_arch=yolov5, engine=cpu)
    ```
    ```good
    change_output_activation(sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov5, engine=cpu)
    ```
    """
    layers = hot_layers(by_role, arch)
    if arch.automatic or not layers or any(given_sigmoid(script, name) for name in layers):
        return
    if "encoded_layer" not in arch.sigmoid and network is None:
        return  # The models of such heads that are public end in their own sigmoids.
    known = {layer.name.rpartition("/")[2]: layer.activation for layer in network.layers} if network else {}
    if network is not None and all(known.get(n.rpartition("/")[2]) == "sigmoid" for n in layers):
        return
    what = f"no sigmoid is put on {', '.join(layers)}"
    yield Finding(
        script.span(nms), what, "add change_output_activation(sigmoid), unless the model has its own"
    )


@rule("HD337", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def layer_not_in_configuration(script: Script, by_role: ByRole, arch: MetaArch) -> Iterator[Finding]:
    """The script puts a sigmoid on a layer that the configuration does not name.

    The script and the file then come from two networks: the layer's number is that of another export.

    ```config
    {"stride": 8, "reg_layer": "conv54", "cls_layer": "conv57"}
    ```
    ```bad
    change_output_activation(conv42, sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    ```good
    change_output_activation(conv57, sigmoid)
    nms_postprocess("nms.json", meta_arch=yolov8, engine=cpu)
    ```
    """
    known = [name for names in by_role.values() for name in names]
    for _, value in sigmoids(script):
        if value is not None and known and not any(names_layer(value, name) for name in known):
            what = f"{value.text!r} is no layer of the configuration"
            yield Finding(
                script.span(value), what, f"its class layers are {', '.join(hot_layers(by_role, arch))}"
            )


@rule("HD338")
def layer_of_script_not_in_network(script: Script, network: NetworkInfo) -> Iterator[Finding]:
    """The script names a layer that the network does not have.

    The compiler stops at it. Layer names in lists for fine-tuning (`loss_layer_names`) come along with the
    script of a stock network, and do not fit a network of one's own.

    ```network
    input 640x640
    conv41 80x80x64
    conv42 80x80x3
    ```
    ```bad
    change_output_activation(conv57, sigmoid)
    ```
    ```good
    change_output_activation(conv42, sigmoid)
    ```
    """
    known = [layer.name for layer in network.layers if layer.kind]
    if len(known) < 2 or not has_layer_names(network):
        return  # A file that knows its outputs only cannot tell.
    made = {target for statement in script.statements for target in statement.targets}
    for value in _layer_values(script):
        for member in value.members:
            name = member.text
            if not name or name in made or any(letter in name for letter in "*?["):
                continue
            if not any(names_layer(member, layer) for layer in known):
                yield Finding(script.span(member), f"the network has no layer {name!r}")


def _layer_values(script: Script) -> Iterator[Value]:
    """Yield the values of a script that name layers of the parsed network."""
    for statement in script.calls("change_output_activation", "quantization_param"):
        values = statement.positional
        if values and (statement.command == "quantization_param" or len(values) > 1):
            yield values[0]
    for statement in script.calls("post_quantization_optimization", "pre_quantization_optimization"):
        for key in ("loss_layer_names", "layers"):
            if (value := statement.get(key)) is not None:
                yield value
