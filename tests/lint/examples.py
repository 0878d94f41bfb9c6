"""The examples of rule pages as inputs of rules: networks in a few words, configurations filled up."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hailo_decode.config.alls import read_script
from hailo_decode.lint._case import config_inputs
from hailo_decode.lint._registry import Rule
from hailo_decode.values.network import LayerInfo, NetworkInfo, OutputInfo

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
    if "network" in kinds:
        given["network"] = network(kinds["network"])
    if "log" in kinds:
        given["log"] = kinds["log"]
    return given


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

    The first line is ``input 640x640``. Words behind the shape: an activation, ``kind=concat``, ``inner``
    for a layer that is no output, ``order=FCR``, ``dtype=uint8``, ``role=box``; behind ``<-`` the layers
    before it; behind ``:`` its original name.
    """
    size: tuple[int, int] | None = None
    layers: list[LayerInfo] = []
    outputs: list[OutputInfo] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        head, _, original = line.partition(" : ")
        head, _, before = head.partition(" <- ")
        name, *words = head.split()
        if name == "input":
            height, width = words[0].split("x")[:2]
            size = (int(height), int(width))
            continue
        options = dict(word.split("=", 1) for word in words if "=" in word)
        bare = [word for word in words if "=" not in word]
        shape = tuple(int(n) for n in bare[0].split("x")) if bare and bare[0][0].isdigit() else None
        activation = next((w for w in bare if w in ("linear", "sigmoid", "softmax")), None)
        names = (original,) if original else ()
        kind = options.get("kind", re.sub(r"\d+$", "", name.rpartition("/")[2]))
        layers.append(LayerInfo(name, kind, shape, activation, tuple(before.split()), (), names))
        if "inner" not in bare and shape:
            outputs.append(OutputInfo(name, shape, activation=activation, original_names=names))
    return NetworkInfo("net", "har", size, outputs=tuple(outputs), layers=tuple(layers))
