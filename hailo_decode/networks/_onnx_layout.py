"""Shape rules of the ONNX operators that keep, join, cut or turn tensors, or compute with shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hailo_decode.networks._onnx_call import Call, Numbers, axis_of, product
from hailo_decode.networks._onnx_graph import Shape

MOST_NUMBERS = 64
_LONG = 1 << 40

_KEEPING = [
    "Abs", "BatchNormalization", "Cast", "Ceil", "Celu", "Clip", "Cos", "DequantizeLinear", "Dropout", "Elu",
    "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "Identity", "InstanceNormalization",
    "LayerNormalization", "LeakyRelu", "Log", "LogSoftmax", "Mish", "Neg", "QuantizeLinear", "Reciprocal",
    "Relu", "Round", "Selu", "Sigmoid", "Sin", "Softmax", "Softplus", "Softsign", "Sqrt", "Swish",
    "Tanh", "ThresholdedRelu",
]  # fmt: skip
_BROADCASTING = [
    "Add", "And", "Div", "Equal", "Greater", "Less", "Max", "Mean", "Min", "Mod", "Mul", "Or", "PRelu", "Pow",
    "Sub", "Sum", "Where",
]  # fmt: skip
_REDUCING = ["ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "ArgMax", "ArgMin"]


def _keep(call: Call) -> list[Shape | None]:
    return [call.shape()]


def _broadcast(call: Call) -> list[Shape | None]:
    shapes = [call.shape(i) for i in range(len(call.node.inputs))]
    if any(s is None for s in shapes):
        return []
    known = [s for s in shapes if s is not None]
    rank = max(map(len, known), default=0)
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in known]
    sizes: list[int | None] = []
    for column in zip(*padded, strict=True):
        others = [n for n in column if n != 1]
        fixed = [n for n in others if n is not None]
        sizes.append(fixed[0] if fixed else (None if others else 1))
    return [tuple(sizes)]


def _concat(call: Call) -> list[Shape | None]:
    shapes = [call.shape(i) for i in range(len(call.node.inputs))]
    first = shapes[0] if shapes else None
    axis = axis_of(call.whole("axis"), len(first)) if first else None
    if first is None or axis is None or any(s is None or len(s) != len(first) for s in shapes):
        return []
    along = [s[axis] for s in shapes if s is not None]
    total = None if None in along else sum(n for n in along if n is not None)
    return [(*first[:axis], total, *first[axis + 1 :])]


def _split(call: Call) -> list[Shape | None]:
    shape, count = call.shape(), len(call.node.outputs)
    axis = axis_of(call.whole("axis"), len(shape)) if shape else None
    if shape is None or axis is None:
        return []
    parts: tuple[int | None, ...] | None = call.list("split") or call.wholes(1)
    size = shape[axis]
    if parts is None:
        each = None if size is None else -(-size // max(count, 1))
        last = None if size is None or each is None else size - each * (count - 1)
        parts = (*(each,) * (count - 1), last)
    return [(*shape[:axis], part, *shape[axis + 1 :]) for part in parts]


def _slice(call: Call) -> list[Shape | None]:
    shape = call.shape()
    starts = call.list("starts") or call.wholes(1)
    ends = call.list("ends") or call.wholes(2)
    if shape is None or starts is None or ends is None or len(starts) != len(ends):
        return []
    axes = call.list("axes") or call.wholes(3) or tuple(range(len(starts)))
    steps = call.wholes(4) or (1,) * len(starts)
    if not len(axes) == len(steps) == len(starts):
        return []
    sizes = list(shape)
    for start, end, place, step in zip(starts, ends, axes, steps, strict=True):
        axis = axis_of(place, len(shape))
        size = None if axis is None else shape[axis]
        if axis is None or step == 0:
            return []
        sizes[axis] = None if size is None else len(range(*slice(start, end, step).indices(size)))
    return [tuple(sizes)]


def _reshape(call: Call) -> list[Shape | None]:
    shape, target = call.shape(), call.numbers(1) or call.list("shape")
    if target is None:
        return []
    kept = [
        (shape[i] if shape and i < len(shape) else None) if n == 0 and not call.whole("allowzero") else n
        for i, n in enumerate(target)
    ]
    sizes = [None if n is None or not -1 <= n < _LONG else int(n) for n in kept]
    total = product(shape) if shape else None
    if sizes.count(-1) == 1 and None not in sizes:
        rest = product(tuple(n for n in sizes if n != -1))
        sizes[sizes.index(-1)] = total // rest if total and rest else None
    return [tuple(None if n == -1 else n for n in sizes)]


def _transpose(call: Call) -> list[Shape | None]:
    shape = call.shape()
    if shape is None:
        return []
    order = call.list("perm") or tuple(reversed(range(len(shape))))
    return [tuple(shape[i] for i in order)] if sorted(order) == list(range(len(shape))) else []


def _flatten(call: Call) -> list[Shape | None]:
    shape, axis = call.shape(), call.whole("axis", 1)
    return [(product(shape[:axis]), product(shape[axis:]))] if shape else []


def _unsqueeze(call: Call) -> list[Shape | None]:
    shape, axes = call.shape(), call.axes(1)
    if shape is None or not axes or len(axes) > 4:
        return []
    places = {axis_of(a, len(shape) + len(axes)) for a in axes}
    left = iter(shape)
    return [tuple(1 if i in places else next(left, None) for i in range(len(shape) + len(axes)))]


def _squeeze(call: Call) -> list[Shape | None]:
    shape, axes = call.shape(), call.axes(1)
    if shape is None:
        return []
    places = {axis_of(a, len(shape)) for a in axes} if axes else {i for i, n in enumerate(shape) if n == 1}
    return [tuple(n for i, n in enumerate(shape) if i not in places)]


def _matmul(call: Call) -> list[Shape | None]:
    a, b = call.shape(0), call.shape(1)
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return []
    longer = a[:-2] if len(a) >= len(b) else b[:-2]
    return [(*longer, a[-2], b[-1])]


def _reduce(call: Call) -> list[Shape | None]:
    shape = call.shape()
    if shape is None:
        return []
    own = (call.whole("axis"),) if call.node.op.startswith("Arg") else call.axes(1)
    places = {axis_of(a, len(shape)) for a in own} if own else set(range(len(shape)))
    if call.whole("keepdims", 1):
        return [tuple(1 if i in places else n for i, n in enumerate(shape))]
    return [tuple(n for i, n in enumerate(shape) if i not in places)]


def _pad(call: Call) -> list[Shape | None]:
    shape, pads = call.shape(), call.list("pads") or call.wholes(1)
    if shape is None or pads is None or len(pads) != 2 * len(shape):
        return []
    return [tuple(None if n is None else n + pads[i] + pads[i + len(shape)] for i, n in enumerate(shape))]


def _constant(call: Call) -> list[Shape | None]:
    return [call.graph.dims(call.node.outputs[0]) if call.node.outputs else None]


def _filled(call: Call) -> list[Shape | None]:
    return [call.wholes(0)]


def _gather(call: Call) -> list[Shape | None]:
    shape, indices = call.shape(0), call.shape(1)
    axis = axis_of(call.whole("axis"), len(shape)) if shape else None
    if shape is None or indices is None or axis is None:
        return []
    return [(*shape[:axis], *indices, *shape[axis + 1 :])]


def _expand(call: Call) -> list[Shape | None]:
    target = call.numbers(1)
    return [tuple(None if n is None or n == 1 else int(n) for n in target)] if target else []


RULES: Mapping[str, Callable[[Call], list[Shape | None]]] = {
    **dict.fromkeys(_KEEPING, _keep),
    **dict.fromkeys(_BROADCASTING, _broadcast),
    **dict.fromkeys(_REDUCING, _reduce),
    "Concat": _concat,
    "Split": _split,
    "Slice": _slice,
    "Reshape": _reshape,
    "Transpose": _transpose,
    "Flatten": _flatten,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "MatMul": _matmul,
    "Pad": _pad,
    "Constant": _constant,
    "ConstantOfShape": _filled,
    "Gather": _gather,
    "Expand": _expand,
}


def value_of(call: Call) -> Numbers | None:
    """Return the values of what a node makes, where it is one that computes with shapes."""
    op, first = call.node.op, call.numbers(0)
    if op == "Shape":
        shape = call.shape()
        end = call.whole("end", MOST_NUMBERS)
        return None if shape is None else tuple(shape[call.whole("start") : end])
    if first is None:
        return None
    if op in ("Cast", "Identity", "Unsqueeze", "Squeeze", "Reshape"):
        return first
    if op == "ConstantOfShape":
        count = product(call.wholes(0) or (None,))
        fill = call.constant("value") or (0,)
        return fill[:1] * count if count is not None and count <= MOST_NUMBERS else None
    if op == "Transpose":
        columns = zip(*_rows(call, first), strict=True)
        return tuple(n for column in columns for n in column) if call.list("perm") == (1, 0) else None
    if op == "Floor":
        return tuple(None if n is None else float(n // 1) for n in first)
    if op == "Concat":
        parts = [call.numbers(i) for i in range(len(call.node.inputs))]
        if None in parts or sum(len(p) for p in parts if p) > MOST_NUMBERS:
            return None
        return tuple(n for part in parts if part for n in part)
    second = call.numbers(1)
    if second is None:
        return None
    if op == "Gather":
        places = [axis_of(int(i), len(first)) if i is not None else None for i in second]
        return tuple(None if p is None else first[p] for p in places)
    if op == "Slice":
        start, stop, step = call.wholes(1), call.wholes(2), call.wholes(4) or (1,)
        if not start or not stop or (call.wholes(3) or (0,))[0] != 0:
            return None
        return tuple(n for row in _rows(call, first)[start[0] : stop[0] : step[0] or 1] for n in row)
    return _arithmetic(op, first, second)


def _rows(call: Call, values: Numbers) -> list[Numbers]:
    """Return the values of a node's first input by its first axis."""
    shape = call.shape(0)
    rows = shape[0] if shape and len(shape) > 1 and shape[0] else len(values)
    width = len(values) // rows if rows else 1
    return [values[i : i + width] for i in range(0, rows * width, width)] if width else []


def _arithmetic(op: str, a: Numbers, b: Numbers) -> Numbers | None:
    if op not in ("Add", "Sub", "Mul", "Div") or not (len(a) == len(b) or 1 in (len(a), len(b))):
        return None
    count = max(len(a), len(b))
    pairs = zip(a * (count if len(a) == 1 else 1), b * (count if len(b) == 1 else 1), strict=True)
    return tuple(_one(op, x, y) for x, y in pairs)


def _one(op: str, x: float | None, y: float | None) -> float | None:
    if x is None or y is None or not (-_LONG < x < _LONG and -_LONG < y < _LONG):
        return None
    if op == "Add":
        return x + y
    if op == "Sub":
        return x - y
    if op == "Mul":
        return x * y
    if y == 0:
        return None
    return x // y if isinstance(x, int) and isinstance(y, int) else x / y
