"""The examples of rule pages as inputs of rules: networks in a few words, configurations filled up."""

from __future__ import annotations

import inspect
import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hailo_decode.config.alls import read_script
from hailo_decode.errors import FormatError
from hailo_decode.lint._case import config_inputs
from hailo_decode.lint._log import Log
from hailo_decode.lint._registry import Rule
from hailo_decode.networks import read_network
from hailo_decode.networks._end_names import end_name
from hailo_decode.networks.description import network_from_description
from hailo_decode.values.network import LayerInfo, NetworkInfo, NmsInfo, OpInfo, OutputInfo

_BLOCK = re.compile(r"^(`{3,})(\w+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)

# What a configuration must hold besides what an example is about.
FILLING = {
    "nms_scores_th": 0.2,
    "nms_iou_th": 0.7,
    "image_dims": [640, 640],
    "max_proposals_per_class": 100,
    "classes": 80,
    "background_removal": False,
}


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    word: str
    text: str


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [Block(word, body) for _, word, body in _BLOCK.findall(page)]


def inputs_of(one: Rule, page_blocks: list[Block], example: Block) -> dict[str, Any]:
    """What a rule is given for an example: blocks of other kinds above it, and itself as the rule's file."""
    above = page_blocks[: page_blocks.index(example)]
    kinds = {block.word: block.text for block in above if block.word not in ("bad", "good")}
    kinds[one.about] = example.text
    given: dict[str, Any] = {}
    if "script" in kinds:
        given["script"] = read_script(kinds["script"])
        given["script_path"], given["config_path"] = Path("no-folder/model.alls"), Path("nms.json")
    if "config" in kinds:
        as_it_is = {"document", "schema"} & set(inspect.signature(one.run).parameters)
        text = kinds["config"] if as_it_is else filled(kinds["config"])
        given |= config_inputs(text, given.get("script"))
    if "failure" in inspect.signature(one.run).parameters:
        given["failure"] = failure(kinds["network"])
    elif "network" in kinds:
        given["network"] = network(kinds["network"])
    given["device"] = kinds.get("device", "").strip() or None
    given["names"] = tuple(kinds["names"].split()) if "names" in kinds else None
    if "log" in kinds:
        given["log"] = Log(kinds["log"])
    return given


def failure(text: str) -> FormatError | None:
    """Why a whole file, given as text or in hexadecimal, cannot be taken; None where it can."""
    in_hexadecimal = not set(text) - set("0123456789abcdef \n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(bytes.fromhex(text) if in_hexadecimal else text.encode())
        try:
            read_network(path, verify=True)
        except FormatError as error:
            return error
    return None


def filled(text: str) -> str:
    """A configuration from an example that shows only what matters: a few keys, or one decoder."""
    value = json.loads(text)
    own = {k: v for k, v in value.items() if "_layer" in k or k in ("name", "stride", "w", "h")}
    if own:
        value = {**{k: v for k, v in value.items() if k not in own}, "bbox_decoders": [own]}
    decoders = value.get("bbox_decoders", [{"stride": 8, "reg_layer": "conv41", "cls_layer": "conv42"}])
    keys = {key for decoder in decoders for key in decoder}
    more: dict[str, Any] = {}
    if "objectness_layer" in keys:
        more = {"number_of_detection_heads": len(decoders)}
    elif not keys & {"encoded_layer", "w", "reg_layer_h"}:
        more = {"regression_length": 16}
    return json.dumps({**FILLING, **more, **value, "bbox_decoders": decoders}, indent=2)


def network(text: str) -> NetworkInfo:
    """A network from lines such as ``conv42 80x80x3 sigmoid <- conv40 : /model.22/cv3.0/cv3.0.2/Conv``.

    ``input 640x640`` is the input, ``state quantized_model`` the state of a HAR, ``source onnx`` another
    kind of file, ``nms_json {...}`` the configuration inside it. Words behind a shape: an activation,
    ``kind=concat``, ``inner`` for a layer that is no output. Behind ``<-`` stand the layers before it,
    behind ``:`` its original name. A layer of ``kind=nms`` is an NMS step. Or the JSON of a description.
    """
    if text.lstrip().startswith("{"):
        return network_from_description(json.loads(text))
    size: tuple[int, int] | None = None
    source = "har"
    facts: dict[str, Any] = {}
    layers: dict[str, LayerInfo] = {}
    outputs: list[OutputInfo] = []
    ops: list[OpInfo] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, rest = line.partition(" ")
        if name == "input":
            height, width = rest.split("x")[:2]
            size = (int(height), int(width))
        elif name in ("state", "nms_json"):
            facts[name] = json.loads(rest) if name == "nms_json" else rest
        elif name == "nms_meta_arch":
            facts["metadata"] = {name: rest}
        elif name == "source":
            source = rest
        else:
            layer, words = _layer(line)
            layers[name] = layer
            if layer.kind == "nms":
                ops.append(OpInfo(name, "nms", name, layer.inputs))
                outputs.append(OutputInfo(name, nms=NmsInfo()))
            elif "inner" not in words and layer.shape:
                outputs.append(_end(layer, layers))
    heads = tuple(_end(layers[name], layers) for op in ops for name in op.inputs)
    return NetworkInfo(
        "net",
        source,
        size,
        outputs=tuple(outputs),
        heads=heads,
        layers=tuple(layers.values()),
        ops=tuple(ops),
        facts=facts,
    )


def _layer(line: str) -> tuple[LayerInfo, list[str]]:
    head, _, original = line.partition(" : ")
    head, _, before = head.partition(" <- ")
    name, *words = head.split()
    options = dict(word.split("=", 1) for word in words if "=" in word)
    shape = tuple(int(n) for n in words[0].split("x")) if words and words[0][0].isdigit() else None
    activation = next((w for w in words if w in ("linear", "sigmoid", "softmax")), None)
    kind = options.get("kind", re.sub(r"\d+$", "", name.rpartition("/")[2]))
    names = (original,) if original else ()
    return LayerInfo(name, kind, shape, activation, tuple(before.split()), (), names), words


def _end(layer: LayerInfo, layers: dict[str, LayerInfo]) -> OutputInfo:
    split = layer.kind == "activation"
    origin = layers[layer.inputs[0]] if split else layer
    end = end_name(origin.original_names[0]) if origin.original_names else None
    return OutputInfo(
        layer.name,
        layer.shape,
        activation=layer.activation,
        role=end.role if end else None,
        original_names=origin.original_names,
        facts={"layer": origin.name} if split else {},
    )
