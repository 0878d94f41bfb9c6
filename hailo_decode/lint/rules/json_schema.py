"""HD110 to HD119: keys that are missing or unknown, values of the wrong type, names that name no layer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hailo_decode.config.heads import Heads, bare_name, has_layer_names
from hailo_decode.config.reading import Misfit, SchemaFault
from hailo_decode.lint._registry import Finding, rule
from hailo_decode.values.diagnostic import Confidence, Edit, Severity
from hailo_decode.values.network import NetworkInfo

if TYPE_CHECKING:
    from hailo_decode.config.nms_config import NmsConfig

Schema = tuple[SchemaFault, ...]


def _of_kind(schema: Schema, *kinds: Misfit) -> Iterator[Finding]:
    for fault in schema:
        if fault.kind in kinds:
            unknown = fault.kind is Misfit.UNKNOWN
            yield Finding(fault.path, fault.message, fault.hint, on_key=unknown)


@rule("HD110")
def configuration_is_no_object(schema: Schema) -> Iterator[Finding]:
    """The file holds something else than one object.

    The compiler looks keys up in it, and fails with a Python error when there are none.

    ```bad
    [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}]
    ```
    ```good
    {"classes": 80, "bbox_decoders": []}
    ```
    """
    return _of_kind(schema, Misfit.OBJECT)


@rule("HD111")
def configuration_is_wrapped(schema: Schema) -> Iterator[Finding]:
    """The configuration stands inside another object.

    The compiler looks for `bbox_decoders` in the outermost object; inside another one it finds nothing, and
    ends with `KeyError: 'bbox_decoders'`.

    ```bad
    {"nms_postprocess": {"classes": 80, "bbox_decoders": []}}
    ```
    ```good
    {"classes": 80, "bbox_decoders": []}
    ```
    """
    return _of_kind(schema, Misfit.WRAPPED)


@rule("HD112")
def decoder_list_missing(schema: Schema) -> Iterator[Finding]:
    """The list of decoders, `bbox_decoders`, is missing or empty.

    Without it the compiler ends with `KeyError: 'bbox_decoders'`. Lists of layers under other names, such as
    `reg_layers`, are not read.

    ```bad
    {"classes": 2, "reg_layers": ["output_layer1"], "cls_layers": ["output_layer2"]}
    ```
    ```bad
    {"classes": 2, "regression_length": 16, "bbox_decoders": []}
    ```
    ```good
    {"classes": 2, "bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}]}
    ```
    """
    return _of_kind(schema, Misfit.DECODERS)


@rule("HD113")
def key_missing(schema: Schema) -> Iterator[Finding]:
    """A key is missing that every working public configuration of this shape has.

    Some have a default in the compiler (0.3 and 0.6 for the two thresholds when the command is given no
    file at all); which of them it does without in a file is not documented.

    ```bad
    {"nms_scores_th": 0.2, "nms_iou_th": 0.7, "max_proposals_per_class": 100, "classes": 80,
     "regression_length": 16,
     "bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}]}
    ```
    ```good
    {"nms_scores_th": 0.2, "nms_iou_th": 0.7, "image_dims": [640, 640], "max_proposals_per_class": 100,
     "classes": 80, "regression_length": 16,
     "bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}]}
    ```
    """
    return _of_kind(schema, Misfit.MISSING)


@rule("HD114", severity=Severity.WARNING)
def usual_key_missing(schema: Schema) -> Iterator[Finding]:
    """A key is missing that nearly all public configurations of this shape have.

    One file of Hailo's model zoo does without `image_dims`, so it cannot be an error; state it all the same.

    ```bad
    {"nms_scores_th": 0.3, "nms_iou_th": 0.6, "max_proposals_per_class": 40, "classes": 12,
     "centers_scale_factor": 10, "bbox_dimensions_scale_factor": 5,
     "bbox_decoders": [{"w": [0.1], "h": [0.1], "reg_layer": "conv13", "cls_layer": "conv14"}]}
    ```
    ```good
    {"nms_scores_th": 0.3, "nms_iou_th": 0.6, "image_dims": [300, 300], "max_proposals_per_class": 40,
     "classes": 12, "centers_scale_factor": 10, "bbox_dimensions_scale_factor": 5,
     "bbox_decoders": [{"w": [0.1], "h": [0.1], "reg_layer": "conv13", "cls_layer": "conv14"}]}
    ```
    """
    return _of_kind(schema, Misfit.EXPECTED)


@rule("HD115", severity=Severity.WARNING)
def unknown_key(schema: Schema) -> Iterator[Finding]:
    """A key is one that no configuration of this shape has.

    It is a slip of the pen, an argument of the script's command, or new in the compiler. What it was to say
    is most likely not in force.

    ```bad
    {"nms_scores_threshold": 0.2, "bbox_decoders": [{"stride": 8, "reg_layer": "a1", "cls_layer": "a2"}]}
    ```
    ```good
    {"nms_scores_th": 0.2, "bbox_decoders": [{"stride": 8, "reg_layer": "a1", "cls_layer": "a2"}]}
    ```
    """
    return _of_kind(schema, Misfit.UNKNOWN)


@rule("HD116")
def value_of_wrong_type(schema: Schema) -> Iterator[Finding]:
    """A value is of another type than its key asks for, or outside the range that makes sense.

    ```bad
    {"classes": "80", "nms_iou_th": 1.5, "image_dims": [640], "bbox_decoders": []}
    ```
    ```good
    {"classes": 80, "nms_iou_th": 0.7, "image_dims": [640, 640], "bbox_decoders": []}
    ```
    """
    return _of_kind(schema, Misfit.TYPE)


@rule("HD118", severity=Severity.WARNING, confidence=Confidence.LIKELY)
def layer_name_empty(
    config: NmsConfig, heads: Heads | None = None, network: NetworkInfo | None = None
) -> Iterator[Finding]:
    """A layer has an empty name: the compiler is to find it by itself.

    Several files of Hailo's model zoo do so. It works for the networks of the zoo; with another number of
    classes the compiler has ended with "Cannot infer bbox conv layers automatically" or "The layer named
    doesn't exist in the HN". Written names always work: `--network model.har --fix` fills them in.

    ```bad
    {"bbox_decoders": [{"stride": 8, "reg_layer": "", "cls_layer": ""}]}
    ```
    ```good
    {"bbox_decoders": [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}]}
    ```
    """
    empty = [(i, role) for i, d in enumerate(config.decoders) for role, name in d.layers.items() if not name]
    if empty:
        (i, role), every = empty[0], sum(len(d.layers) for d in config.decoders)
        many = (
            "no layer has a name" if len(empty) == every else f"{len(empty)} of {every} layers have no name"
        )
        hint = "name them: `--network model.har --fix` fills them in, `generate-nms` writes them"
        what = f"{many}; the compiler has to find them by itself"
        named = network is not None and has_layer_names(network)
        fix = tuple(_filled(config, empty, heads)) if heads and named else ()
        yield Finding(("bbox_decoders", i, role), what, hint, fix=fix)


def _filled(config: NmsConfig, empty: list[tuple[int, str]], heads: Heads) -> Iterator[Edit]:
    """Yield the names that the network's head has for empty ones, by stride and role."""
    scales = {scale.stride: scale for scale in heads.scales}
    for i, role in empty:
        scale = scales.get(config.decoders[i].stride or 0)
        if scale is not None and role in scale.layers:
            yield Edit(("bbox_decoders", i, role), bare_name(scale.layers[role].name))


_PLACEHOLDER = re.compile(r"[<>{}$]|\.\.\.|^_+\w*_+$|^x+$|your|placeholder|replace|todo|fill", re.IGNORECASE)
_NODE = re.compile(r"^/|/(Conv|Sigmoid|Concat|Reshape|Mul|Add|Transpose)(_\d+)?$")


@rule("HD119")
def name_names_no_layer(config: NmsConfig, network: NetworkInfo | None = None) -> Iterator[Finding]:
    """A layer's name cannot be the name of a layer that decoders read.

    Layers carry the compiler's own names, such as `conv41` or `best/conv41`, which it gives when it parses
    the model. Names of ONNX nodes, `output_layer1` and the like, and placeholders of a template are none of
    them: the compiler ends with "The layer named ... doesn't exist in the HN", or, for an output layer,
    with "The layer ... doesn't have one output layer".

    ```bad
    {"stride": 8, "reg_layer": "/model.22/cv2.0/cv2.0.2/Conv", "cls_layer": "output_layer2"}
    ```
    ```good
    {"stride": 8, "reg_layer": "conv41", "cls_layer": "best/conv42"}
    ```
    """
    if network is not None and has_layer_names(network):
        return  # Each name is looked up in the network then.
    for i, decoder in enumerate(config.decoders):
        for role, name in decoder.layers.items():
            at = ("bbox_decoders", i, role)
            if re.fullmatch(r"(.*/)?output_layer\d*", name):
                hint = "name the layer that feeds it"
                yield Finding(at, f"{name!r} is an output of the graph, not a layer that decoders read", hint)
            elif _NODE.search(name):
                hint = "`--network parsed.har --fix` puts the compiler's own name in its place"
                yield Finding(at, f"{name!r} is the name of a node in the model that was parsed", hint)
            elif name and _PLACEHOLDER.search(name):
                hint = "put the layer's name there; `--network parsed.har --fix` does so"
                yield Finding(at, f"{name!r} looks like a placeholder", hint, confidence=Confidence.LIKELY)
