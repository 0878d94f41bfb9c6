"""HD701 to HD712: messages of the compiler about the NMS configuration and the script."""

from __future__ import annotations

from collections.abc import Iterator

from hailo_decode.lint._log import Log
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Severity


@rule("HD701")
def layer_does_not_exist(log: Log) -> Iterator[Finding]:
    """The compiler was given the name of a layer that the network does not have.

    The name is in the NMS configuration, or in a command of the script. Layers are numbered when a model is
    parsed, so that another export shifts all numbers. With an empty name, the compiler was to find the
    layer by itself and could not: it does so for the networks of the model zoo only.

    ```bad
    HailoNNException: The layer named conv63 doesn't exist in the HN
    ```
    ```good
    [info] Translation completed
    ```
    """
    for hit in log.hits("exist in the HN", r"The layer named\s*(\S*?)\s+does(?:n't| not) exist in the HN"):
        if hit[1]:
            what = f"the configuration or the script names {hit[1]!r}, which the network does not have"
            hint = "`validate-nms nms.json --network parsed.har` names the layer that is meant"
        else:
            what = "the configuration leaves a layer's name empty, and the compiler could not find it"
            hint = "`generate-nms parsed.har` writes all names"
        yield Finding(hit.span, what, hint)


@rule("HD702")
def layers_cannot_be_inferred(log: Log) -> Iterator[Finding]:
    """The compiler was to find the head's layers by itself, and could not.

    The configuration has empty names, or none was given. That works for the networks of the model zoo; with
    another number of classes it has failed.

    ```bad
    Cannot infer bbox conv layers automatically. Please specify the bbox layer in the json configuration file.
    ```
    ```good
    NMS structure of yolov8 was detected.
    ```
    """
    for hit in log.hits("infer bbox conv layers"):
        yield Finding(
            hit.span, "the configuration names no layers", "`generate-nms parsed.har` writes all names"
        )


@rule("HD703")
def layer_is_no_output(log: Log) -> Iterator[Finding]:
    """A decoder names a layer that is not one of the network's last ones.

    The model was cut elsewhere when it was parsed, the name is that of an output (`output_layer1`) and not of
    the layer before it, or more than the output reads the layer.

    ```bad
    NMSConfigPostprocessException: The layer yolov8n/conv41 doesn't have one output layer
    ```
    ```good
    [info] NMS added
    ```
    """
    for hit in log.hits("have one output layer", r"The layer (\S+) does(?:n't| not) have one output layer"):
        hint = "parse the model with the head's last convolutions as end nodes; `generate-nms` lists them"
        yield Finding(hit.span, f"{hit[1]!r} is not one of the network's outputs", hint)


@rule("HD704")
def ends_are_no_convolutions(log: Log) -> Iterator[Finding]:
    """The model was cut behind the convolutions of its head.

    The NMS step wants the convolutions themselves. The parser suggests ends such as `Concat` or `Sigmoid`
    when its first attempt fails.

    ```bad
    Error in the last layers of the model, expected conv but found concat layer.
    ```
    ```good
    [info] End nodes mapped from original model
    ```
    """
    for hit in log.hits("expected conv but found", r"expected conv but found (\w+)"):
        hint = (
            "parse again with the convolutions before it as end nodes; `generate-nms model.onnx` lists them"
        )
        yield Finding(hit.span, f"the network ends in a layer of kind {hit[1]}, not in a convolution", hint)


@rule("HD705", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def other_end_nodes_tried(log: Log) -> Iterator[Finding]:
    """The parser failed with the end nodes it was given, and tried others by itself.

    Those may lie behind the head's convolutions; the NMS step then refuses the network.

    ```bad
    According to recommendations, retrying parsing with end node names: ['/model.22/Concat_3'].
    ```
    ```good
    [info] Parsing with the end nodes that were given
    ```
    """
    for hit in log.hits("retrying parsing with end node", r"retrying parsing with end node names:\s*(.*)"):
        what = f"the parser chose other end nodes: {hit[1].strip(' .')[:120]}"
        yield Finding(
            hit.span, what, "give the head's last convolutions; `generate-nms model.onnx` lists them"
        )


@rule("HD706", severity=Severity.NOTE)
def nms_structure_detected(log: Log) -> Iterator[Finding]:
    """The parser recognised a head by its structure.

    It looks at patterns, not at classes or strides. The order of its end nodes is not fixed: box and class
    layers must not be paired by their place in the list. A head with 4 classes, or one with four plain
    distances, has been taken for that of another family.

    ```bad
    NMS structure of yolov6 (or equivalent architecture) was detected.
    ```
    ```good
    [info] Translation completed
    ```
    """
    for hit in log.hits("NMS structure of", r"NMS structure of (\S+)"):
        what = f"the parser takes the head for {hit[1]}"
        yield Finding(hit.span, what, "pair its end nodes by name or by channels, not by their order")


@rule("HD707")
def decoder_list_missing(log: Log) -> Iterator[Finding]:
    """The NMS configuration has no list of decoders where the compiler looks for it.

    ```bad
    KeyError: 'bbox_decoders'
    ```
    ```good
    [info] NMS added
    ```
    """
    for hit in log.hits("bbox_decoders", r"KeyError:?\s*['\"]bbox_decoders"):
        hint = "its keys must stand at the top of the file; `validate-nms` shows where they are"
        yield Finding(hit.span, "the configuration has no 'bbox_decoders' at its top", hint)


@rule("HD708")
def argument_not_known(log: Log) -> Iterator[Finding]:
    """A command of the script was given an argument that it does not have.

    ```bad
    hailo_sdk_client: No argument named nms_config_file_path
    ```
    ```good
    [info] Loading model script commands
    ```
    """
    for hit in log.hits("No argument named", r"No argument named\s+['\"]?(\w*)"):
        hint = 'the NMS command is nms_postprocess("nms.json", meta_arch=..., engine=...)'
        yield Finding(
            hit.span, f"the script gives an argument {hit[1]!r} that the command does not have", hint
        )


@rule("HD709")
def file_and_arguments_given(log: Log) -> Iterator[Finding]:
    """The NMS command was given a file and, beside it, what belongs into the file.

    ```bad
    Both config path and config arguments were given
    ```
    ```good
    [info] Loading model script commands
    ```
    """
    for hit in log.hits("config path and config arguments"):
        yield Finding(hit.span, "the NMS command has a file and arguments", "put the arguments into the file")


@rule("HD710")
def step_cannot_run_there(log: Log) -> Iterator[Finding]:
    """The NMS step was to run on an engine that it does not run on.

    Distances with bins (`yolov8`) and objectness heads run on the host only, plain distances (`yolov6`) on
    the chip only; this holds for all devices and all compilers that have been seen. `engine=auto` tries the
    chip.

    ```bad
    UnsupportedMetaArchError: The specified meta architecture yolov8 cannot be run on chip
    ```
    ```good
    [info] NMS on cpu
    ```
    """
    for hit in log.hits("cannot be run on", r"(\w+)\W* cannot be run on (chip|host|nn_core|cpu)"):
        right = "cpu" if hit[2].lower() in ("chip", "nn_core") else "nn_core"
        yield Finding(
            hit.span, f"{hit[1]} does not run on the {hit[2]}", f"write engine={right} in the script"
        )


@rule("HD711")
def configuration_file_missing(log: Log) -> Iterator[Finding]:
    """The file that the NMS command names is not there.

    Paths are taken from the script's folder; a script that is handed over as text needs the whole path. The
    wheel of the model zoo 2.18 lacks its folder `postprocess_config`.

    ```bad
    AllocatorScriptParserException: Post-process config file isn't found in ../../postprocess_config/a.json
    ```
    ```good
    [info] Loading model script commands
    ```
    """
    for hit in log.hits("config file isn't found", r"config file isn't found in\s+(\S+)"):
        yield Finding(
            hit.span,
            f"there is no file {hit[1].strip('.')!r}",
            "see where the script lies, or write it whole",
        )


@rule("HD712")
def meta_arch_not_known(log: Log) -> Iterator[Finding]:
    """The compiler does not know the NMS step that the script names.

    It is older than the script: compiler and model zoo go together by release.

    ```bad
    ValueError: 'yolov8' is not a valid NMSMetaArchitectures
    ```
    ```good
    [info] Loading model script commands
    ```
    """
    for hit in log.hits("NMSMetaArchitectures", r"['\"]?(\w+)['\"]? is not a valid NMSMetaArchitectures"):
        hint = "use the compiler that goes with the script's release, or a step of its own"
        yield Finding(hit.span, f"this compiler has no step {hit[1]!r}", hint, confidence=Confidence.LIKELY)
