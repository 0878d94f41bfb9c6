"""Which form an NMS result has, told by its content; and whether its rows can be true."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from hailo_decode.errors import (
    AmbiguousError,
    HailoDecodeError,
    OptionError,
    PairingError,
    SizeError,
    UnknownName,
    ValuesError,
)
from hailo_decode.kernels import nms_buffer as kernels
from hailo_decode.plugins import collect
from hailo_decode.readers._nms_form import (
    DOUBTFUL,
    FAR,
    PROOF,
    SCORE_SLACK,
    WEAK,
    Hints,
    NmsForm,
    Rows,
    as_bytes,
    is_bytes,
)
from hailo_decode.readers.sizes import explain_size
from hailo_decode.values.order import FormatOrder

_NUMBERS = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint16))
_CLASSES = 1 << 31  # where nothing is known: more than a class id can be


@cache
def forms() -> dict[str, NmsForm]:
    """Return every form of NMS result by name: one file each in ``readers/``."""
    modules = collect("hailo_decode.readers", "FORM")
    return {module.FORM.name: module.FORM for module in modules.values()}


@cache
def forms_named(name: str | FormatOrder | None) -> tuple[NmsForm, ...]:
    """Return the forms that a name or a format order leaves open; all of them for None.

    Raises
    ------
    UnknownName
        When it is neither.
    """
    known = forms()
    if name is None:
        return tuple(known.values())
    if name in known:
        return (known[name],)
    try:
        order = FormatOrder.parse(name)
    except UnknownName:
        order = None
    found = tuple(form for form in known.values() if order in form.orders)
    if not found:
        raise UnknownName(
            "form of NMS result", str(name), [*known, *(o.value for o in FormatOrder if o.is_nms)]
        )
    return found


def read_rows(frame: Any, choices: tuple[NmsForm, ...], hints: Hints) -> Rows:
    """Read a frame in the one form that its content speaks for.

    Parameters
    ----------
    frame : array, bytes or list
    choices : tuple of NmsForm
        The likeliest first.
    hints : Hints

    Raises
    ------
    HailoDecodeError
        The fault of the form, where only one can be meant; else one that names the fault of each.
    AmbiguousError
        When several forms fit alike.
    """
    found: list[tuple[NmsForm, Rows]] = []
    faults: list[tuple[NmsForm, HailoDecodeError]] = []
    for form in choices:
        if not form.takes(frame):
            continue
        try:
            rows = form.read(frame, hints)
            if not rows.sound and len(rows.boxes):
                check_rows(rows, hints)
        except HailoDecodeError as fault:
            faults.append((form, fault))
            continue
        expected = hints.order in form.orders
        if rows.evidence == PROOF or (expected and rows.evidence > WEAK):
            return rows
        if rows.evidence == DOUBTFUL and not expected:
            faults.append((form, SizeError(f"{rows.told}, but of a size that such a buffer has not")))
            continue
        found.append((form, rows))
    if not found:
        raise _no_fit(frame, faults) if faults else _no_form(frame, choices)
    best = max(rows.evidence for _, rows in found)
    if best <= WEAK and not any(hints.order in form.orders for form, _ in found):
        _refuse_doubtful_nothing(frame, found, faults)
    found = [pair for pair in found if pair[1].evidence == best]
    found = [pair for pair in found if hints.order in pair[0].orders] or found
    if len(found) > 1 and any(len(rows.boxes) for _, rows in found):
        raise _several(frame, [f"{form.name}: {rows.told}" for form, rows in found])
    if len(found) > 1:
        told = ", or ".join(rows.told for _, rows in found)
        return replace(found[0][1], told=told)
    return found[0][1]


def _refuse_doubtful_nothing(
    frame: Any, found: list[tuple[NmsForm, Rows]], faults: list[tuple[NmsForm, HailoDecodeError]]
) -> None:
    """Raise where a buffer is empty in one form and may hold boxes in another: a count of 0 proves little."""
    if _is_numbers(frame):
        raise faults[0][1]
    open_ones = [(form, fault) for form, fault in faults if isinstance(fault, AmbiguousError)]
    if open_ones:
        raise _several(
            frame,
            [f"{form.name}: {rows.told}" for form, rows in found]
            + [f"{form.name}: {fault.message}" for form, fault in open_ones],
        )


def _several(frame: Any, readings: list[str]) -> AmbiguousError:
    names = '" or form="'.join(reading.partition(":")[0] for reading in readings)
    return AmbiguousError(
        f"{_described(frame)} can be read as {len(readings)} forms of NMS result", readings, f'form="{names}"'
    )


def _is_numbers(frame: Any) -> bool:
    """Tell whether this is a flat array of numbers wider than a byte: by class before it is anything else."""
    return isinstance(frame, np.ndarray) and frame.ndim == 1 and frame.dtype in _NUMBERS


def check_rows(rows: Rows, hints: Hints) -> None:
    """Refuse rows that no NMS step writes.

    Raises
    ------
    ValuesError
        For numbers that are none, scores outside 0..1, boxes inside out or not fractions of an image, and classes that
        do not exist.
    """
    faults = np.empty((kernels.FAULTS, 2), np.int64)
    boxes, class_id = rows.boxes, rows.class_id
    if kernels.count_faults(boxes, class_id, rows.classes or _CLASSES, SCORE_SLACK, FAR, faults):
        raise _fault(rows, faults.tolist(), hints)


def _fault(rows: Rows, faults: list[list[int]], hints: Hints) -> ValuesError:
    counts = [count for count, _ in faults]
    kind = next(k for k, count in enumerate(counts) if count)
    count, row = faults[kind]
    n = len(rows.boxes)
    y0, x0, y1, x1, score = rows.boxes[row].tolist()
    c = int(rows.class_id[row])
    got = f"row {row}, class {c}: y {y0:g} to {y1:g}, x {x0:g} to {x1:g}, score {score:g}"
    hint = "the buffer may be of another form, or have another number of classes"
    if kind == kernels.NOT_FINITE:
        return ValuesError(f"{count} of {n} NMS rows hold values that are no numbers", got=got, hint=hint)
    if kind == kernels.NOT_SCORE:
        top = float(rows.boxes[:, 4].max())
        if not counts[kernels.INSIDE_OUT] and not counts[kernels.FAR_OFF]:
            hint = _logits(hints)
        return ValuesError(
            f"{count} of {n} NMS rows have a score outside 0..1, which is not an NMS row's",
            got=f"{got}; the highest score is {top:g}",
            hint=hint,
        )
    if kind == kernels.INSIDE_OUT:
        return ValuesError(
            f"{count} of {n} boxes are inside out, which is not an NMS row's",
            got=got,
            wanted="rows y_min, x_min, y_max, x_max, score with y_min <= y_max and x_min <= x_max",
            hint=hint,
        )
    if kind == kernels.FAR_OFF:
        return ValuesError(
            f"{count} of {n} boxes are no fractions of an image",
            got=got,
            wanted=f"numbers about 0 to 1, and none beyond {FAR:g}",
            hint="boxes in pixels come from no NMS step of HailoRT",
        )
    return ValuesError(
        f"{count} of {n} boxes have a class that does not exist",
        got=got,
        wanted=f"0 to {(rows.classes or 0) - 1}",
        hint="a smaller number of classes was said than the network has" if rows.classes else None,
    )


def _logits(hints: Hints) -> str:
    layers = " for " + ", ".join(hints.class_layers) if hints.class_layers else ""
    return f"the class layers hold logits: the model script lacks the sigmoid lines{layers}"


def _described(frame: Any) -> str:
    if isinstance(frame, np.ndarray):
        return f"an array of {frame.dtype}, shape {frame.shape}"
    if isinstance(frame, (list, tuple)):
        return f"a list of {len(frame)}" + (f" ({type(frame[0]).__name__} first)" if frame else "")
    size = f" of {len(frame)}" if hasattr(frame, "__len__") else ""
    return f"a {type(frame).__name__}{size}"


def _no_form(frame: Any, choices: tuple[NmsForm, ...]) -> HailoDecodeError:
    hint = None
    if frame is None:
        hint = (
            "pyhailort's recv() and get_buffer() return None for byte masks in TensorFlow's form (up to 5.2): "
            "ask for tf_format=False or None"
        )
    elif isinstance(frame, np.ndarray):
        hint = "; ".join(explain_size(frame.nbytes)[:3]) if frame.nbytes else None
    return PairingError(
        f"{_described(frame)} is no NMS result",
        wanted="; ".join(form.title for form in choices),
        hint=hint,
    )


def _no_fit(frame: Any, faults: list[tuple[NmsForm, HailoDecodeError]]) -> HailoDecodeError:
    """Return the fault of the one form that can be meant, or one that lists them all."""
    if len(faults) == 1 or _is_numbers(frame) or not is_bytes(frame):
        return faults[0][1]
    sizes = explain_size(as_bytes(frame).size) if len(frame) else []
    settle = {
        fault.hint for _, fault in faults if isinstance(fault, (AmbiguousError, OptionError)) and fault.hint
    }
    hints = ["this size may be " + "; or ".join(sizes)] * bool(sizes) + sorted(settle)
    return SizeError(
        f"{_described(frame)} is none of the forms of NMS result",
        got="; ".join(f"{form.name}: {fault.message}" for form, fault in faults),
        hint=". ".join(hints) or None,
    )
