"""The inverse of a description: a NetworkInfo as the JSON object that says the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hailo_decode.values.network import DecoderInfo, LayerInfo, NetworkInfo, NmsInfo, OpInfo, OutputInfo


def description_of(network: NetworkInfo) -> dict[str, Any]:
    """Return a network as a mapping that JSON can hold; `network_from_description` is its inverse.

    Examples
    --------
    >>> description_of(NetworkInfo("net", "json", input_size=(320, 320)))
    {'name': 'net', 'input': [320, 320], 'nms_done': False, 'outputs': []}
    """
    inputs = network.inputs
    size = list(network.input_size) if network.input_size else None
    if size and len(inputs) == 1 and inputs[0] == OutputInfo("", shape=inputs[0].shape) and inputs[0].shape:
        size, inputs = list(inputs[0].shape), ()
    return _said(
        {
            "name": network.name,
            "source": None if network.source == "json" else network.source,
            "family": network.family,
            "task": network.task,
            "input": size,
            "nms_free": network.nms_free,
            "anchors": {str(stride): _pairs(anchors) for stride, anchors in network.anchors.items()},
            "keypoints": network.keypoints,
            "devices": network.devices,
            "compiler": network.compiler,
            "inputs": [_output(one) for one in inputs],
            "heads": [_output(one) for one in network.heads],
            "layers": [_layer(one) for one in network.layers],
            "ops": [_op(one) for one in network.ops],
            "image": network.image_size,
            "letterbox": network.letterbox,
            "facts": network.facts,
            "classes": network.classes,
        }
    ) | {"nms_done": network.nms_done, "outputs": [_output(one) for one in network.outputs]}


def _said(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Drop what says nothing, and turn tuples into the lists that JSON gives back."""
    kept = {key: value for key, value in entries.items() if value not in (None, "", (), [], {})}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in kept.items()}


def _pairs(pairs: tuple[tuple[float, float], ...]) -> list[list[float]]:
    return [list(pair) for pair in pairs]


def _output(output: OutputInfo) -> dict[str, Any]:
    quant = output.quant
    return (
        {"name": output.name}
        | _nms(output.nms)
        | _said(
            {
                "shape": output.shape,
                "hw_shape": output.hw_shape,
                "order": output.order.value if output.order else None,
                "device_order": output.device_order.value if output.device_order else None,
                "dtype": output.dtype,
                "scale": _one_or_all(quant.scale) if quant else None,
                "zero_point": _one_or_all(quant.zero_point) if quant else None,
                "activation": output.activation,
                "layout": output.layout,
                "role": output.role,
                "stride": output.stride,
                "network": output.network,
                "original_names": output.original_names,
                "arrays": output.arrays,
                "facts": output.facts,
            }
        )
    )


def _one_or_all(values: tuple[float, ...]) -> float | list[float]:
    return values[0] if len(values) == 1 else list(values)


def _nms(nms: NmsInfo | None) -> dict[str, Any]:
    if nms is None:
        return {}
    inside = _said(
        {
            "number_of_classes": nms.classes,
            "max_bboxes_per_class": nms.max_per_class,
            "max_bboxes_total": nms.max_total,
            "score_threshold": nms.score_threshold,
            "iou_threshold": nms.iou_threshold,
            "image_dims": nms.image_size,
            "frame_bytes": nms.frame_bytes,
            "mask_threshold": nms.mask_threshold,
        }
    )
    return {"nms": inside}


def _layer(layer: LayerInfo) -> dict[str, Any]:
    return {"name": layer.name} | _said(
        {
            "kind": layer.kind,
            "shape": layer.shape,
            "activation": layer.activation,
            "inputs": layer.inputs,
            "outputs": layer.outputs,
            "original_names": layer.original_names,
        }
    )


def _op(op: OpInfo) -> dict[str, Any]:
    return (
        {"name": op.name}
        | _nms(op.nms)
        | _said(
            {
                "kind": op.kind,
                "output": op.output,
                "inputs": op.inputs,
                "decoders": [_decoder(one) for one in op.decoders],
                "fields": op.fields,
            }
        )
    )


def _decoder(decoder: DecoderInfo) -> dict[str, Any]:
    return _said(
        {"stride": decoder.stride, "layers": dict(decoder.layers), "anchors": _pairs(decoder.anchors)}
    )
