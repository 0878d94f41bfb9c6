"""What HailoRT's own info objects say of an output, read by attribute: nothing of HailoRT is imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hailo_decode.errors import DtypeError, QuantError, SizeError, UnknownName
from hailo_decode.networks.description import DTYPES
from hailo_decode.values.network import NmsInfo, OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

_TYPES = ("uint8", "uint16", "float32")  # hailo_format_type_t (HailoRT 5.2, hailort.h)


def output_infos(infos: Iterable[Any]) -> tuple[tuple[OutputInfo, ...], tuple[OutputInfo, ...]]:
    """Read the infos of inputs and outputs.

    Parameters
    ----------
    infos : iterable of object
        Of pyhailort: ``VStreamInfo``, ``StreamInfo``, or the streams of an ``InferModel``. They have
        ``name``, ``shape``, ``format`` with ``order`` and ``type``, ``quant_info`` or ``quant_infos``, and
        some of them ``direction``, ``hw_shape``, ``nms_shape``.

    Returns
    -------
    inputs, outputs : tuple of OutputInfo
        Without a direction, an info is taken for an output.
    """
    inputs: list[OutputInfo] = []
    outputs: list[OutputInfo] = []
    for info in infos:
        direction = str(getattr(info, "direction", "D2H")).rpartition(".")[2].upper()
        # hailo_stream_direction_t (HailoRT 5.2, hailort.h): H2D is an input; pyhailort prints it as such.
        (inputs if direction in ("H2D", "INPUT") else outputs).append(output_info(info))
    return tuple(inputs), tuple(outputs)


def output_info(info: Any) -> OutputInfo:
    """Read one info.

    Raises
    ------
    UnknownName
        For a format order that HailoRT has not.
    QuantError
        For a scale or zero point that cannot be.
    """
    name = str(getattr(info, "name", ""))
    form = getattr(info, "format", None)
    order = None if form is None else _order(getattr(form, "order", None))
    dtype = str(getattr(getattr(form, "type", None), "name", "")).lower()
    made = OutputInfo(name, order=order, dtype=dtype if dtype in _TYPES else None, quant=_quant(info, name))
    if order is not None and order.is_nms:
        return replace(
            made, nms=_nms(getattr(info, "nms_shape", None))
        )  # its .shape raises for two of the orders
    return replace(
        made, shape=_shape(getattr(info, "shape", None)), hw_shape=_shape(getattr(info, "hw_shape", None))
    )


def _order(order: Any) -> FormatOrder | None:
    """Read an order; AUTO says nothing, so it is None."""
    name = str(getattr(order, "name", order))
    return None if order is None or name.upper() == "AUTO" else FormatOrder.parse(name)


def _quant(info: Any, name: str) -> Quant | None:
    """Return the quantisation; None for none and for the four zeros that stand for one for each channel.

    pyhailort hands out single values only; the vectors are in the HEF (HailoRT 5.2, quantization.hpp).
    """
    quants = getattr(info, "quant_infos", None) or [getattr(info, "quant_info", None)]
    read = [(getattr(q, "qp_scale", 0.0), getattr(q, "qp_zp", 0.0)) for q in quants if q is not None]
    if not read or all(scale == 0 for scale, _ in read):
        return None
    try:
        return Quant.of([scale for scale, _ in read], [zero for _, zero in read])
    except QuantError as error:
        raise QuantError(f"output {name!r}: {error.message}", got=error.got, hint=error.hint) from error


def _shape(shape: Any) -> tuple[int, int, int] | None:
    if shape is None:
        return None
    sizes = tuple(int(n) for n in shape)
    padded = {1: (1, 1, *sizes), 2: (*sizes, 1)}.get(len(sizes), sizes)  # NC has (C,), NHW has (H, W)
    return padded if len(padded) == 3 and min(padded) > 0 else None


def _nms(shape: Any) -> NmsInfo:
    def count(key: str) -> int | None:
        value = getattr(shape, key, None)
        return value if isinstance(value, int) and value > 0 else None

    return NmsInfo(
        classes=count("number_of_classes"),
        max_per_class=count("max_bboxes_per_class"),
        max_total=count("max_bboxes_total"),
    )


def one_frame(
    outputs: Mapping[str, Any], infos: Iterable[OutputInfo]
) -> tuple[dict[str, Any], tuple[OutputInfo, ...]]:
    """Join buffers with their infos.

    Dtype and layout are those of the buffer; a batch of one is unwrapped.

    Returns
    -------
    outputs : dict of str to array or list of arrays
    infos : tuple of OutputInfo
        One for each buffer, in its order.

    Raises
    ------
    UnknownName
        When no info goes with a buffer.
    SizeError
        When a buffer holds several frames.
    DtypeError
        When a buffer is no array, nor a list of one array for each class.
    """
    known = {info.name: info for info in infos}
    frame, joined = {}, []
    for name, buffer in outputs.items():
        if name not in known:
            raise UnknownName("info of an output", name, known)
        frame[name] = _frame(name, buffer)
        joined.append(_as_held(known[name], frame[name]))
    return frame, tuple(joined)


def _frame(name: str, buffer: Any) -> Any:
    """Take the one frame of an array or of a list for each class."""
    if (
        isinstance(buffer, list) and buffer and isinstance(buffer[0], list)
    ):  # InferVStreams: frames, then classes
        if len(buffer) != 1:
            raise _several(name, len(buffer))
        buffer = buffer[0]
    if isinstance(buffer, list):
        arrays = [np.asarray(one, np.float32) for one in buffer if isinstance(one, np.ndarray)]
        if len(arrays) == len(buffer):
            return arrays  # empty classes come as float64 (pyhailort 5.2)
    if not isinstance(buffer, np.ndarray):
        inside = f" of {type(buffer[0]).__name__}" if isinstance(buffer, list) and buffer else ""
        raise DtypeError(
            f"output {name!r} is no array",
            got=type(buffer).__name__ + inside,
            wanted="an array, or a list with one array for each class",
            hint="get_buffer(tf_format=None) gives the untouched array, whatever its order",
        )
    if buffer.ndim == 4 and buffer.shape[0] != 1:
        raise _several(name, buffer.shape[0])
    return buffer[0] if buffer.ndim == 4 else buffer


def _several(name: str, count: int) -> SizeError:
    return SizeError(
        f"output {name!r} holds {count} frames",
        wanted="one frame for a recording",
        hint="{name: buffer[0:1] for name, buffer in outputs.items()} is the first of them",
    )


def _as_held(info: OutputInfo, buffer: Any) -> OutputInfo:
    """Describe the buffer as it is: a vstream's type may have been asked for, a raw buffer is bytes."""
    if isinstance(buffer, list):
        return replace(info, dtype="float32", layout="host")
    raw = buffer.ndim == 1 and buffer.dtype == np.uint8 and info.dtype is not None
    dtype = info.dtype if raw or buffer.dtype.name not in DTYPES else buffer.dtype.name
    dense = info.shape is not None and buffer.shape == info.shape and info.hw_shape in (None, info.shape)
    # NHCW is no order of the host by itself: whoever holds such a label may hold raw bytes in a dense shape.
    host = dense and info.order is not FormatOrder.NHCW
    return replace(info, dtype=dtype, layout="host" if host else info.layout)
