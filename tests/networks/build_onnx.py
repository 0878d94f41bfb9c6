"""Builds made-up ONNX models: single nodes, and whole networks with a backbone, a head and its decoding.

model([node("Conv", ["x", "w"], ["y"], strides=[2, 2])], {"x": (1, 3, 64, 64)}, ["y"], [weight("w", (8, 3, 3, 3))])
network([("/model.22/cv2.0/cv2.0.2/Conv", 64, 8), ("/model.22/cv3.0/cv3.0.2/Conv", 3, 8)], (640, 640))
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from networks.onnx_oracle import MESSAGES

Dims = Sequence[int | str | None]


def node(op: str, inputs: Iterable[str], outputs: Iterable[str], name: str = "", **attributes: Any) -> Any:
    """One node; an attribute is a whole number, a real one, a text, a list of these, or a tensor."""
    made = MESSAGES["Node"](input=list(inputs), output=list(outputs), name=name, op_type=op)
    for key, value in attributes.items():
        attribute = made.attribute.add(name=key)
        if isinstance(value, int):
            attribute.i, attribute.type = value, 2
        elif isinstance(value, float):
            attribute.f, attribute.type = value, 1
        elif isinstance(value, str):
            attribute.s, attribute.type = value.encode(), 3
        elif isinstance(value, (list, tuple)) and value and isinstance(value[0], float):
            attribute.floats.extend(value)
            attribute.type = 6
        elif isinstance(value, (list, tuple)):
            attribute.ints.extend(value)
            attribute.type = 7
        else:
            attribute.t.CopyFrom(value)
            attribute.type = 4
    return made


def weight(name: str, dims: Sequence[int], *, raw: bytes = b"", external: str = "") -> Any:
    """A weight of which the reader needs the sizes alone: its numbers may be left out, or lie in another file."""
    made = MESSAGES["Tensor"](name=name, dims=list(dims), data_type=1, raw_data=raw)
    if external:
        made.external_data.add(key="location", value=external)
        made.data_location = 1
    return made


def numbers(name: str, values: Sequence[float], *, raw: bool = True) -> Any:
    """A small constant: whole numbers or real ones, as raw bytes or in their own field."""
    real = any(isinstance(v, float) for v in values)
    made = MESSAGES["Tensor"](name=name, dims=[len(values)], data_type=1 if real else 7)
    if raw:
        made.raw_data = struct.pack(f"<{len(values)}{'f' if real else 'q'}", *values)
    else:
        (made.float_data if real else made.int64_data).extend(values)
    return made


def value(name: str, dims: Dims | None) -> Any:
    """Type and shape of a tensor; a text is the name of a size that is free."""
    made = MESSAGES["Value"](name=name)
    made.type.tensor_type.elem_type = 1
    if dims is not None:
        made.type.tensor_type.shape.SetInParent()
        for size in dims:
            dim = made.type.tensor_type.shape.dim.add()
            if isinstance(size, int):
                dim.dim_value = size
            elif size is not None:
                dim.dim_param = size
    return made


def model(
    nodes: Iterable[Any],
    inputs: Mapping[str, Dims | None],
    outputs: Mapping[str, Dims | None] | Iterable[str],
    tensors: Iterable[Any] = (),
    *,
    values: Mapping[str, Dims] | None = None,
    metadata: Mapping[str, str] | None = None,
    opset: int = 17,
    ir: int = 8,
    weights_are_inputs: bool = False,
) -> bytes:
    """The bytes of a model."""
    made = MESSAGES["Model"](ir_version=ir, producer_name="pytorch", producer_version="2.8.0")
    made.opset_import.add(domain="", version=opset)
    graph = made.graph
    graph.name = "main_graph"
    graph.node.extend(nodes)
    graph.initializer.extend(tensors)
    graph.input.extend(value(n, d) for n, d in inputs.items())
    if weights_are_inputs:
        graph.input.extend(value(t.name, list(t.dims)) for t in graph.initializer)
    named = outputs if isinstance(outputs, Mapping) else dict.fromkeys(outputs)
    graph.output.extend(value(n, d) for n, d in named.items())
    graph.value_info.extend(value(n, d) for n, d in (values or {}).items())
    for key, text in (metadata or {}).items():
        made.metadata_props.add(key=key, value=text)
    return made.SerializeToString()


class Network:
    """Nodes and weights as they come together; tensors are named after the node that makes them."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []

    def add(self, op: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        """Add a node with one output, and return the output's name."""
        self.nodes.append(node(op, inputs, [f"{name}_output_0"], name, **attributes))
        return f"{name}_output_0"

    def conv(
        self, before: str, name: str, channels: int, inside: int, kernel: int = 1, stride: int = 1
    ) -> str:
        """Add a convolution and its weight."""
        self.tensors.append(weight(f"{name}.weight", (channels, inside, kernel, kernel)))
        return self.add(
            "Conv", [before, f"{name}.weight"], name, kernel_shape=[kernel] * 2, strides=[stride] * 2,
            pads=[kernel // 2] * 4, dilations=[1, 1], group=1,
        )  # fmt: skip

    def silu(self, before: str, name: str) -> str:
        """Add x * sigmoid(x)."""
        return self.add("Mul", [before, self.add("Sigmoid", [before], f"{name}/Sigmoid")], f"{name}/Mul")


Ends = Sequence[tuple[str, int, int]]


def network(
    ends: Ends,
    size: tuple[int, int] = (640, 640),
    *,
    decoding: str = "branches",
    labels: bool = True,
    proto: str | None = None,
    free: bool = False,
    **more: Any,
) -> bytes:
    """A network whose head ends in these convolutions.

    Parameters
    ----------
    ends : sequence of (name, channels, stride)
        In the order in which they stand in the graph.
    decoding : {"branches", "scales", "none"}
        How the head goes on: one tensor for each branch, with a softmax for 4 x 16 channels and a sigmoid
        for all others; box and class of a scale joined first; or not at all.
    labels : bool
        Whether nodes have names; without them tensors are numbered.
    proto : str or None
        Name of the module whose last convolution and activation make the prototypes.
    free : bool
        Whether the input's height and width are left open.
    """
    net = Network()
    features = {1: "images"}
    for stride in (2, 4, 8, 16, 32, 64)[: max(s for *_, s in ends).bit_length() - 1]:
        inside = 3 if stride == 2 else 16
        before = net.conv(features[stride // 2], f"/model.{stride}/conv/Conv", 16, inside, 3, 2)
        features[stride] = net.silu(before, f"/model.{stride}/act")
    outputs = []
    if proto:
        up = net.add("Resize", [features[8], "", "twice"], f"{proto}/up", mode="nearest")
        net.tensors.append(numbers("twice", [1.0, 1.0, 2.0, 2.0]))
        outputs.append(net.silu(net.conv(up, f"{proto}/cv3/conv/Conv", 32, 16), f"{proto}/cv3/act"))
    tensors = {}
    for name, channels, stride in ends:
        before = net.silu(net.conv(features[stride], f"{name}/before", 16, 16, 3), f"{name}/act")
        tensors[name] = net.conv(before, name, channels, 16)
    if decoding == "none":
        outputs += tensors.values()
    else:
        outputs.append(_decoded(net, ends, tensors, decoding))
    if not labels:
        _unlabel(net, outputs)
    shape = (1, 3, "height", "width") if free else (1, 3, *size)
    return model(net.nodes, {"images": shape}, outputs, net.tensors, **more)


def _decoded(net: Network, ends: Ends, tensors: Mapping[str, str], how: str) -> str:
    net.tensors += [numbers("flat", [1, -1, 0]), numbers("bins", [1, 4, 16, -1]), numbers("four", [1, 4, -1])]
    rows: dict[tuple[int, ...], list[str]] = {}
    for name, channels, stride in ends:
        net.tensors.append(numbers(f"{name}/shape", [1, channels, -1]))
        row = net.add("Reshape", [tensors[name], f"{name}/shape"], f"{name}/Reshape")
        rows.setdefault((channels,) if how == "branches" else (stride,), []).append(row)
    joined = {key: net.add("Concat", row, f"/head/Concat{key}", axis=-1) for key, row in rows.items()}
    parts = []
    for key, tensor in joined.items():
        if key == (64,) or how == "scales":
            folded = net.add("Reshape", [tensor, "bins"], f"/head/dfl/Reshape{key}")
            turned = net.add("Transpose", [folded], f"/head/dfl/Transpose{key}", perm=[0, 2, 1, 3])
            soft = net.add("Softmax", [turned], f"/head/dfl/Softmax{key}", axis=1)
            mean = net.conv(soft, f"/head/dfl/conv/Conv{key}", 1, 16)
            parts.append(net.add("Reshape", [mean, "four"], f"/head/dfl/out{key}"))
        if key != (64,) or how == "scales":
            parts.append(net.add("Sigmoid", [tensor], f"/head/Sigmoid{key}"))
    return net.add("Concat", parts, "/head/out", axis=1)


def _unlabel(net: Network, outputs: list[str]) -> None:
    """Take the names away and number the tensors, as exporters once did."""
    numbered: dict[str, str] = {}
    for made in net.nodes:
        made.name = ""
        for names in (made.input, made.output):
            for i, tensor in enumerate(names):
                if tensor.endswith("_output_0"):
                    names[i] = numbered.setdefault(tensor, str(100 + len(numbered)))
    outputs[:] = [numbered[o] for o in outputs]
