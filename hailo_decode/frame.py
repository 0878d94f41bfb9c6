"""One frame: outputs to flat bytes, the plan's kernels over them, and what they report as Detections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hailo_decode.activation import check_finite, check_not_twice, value_range
from hailo_decode.describe import Outputs, positional
from hailo_decode.errors import OptionError, ValuesError
from hailo_decode.kernels import layout as at
from hailo_decode.plan import Plan
from hailo_decode.values.arrays import I8, U1, AnyArray
from hailo_decode.values.boxes import Detections
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.tensor import Tensor

if TYPE_CHECKING:
    from hailo_decode.workspace import Workspace

_MOST = (
    1.0 + 1.0 / 64.0
) ** 2  # quantised probabilities reach a step beyond 1, and a score may be a product of two


def flat_bytes(plan: Plan, outputs: Outputs) -> list[U1] | None:
    """Return each output of a plan as flat writable bytes, none of them moved; None where one looks different."""
    if len(outputs) != len(plan.slots):
        return None
    if isinstance(outputs, (list, tuple)):
        if plan.slots[0].name != positional(0):  # named outputs are never taken by their place
            return None
        found: Mapping[str, Any] = {slot.name: array for slot, array in zip(plan.slots, outputs, strict=True)}
    else:
        found = outputs  # type: ignore[assignment]
    flat: list[U1] = []
    for slot in plan.slots:
        array = found.get(slot.name)
        if not isinstance(array, np.ndarray) or array.shape != slot.shape or array.dtype != slot.dtype:
            return None
        plain = array.flags.carray  # contiguous, aligned and writable: nearly always
        if not plain:
            array = np.ascontiguousarray(array)
        array = array.reshape(-1)
        if slot.wide:
            array = array.view(np.uint8)
        flat.append(array if plain or array.flags.writeable else _unlocked(array))
    return flat


class _Unlocked:
    """The memory of a read-only array under an interface that does not say so."""

    def __init__(self, array: AnyArray) -> None:
        self.owner = array
        self.__array_interface__ = {
            **array.__array_interface__,
            "data": (array.__array_interface__["data"][0], False),
        }


def _unlocked(array: AnyArray) -> U1:
    # To the compiler a read-only array is another type, for which it would compile anew in the middle of a stream. Nothing
    # is ever written to it.
    return np.asarray(_Unlocked(array))


def check_letterbox(letterbox: object, input_size: tuple[int, int]) -> None:
    """Refuse what is no letterbox, and one that was made for another input.

    Raises
    ------
    OptionError
    """
    if not isinstance(letterbox, Letterbox):
        raise OptionError(
            f"letterbox is {letterbox!r}", wanted="a Letterbox, such as Letterbox.fit(image_size, input_size)"
        )
    if letterbox.input_size != input_size:
        raise OptionError(
            "the letterbox was made for another input",
            got=f"input_size {letterbox.input_size[0]}x{letterbox.input_size[1]}",
            wanted=f"{input_size[0]}x{input_size[1]}, as the network has it",
        )


def run_frame(plan: Plan, workspace: Workspace, flat: list[U1], letterbox: Letterbox | None) -> Detections:
    """Run a frame, check what it reports, and copy its result out of the workspace.

    Raises
    ------
    ValuesError
        When scores or boxes are no numbers, or cannot be what they were said to be.
    """
    xyxy, confidence, class_id, anchor, turned = workspace.run(flat)
    report = workspace.report
    if report[at.BAD_VALUES] or report[at.BAD_BOXES]:
        raise _bad_values(plan, flat, int(report[at.BAD_BOXES]))
    if report[at.TRIED] >= workspace.crowd:
        _check_crowd(plan, flat)
    if len(confidence) and confidence[0] > _MOST:
        raise _beyond_one(plan, float(confidence[0]))
    meta = dict(plan.meta)
    if report[at.CAPPED] or report[at.FULL] or report[at.CLASS_FULL]:
        meta["cut"] = _told_cut(plan, report)
    found = Detections(xyxy.copy(), confidence.copy(), class_id.copy(), None, None, None, plan.names, meta)
    extra = plan.family.extra
    if extra is None:
        return found if letterbox is None else found.in_photo(letterbox)
    if extra.kind == "keypoints":
        found = replace(found, keypoints=workspace.keypoints(anchor))
        _check_extra(plan, flat, found.keypoints)
    elif extra.kind == "angle":
        found = replace(found, corners=workspace.corners(turned))
    if letterbox is not None:
        found = found.in_photo(letterbox)
    if extra.kind == "masks":
        coefficients = workspace.coefficients(anchor)
        _check_extra(plan, flat, coefficients)
        if workspace.bad_prototypes():
            raise _bad_values(plan, flat, int(report[at.BAD_BOXES]))
        found = replace(found, mask=workspace.masks(coefficients, found.xyxy, letterbox))
    return found


def _told_cut(plan: Plan, report: I8) -> str:
    settings = plan.tables.settings
    parts = []
    if report[at.CAPPED]:
        parts.append(f"max_nms={settings[at.MAX_NMS]} was reached: weaker candidates were not looked at")
    if report[at.CLASS_FULL]:
        turned_away = report[at.CLASS_FULL]
        parts.append(
            f"max_per_class={settings[at.MAX_PER_CLASS]} was reached: {turned_away} candidates were turned away"
        )
    if report[at.FULL]:
        parts.append(f"max_det={settings[at.MAX_DET]} was reached: weaker boxes were left out")
    return "; ".join(parts)


def tensors_now(plan: Plan, flat: list[U1]) -> Iterator[tuple[str, Tensor]]:
    """Yield role and tensor of each output, as they are in this frame."""
    places = {slot.name: i for i, slot in enumerate(plan.slots)}
    for level in plan.reading.levels:
        for role, output in level.outputs.items():
            yield role, _tensor_now(plan, flat[places[output.name]], output.name)
    for role, output in plan.reading.once.items():
        yield role, _tensor_now(plan, flat[places[output.name]], output.name)


def _tensor_now(plan: Plan, flat: U1, name: str) -> Tensor:
    tensor = plan.tensors[name]
    return replace(tensor, data=flat.view(tensor.data.dtype)[: tensor.geometry.elements])


def _check_crowd(plan: Plan, flat: list[U1]) -> None:
    """Look twice when every cell holds a candidate: a sigmoid applied twice does that."""
    part = plan.family.fields(plan.sizes)["cls"]
    for role, tensor in tensors_now(plan, flat):
        if role == part.role and part.count == tensor.shape[2] and not plan.logits["cls", tensor.name]:
            check_not_twice(tensor.name, *value_range(tensor))


def _beyond_one(plan: Plan, score: float) -> ValuesError:
    names = ", ".join(name for (field, name), logits in plan.logits.items() if field == "cls" and not logits)
    return ValuesError(
        f"scores reach {score:.4g}, beyond 1",
        got=f"values of {names}, taken for probabilities: {plan.meta.get('activation', '')}",
        wanted="0 to 1",
        hint="they hold logits: the model script lacks the sigmoid on these layers; logits=True applies it here",
    )


def _check_extra(plan: Plan, flat: list[U1], values: AnyArray | None) -> None:
    """Refuse keypoints and coefficients that are no numbers."""
    if values is not None and not np.isfinite(values).all():
        raise _bad_values(
            plan, flat, int((~np.isfinite(values)).any(axis=tuple(range(1, values.ndim))).sum()), "extra"
        )


def _bad_values(plan: Plan, flat: list[U1], count: int, field: str = "box") -> ValuesError:
    """Say where the numbers are that are none."""
    for _role, tensor in tensors_now(plan, flat):
        if tensor.data.dtype == np.float32:
            check_finite(tensor, float(tensor.stored().min()), float(tensor.stored().max()))
    parts = plan.family.fields(plan.sizes)
    roles = {parts[name].role for name in (field, "size" if field == "box" else field) if name in parts}
    boxes = [(tensor.name, value_range(tensor)) for r, tensor in tensors_now(plan, flat) if r in roles]
    return ValuesError(
        f"{count} box{'es' * (count > 1)} came out infinite or as no numbers",
        got="; ".join(f"{name}: {low:.4g} to {high:.4g}" for name, (low, high) in boxes),
        wanted="values that a box can be made of: this head takes their exponential"
        if plan.family.box_code in ("cells", "cells_apart", "centre_exp", "ssd")
        else "finite values",
        hint="see the scale and zero point of these outputs",
    )
