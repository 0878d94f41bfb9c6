"""The records beside the graph in a HAR: the NMS configuration and the changes that a script made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hailo_decode.networks._document import Node
from hailo_decode.values.network import DecoderInfo, NmsInfo

# Keys of a decoder entry to roles; a key of a later compiler is its own name without the ending.
_ROLES = {"objectness": "obj"}


def decoders_of(document: Mapping[str, Any] | None, what: str) -> tuple[DecoderInfo, ...]:
    """Return the decoder entries of an NMS configuration (``NAME.nms.json``).

    Raises
    ------
    FormatError
        When a value is of the wrong kind; the message names its path.
    """
    if document is None:
        return ()
    found = []
    for node in Node(document, what).nodes("bbox_decoders"):
        layers = {}
        for key in node.value:
            if key.endswith("_layer") or key in ("reg_layer_h", "reg_layer_w"):
                role = key.replace("_layer", "")
                layers[_ROLES.get(role, role)] = node.text(key) or ""
        widths, heights = _numbers(node, "w"), _numbers(node, "h")
        found.append(DecoderInfo(node.whole("stride", 1), layers, tuple(zip(widths, heights, strict=False))))
    return tuple(found)


def _numbers(node: Node, key: str) -> list[float]:
    values = node.get(key)
    return [float(v) for v in values if isinstance(v, (int, float))] if isinstance(values, list) else []


def nms_of(document: Mapping[str, Any] | None, what: str, known: NmsInfo) -> NmsInfo:
    """Return sizes and thresholds of an NMS configuration; what it leaves out is taken from `known`."""
    if document is None:
        return known
    node = Node(document, what)
    size = node.sizes("image_dims", 2)
    classes, per_class = node.whole("classes"), node.whole("max_proposals_per_class")
    score, iou = node.number("nms_scores_th"), node.number("nms_iou_th")
    total, mask = node.whole("max_total_proposals"), node.number("mask_threshold")
    return NmsInfo(
        classes=known.classes if classes is None else classes,
        max_per_class=known.max_per_class if per_class is None else per_class,
        max_total=known.max_total if total is None else total,
        score_threshold=known.score_threshold if score is None else score,
        iou_threshold=known.iou_threshold if iou is None else iou,
        image_size=(size[0], size[1]) if size else known.image_size,
        mask_threshold=mask,
    )


def changes(document: Mapping[str, Any] | None, side: str, what: str) -> Iterator[tuple[str, Node]]:
    """Yield the changes at the inputs or the outputs: ``(layer name, change)``.

    Parameters
    ----------
    document : mapping or None
        ``NAME.modifications_meta_data.json``.
    side : {"inputs", "outputs"}
    what : str
        Name of the file, for errors.

    Raises
    ------
    FormatError
        When it is not built as it should be.
    """
    entries = Node(document, what).node(side) if document is not None else None
    for layer in entries.value if entries else ():
        for change in entries.nodes(layer) if entries else ():
            yield layer, change
