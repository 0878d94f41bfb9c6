"""read_tensor(): an array and what is known of it become a Tensor, in place, host or device."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hailo_decode.errors import AmbiguousError, DtypeError, QuantError, SizeError
from hailo_decode.readers import reader_of
from hailo_decode.readers._misfit import no_fit
from hailo_decode.values.arrays import AnyArray
from hailo_decode.values.network import OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.tensor import Geometry, Tensor

_DTYPES = {"uint8": np.uint8, "uint16": np.uint16, "float32": np.float32}
_ALIKE = {FormatOrder.NHWC, FormatOrder.FCR, FormatOrder.NHW, FormatOrder.NC}
ALIGNMENT = 8  # bytes to which a raw read is rounded up (HailoRT 5.2, hailort_common.hpp)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way in which a buffer may be laid out."""

    layout: str
    order: FormatOrder
    geometry: Geometry

    def __str__(self) -> str:
        names = {"h": "rows", "w": "columns", "c": "channels", "c8": "channels of a group"}
        if self.geometry.pitch("c8"):
            names["c"] = "groups"
        axes = " x ".join(f"{extent} {names[name]}" for name, extent in self.geometry.axes)
        return f"{self.layout} {self.order.value} ({axes})"


def read_tensor(array: object, info: OutputInfo) -> Tensor:
    """Read one output in place.

    Parameters
    ----------
    array : ndarray of u1, u2 or f4
        ``(H, W, C)``, ``(1, H, W, C)``, ``(H, W)`` for one channel, ``(C, H, W)`` under the order NCHW, or the flat bytes of
        a raw read.
    info : OutputInfo
        At least the name. Without a shape the array's own is taken; without an order it is dense (H, W, C).

    Raises
    ------
    DtypeError, SizeError, QuantError
        When the element type, the size, or the zero point cannot be.
    AmbiguousError
        When the bytes may lie in more than one way.
    """
    data = _native(array, info)
    shape = info.shape or _own_shape(data, info)
    _check_padding(shape, info)
    data = _as_told(data, info)
    reading, notes = _decide(data, shape, info)
    if data.flags.c_contiguous:
        flat = data.reshape(-1)
    else:
        flat = np.ascontiguousarray(data).reshape(-1)
        notes = (*notes, f"{info.name}: not contiguous, copied")
    flat = flat[: reading.geometry.elements]
    _check_quant(flat, shape[2], info)
    quant = None if flat.dtype == np.float32 else info.quant
    return Tensor(
        info.name, flat, reading.geometry, reading.order, reading.layout, quant, info.activation, notes
    )


def _native(array: object, info: OutputInfo) -> AnyArray:
    """Check that this is an array whose numbers can be read as they are."""
    if isinstance(array, (bytes, bytearray, memoryview)):
        array = np.frombuffer(array, np.uint8)
    if not isinstance(array, np.ndarray):
        raise DtypeError(
            f"output {info.name!r} is not an array",
            got=type(array).__name__,
            wanted="a numpy array",
            hint="lists of boxes for each class are an NMS result: use decode_nms"
            if isinstance(array, list)
            else None,
        )
    if array.dtype not in _DTYPES.values() or not array.dtype.isnative:
        hints = {
            "i": "HailoRT's integers are unsigned: view the bytes as unsigned",
            "f": "call .astype(numpy.float32) on it",
            "u": "the device knows 8 and 16 bits only; see how the array was made",
            "O": "an array of objects is an NMS result: use decode_nms",
        }
        raise DtypeError(
            f"output {info.name!r} has elements of a type that no Hailo output has",
            got=str(array.dtype) if array.dtype.isnative else f"{array.dtype} (foreign byte order)",
            wanted="uint8, uint16 or float32",
            hint=hints.get(array.dtype.kind),
        )
    return array


def _own_shape(data: AnyArray, info: OutputInfo) -> tuple[int, int, int]:
    """Take (H, W, C) from the array itself, where nothing else tells."""
    shape = data.shape
    if len(shape) == 4 and shape[0] == 1:
        shape = shape[1:]
    if info.order is FormatOrder.NCHW and len(shape) == 3:
        shape = (shape[1], shape[2], shape[0])
    if len(shape) == 2:
        shape = (*shape, 1)
    if len(shape) == 3 and 0 not in shape:
        return shape[0], shape[1], shape[2]
    if len(shape) == 4:
        raise SizeError(
            f"output {info.name!r} holds {shape[0]} frames",
            got=f"shape {data.shape}",
            wanted="one frame: (H, W, C) or (1, H, W, C)",
            hint="decode frame by frame: {name: array[i] for name, array in outputs.items()}, or Decoder.batch",
        )
    raise SizeError(
        f"output {info.name!r} has no shape from which height, width and channels can be read",
        got=f"shape {data.shape}",
        wanted="(H, W, C) or (1, H, W, C), or flat bytes with a shape told",
        hint="formats={name: info} with .order, .shape and .hw_shape, or a network description, tells the layout",
    )


def _check_padding(shape: tuple[int, int, int], info: OutputInfo) -> None:
    """Refuse a padded shape that is smaller than the one it pads."""
    if info.hw_shape is not None and any(p < n for p, n in zip(info.hw_shape, shape, strict=True)):
        raise SizeError(
            f"the padded shape of output {info.name!r} is smaller than its shape",
            got=f"hw_shape {_by(info.hw_shape)}, shape {_by(shape)}",
            wanted="padding adds to width or channels, and takes nothing away",
        )


def _by(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _as_told(data: AnyArray, info: OutputInfo) -> AnyArray:
    """Give the array the dtype that its description says, where raw bytes hold it; refuse what contradicts it."""
    if info.dtype not in _DTYPES or data.dtype in (np.float32, _DTYPES[info.dtype]):
        return data  # floats have been through HailoRT's transform, whatever the device had
    item = np.dtype(_DTYPES[info.dtype]).itemsize
    elements = {math.prod(info.shape or (0,)), math.prod(info.hw_shape or (0,))}
    if data.dtype != np.uint8 or data.size in elements:
        raise DtypeError(
            f"output {info.name!r} is described as {info.dtype}",
            got=f"{data.dtype}, {data.nbytes} bytes",
            wanted=info.dtype,
        )
    if data.size % item:
        raise SizeError(
            f"output {info.name!r} holds {data.size} bytes, which are no whole number of {info.dtype}",
            wanted=f"a multiple of {item}",
        )
    return np.ascontiguousarray(data).reshape(-1).view(_DTYPES[info.dtype])


def _decide(
    data: AnyArray, shape: tuple[int, int, int], info: OutputInfo
) -> tuple[_Reading, tuple[str, ...]]:
    """Choose the one layout that fits the size, the dtype and the label."""
    order = info.order or FormatOrder.NHWC
    fits = [r for r in _readings(data, shape, order, info) if _size_fits(data, r, info)]
    if data.dtype == np.float32 and len({r.layout for r in fits}) > 1:
        # Device types are uint8 and uint16 only (HailoRT 5.2, transform.cpp): floats went through the host transform.
        fits = [r for r in fits if r.layout == "host"]
    if info.layout is None and data.ndim > 1 and data.shape[-3:] == shape:
        # Raw reads are flat, or have the padded shape where that differs; pyhailort knows no others (4.10 to 5.2).
        fits = [r for r in fits if r.layout == "host"] or fits
    if not fits:
        raise no_fit(
            data,
            shape,
            order,
            info.name,
            [f"{r}: {r.geometry.elements} elements" for r in _readings(data, shape, order, info)],
        )
    if len({_places(r.geometry) for r in fits}) > 1:
        raise AmbiguousError(
            f"output {info.name!r} ({data.size} elements) can be read in {len(fits)} ways",
            [str(r) for r in fits],
            f'formats={{"{info.name}": ...}} with .layout "host" (a vstream or InferModel gave it) '
            'or "device" (a raw stream)',
        )
    best = fits[0]
    notes: tuple[str, ...] = ()
    if not best.geometry.dense or info.order not in (None, *_ALIKE):
        notes = (f"{info.name}: read in place as {best}",)
    return best, notes


def _readings(
    data: AnyArray, shape: tuple[int, int, int], order: FormatOrder, info: OutputInfo
) -> list[_Reading]:
    """List every layout that the label allows."""
    reader = reader_of(order)
    padded = info.hw_shape or shape
    layouts = [info.layout] if info.layout else ["host", "device"]
    if info.layout is None and order is FormatOrder.NHCW:
        layouts = [
            "device"
        ]  # only stream infos carry this label: no default host order is NHCW (HailoRT defaults.cpp)
    found = [(layout, order, reader.geometry(layout, shape, padded)) for layout in layouts]
    # A model file tells both: the order that a caller sees, and that of the raw bytes.
    if info.device_order is not None:
        raw = reader_of(info.device_order).geometry("device", shape, padded)
        found = [f for f in found if f[0] == "host"] + [("device", info.device_order, raw)]
        found = [f for f in found if f[0] == (info.layout or f[0])]
    elif info.layout is None and order is FormatOrder.NHWC and info.hw_shape and info.hw_shape != shape:
        # A vstream prints NHWC for what is NHCW on the device; its raw bytes may be either.
        found.append(
            ("device", FormatOrder.NHCW, reader_of(FormatOrder.NHCW).geometry("device", shape, padded))
        )
    return [_Reading(layout, o, g) for layout, o, g in found if g is not None]


def _size_fits(data: AnyArray, reading: _Reading, info: OutputInfo) -> bool:
    """Tell whether a buffer's size, and its shape where it has one, fit a layout."""
    wanted = reading.geometry.elements
    if data.ndim == 1:
        aligned = -(-wanted * data.itemsize // ALIGNMENT) * ALIGNMENT // data.itemsize
        return data.size in (wanted, aligned)
    if data.size != wanted:
        return False
    h, w, c = reading.geometry.shape
    if reading.layout == "device":
        # pyhailort's StreamInfo gives raw buffers this shape, whatever the order.
        h, w, c = info.hw_shape or reading.geometry.shape
    axes = tuple(extent for _, extent in reading.geometry.axes)
    return _squeezed(data.shape) in (_squeezed((h, w, c)), _squeezed(axes))


def _squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for n in shape if n != 1)


def _places(geometry: Geometry) -> tuple[tuple[str, int], ...]:
    """Return what decides where elements lie, so that layouts which agree in it count as one."""
    h, w, c = geometry.shape
    steps = [(a, geometry.pitch(a)) for a, n in (("h", h), ("w", w), ("c", c)) if n > 1]
    if geometry.pitch("c8"):
        groups = [("g", geometry.pitch("c"))] if c > 8 else []
        steps = [s for s in steps if s[0] != "c"] + groups + ([("c", 1)] if c > 1 else [])
    return tuple(steps)


def _check_quant(flat: AnyArray, channels: int, info: OutputInfo) -> None:
    """Refuse integers without a scale, scales that do not go with the channels, and impossible zero points."""
    if flat.dtype == np.float32:
        return
    if info.quant is None:
        raise QuantError(
            f"output {info.name!r} holds integers, and nothing says what they stand for",
            got=f"{flat.dtype} without scale and zero point",
            wanted="a scale and a zero point",
            hint=f'quant={{"{info.name}": (scale, zero_point)}}, as `hailo-decode inspect` shows them for the model file',
        )
    if len(info.quant.scale) not in (1, channels):
        raise QuantError(
            f"output {info.name!r} has {channels} channels, but {len(info.quant.scale)} scales",
            wanted=f"one scale, or {channels}",
        )
    top = int(np.iinfo(flat.dtype).max)
    worst = max(info.quant.zero_point, key=lambda z: abs(z - top / 2))
    # Half a step of slack: HailoRT keeps the zero point as a float and does not round it.
    if not -0.5 <= worst <= top + 0.5:
        raise QuantError(
            f"output {info.name!r} is {flat.dtype}, but its zero point is {worst:g}",
            wanted=f"0 to {top}",
            hint="the compiler made this stream 8 bits wide and kept the numbers of 16 bits (seen with compiler 3.33.0): "
            "compile again, and look for the stream's type in the log"
            if worst > top
            else "see where the scale and zero point come from",
        )
