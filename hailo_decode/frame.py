"""One frame: outputs in the plan's order, its kernels over them, and what they report as Detections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hailo_decode.activation import check_finite, check_not_twice, value_range
from hailo_decode.describe import Outputs, positional
from hailo_decode.errors import OptionError, ValuesError
from hailo_decode.kernels import layout as at
from hailo_decode.plan import Plan
from hailo_decode.values.arrays import F4, AnyArray
from hailo_decode.values.boxes import Detections, Room
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.tensor import Tensor

if TYPE_CHECKING:
    from hailo_decode.workspace import Workspace

_MOST = (
    1.0 + 1.0 / 64.0
) ** 2  # quantised probabilities reach a step beyond 1, and a score may be a product of two


def laid_out(plan: Plan, outputs: Outputs) -> list[AnyArray] | None:
    """Return outputs in the order of a plan's slots, contiguous, in place where they are; None where one looks different."""
    if len(outputs) != len(plan.slots):
        return None
    if isinstance(outputs, (list, tuple)):
        if plan.slots[0].name != positional(0):  # named outputs are never taken by their place
            return None
        found: Mapping[str, Any] = {slot.name: array for slot, array in zip(plan.slots, outputs, strict=True)}
    else:
        found = outputs  # type: ignore[assignment]
    arrays: list[AnyArray] = []
    for slot in plan.slots:
        array = found.get(slot.name)
        if not isinstance(array, np.ndarray) or array.shape != slot.shape:
            return None
        if array.dtype is not slot.dtype and array.dtype != slot.dtype:  # nearly always the same object
            return None
        if not array.flags.carray:  # contiguous, aligned and writable: nearly always
            array = np.require(array, requirements=["C", "A"])
        arrays.append(array)
    return arrays


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


def run_frame(
    plan: Plan, workspace: Workspace, arrays: list[AnyArray], letterbox: Letterbox | None, out: Room | None
) -> Detections:
    """Run a frame, check what it reports, and copy its result out of the workspace, into a room where one is given.

    Raises
    ------
    ValuesError
        When scores or boxes are no numbers, or cannot be what they were said to be.
    """
    _start(workspace, arrays, letterbox)
    workspace.run()
    return _finish(plan, workspace, arrays, letterbox, out)


def run_frames(
    plan: Plan, frames: Sequence[tuple[Workspace, list[AnyArray], Letterbox | None]]
) -> Iterator[Detections]:
    """Run frames, each in a workspace of its own and all in one compiled call where that can be, and yield their results."""
    from hailo_decode.workspace import run_together

    for workspace, arrays, letterbox in frames:
        _start(workspace, arrays, letterbox)
    run_together([workspace for workspace, _, _ in frames])
    for workspace, arrays, letterbox in frames:
        yield _finish(plan, workspace, arrays, letterbox, None)


def _start(workspace: Workspace, arrays: list[AnyArray], letterbox: Letterbox | None) -> None:
    workspace.place(letterbox)
    workspace.take(arrays)


def _finish(
    plan: Plan, workspace: Workspace, arrays: list[AnyArray], letterbox: Letterbox | None, out: Room | None
) -> Detections:
    """Check what a frame reports, and copy its result."""
    report = workspace.report.tolist()
    count = report[at.FOUND]
    xyxy, confidence, class_id = workspace.found(count)
    if report[at.BAD_VALUES] or report[at.BAD_BOXES]:
        raise _bad_values(plan, arrays, report[at.BAD_BOXES])
    if report[at.TRIED] >= workspace.crowd:
        _check_crowd(plan, arrays)
    if count and confidence[0] > _MOST:
        raise _beyond_one(plan, float(confidence[0]))
    meta = dict(plan.meta)
    if report[at.CAPPED] or report[at.FULL] or report[at.CLASS_FULL]:
        meta["cut"] = _told_cut(plan, report)
    if workspace.waits():
        meta["kernels"] = workspace.told_waiting()
    if letterbox is not None:
        meta["frame"] = workspace.placed
    if out is None:
        xyxy, confidence, class_id = xyxy.copy(), confidence.copy(), class_id.copy()
    else:
        xyxy, confidence, class_id = out.take(xyxy, confidence, class_id)
    if plan.family.extra is None:
        return Detections(xyxy, confidence, class_id, names=plan.names, meta=meta)
    extra = workspace.extra[:count]
    mask, keypoints, corners = _more(plan, workspace, arrays, letterbox, xyxy, extra)
    return Detections(xyxy, confidence, class_id, mask, keypoints, corners, plan.names, meta)


def _more(
    plan: Plan,
    workspace: Workspace,
    arrays: list[AnyArray],
    letterbox: Letterbox | None,
    xyxy: F4,
    extra: F4,
) -> tuple[AnyArray | None, F4 | None, F4 | None]:
    """Return masks, keypoints and corners of the kept boxes, those that the head has."""
    kind = plan.family.extra.kind if plan.family.extra is not None else ""
    if kind == "angle":
        return None, None, extra.copy()
    finite = np.isfinite(extra).all(axis=tuple(range(1, extra.ndim)))
    if not finite.all():
        raise _bad_values(plan, arrays, int((~finite).sum()), "extra")
    if kind == "keypoints":
        return None, extra.copy(), None
    if workspace.bad_prototypes():
        raise _bad_values(plan, arrays, 0)
    return workspace.masks(extra, xyxy, letterbox), None, None


def _told_cut(plan: Plan, report: list[int]) -> str:
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


def tensors_now(plan: Plan, arrays: list[AnyArray]) -> Iterator[tuple[str, Tensor]]:
    """Yield role and tensor of each output, as they are in this frame."""
    places = {slot.name: i for i, slot in enumerate(plan.slots)}
    for level in plan.reading.levels:
        for role, output in level.outputs.items():
            yield role, _tensor_now(plan, arrays[places[output.name]], output.name)
    for role, output in plan.reading.once.items():
        yield role, _tensor_now(plan, arrays[places[output.name]], output.name)


def _tensor_now(plan: Plan, array: AnyArray, name: str) -> Tensor:
    tensor = plan.tensors[name]
    return replace(tensor, data=array.reshape(-1).view(tensor.data.dtype)[: tensor.geometry.elements])


def _check_crowd(plan: Plan, arrays: list[AnyArray]) -> None:
    """Look twice when every cell holds a candidate: a sigmoid applied twice does that."""
    part = plan.family.fields(plan.sizes)["cls"]
    for role, tensor in tensors_now(plan, arrays):
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


def _bad_values(plan: Plan, arrays: list[AnyArray], count: int, field: str = "box") -> ValuesError:
    """Say where the numbers are that are none."""
    for _role, tensor in tensors_now(plan, arrays):
        if tensor.data.dtype == np.float32:
            check_finite(tensor, float(tensor.stored().min()), float(tensor.stored().max()))
    parts = plan.family.fields(plan.sizes)
    roles = {parts[name].role for name in (field, "size" if field == "box" else field) if name in parts}
    boxes = [(tensor.name, value_range(tensor)) for r, tensor in tensors_now(plan, arrays) if r in roles]
    return ValuesError(
        f"{count} box{'es' * (count > 1)} came out infinite or as no numbers",
        got="; ".join(f"{name}: {low:.4g} to {high:.4g}" for name, (low, high) in boxes),
        wanted="values that a box can be made of: this head takes their exponential"
        if plan.family.box_code in ("cells", "cells_apart", "centre_exp", "ssd")
        else "finite values",
        hint="see the scale and zero point of these outputs",
    )
