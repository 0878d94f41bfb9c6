"""A slow second reader of a HEF on top of the protobuf package: the twin of the package's own."""

import struct

import numpy as np
from networks.hef_oracle import Hef

HEADERS = {0: 32, 1: 28, 2: 44, 3: 56}
DEVICE = {0: "NHWC", 1: "NHCW", 2: "NC", 3: "FCR", 5: "NHW", 6: "HAILO NMS ON CHIP", 7: "F8CR", 13: "NHWC"}
HOST = {**DEVICE, 1: "NHWC", 6: "HAILO NMS BY CLASS", 8: "NHWC"}
NET_FLOW, HW_PADDING, MULTI_NETWORK, CHANNEL_SCALE = 13, 11, 8, 25


def parse(data):
    """Return the protobuf message of a file; "4.17" has the header of 32 bytes too."""
    version, size = struct.unpack(">II", data[4:12])
    start = HEADERS[version]
    if version == 1 and 28 + size + struct.unpack(">Q", data[16:24])[0] != len(data):
        start = 32
    return Hef.FromString(data[start : start + size])


def read(data):
    """Return everything that the package reads of inputs, outputs and steps, as plain tuples."""
    top = parse(data)
    needed = {e.type for e in top.extensions} if top.header.version else set()
    optional = {e.type for e in top.optional_extensions} if top.header.version else set()
    groups = [_group(group, top.header.arch, needed, optional) for group in top.groups]
    return {key: [one for group in groups for one in group[key]] for key in groups[0]}


def _group(group, arch, needed, optional):
    core, name = group, (group.partial[0].inner if group.partial else group).metadata.name
    if NET_FLOW in needed:
        core = next(op.core for op in group.ops if op.WhichOneof("op") == "core")
    if arch in (3, 4) and core.partial:
        core = core.partial[0].inner
    names = [name]
    if MULTI_NETWORK in optional and (core.networks or group.networks):
        names = list(core.networks or group.networks)
    inputs, outputs, pads = [], {}, {}
    for context in core.contexts:
        for edge in context.metadata.edges:
            if edge.switch.connection:
                continue
            network = f"{name}/{names[edge.network_index]}"
            for layer in _layers(edge, core.metadata.transposed, needed, optional, network):
                if edge.direction == 0:
                    inputs.append(layer)
                    continue
                outputs[layer["name"]] = layer
                if edge.HasField("pad_index"):
                    pads[edge.pad_index] = layer
    ops = (
        [_op(op, group, pads) for op in group.ops if op.WhichOneof("op") != "core"]
        if NET_FLOW in needed
        else []
    )
    order = list(core.fused.sorted_outputs) if core.fused.has_fused else []
    order = order or (list(group.partial[0].inner.sorted_outputs) if group.partial and not ops else [])
    order = order or list(group.sorted_outputs) or list(core.contexts[-1].metadata.sorted_outputs)
    fed = {name for op in ops for name in op["inputs"]}
    shown = [n for n in outputs if n not in fed] + [op["output"] for op in ops]
    return {
        "inputs": inputs,
        "layers": list(outputs.values()),
        "outputs": sorted(shown, key=order.index),
        "ops": ops,
    }


def _layers(edge, transposed, needed, optional, network, in_mux=False):
    kind = edge.WhichOneof("edge")
    if kind == "mux":
        for one in edge.mux.predecessors:
            yield from _layers(one, transposed, needed, optional, network, True)
    elif kind == "planes":
        p = edge.planes
        yield {"name": p.name, "shape": (p.height, p.width, p.features), "network": network}
    else:
        yield _layer(edge.info, transposed, needed, optional, network, in_mux)


def _layer(info, transposed, needed, optional, network, in_mux):
    base, numeric = info.base, info.numeric
    device = DEVICE.get(base.format)
    shape = (base.height, base.width, base.features)
    padded = (base.padded_height, base.padded_width, base.padded_features)
    limit = min(8192, base.shmifo_size or 8192)
    row = base.width * base.features
    by_chip = base.buffers_per_frame % 65536 == base.height and row % 8 == 0 and row * base.data_bytes < limit
    if device == "NHCW" and HW_PADDING not in optional and not in_mux and by_chip:
        padded = shape
    if (transposed or info.transposed) and device != "NC":
        shape = (base.width, base.height, base.features)
    scales, zeros = [numeric.scale], [numeric.zero_point]
    if CHANNEL_SCALE in needed:
        scales = [float(np.float32(v)) for v in numeric.scales] or scales
        zeros = [float(np.float32(v)) for v in numeric.zero_points] or zeros
    count = max(len(scales), len(zeros))
    is_nms = device == "HAILO NMS ON CHIP"
    nms = base.additional.nms
    most = nms.max_output * (nms.division or 1)
    return {
        "name": info.name,
        "shape": None if is_nms else shape,
        "hw_shape": None if is_nms else padded,
        "device": device,
        "order": HOST.get(base.format),
        "dtype": "float32" if is_nms else {1: "uint8", 2: "uint16"}.get(base.data_bytes),
        "quant": list(zip(scales * (count // len(scales)), zeros * (count // len(zeros)), strict=True)),
        "limits": [numeric.limit_min, numeric.limit_max],
        "original": tuple(info.original_names),
        "network": network,
        "nms": (nms.classes, most, 4 * nms.classes * (1 + 5 * most)) if is_nms else None,
    }


def _op(op, group, pads):
    sources = {edge.target: edge.source for edge in group.pad_edges}
    inputs = [pads[sources[pad.index]]["name"] for pad in op.input_pads]
    told = {"name": op.name, "output": op.output_pads[0].name, "inputs": inputs}
    if op.WhichOneof("op") == "logits":
        return {**told, "kind": ("argmax", "softmax")[op.logits.kind], "decoders": [], "numbers": None}
    nms, kind = op.nms, op.nms.WhichOneof("kind")
    inner = getattr(nms, kind)
    decoders = []
    for one in getattr(inner, "decoders", ()):
        fields = {f.name for f in one.DESCRIPTOR.fields}
        roles = {"pad": "encoded"}
        layers = {
            roles.get(f, f): pads[getattr(one, f)]["name"]
            for f in ("reg", "cls", "obj", "pad")
            if f in fields
        }
        anchors = list(zip(one.w, one.h, strict=True)) if "w" in fields else []
        decoders.append((getattr(one, "stride", None), layers, anchors))
    size = None if kind == "iou_only" else (inner.height, inner.width)
    return {
        **told,
        "kind": {"seg": "yolov5seg", "iou_only": "iou"}.get(kind, kind),
        "decoders": decoders,
        "numbers": (
            nms.score,
            nms.iou,
            nms.max_per_class,
            nms.classes,
            size,
            nms.bbox_only,
            nms.background_removal,
        ),
    }


def flat(network):
    """Return a NetworkInfo in the form of `read`; the heads of steps come from `heads`."""
    return {
        "inputs": [_flat_layer(one) for one in network.inputs],
        "layers": sorted(
            (_flat_layer(one) for one in (*network.outputs, *network.heads)), key=lambda one: one["name"]
        ),
        "outputs": [one.name for one in network.outputs],
        "ops": [_flat_op(op) for op in network.ops],
    }


def _flat_layer(one):
    if "planes" in one.facts:
        return {"name": one.name, "shape": one.shape, "network": one.network}
    return {
        "name": one.name,
        "shape": one.shape,
        "hw_shape": one.hw_shape,
        "device": one.device_order.value if one.device_order else None,
        "order": one.order.value if one.order else None,
        "dtype": one.dtype,
        "quant": list(zip(one.quant.scale, one.quant.zero_point, strict=True)) if one.quant else None,
        "limits": one.facts.get("limits", [0.0, 0.0]),
        "original": one.original_names,
        "network": one.network,
        "nms": (one.nms.classes, one.nms.max_per_class, one.nms.frame_bytes) if one.nms else None,
    }


def _flat_op(op):
    fields = op.fields
    size = (fields["image_height"], fields["image_width"]) if "image_height" in fields else None
    flags = (fields["bbox_decoding_only"], fields["background_removal"]) if op.nms else ()
    return {
        "name": op.name,
        "output": op.output,
        "inputs": list(op.inputs),
        "kind": op.kind,
        "decoders": [(d.stride, dict(d.layers), list(d.anchors)) for d in op.decoders],
        "numbers": op.nms
        and (
            op.nms.score_threshold,
            op.nms.iou_threshold,
            op.nms.max_per_class,
            op.nms.classes,
            size,
            *flags,
        ),
    }
