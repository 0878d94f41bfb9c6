"""HAR archives of the Hailo compiler, and bare HN graphs, to NetworkInfo."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from hailo_decode.errors import FormatError
from hailo_decode.networks import _har_records as records
from hailo_decode.networks import _hn as hn
from hailo_decode.networks._document import Node, read_json
from hailo_decode.networks._end_names import first_end_name
from hailo_decode.networks._format import HEAD_BYTES, Format
from hailo_decode.networks._har_quant import with_quant
from hailo_decode.networks._tar import Member, is_gzip, is_tar, members
from hailo_decode.values.network import LayerInfo, NetworkInfo, OpInfo, OutputInfo

# Graphs of the largest public YOLO take 2 MB.
_MOST_HN = 6 << 20
_MOST_TEXT = 1 << 20
# A quantised model's parameters are looked at in place; through gzip they have to be unpacked to memory.
_MOST_PACKED_NPZ = 48 << 20

_TEXTS = (
    ".metadata.json",
    ".modifications_meta_data.json",
    ".nms.json",
    ".alls",
    ".original_model_meta.json",
)
_STATES = ("hailo_model", "fp_optimized_model", "quantized_model", "compiled_model")


@dataclass(slots=True)
class _Parts:
    """The members of an archive that are read, and where the others lie."""

    sizes: dict[str, int] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)
    places: dict[str, Member] = field(default_factory=dict)

    def ending(self, suffix: str) -> str | None:
        """Return the one member whose name is a network's name and this ending, None when absent."""
        stems = sorted((n[: -len(suffix)] for n in self.sizes if n.endswith(suffix)), key=len)
        if not all(stem.startswith(stems[0] + ".") for stem in stems[1:]):  # such as NAME.native beside NAME
            raise FormatError(f"the archive holds several {suffix}", got=", ".join(stems[:6]))
        return stems[0] + suffix if stems else None

    def json(self, suffix: str) -> Mapping[str, Any] | None:
        """Return the document of that ending, None when absent."""
        name = self.ending(suffix)
        return None if name is None else Node(self.document(name), name).value

    def document(self, name: str) -> Any:
        """Return what a member holds as JSON."""
        return read_json(self.data[name], name)


def _keep(packed: bool) -> Callable[[str, int], int]:
    """Return how many bytes of which members are kept in memory."""

    def keep(name: str, size: int) -> int:
        if name.endswith(".hn"):
            return _MOST_HN
        if name.endswith(".q.npz") and packed:
            return _MOST_PACKED_NPZ if size <= _MOST_PACKED_NPZ else 0
        return _MOST_TEXT if name.endswith(_TEXTS) else 0

    return keep


def _read(path: Path) -> NetworkInfo:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        file.seek(0)
        if is_tar(head) or is_gzip(head):
            return _from_archive(file, path.stem)
        data = file.read(_MOST_HN + 1)
    if len(data) > _MOST_HN:
        raise FormatError(f"{path.name} is larger than {_MOST_HN >> 20} MiB")
    parts = _Parts({f"{path.stem}.hn": len(data)}, {f"{path.stem}.hn": data})
    return _network(parts, path.stem)


def _from_archive(file: BinaryIO, stem: str) -> NetworkInfo:
    packed = is_gzip(file.read(2))
    file.seek(0)
    parts = _Parts()
    for member in members(file, _keep(packed)):
        parts.sizes[member.name] = member.size
        parts.places[member.name] = member
        if member.data is not None:
            parts.data[member.name] = member.data
    network = _network(parts, stem)
    name = parts.ending(".q.npz")
    if name is None or not parts.sizes[name]:
        return network
    if packed and name not in parts.data:
        why = f"{name} has {parts.sizes[name]} bytes and would have to be unpacked to memory; gunzip the archive"
        return replace(network, facts={**network.facts, "quant_not_read": why})
    if packed:
        return with_quant(network, memoryview(parts.data[name]), name)
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as whole:
        start = parts.places[name].offset
        with whole[start : start + parts.sizes[name]] as view:
            return with_quant(network, view, name)


def _graph_name(parts: _Parts, metadata: Mapping[str, Any]) -> str:
    """Return the member that holds the graph in force."""
    said = str(metadata.get("hn")).removeprefix("./")
    if said.endswith(".hn") and said in parts.data:
        return said
    plain = [n for n in parts.sizes if n.endswith(".hn") and not n.endswith((".native.hn", ".fp.hn"))]
    found = plain or [n for n in parts.sizes if n.endswith(".hn")]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(sorted(parts.sizes)[:12]) or "nothing"
    if not found:
        raise FormatError("the archive holds no HN graph", got=listed, wanted="a member such as NAME.hn")
    raise FormatError("the archive holds several graphs, and does not say which counts", got=", ".join(found))


def _network(parts: _Parts, stem: str) -> NetworkInfo:
    metadata = parts.json(".metadata.json") or {}
    name = _graph_name(parts, metadata)
    graph = hn.graph_of(parts.document(name), name)
    changed = parts.json(".modifications_meta_data.json")
    config = parts.json(".nms.json")
    state = Node(metadata, "metadata.json").text("state")
    step = _step(graph, changed, config, parts)
    scripted = state in _STATES[1:] or step is not None
    sigmoids = frozenset(step.fields.get("sigmoid_layers", ())) if step else frozenset()
    shown = hn.feeders(graph)
    heads = [graph.layers[n] for n in (step.inputs if step else ()) if n in graph.layers]
    outputs = tuple(_output(graph, layer, step, scripted, sigmoids) for layer in shown)
    inputs = hn.inputs_of(graph)
    sizes = {i.shape[:2] for i in inputs if i.shape}
    ends = [end for o in shown + heads if (end := first_end_name(_origin_names(graph, o)))]
    return NetworkInfo(
        name=graph.name or stem,
        source="har",
        input_size=next(iter(sizes)) if len(sizes) == 1 else None,
        inputs=inputs,
        outputs=outputs,
        heads=tuple(hn.output_of(graph, h, scripted=scripted, sigmoids=sigmoids) for h in heads),
        nms_free=any(e.one_to_one for e in ends) if any(e.branch.startswith("cv") for e in ends) else None,
        nms_done=any(o.nms is not None for o in outputs),
        anchors={d.stride: d.anchors for d in step.decoders if d.stride and d.anchors} if step else {},
        devices=(arch,) if isinstance(arch := metadata.get("hw_arch"), str) else (),
        compiler=Node(metadata, "metadata.json").text("sdk_version"),
        layers=tuple(graph.layers.values()),
        ops=(step,) if step else (),
        facts=_facts(parts, metadata, changed, config, graph),
    )


def _origin_names(graph: hn.Graph, layer: LayerInfo) -> tuple[str, ...]:
    return (graph.origin(layer.name) or layer).original_names


def _output(
    graph: hn.Graph, layer: LayerInfo, step: OpInfo | None, scripted: bool, sigmoids: frozenset[str]
) -> OutputInfo:
    if step is not None and layer.name == step.output:
        return OutputInfo(layer.name, nms=step.nms, original_names=layer.original_names)
    return hn.output_of(graph, layer, scripted=scripted, sigmoids=sigmoids)


def _step(
    graph: hn.Graph, changed: Mapping[str, Any] | None, config: Mapping[str, Any] | None, parts: _Parts
) -> OpInfo | None:
    """Return the suppression step that is in the graph, with what the records know of it.

    A configuration alone makes none: the parser writes one for every network whose head it knows.
    """
    found = hn.nms_layers(graph)
    if not found:
        return None
    layer = found[-1]
    where = parts.ending(".nms.json") or "nms.json"
    record: dict[str, Any] = {}
    for _, change in records.changes(changed, "outputs", "modifications_meta_data.json"):
        if change.text("cmd_type") == "nms_postprocess":
            lists = {key: change.texts(key) for key in ("hn_output_layers", "sigmoid_layers")}
            record = {**change.value, **lists}
    own = graph.params.get(layer.name, {})
    arch = record.get("meta_arch") or own.get("meta_arch") or layer.kind
    return OpInfo(
        name=layer.name,
        kind=str(arch).lower().replace("_", ""),
        output=layer.name,
        inputs=layer.inputs,
        nms=records.nms_of(config, where, hn.nms_of(graph, layer)),
        decoders=records.decoders_of(config, where),
        fields={**own, **record},
    )


def _facts(
    parts: _Parts,
    metadata: Mapping[str, Any],
    changed: Mapping[str, Any] | None,
    config: Mapping[str, Any] | None,
    graph: hn.Graph,
) -> dict[str, Any]:
    scripts = {n: parts.data[n].decode("utf-8", "replace") for n in parts.data if n.endswith(".alls")}
    before = [
        {"layer": layer, **change.value}
        for layer, change in records.changes(changed, "inputs", "modifications_meta_data.json")
    ]
    said = {
        "state": metadata.get("state"),
        "metadata": dict(metadata),
        "scripts": scripts,
        "modifications": changed,
        "before_input": before,
        "nms_json": config,
        "net_params": dict(graph.net_params),
        "members": dict(parts.sizes),
    }
    return {key: value for key, value in said.items() if value}


def _sniff(head: bytes, path: Path) -> bool:
    if is_tar(head):
        return True
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        return False
    if len(head) == HEAD_BYTES and b'"net_params"' not in head and path.stat().st_size <= _MOST_HN:
        head = path.read_bytes()
    return b'"net_params"' in head and b'"layers"' in head


FORMAT = Format("HAR or HN", _sniff, _read)
