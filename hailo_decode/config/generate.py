"""A network to the NMS configuration and the script lines that compile it with its NMS step."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hailo_decode.config.heads import (
    Heads,
    Scale,
    bare_name,
    find_heads,
    frame_size,
    has_layer_names,
    head_layers,
    is_optimized,
)
from hailo_decode.config.meta_archs import META_ARCHS, MetaArch, Shape, find_meta_arch, meta_arch_of
from hailo_decode.errors import AmbiguousError, OptionError, PairingError, UnknownName
from hailo_decode.values.network import NetworkInfo, OpInfo

# What the model zoo's files have: 0.7 for heads without anchors, 0.6 for those with.
SCORE, IOU, IOU_ANCHORS, PER_CLASS, IN_ALL = 0.2, 0.7, 0.6, 100, 100
_WITH_ANCHORS = (Shape.ANCHORS, Shape.ANCHOR_MASKS, Shape.DEFAULT_BOXES)

Anchors = Mapping[int, Sequence[tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class Generated:
    """A configuration, the script that goes with it, and what was decided on the way.

    Attributes
    ----------
    config : str
        JSON text.
    script : str
        Statements of a model script, one a line.
    end_nodes : tuple of str
        Names of the nodes at which the model must be cut when it is parsed, where they are known.
    complete : bool
        False where the compiler's layer names cannot be known yet: the names are those of nodes then.
    notes : tuple of str
    """

    config: str
    script: str
    end_nodes: tuple[str, ...]
    complete: bool
    notes: tuple[str, ...]


def generate_nms(
    network: NetworkInfo,
    *,
    conf: float | None = None,
    iou: float | None = None,
    max_per_class: int | None = None,
    anchors: Anchors | None = None,
    bins: int | None = None,
    meta_arch: str | None = None,
    config_path: str = "nms.json",
) -> Generated:
    """Write the NMS configuration of a network, and the script lines that go with it.

    Parameters
    ----------
    network : NetworkInfo
        From a HAR, an HN, an ONNX file, a HEF, or the text of ``hailortcli parse-hef``.
    conf, iou : float, optional
        Thresholds; 0.2, and 0.7 (with anchors 0.6), where neither they nor the network's own step tell.
    max_per_class : int, optional
        Boxes of a class; 100 by default.
    anchors : mapping of int to pairs, optional
        Stride to widths and heights of anchors, where the head has anchors and the file has none.
    bins : int, optional
        Where classes and bins are channels of one layer: the number of bins.
    meta_arch : str, optional
        The NMS step, where two can read the head.
    config_path : str
        The configuration's path as the script has it.

    Returns
    -------
    Generated

    Raises
    ------
    PairingError
        When the outputs are no head, or no NMS step decodes such a head; the hint says what to do instead.
    AmbiguousError
        When something has to be chosen, such as anchors.
    """
    for name, value in (("conf", conf), ("iou", iou)):
        if value is not None and not 0 <= value <= 1:
            raise OptionError(f"{name} must lie in 0..1", got=f"{value:g}")
    if max_per_class is not None and max_per_class < 1:
        raise OptionError("max_per_class must be at least 1", got=str(max_per_class))
    nms = next((op.nms for op in network.ops if op.nms), None)
    thresholds = {
        "nms_scores_th": _first(conf, nms and nms.score_threshold, SCORE),
        "nms_iou_th": _first(iou, nms and nms.iou_threshold, None),
        "max_proposals_per_class": _first(max_per_class, nms and nms.max_per_class, PER_CLASS),
    }
    strideless = next((op for op in network.ops if op.decoders and op.decoders[0].stride is None), None)
    if strideless is not None and strideless.decoders[0].anchors:
        return _from_default_boxes(strideless, network, thresholds, config_path)
    heads = find_heads(network, frame_size(network), bins=bins)
    arch = _arch(heads, meta_arch, network)
    entries = _entries(heads, arch, network, anchors)
    usual_iou = IOU_ANCHORS if heads.shape in _WITH_ANCHORS else IOU
    config: dict[str, Any] = {
        "nms_scores_th": thresholds["nms_scores_th"],
        "nms_iou_th": _first(thresholds["nms_iou_th"], usual_iou),
        "image_dims": list(heads.size),
        "max_proposals_per_class": thresholds["max_proposals_per_class"],
        "classes": heads.classes,
        **_of_shape(heads),
        "bbox_decoders": entries,
    }
    complete = has_layer_names(network)
    layers = [layer for scale in heads.scales for layer in scale.layers.values()]
    nodes = tuple(layer.original_names[0] for layer in layers if layer.original_names)
    lines = _script(heads, arch, network, config_path, complete)
    return Generated(_json(config), "\n".join(lines) + "\n", nodes, complete, heads.notes)


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _from_default_boxes(
    step: OpInfo, network: NetworkInfo, thresholds: Mapping[str, Any], path: str
) -> Generated:
    """Write the file of a head with default boxes, whose anchors only a HEF with the step knows."""
    size = step.nms.image_size if step.nms else None
    fields = step.fields
    entries = [
        {
            "name": f"bbox_decoder{i}",
            "w": [w for w, _ in decoder.anchors],
            "h": [h for _, h in decoder.anchors],
            **{f"{role}_layer": bare_name(name) for role, name in decoder.layers.items()},
        }
        for i, decoder in enumerate(step.decoders, 1)
    ]
    config = {
        "nms_scores_th": thresholds["nms_scores_th"],
        "nms_iou_th": _first(thresholds["nms_iou_th"], IOU_ANCHORS),
        "image_dims": list(size or network.input_size or ()),
        "max_proposals_per_class": thresholds["max_proposals_per_class"],
        **{key: fields[key] for key in _STEP_KEYS if key in fields},
        "bbox_decoders": entries,
    }
    arch = meta_arch_of(Shape.DEFAULT_BOXES)
    lines = [
        "# normalization: as the network was trained, which the HEF does not say",
        f'nms_postprocess("{path}", meta_arch={arch.name}, engine=cpu)',
    ]
    notes = ("layers, anchors and scale factors are those of the step in the file",)
    return Generated(_json(config), "\n".join(lines) + "\n", (), True, notes)


# Numbers of a step in a HEF that its configuration has under the same keys.
_STEP_KEYS = (
    *("classes", "centers_scale_factor", "bbox_dimensions_scale_factor"),
    *("background_removal", "background_removal_index"),
)


def _arch(heads: Heads, name: str | None, network: NetworkInfo) -> MetaArch:
    """Return the step for a head, and refuse a head that no step decodes."""
    if name is not None:
        arch = find_meta_arch(name)
        if arch is None:
            raise UnknownName("meta_arch", name, [known.name for known in META_ARCHS])
        if heads.shape not in arch.shapes:
            raise OptionError(f"{arch.name} does not decode this head", got=heads.shape.value)
        return arch
    if heads.no_step:
        ends = [_end_node(layer.original_names, layer.name) for layer in head_layers(network)]
        raise PairingError(
            f"there is no NMS step for this head: {heads.no_step}",
            hint=f"leave nms_postprocess out, cut the model at {', '.join(ends)}, and decode the raw "
            'outputs: Decoder.from_file("model.hef")(outputs)',
        )
    if heads.shape is Shape.DISTANCES and not any(layer.original_names for layer in head_layers(network)):
        raise AmbiguousError(
            "a head with four plain distances can be one of two kinds",
            [f"{heads.arch.name}'s, which has an NMS step on the chip", "YOLO26's, which has none"],
            f"meta_arch={heads.arch.name!r}, or no NMS step at all",
        )
    return heads.arch


def _end_node(names: Sequence[str], otherwise: str) -> str:
    """Return the node to cut at; a prototype's is behind its activation."""
    nodes = [name for name in names if name.startswith("/")]
    return nodes[-1] if nodes else otherwise


def _entries(
    heads: Heads, arch: MetaArch, network: NetworkInfo, anchors: Anchors | None
) -> list[dict[str, Any]]:
    strides = [scale.stride for scale in heads.scales]
    known: Anchors = anchors or network.anchors
    if heads.shape in _WITH_ANCHORS and any(stride not in known for stride in strides):
        raise AmbiguousError(
            f"the file does not hold the anchors of strides {', '.join(map(str, strides))}",
            ["those of the published networks", "anchors that training has chosen"],
            "anchors: a family that published them, or widths and heights for each stride",
        )
    entries = []
    for scale in heads.scales:
        number = re.search(r"\d+$", next(iter(_layer_names(scale).values())))
        name = f"bbox_decoder{number[0]}" if number else f"bbox_decoder_{scale.stride}"
        entry: dict[str, Any] = {"name": name, "stride": scale.stride}
        if heads.shape in _WITH_ANCHORS:
            entry["w"] = [_plain(w) for w, _ in known[scale.stride]]
            entry["h"] = [_plain(h) for _, h in known[scale.stride]]
        entries.append(entry | _layer_names(scale))
    return entries


def _plain(number: float) -> float | int:
    return int(number) if number == int(number) else number


def _layer_names(scale: Scale) -> dict[str, str]:
    return {key: bare_name(layer.name) for key, layer in scale.layers.items()}


def _of_shape(heads: Heads) -> dict[str, Any]:
    """Return the keys that only files of this shape have."""
    background = {"background_removal": False, "background_removal_index": 0}
    if heads.shape in (Shape.BINS, Shape.COMBINED):
        return {"regression_length": heads.bins, **background}
    if heads.shape is Shape.OBJECTNESS:
        return {"number_of_detection_heads": len(heads.scales)}
    if heads.shape is Shape.ANCHORS:
        return {"background_removal": False}
    if heads.shape is Shape.ANCHOR_MASKS:
        proto = next((layer for layer in heads.extras if layer.role == "proto"), heads.extras[0])
        own = {"number": proto.shape[2], "stride": heads.size[0] // proto.shape[0]}
        return {**background, "max_total_proposals": IN_ALL, "proto": [own]}
    return {}


def _script(heads: Heads, arch: MetaArch, network: NetworkInfo, path: str, complete: bool) -> list[str]:
    parsed = not is_optimized(network)
    lines = []
    if arch.unit_input and not (parsed and any(layer.kind == "normalization" for layer in network.layers)):
        lines.append("normalization1 = normalization([0.0, 0.0, 0.0], [255.0, 255.0, 255.0])")
    hot = [scale.layers[role] for scale in heads.scales for role in arch.sigmoid if role in scale.layers]
    cold = [layer for layer in hot if not parsed or layer.activation != "sigmoid"]
    if "encoded_layer" in arch.sigmoid and cold:
        lines.append("change_output_activation(sigmoid)")
    elif complete:
        lines += [f"change_output_activation({bare_name(layer.name)}, sigmoid)" for layer in cold]
    elif not arch.automatic:
        lines.append("# change_output_activation(LAYER, sigmoid) for each objectness and class layer")
    lines.append(f'nms_postprocess("{path}", meta_arch={arch.name}, engine={arch.engines[0]})')
    return lines


def _json(config: Mapping[str, Any]) -> str:
    """Write a configuration as the model zoo writes them, lists of numbers in one line."""

    def joined(found: re.Match[str]) -> str:
        return f"[{', '.join(found[0][1:-1].split())}]".replace(",,", ",")

    return re.sub(r"\[[\s\d.,-]+\]", joined, json.dumps(config, indent=4)) + "\n"
