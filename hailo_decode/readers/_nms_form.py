"""What a form of NMS result must say of itself, what may be known of a buffer, and the rows that come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hailo_decode.errors import DtypeError, QuantError
from hailo_decode.values.arrays import F4, I4, U1, AnyArray
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

# How much a buffer's own content speaks for a form. Doubtful: such a buffer would have another size. Weak: nothing
# speaks against it, as in an empty result.
DOUBTFUL, WEAK, PLAUSIBLE, PROOF = range(4)

FAR = 64.0  # coordinates beyond this are no fractions of an image
SCORE_SLACK = 0.01  # how far the rounding of a scale puts a score outside 0..1: 255 * 0.00394 is 1.0047


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of an NMS result beside its buffer.

    Attributes
    ----------
    image_size : (int, int)
        Height and width of the image that the boxes are fractions of, pixels.
    order : FormatOrder or None
        The likeliest order: as asked for, or a model file's, which a program may have overruled.
    classes : int or None
        Classes in the buffer, a background class counted where the buffer holds one.
    max_per_class, max_total : int or None
        Most boxes of a class, and of all classes.
    named : int or None
        Number of classes that class names would go with, where `classes` is not known.
    quant : Quant or None
        For boxes that are stored as integers.
    box_axis : int or None
        Which axis of a cube holds the five numbers of a box, where two are five long.
    chunks : int
        Parts into which the network on the chip cuts a frame (``input_division_factor``).
    burst : int or None
        Boxes in one burst of the chip's NMS core.
    class_layers : tuple of str
        Names of the class layers that feed the NMS step, for messages.
    """

    image_size: tuple[int, int]
    order: FormatOrder | None = None
    classes: int | None = None
    max_per_class: int | None = None
    max_total: int | None = None
    named: int | None = None
    quant: Quant | None = None
    box_axis: int | None = None
    chunks: int = 1
    burst: int | None = None
    class_layers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The boxes of one frame as their buffer holds them.

    Attributes
    ----------
    boxes : (n, 5) f4
        y_min, x_min, y_max, x_max as fractions of the image, and score.
    class_id : (n,) i4
    told : str
        What was read, in words.
    classes, max_per_class, max_total : int or None
        Sizes of the buffer, as given or worked out.
    masks : tuple of (m,) u1, or None
        The mask bytes of each row as they are stored.
    evidence : int
        How much the content speaks for this form: `DOUBTFUL`, `WEAK`, `PLAUSIBLE` or `PROOF`.
    cut : str
        What the buffer itself shows to be missing.
    sound : bool
        Whether the rows were looked at already, and can all be true.
    """

    boxes: F4
    class_id: I4
    told: str
    classes: int | None = None
    max_per_class: int | None = None
    max_total: int | None = None
    masks: tuple[U1, ...] | None = None
    evidence: int = PROOF
    cut: str = ""
    sound: bool = False


@dataclass(frozen=True, slots=True)
class NmsForm:
    """One way to hold an NMS result.

    Attributes
    ----------
    name : str
        As callers write it: ``form="by_class"``.
    title : str
        In messages.
    orders : tuple of FormatOrder
        The orders of which this is a form.
    takes : callable
        Tells from type, dtype and number of axes alone whether a frame may be of this form.
    read : callable
        Takes the frame and `Hints`, and returns `Rows`; raises where the frame is not of this form.
    """

    name: str
    title: str
    orders: tuple[FormatOrder, ...]
    takes: Callable[[Any], bool]
    read: Callable[[Any, Hints], Rows]


def no_rows() -> tuple[F4, I4]:
    """Return the columns of a frame without boxes."""
    return np.empty((0, 5), np.float32), np.empty(0, np.int32)


def joined(parts: list[AnyArray], classes: list[int], hints: Hints) -> tuple[F4, I4]:
    """Join the (n, 5) boxes of some classes, as real values.

    Parameters
    ----------
    parts : list of (n, 5) array
        None empty; float, or unsigned integers with a scale.
    classes : list of int
        The class of each part.
    """
    if not parts:
        return no_rows()
    stored = parts[0] if len(parts) == 1 else np.concatenate(parts)
    class_id = np.repeat(np.array(classes, np.int32), [len(part) for part in parts])
    return real_boxes(stored, hints), class_id


def real_boxes(stored: AnyArray, hints: Hints) -> F4:
    """Return a contiguous copy of boxes as f4, dequantised where they are stored as integers.

    HailoRT uses one scale and zero point for all five numbers of a box (HailoRT 5.2, ``quantization.hpp``).

    Raises
    ------
    QuantError
        When integers come without a scale, or with one for each channel.
    DtypeError
        When the numbers are of a type that no NMS result has.
    """
    if stored.dtype.kind == "f":
        return stored.astype(np.float32, order="C")
    if stored.dtype.kind != "u" or stored.dtype.itemsize < 2:
        raise DtypeError(
            f"the boxes of an NMS result are {stored.dtype}",
            wanted="float32, or uint16 with a scale",
            hint="pyhailort's vstreams take a by-score result apart as if it were by class (HailoRT 4.20 to 5.2): "
            "use an InferModel, or ask for the order HAILO_NMS_BY_CLASS"
            if stored.dtype == np.uint8
            else None,
        )
    if hints.quant is None:
        raise QuantError(
            "the boxes are stored as integers, and nothing says what they stand for",
            got=f"{stored.dtype} without scale and zero point",
            wanted="quant=(scale, zero_point) of the NMS layer",
        )
    if hints.quant.per_channel:
        raise QuantError(
            "the boxes of an NMS result have one scale and one zero point",
            got=f"{len(hints.quant.scale)} of them",
        )
    scale, zero = hints.quant.scale[0], hints.quant.zero_point[0]
    return ((stored.astype(np.float64) - zero) * scale).astype(np.float32, order="C")


def is_bytes(frame: Any) -> bool:
    """Tell whether a frame is a flat run of bytes: bytes-like, or a flat array of numbers of any size."""
    if isinstance(frame, np.ndarray):
        return frame.ndim == 1 and frame.dtype.kind in "uif" and frame.dtype.isnative
    return isinstance(frame, (bytes, bytearray))


def as_bytes(frame: Any) -> U1:
    """View a flat frame as (n,) u1; nothing is copied where it is contiguous."""
    if isinstance(frame, np.ndarray):
        return np.ascontiguousarray(frame).view(np.uint8)
    return np.frombuffer(frame, np.uint8)
