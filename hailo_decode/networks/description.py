"""Our own description of a network: a JSON object, alone in a file or inside a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from hailo_decode.errors import FormatError, QuantError, UnknownName
from hailo_decode.networks._describe import description_of
from hailo_decode.networks._document import MAX_BYTES, Node, is_number, read_file, read_json
from hailo_decode.networks._format import HEAD_BYTES, Format
from hailo_decode.values.network import DecoderInfo, LayerInfo, NetworkInfo, NmsInfo, OpInfo, OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

__all__ = ["FORMAT", "description_of", "network_from_description"]

DTYPES = ("uint8", "uint16", "float32", "int8", "int16", "float16", "float64")
ACTIVATIONS = ("linear", "sigmoid", "softmax")
LETTERBOX_MODES = ("letterbox", "topleft", "stretch")

# A word for the layout may also say the order, or how the arrays of an NMS result are packed.
_LAYOUTS: dict[str, tuple[str, FormatOrder | None]] = {
    "host": ("host", None),
    "device": ("device", None),
    "host_nchw": ("host", FormatOrder.NCHW),
    "host_nchw_pyshape": ("host", FormatOrder.NCHW),
    "host_list": ("host", None),
    "host_cube": ("host", None),
}


def network_from_description(mapping: Mapping[str, Any]) -> NetworkInfo:
    """Read a description; `description_of` is its inverse.

    Parameters
    ----------
    mapping : mapping
        As JSON gives it. Only ``outputs`` has to be there. Keys that are not known go to `facts`.

    Raises
    ------
    FormatError
        When a value is of the wrong kind; the message names its path, such as ``outputs[2].shape``.
    QuantError
        When a scale or zero point is impossible.

    Examples
    --------
    >>> network_from_description({"input": [320, 320, 3], "outputs": []}).input_size
    (320, 320)
    """
    root = Node(mapping)
    if "outputs" not in root.value:
        raise FormatError("a description of a network has outputs", got=", ".join(root.value) or "nothing")
    size = root.sizes("input", 2, 3)
    inputs = tuple(_output(node) for node in root.nodes("inputs"))
    if size and len(size) == 3 and not inputs:
        inputs = (OutputInfo("", shape=size),)
    outputs = tuple(_output(node) for node in root.nodes("outputs"))
    _refuse_same_names(outputs)
    done = root.flag("nms_done")
    return NetworkInfo(
        name=root.text("name") or "",
        source=root.text("source") or "json",
        input_size=size[:2] if size else None,  # type: ignore[arg-type]  # of two or three, the first two
        inputs=inputs,
        outputs=outputs,
        heads=tuple(_output(node) for node in root.nodes("heads")),
        family=root.text("family"),
        task=root.text("task"),
        classes=root.texts("classes"),
        nms_free=root.flag("nms_free"),
        nms_done=any(o.order and o.order.is_nms for o in outputs) if done is None else done,
        anchors=_anchors(root.node("anchors")),
        keypoints=_pair(root, "keypoints"),
        devices=root.texts("devices"),
        compiler=root.text("compiler"),
        layers=tuple(_layer(node) for node in root.nodes("layers")),
        ops=tuple(_op(node) for node in root.nodes("ops")),
        image_size=_pair(root, "image"),
        letterbox=_letterbox(root.node("letterbox")),
        facts=_facts(root),
    )


def _facts(node: Node) -> dict[str, Any]:
    """Return what nobody has asked for; so this has to be the last question."""
    own = node.node("facts")
    return {**node.rest(), **(own.value if own else {})}


def _pair(node: Node, key: str) -> tuple[int, int] | None:
    return cast("tuple[int, int] | None", node.sizes(key, 2))


def _shape(node: Node, key: str) -> tuple[int, int, int] | None:
    return cast("tuple[int, int, int] | None", node.sizes(key, 3))


def _name(node: Node) -> str:
    name = node.text("name")
    if name is None:
        raise FormatError(f"{node.path} has no name")
    return name


def _refuse_same_names(outputs: tuple[OutputInfo, ...]) -> None:
    seen: set[str] = set()
    for i, output in enumerate(outputs):
        if output.name in seen:
            raise FormatError(f"outputs[{i}] has the name of an output before it", got=repr(output.name))
        seen.add(output.name)


def _output(node: Node) -> OutputInfo:
    word = node.text("layout", tuple(_LAYOUTS))
    layout, order = _LAYOUTS[word] if word else (None, None)
    order = _order(node, "order") or order
    is_nms = bool(order and order.is_nms)
    nms = node.node("nms")
    output = OutputInfo(
        name=_name(node),
        shape=None if is_nms else _shape(node, "shape"),
        hw_shape=_shape(node, "hw_shape"),
        order=order,
        dtype=node.text("dtype", DTYPES),
        quant=_quant(node),
        activation=node.text("activation", ACTIVATIONS),
        layout=layout,
        role=node.text("role"),
        stride=node.whole("stride", 1),
        network=node.text("network"),
        original_names=node.texts("original_names"),
        nms=_nms(nms),
        arrays=node.texts("arrays"),
        device_order=_order(node, "device_order"),
    )
    raw = {
        "layout": word if word != layout else None,
        "shape": node.sizes("shape", 1, 2, 3, 4) if is_nms else None,
        "nms": nms.rest() if nms else None,
    }
    kept = {key: list(value) if isinstance(value, tuple) else value for key, value in raw.items() if value}
    return replace(output, facts={**kept, **_facts(node)})


def _order(node: Node, key: str) -> FormatOrder | None:
    word = node.text(key)
    try:
        return FormatOrder.parse(word) if word else None
    except UnknownName as error:
        raise FormatError(
            f"{node.path}.{key}: {error.message}", wanted=error.wanted, hint=error.hint
        ) from error


def _quant(node: Node) -> Quant | None:
    scale, zero = node.get("scale"), node.get("zero_point")
    if scale is None:
        return None
    for value in (scale, 0 if zero is None else zero):
        if not is_number(value) and not (isinstance(value, (list, tuple)) and all(map(is_number, value))):
            raise FormatError(
                f"{node.path} has a scale or zero point that is no number",
                got=f"scale {scale!r:.60}, zero_point {zero!r:.60}",
                wanted="a number, or a list with one for each channel",
            )
    try:
        return Quant.of(scale, 0.0 if zero is None else zero)
    except QuantError as error:
        raise QuantError(
            f"{node.path}: {error.message}", got=error.got, wanted=error.wanted, hint=error.hint
        ) from error


def _nms(node: Node | None) -> NmsInfo | None:
    if node is None:
        return None
    return NmsInfo(
        classes=node.whole("number_of_classes"),
        max_per_class=node.whole("max_bboxes_per_class"),
        max_total=node.whole("max_bboxes_total"),
        score_threshold=node.number("score_threshold"),
        iou_threshold=node.number("iou_threshold"),
        image_size=_pair(node, "image_dims"),
        frame_bytes=node.whole("frame_bytes"),
        mask_threshold=node.number("mask_threshold"),
    )


def _anchors(node: Node | None) -> dict[int, tuple[tuple[float, float], ...]]:
    if node is None:
        return {}
    for key in node.value:
        if not (len(key) < 10 and key.isascii() and key.isdigit() and int(key) > 0):
            raise FormatError(
                "anchors are listed by stride", got=f"the key {key!r:.40}", wanted="such as '8'"
            )
    return {int(key): node.pairs(key) for key in node.value}


def _letterbox(node: Node | None) -> dict[str, Any] | None:
    if node is None:
        return None
    node.text("mode", LETTERBOX_MODES)
    for key in node.value.keys() - {"mode"}:
        node.number(key)
    return dict(node.value)


def _layer(node: Node) -> LayerInfo:
    return LayerInfo(
        name=_name(node),
        kind=node.text("kind") or "",
        shape=_shape(node, "shape"),
        activation=node.text("activation"),
        inputs=node.texts("inputs"),
        outputs=node.texts("outputs"),
        original_names=node.texts("original_names"),
    )


def _op(node: Node) -> OpInfo:
    fields = node.node("fields")
    return OpInfo(
        name=_name(node),
        kind=node.text("kind") or "",
        output=node.text("output"),
        inputs=node.texts("inputs"),
        nms=_nms(node.node("nms")),
        decoders=tuple(_decoder(one) for one in node.nodes("decoders")),
        fields=dict(fields.value) if fields else {},
    )


def _decoder(node: Node) -> DecoderInfo:
    layers = node.node("layers")
    named = {role: layers.text(role) or "" for role in layers.value} if layers else {}
    return DecoderInfo(stride=node.whole("stride"), layers=named, anchors=node.pairs("anchors"))


def _sniff(head: bytes, path: Path) -> bool:
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        return False
    if len(head) == HEAD_BYTES and b'"outputs"' not in head and path.stat().st_size <= MAX_BYTES:
        head = read_file(path)
    return b'"outputs"' in head and b'"net_params"' not in head  # the latter is the mark of a parsed graph


def _read(path: Path) -> NetworkInfo:
    return network_from_description(read_json(read_file(path), f"description {path.name!r}"))


FORMAT = Format("JSON description", _sniff, _read)
