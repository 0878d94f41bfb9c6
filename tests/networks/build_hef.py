"""HEF files made up for tests, byte by byte: every header version, kind of layer and kind of step.

``hef(outputs=[layer("conv41", (80, 80, 64))])`` is enough for a file that reads. Values that are not given
are those of a file that HailoRT would take.
"""

import hashlib
import struct
import zlib
from dataclasses import dataclass, field, replace
from typing import Any

import xxhash
from networks.hef_oracle import Hef

MAGIC = b"\x01HEF"
FORMATS = {
    "NHWC": 0,
    "NHCW": 1,
    "NC": 2,
    "FCR": 3,
    "BAYER": 4,
    "NHW": 5,
    "NMS": 6,
    "F8CR": 7,
    "RGB888": 8,
    "YYUV": 14,
}
ARCHS = {"hailo8": 0, "hailo8l": 3, "hailo15m": 4, "hailo15l": 6, "hailo10h": 103, "hailo15h": 103}
NET_FLOW, HW_PADDING, MULTI_NETWORK, CHANNEL_SCALE, PERIPH = 13, 11, 8, 25, 26


@dataclass(frozen=True)
class LayerSpec:
    """One boundary layer; see `layer`."""

    name: str
    fields: dict[str, Any]
    pad: int | None = None
    network: int = 0
    context: int = 0
    connection: int = 0
    is_input: bool = False
    kind: str = "info"


@dataclass(frozen=True)
class OpSpec:
    """One step of the host; see `yolov8` and its neighbours."""

    name: str
    kind: str
    fields: dict[str, Any]
    inputs: tuple[str, ...]
    output: str
    pad: dict[str, Any] = field(default_factory=dict)


def layer(
    name,
    shape,
    *,
    order="NHCW",
    hw_shape=None,
    dtype="uint8",
    scale=0.1,
    zero_point=128.0,
    limits=None,
    scales=(),
    zero_points=(),
    transposed=False,
    original=(),
    base=(),
    nms=None,
    hn_name="",
    **rest,
):
    """An output (or, with ``is_input=True``, an input) of the chip.

    `shape` is (height, width, channels), `base` holds further fields of the layer's base, and `nms` those of
    an NMS on the chip. ``pad=-1`` makes a layer that no step can name.
    """
    hw = hw_shape or shape
    top = 255 if dtype == "uint8" else 65535
    low, high = limits or (-zero_point * scale, (top - zero_point) * scale)
    sides = dict(zip(("height", "width", "features"), shape, strict=True))
    padded = dict(zip(("padded_height", "padded_width", "padded_features"), hw, strict=True))
    width = {"uint8": 1, "uint16": 2}.get(dtype, dtype)
    fields = {
        "name": name,
        "base": {**sides, **padded, "format": FORMATS.get(order, order), "data_bytes": width, **dict(base)},
        "numeric": {
            "scale": scale,
            "zero_point": zero_point,
            "limit_min": low,
            "limit_max": high,
            "scales": list(scales),
            "zero_points": list(zero_points),
        },
        "transposed": transposed,
        "original_names": list(original),
        "hn_name": hn_name,
    }
    if nms is not None:
        fields["base"]["additional"] = {"nms": nms}
    return LayerSpec(name, fields, **rest)


def mux(name, parts, **rest):
    """One stream that carries several layers, or muxes of them."""
    fields = {
        "name": name,
        "predecessors": [{one.kind: one.fields} for one in parts],
        "data": {"count": len(parts)},
    }
    return LayerSpec(name, fields, kind="mux", **rest)


def planes(name, shape, parts, layout=0, **rest):
    """An input of several planes: NV12, NV21 or I420 by `layout`."""
    sides = dict(zip(("height", "width", "features"), shape, strict=True))
    fields = {"name": name, "format": layout, "parts": [{one.kind: one.fields} for one in parts], **sides}
    return LayerSpec(name, fields, kind="planes", **rest)


def _nms(score=0.2, iou=0.7, classes=80, most=100, background=None, bbox_only=False):
    fields = {"score": score, "iou": iou, "classes": classes, "max_per_class": most, "bbox_only": bbox_only}
    return (
        fields
        if background is None
        else {**fields, "background_removal": True, "background_index": background}
    )


def _named(decoders):
    return tuple(dict.fromkeys(name for decoder in decoders for name in decoder if isinstance(name, str)))


def yolov8(
    decoders, size=(640, 640), *, name="yolov8_nms_postprocess", output=None, bins=16, division=0, **nms
):
    """YOLOv8's step; `decoders` holds (stride, name of the reg layer, name of the cls layer)."""
    inner = [{"stride": stride, "reg": reg, "cls": cls} for stride, reg, cls in decoders]
    fields = {
        "height": size[0],
        "width": size[1],
        "decoders": inner,
        "regression_length": bins,
        "division": division,
    }
    return OpSpec(
        name, "yolov8", {**_nms(**nms), "yolov8": fields}, _named(decoders), output or f"net/{name}"
    )


def yolox(decoders, size=(640, 640), *, name="yolox_nms_postprocess", output=None, **nms):
    """YOLOX's step; `decoders` holds (stride, reg, cls, obj)."""
    inner = [{"stride": stride, "reg": reg, "cls": cls, "obj": obj} for stride, reg, cls, obj in decoders]
    fields = {"height": size[0], "width": size[1], "decoders": inner}
    return OpSpec(name, "yolox", {**_nms(**nms), "yolox": fields}, _named(decoders), output or f"net/{name}")


def _anchored(decoders):
    return [
        {"stride": stride, "pad": encoded, "w": [w for w, _ in anchors], "h": [h for _, h in anchors]}
        for stride, encoded, anchors in decoders
    ]


def yolov5(decoders, size=(640, 640), *, name="yolov5_nms_postprocess", output=None, division=0, **nms):
    """YOLOv5's step; `decoders` holds (stride, encoded layer, [(anchor width, height), ...])."""
    fields = {"height": size[0], "width": size[1], "decoders": _anchored(decoders), "division": division}
    return OpSpec(
        name, "yolov5", {**_nms(**nms), "yolov5": fields}, _named(decoders), output or f"net/{name}"
    )


def yolov5_seg(
    decoders,
    proto,
    size=(640, 640),
    *,
    name="yolov5seg_nms",
    output=None,
    mask=0.5,
    count=32,
    stride=4,
    **nms,
):
    """YOLOv5-seg's step; `proto` names the layer with the prototypes."""
    info = {"layer": proto, "number": count, "stride": stride}
    fields = {
        "height": size[0],
        "width": size[1],
        "decoders": _anchored(decoders),
        "proto": info,
        "mask_threshold": mask,
    }
    inputs = (*_named(decoders), proto)
    return OpSpec(name, "seg", {**_nms(**nms), "seg": fields}, inputs, output or f"net/{name}")


def ssd(
    decoders,
    size=(300, 300),
    *,
    name="ssd_nms_postprocess",
    output=None,
    scales=(10, 5),
    order=(0, 1, 2, 3),
    **nms,
):
    """SSD's step; `decoders` holds (reg, cls, [(anchor width, height), ...]) with fractions of the image."""
    inner = [
        {"reg": reg, "cls": cls, "w": [w for w, _ in anchors], "h": [h for _, h in anchors]}
        for reg, cls, anchors in decoders
    ]
    fields = {
        "height": size[0],
        "width": size[1],
        "centres_scale": scales[0],
        "sizes_scale": scales[1],
        **dict(zip(("ty", "tx", "th", "tw"), order, strict=True)),
        "decoders": inner,
    }
    return OpSpec(name, "ssd", {**_nms(**nms), "ssd": fields}, _named(decoders), output or f"net/{name}")


def iou_only(source, *, name="iou_nms_postprocess", output=None, **nms):
    """Suppression alone, behind an NMS on the chip."""
    return OpSpec(name, "iou_only", {**_nms(**nms), "iou_only": {}}, (source,), output or f"net/{name}")


def logits(kind, source, *, order=6, dtype=1, name=None, output=None, scale=1.0, zero_point=0.0):
    """Softmax (``kind=1``) or argmax (``kind=0``) on the host; `order`, `dtype` as its pad has them."""
    name = name or ("argmax", "softmax")[kind]
    pad = {"order": order, "type": dtype, "numeric": {"scale": scale, "zero_point": zero_point}}
    return OpSpec(name, "logits", {"kind": kind}, (source,), output or f"net/{name}", pad)


def message(
    outputs=(),
    *,
    inputs=None,
    op=None,
    ops=(),
    name="net",
    arch="hailo8",
    sdk=(5, 2, 0),
    sdk_text="",
    networks=None,
    sorted_outputs=None,
    extensions=(),
    optional=(HW_PADDING, MULTI_NETWORK),
    drop=(),
    net_flow=None,
    partial=(),
    transposed=False,
    fused=None,
    header_version=5,
    resources=(),
    groups=1,
):
    """The metadata message of a HEF; `hef` puts it into a file.

    Parameters
    ----------
    partial : sequence of int
        Bitmaps of the layouts that the group is held for.
    drop : sequence of int
        Extensions to leave out that would be there.
    net_flow : bool, optional
        Whether the group is a graph of steps; by default it is where there are steps.
    """
    ops = (*((op,) if op else ()), *ops)
    net_flow = bool(ops) if net_flow is None else net_flow
    ins = (
        [layer(f"{name}/input_layer1", (640, 640, 3), order="NHWC", scale=1.0, zero_point=0.0)]
        if inputs is None
        else inputs
    )
    ins = [replace(one, is_input=True) for one in ins]
    outs = _with_pads(list(outputs))
    core = _core([*ins, *outs], name, networks, transposed, fused)
    flat = [part for one in outs for part in _parts(one)]
    fed = {source for one in ops for source in one.inputs}
    listed = [n for n in flat if n not in fed] + [one.output for one in ops]
    told = {"sorted_outputs": listed if sorted_outputs is None else list(sorted_outputs)}
    if net_flow:
        inner = (
            {"partial": [{"inner": core, "layout": {"bitmap": bit}} for bit in partial]} if partial else core
        )
        steps, edges = _steps(ops, {one.name: one.pad for one in outs if one.pad >= 0})
        group = {**told, "metadata": core["metadata"], "ops": [{"name": "core", "core": inner}, *steps]}
        group["pad_edges"] = edges
    elif partial:
        inner = {**core, **told}
        group = {"partial": [{"inner": inner, "layout": {"bitmap": bit}} for bit in partial]}
    else:
        group = {**core, **told}
    needed = {PERIPH, *extensions, *({NET_FLOW} if net_flow else ())} - set(drop)
    return {
        "header": {
            "arch": ARCHS.get(arch, arch),
            "timestamp": 1_700_000_000_000,
            "version": header_version,
            "sdk_text": sdk_text,
            "sdk": dict(zip(("major", "minor", "revision"), sdk, strict=True)) if sdk else {},
        },
        "groups": [group] * groups,
        "extensions": [{"type": number, "name": f"extension {number}"} for number in sorted(needed)],
        "optional_extensions": [{"type": number} for number in optional],
        "resources": list(resources),
    }


def _parts(spec):
    if spec.kind != "mux":
        return [spec.fields["name"]]
    inner = [(kind, fields) for one in spec.fields["predecessors"] for kind, fields in one.items()]
    return [name for kind, fields in inner for name in _parts(LayerSpec(fields["name"], fields, kind=kind))]


def _with_pads(outputs):
    """Give every output a pad of its own; numbers are far from positions, so that mix-ups show."""
    return [one if one.pad is not None else replace(one, pad=20 + i) for i, one in enumerate(outputs)]


def _core(layers, name, networks, transposed, fused):
    contexts = [[] for _ in range(1 + max((one.context for one in layers), default=0))]
    for one in layers:
        edge = {
            "direction": 0 if one.is_input else 1,
            one.kind: one.fields,
            "switch": {"connection": one.connection},
            "network_index": one.network,
        }
        if one.pad is not None and one.pad >= 0:
            edge["pad_index"] = one.pad
        contexts[one.context].append(edge)
    core = {
        "metadata": {"name": name, "transposed": transposed, "bottleneck_fps": 100.5, "latency": 0.01},
        "contexts": [
            {"index": i, "metadata": {"name": f"context_{i}", "edges": edges}}
            for i, edges in enumerate(contexts)
        ],
        "networks": [name] if networks is None else list(networks),
    }
    return {**core, "fused": fused} if fused else core


def _steps(ops, pads):
    """Steps with input pads of their own, and the edges from the chip's pads to them."""
    made, edges, following = [], [], 100
    for op in ops:
        inputs = []
        for source in op.inputs:
            following += 1
            inputs.append({"index": following, "name": source})
            if source in pads:
                edges.append({"source": pads[source], "target": following})
        key = "logits" if op.kind == "logits" else "nms"
        fields = _numbered(op.fields, pads)
        made.append(
            {
                "name": op.name,
                "input_pads": inputs,
                "output_pads": [{"name": op.output, **op.pad}],
                key: fields,
            }
        )
    return made, edges


def _numbered(value, pads):
    """Put the number of a pad where a decoder names a layer."""
    if isinstance(value, dict):
        names = ("reg", "cls", "obj", "pad")
        return {
            k: pads.get(v, 9999) if k in names and isinstance(v, str) else _numbered(v, pads)
            for k, v in value.items()
        }
    return [_numbered(one, pads) for one in value] if isinstance(value, list) else value


def hef(outputs=(), *, version=3, weights=b"\x5a" * 256, padding=b"", extra=b"", whole=False, **rest):
    """A whole HEF; what is not named here goes to `message`.

    `whole` makes a file of version 3 carry the checksum of everything instead of that of its metadata.
    """
    metadata = Hef(**message(outputs, **rest)).SerializeToString()
    return wrap(metadata, version, weights, padding, extra, whole=whole)


def wrap(metadata, version=3, weights=b"", padding=b"", extra=b"", *, whole=False):
    """Put a header before a metadata message.

    Version "4.17" is how that HailoRT wrote version 1; files of version 0 have their weights in the metadata.
    """
    weights = b"" if version == 0 else weights
    size, plain = len(metadata), metadata + weights
    if version == 3:
        own = 0 if whole else xxhash.xxh3_64_intdigest(metadata)
        body = metadata + padding + weights + extra
        sums = (xxhash.xxh3_64_intdigest(body), len(padding) + len(weights), len(padding), len(extra), own, 0)
        return MAGIC + struct.pack(">IIQQIQQQ", 3, size, *sums) + body
    md5 = hashlib.md5(plain, usedforsecurity=False).digest()
    headers = {
        0: struct.pack(">III", 0, size, 0) + md5,
        1: struct.pack(">IIIQI", 1, size, zlib.crc32(plain), len(weights), 0),
        "4.17": struct.pack(">III", 1, size, len(weights)) + md5,
        2: struct.pack(">IIQQQQ", 2, size, xxhash.xxh3_64_intdigest(plain), len(weights), 0, 0),
    }
    return MAGIC + headers[version] + plain
