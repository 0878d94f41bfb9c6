"""What callers know of their outputs, in any form they hold it, as OutputInfo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hailo_decode.errors import AmbiguousError, OptionError, PairingError, UnknownName
from hailo_decode.values.network import NetworkInfo, OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

Outputs = Mapping[str, Any] | Sequence[Any]


_ONNX_TENSOR = "_output_0"  # what PyTorch's exporter adds to a node's name for its first output


def named(outputs: Outputs) -> dict[str, Any]:
    """Return outputs by name; those of a sequence are called ``output0``, ``output1`` and so on.

    Raises
    ------
    PairingError
        When there are none, or it is something else altogether.
    """
    if isinstance(outputs, Mapping):
        found = dict(outputs)
        if not all(isinstance(name, str) for name in found):
            raise PairingError(
                "outputs are named by strings",
                got=", ".join(repr(name) for name in list(found)[:6]),
                wanted="{name: array}",
            )
    elif isinstance(outputs, (list, tuple)):
        found = {positional(i): array for i, array in enumerate(outputs)}
    else:
        raise PairingError(
            "the outputs are neither a dict nor a list",
            got=type(outputs).__name__,
            wanted="{name: array} or [array, ...]: the raw heads of one frame",
        )
    if not found:
        raise PairingError(
            "there are no outputs",
            got="an empty dict or list",
            wanted="the network's raw outputs, such as six tensors",
        )
    return {name: _as_array(array) for name, array in found.items()}


def positional(i: int) -> str:
    """Return the name that an output of a sequence goes by."""
    return f"output{i}"


def _as_array(value: Any) -> Any:
    return np.frombuffer(value, np.uint8) if isinstance(value, (bytes, bytearray, memoryview)) else value


def expected(network: NetworkInfo, outputs: Mapping[str, Any]) -> tuple[OutputInfo, ...]:
    """Return what a frame should hold: the network's outputs, or the heads of its steps in place of their results.

    Parameters
    ----------
    network : NetworkInfo
    outputs : mapping of str to array
        A frame: it holds heads where one of its names is a head's.
    """
    if all(_missing((head,), outputs) for head in network.heads):
        return network.outputs
    results = {op.output for op in network.ops}
    return (*network.heads, *(one for one in network.outputs if one.name not in results))


def described(
    outputs: Mapping[str, Any],
    known: Sequence[OutputInfo],
    quant: Mapping[str, Any] | Any | None,
    formats: Mapping[str, Any] | None,
    roles: Mapping[str, str] | None,
) -> dict[str, OutputInfo]:
    """Join what a model file and what the caller says of each output; the caller's word counts.

    Parameters
    ----------
    outputs : mapping of str to array
    known : sequence of OutputInfo
        From a model file; names match with or without the network's prefix.
    quant : mapping, one (scale, zero_point) for all, or None
    formats : mapping of str to str or object
        A FormatOrder's name, or an object or mapping with ``order``, ``shape``, ``hw_shape``, ``layout``, ``dtype``.
    roles : mapping of str to str
        ``"box"``, ``"cls"`` ... for outputs that nothing else tells apart.

    Raises
    ------
    UnknownName
        When `quant`, `formats` or `roles` name an output that is not there.
    """
    for what, mapping in (("quant", quant), ("formats", formats), ("roles", roles)):
        if isinstance(mapping, Mapping):
            _check_names(what, mapping, outputs)
        elif mapping is not None and what != "quant":
            raise OptionError(f"{what} is {mapping!r}", wanted="{output name: ...}")
    _check_complete(outputs, known)
    infos = {}
    for name in outputs:
        info = _known(name, known)
        entry = _entry(quant, name)
        if entry is not None:
            info = replace(info, quant=Quant.read(entry))
        entry = _entry(formats, name)
        if entry is not None:
            info = _formatted(info, entry)
        entry = _entry(roles, name)
        infos[name] = info if entry is None else replace(info, role=entry)
    return infos


def _check_complete(outputs: Mapping[str, Any], known: Sequence[OutputInfo]) -> None:
    """Refuse a frame in which some of the described tensors are missing: a whole level would be lost without a word."""
    tensors = [info for info in known if info.order is None or not info.order.is_nms]
    missing = _missing(tensors, outputs)
    if missing and len(missing) < len(tensors):
        raise PairingError(
            f"{len(missing)} of the network's {len(tensors)} outputs are missing",
            got=", ".join(outputs),
            wanted=f"also {', '.join(missing)}",
        )


def _missing(infos: Sequence[OutputInfo], outputs: Mapping[str, Any]) -> list[str]:
    """List which of some outputs a frame does not hold, by any of their names."""
    bare = {name.rpartition("/")[2] for name in outputs}
    bare |= {name.removesuffix(_ONNX_TENSOR) for name in outputs}
    return [i.name for i in infos if not {i.name.rpartition("/")[2], i.name, *i.original_names} & bare]


def _check_names(what: str, mapping: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    bare = {name.rpartition("/")[2] for name in outputs}
    for name in mapping:
        if name not in outputs and name.rpartition("/")[2] not in bare:
            error = UnknownName("output", name, outputs)
            error.message += f" ({what}= speaks of it)"
            raise error


def _entry(mapping: Mapping[str, Any] | Any | None, name: str) -> Any:
    if mapping is None:
        return None
    if not isinstance(mapping, Mapping):
        return mapping
    if name in mapping:
        return mapping[name]
    bare = {key.rpartition("/")[2]: value for key, value in mapping.items()}
    return bare.get(name.rpartition("/")[2])


def _known(name: str, known: Sequence[OutputInfo]) -> OutputInfo:
    """Find what is known of an output: by its name, its name without a prefix, or the framework's name of its layer."""
    bare = name.rpartition("/")[2]
    layer = name.removesuffix(_ONNX_TENSOR)
    for found in (
        [info for info in known if info.name == name],
        [info for info in known if info.name.rpartition("/")[2] == bare],
        [info for info in known if layer in info.original_names or name in info.original_names],
    ):
        if found and len({info.name for info in found}) == 1:
            return replace(found[0], name=name)
    return OutputInfo(name)


def _formatted(info: OutputInfo, entry: Any) -> OutputInfo:
    """Take order, shapes, layout and dtype from a name, a mapping, or HailoRT's own stream and vstream infos."""
    if isinstance(entry, (str, FormatOrder)):
        return replace(info, order=FormatOrder.parse(entry))
    if isinstance(entry, OutputInfo):
        return replace(entry, name=info.name, quant=entry.quant or info.quant)

    def of(key: str) -> Any:
        return entry.get(key) if isinstance(entry, Mapping) else getattr(entry, key, None)

    known = ("order", "shape", "hw_shape", "layout", "dtype")
    if isinstance(entry, Mapping) and not set(entry) <= set(known):
        raise UnknownName("format field", str(sorted(set(entry) - set(known))[0]), known)
    if not isinstance(entry, Mapping) and all(of(key) is None for key in (*known, "format")):
        raise UnknownName("format order", repr(entry)[:80], [order.value for order in FormatOrder])
    order = of("order")
    if order is None and of("format") is not None:  # pyhailort's infos keep it one level deeper
        order = getattr(of("format"), "order", None)
    layout = of("layout")
    if layout not in (None, "host", "device"):
        raise OptionError(f"layout of {info.name!r} is {layout!r}", wanted='"host" or "device"')
    return replace(
        info,
        order=info.order if order is None else FormatOrder.parse(order),
        shape=_shape(of("shape")) or info.shape,
        hw_shape=_shape(of("hw_shape")) or info.hw_shape,
        layout=layout or info.layout,
        dtype=info.dtype if of("dtype") is None else _dtype(info.name, of("dtype")),
    )


def _dtype(name: str, value: Any) -> str:
    try:
        found = str(np.dtype(value).name)
    except TypeError:
        found = str(value)
    if found not in ("uint8", "uint16", "float32"):
        raise OptionError(f"dtype of {name!r} is {value!r}", wanted="uint8, uint16 or float32")
    return found


def _shape(value: Any) -> tuple[int, int, int] | None:
    if value is None:
        return None
    try:
        shape = tuple(int(v) for v in value)
    except (TypeError, ValueError):
        shape = ()
    shape = {1: (1, 1, *shape), 2: (*shape, 1)}.get(len(shape), shape)
    if len(shape) != 3 or min(shape) < 1:
        raise OptionError("a shape cannot be read", got=repr(value), wanted="(height, width, channels)")
    return shape[0], shape[1], shape[2]


def _lists(
    outputs: Mapping[str, Any], infos: dict[str, OutputInfo], classes: int | None
) -> tuple[dict[str, OutputInfo], tuple[str, ...]]:
    """Read a lone (n,) or (1, n) array as a vector, and a lone (1, a, b) as a list of rows.

    Raises
    ------
    AmbiguousError
        When rows and the numbers of a row are as many.
    """
    name, info = next(iter(infos.items()))
    dims: tuple[int, ...] = getattr(outputs[name], "shape", ())
    if len(infos) > 1 or info.shape is not None or info.order is not None:
        return infos, ()
    if len(dims) == 1 or (len(dims) == 2 and dims[0] == 1):
        return {name: replace(info, shape=(1, 1, dims[-1]), layout="host")}, ()
    dims = dims[1:] if len(dims) == 4 and dims[0] == 1 else dims
    if len(dims) != 3 or dims[0] != 1 or not _numbers_first(name, dims[1], dims[2], classes):
        return infos, ()
    changed = replace(info, shape=(1, dims[2], dims[1]), order=FormatOrder.NCHW, layout="host")
    return {name: changed}, (f"{name}: {dims[2]} rows of {dims[1]} numbers, one run for each number",)


def _numbers_first(name: str, a: int, b: int, classes: int | None) -> bool:
    """Tell whether of (1, a, b) the `a` are the numbers of a row: the number of classes says, or the fewer of the two."""
    widths = (classes + 4, classes + 5) if classes else ()
    if (a in widths) != (b in widths):
        return a in widths
    if a == b > 4:
        raise AmbiguousError(
            f"{name!r} holds {a} by {b} numbers, which can be read two ways",
            ["(1, rows, numbers of a row)", "(1, numbers of a row, rows)"],
            f'formats={{"{name}": {{"shape": (1, {a}, {b}), "order": "NHWC"}}}} or the same with "NCHW"',
        )
    return 4 < a < b


def oriented(
    outputs: Mapping[str, Any],
    infos: dict[str, OutputInfo],
    input_size: tuple[int, int],
    classes: int | None,
) -> tuple[dict[str, OutputInfo], tuple[str, ...]]:
    """Decide whether unlabelled arrays are (H, W, C) or (C, H, W), by which grid divides the input.

    Dense (H, W, C) is what HailoRT gives. Arrays straight from ONNX are (C, H, W): they are read so only where every
    unlabelled array fits that way and not all fit the other.
    """
    infos, notes = _lists(outputs, infos, classes)
    free = {n: i for n, i in infos.items() if i.shape is None and i.order is None and _dims(outputs[n])}
    if not free or all(_divides(_dims(outputs[n])[:2], input_size) for n in free):
        return infos, notes
    if not all(_divides(_dims(outputs[n])[1:], input_size) for n in free):
        return infos, notes
    changed = {n: replace(i, order=FormatOrder.NCHW, layout="host") for n, i in free.items()}
    note = f"{len(changed)} unlabelled arrays read as (C, H, W): as (H, W, C) their grids would not divide the input"
    return {**infos, **changed}, (note,)


def _dims(array: Any) -> tuple[int, ...]:
    shape: tuple[int, ...] = getattr(array, "shape", ())
    shape = shape[1:] if len(shape) == 4 and shape[0] == 1 else shape
    return shape if len(shape) == 3 else ()


def _divides(grid: tuple[int, ...], size: tuple[int, int]) -> bool:
    h, w = grid
    return h > 0 and w > 0 and size[0] % h == 0 == size[1] % w and size[0] // h == size[1] // w
