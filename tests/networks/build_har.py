"""Builds made-up HAR archives and HN graphs, shaped as the compiler writes them (never copied from one).

`yolov8_hn` gives a graph in any of the states that a check has to tell apart, `modifications` and `nms_json`
the two records that go with it, and `har` packs all of it into the bytes of an archive:

    graph = yolov8_hn("drone", 640, classes=3, nms=True, split=("conv53",))
    path.write_bytes(har(graph, modifications=modifications(graph), nms_json=nms_json(graph)))
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from networks.build_archives import pack

Json = dict[str, Any]


def layer(
    kind: str,
    shape: Sequence[int] | None = None,
    inputs: Iterable[str] = (),
    *,
    original: Iterable[str] = (),
    **params: Any,
) -> Json:
    """One layer of an HN; `hn` fills in its `output` and `input_shapes` from the layers around it."""
    entry: Json = {"type": kind, "input": list(inputs), "output": [], "original_names": list(original)}
    if shape is not None:
        entry["output_shapes"] = [[-1, *shape]]
    if params:
        entry["params"] = params
    return entry


def conv(
    shape: Sequence[int], inputs: Iterable[str], *, activation: str = "silu", kernel: int = 1, **more: Any
) -> Json:
    """A convolution with the parameters that the compiler writes for one."""
    return layer(
        "conv",
        shape,
        inputs,
        kernel_shape=[kernel, kernel, 0, shape[-1]],
        strides=[1, 1, 1, 1],
        padding="SAME_TENSORFLOW",
        groups=1,
        activation=activation,
        **more,
    )


def hn(name: str, layers: Mapping[str, Json], order: Sequence[str] | None = None) -> Json:
    """A whole HN: names are given the scope `name`, links run both ways, and shapes are copied to the inputs.

    `order` is `output_layers_order`; left out, it is the layers before the `output_layer` entries.
    """

    def scoped(layer_name: str) -> str:
        return layer_name if "/" in layer_name else f"{name}/{layer_name}"

    done = {
        scoped(key): {**entry, "input": [scoped(i) for i in entry["input"]]} for key, entry in layers.items()
    }
    for key, entry in done.items():
        entry["output"] = [k for k, other in done.items() if key in other["input"]]
        known = [done[i]["output_shapes"][0] for i in entry["input"] if "output_shapes" in done.get(i, {})]
        entry.setdefault("input_shapes", known)
        if known and "kernel_shape" in entry.get("params", {}):
            entry["params"]["kernel_shape"][2] = known[0][-1]
    sinks = [entry["input"][0] for entry in done.values() if entry["type"] == "output_layer"]
    return {
        "name": name,
        "net_params": {
            "output_layers_order": [scoped(o) for o in order] if order is not None else sinks,
            "net_scopes": [name],
            "is_transposed": False,
        },
        "layers": done,
    }


def yolov8_hn(
    name: str = "net",
    input_size: int | tuple[int, int] = 640,
    classes: int = 80,
    bins: int = 16,
    conv_numbers: Sequence[Sequence[int]] = ((41, 42), (52, 53), (62, 63)),
    strides: Sequence[int] = (8, 16, 32),
    *,
    module: int = 22,
    extra: int | None = None,
    proto: bool = False,
    sigmoid: bool | Iterable[str] = False,
    nms: bool = False,
    split: Iterable[str] = (),
    normalization: bool = True,
    order: Sequence[str] | None = None,
    original_names: bool = True,
) -> Json:
    """A graph with a distance head: per scale a box conv, a class conv, and an extra one where asked.

    Parameters
    ----------
    conv_numbers : one entry for each scale
        Numbers of the box conv, the class conv and the extra conv.
    extra : int or None
        Channels of a third branch (``cv4``): mask coefficients, keypoints or an angle.
    proto : bool
        Whether a mask prototype of 32 channels at a quarter of the input's size is an output too.
    sigmoid : bool or names
        Class convs that carry a sigmoid; True means all of them.
    nms : bool
        Whether the graph is as after `nms_postprocess`: one step takes the place of the six output layers.
    split : names
        Convs whose activation was split off: ``ne_activation_<conv>`` stands between them and what follows.
    """
    height, width = (input_size, input_size) if isinstance(input_size, int) else input_size
    layers: dict[str, Json] = {"input_layer1": layer("input_layer", (height, width, 3))}
    before = "input_layer1"
    if normalization:
        layers["normalization1"] = layer("normalization", (height, width, 3), [before], activation="linear")
        before = "normalization1"
    heads: list[str] = []
    splits = set(split)
    for i, (stride, numbers) in enumerate(zip(strides, conv_numbers, strict=True)):
        grid = (height // stride, width // stride)
        neck = f"conv{min(numbers) - 1}"
        layers[neck] = conv((*grid, 64), [before], kernel=3)
        branches = [("cv2", 4 * bins), ("cv3", classes), *([("cv4", extra)] if extra is not None else [])]
        for (branch, channels), number in zip(branches, numbers, strict=False):
            own = f"conv{number}"
            hot = branch == "cv3" and (own in sigmoid if not isinstance(sigmoid, bool) else sigmoid)
            names = [f"/model.{module}/{branch}.{i}/{branch}.{i}.2/Conv"] if original_names else []
            cut = own in splits
            activation = "sigmoid" if hot and not cut else "linear"
            layers[own] = conv((*grid, channels), [neck], activation=activation, original=names)
            heads.append(own)
            if cut:
                kind = "sigmoid" if hot else "linear"
                layers[f"ne_activation_{own}"] = layer(
                    "activation", (*grid, channels), [own], activation=kind
                )
        before = neck
    if proto:
        names = [f"/model.{module}/proto/cv3/conv/Conv", f"/model.{module}/proto/cv3/act/Mul"]
        number = min(map(min, conv_numbers)) - 2
        before = f"conv{min(conv_numbers[0]) - 1}"
        layers[f"conv{number}"] = conv((height // 4, width // 4, 32), [before], original=names)
        heads.append(f"conv{number}")
    feeders = [f"ne_activation_{h}" if h in splits else h for h in heads]
    if nms:
        step = layer("postprocess", None, feeders, meta_arch="yolov8", postprocess_type="nms", iou_th=0.7)
        step["params"] |= {"max_proposals_per_class": 100, "engine": "cpu"}
        step["output_shapes"] = [[-1, classes, 5, 100]]
        layers["yolov8_nms_postprocess"] = step
        layers["postprocess_output_layer"] = layer(
            "output_layer", None, ["yolov8_nms_postprocess"], engine="cpu"
        )
        layers["postprocess_output_layer"]["output_shapes"] = [[-1, classes, 5, 100]]
    else:
        for k, (feeder, head) in enumerate(zip(feeders, heads, strict=True), 1):
            shape = layers[head]["output_shapes"][0][1:]
            layers[f"output_layer{k}"] = layer("output_layer", shape, [feeder])
    return hn(name, layers, order)


def _by_branch(graph: Json) -> list[dict[str, str]]:
    """For each scale the names of its convs by branch, from the original names."""
    scales: dict[str, dict[str, str]] = {}
    for key, entry in graph["layers"].items():
        for original in entry["original_names"]:
            parts = original.split("/")
            if parts[2].rpartition(".")[0] in ("cv2", "cv3", "cv4"):
                branch, _, scale = parts[2].rpartition(".")
                scales.setdefault(scale, {})[branch] = key
    return [scales[s] for s in sorted(scales)]


def nms_json(graph: Json, **changes: Any) -> Json:
    """The decoder configuration that fits a graph of `yolov8_hn`; any field can be replaced."""
    entry = graph["layers"]
    size = next(e["output_shapes"][0][1:3] for e in entry.values() if e["type"] == "input_layer")
    decoders = [
        {
            "name": f"bbox_decoder{s['cv2'].rpartition('conv')[2]}",
            "stride": size[0] // entry[s["cv2"]]["output_shapes"][0][1],
            "reg_layer": s["cv2"],
            "cls_layer": s["cv3"],
        }
        for s in _by_branch(graph)
    ]
    first = _by_branch(graph)[0]
    return {
        "nms_scores_th": 0.2,
        "nms_iou_th": 0.7,
        "image_dims": list(size),
        "max_proposals_per_class": 100,
        "classes": entry[first["cv3"]]["output_shapes"][0][-1],
        "regression_length": entry[first["cv2"]]["output_shapes"][0][-1] // 4,
        "background_removal": False,
        "background_removal_index": 0,
        "bbox_decoders": decoders,
    } | changes


def modifications(
    graph: Json,
    *,
    nms: bool = True,
    normalization: tuple[Sequence[float], Sequence[float]] | None = ((0.0,) * 3, (255.0,) * 3),
    resize: Sequence[int] | None = None,
    conversion: str | None = None,
    sigmoid_layers: Sequence[str] | None = None,
    hn_output_layers: Sequence[str] | None = None,
) -> Json:
    """The record of model changes: what stands before the input, and the NMS step and its layers."""
    scales = _by_branch(graph)
    name = graph["name"]
    before: list[Json] = []
    if normalization:
        mean, std = normalization
        before.append({"cmd_type": "normalization", "mean": list(mean), "std": list(std)})
    if resize:
        before.append({"cmd_type": "resize", "output_shape": [-1, *resize, 3]})
    if conversion:
        before.append(
            {"cmd_type": "input_conversion", "conversion_type": conversion, "emulate_conversion": False}
        )
    record: Json = {"inputs": {f"{name}/input_layer1": before} if before else {}, "outputs": {}}
    if nms:
        layers = [s[b] for s in scales for b in ("cv2", "cv3")]
        record["outputs"][f"{name}/postprocess_output_layer"] = [
            {
                "cmd_type": "nms_postprocess",
                "meta_arch": "yolov8",
                "engine": "cpu",
                "hn_output_layers": list(layers if hn_output_layers is None else hn_output_layers),
                "sigmoid_layers": list(
                    (s["cv3"] for s in scales) if sigmoid_layers is None else sigmoid_layers
                ),
            }
        ]
    return record


def har(
    graph: Json | None = None,
    *,
    layers: Mapping[str, Json] | None = None,
    name: str | None = None,
    modifications: Json | None = None,
    nms_json: Json | None = None,
    state: str = "hailo_model",
    script: str | None = None,
    auto_script: str | None = None,
    sdk: str = "3.33.1",
    metadata: Mapping[str, Any] | None = None,
    quant: bytes | None = None,
    more: Mapping[str, bytes] | None = None,
    compress: bool = False,
) -> bytes:
    """The bytes of a HAR.

    Parameters
    ----------
    graph : HN, or None
        As `yolov8_hn` or `hn` makes it; `layers` is the short way to give bare layers.
    quant : bytes or None
        The ``.q.npz``, as `build_archives.qparams` makes it.
    more : mapping of str to bytes
        Further members by full name; one with the name of a usual member takes its place.
    compress : bool
        Whether the tar is put through gzip.
    """
    graph = graph if graph is not None else hn(name or "net", layers or {})
    name = name or graph["name"]
    nms_engine = {"nms_meta_arch": "yolov8", "nms_engine": "cpu"} if nms_json else {}
    about = {"state": state, "sdk_version": sdk, "hn": f"{name}.hn", **nms_engine, **(metadata or {})}
    members: dict[str, bytes] = {f"{name}.metadata.json": json.dumps(about).encode()}
    members[f"{name}.hn"] = json.dumps(graph).encode()
    if modifications is not None:
        members[f"{name}.modifications_meta_data.json"] = json.dumps(modifications).encode()
    if nms_json is not None:
        members[f"{name}.nms.json"] = json.dumps(nms_json).encode()
    for text, suffix in ((script, "alls"), (auto_script, "auto.alls")):
        if text is not None:
            members[f"{name}.{suffix}"] = text.encode()
    if quant is not None:
        members[f"{name}.q.npz"] = quant
    return pack({**members, **(more or {})}, compress=compress)
