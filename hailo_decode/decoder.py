"""Decoder: makes a plan from the first frame, then runs it on every frame that looks alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hailo_decode.activation import check_not_twice, value_range
from hailo_decode.describe import Outputs, named
from hailo_decode.errors import OptionError, PairingError, UnknownName, ValuesError
from hailo_decode.families import ANCHOR_FREE
from hailo_decode.kernels import layout as at
from hailo_decode.options import Options, size_pair
from hailo_decode.plan import Known, Plan, make_plan
from hailo_decode.values.arrays import I8, U1, AnyArray
from hailo_decode.values.boxes import Detections, corners_of
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.network import NetworkInfo

if TYPE_CHECKING:
    from hailo_decode.workspace import Workspace

_PLANS_KEPT = 8  # shapes and dtypes that a decoder remembers; a stream has one


class Decoder:
    """Turns the raw outputs of one network into boxes, frame after frame.

    The first frame settles everything: roles, layouts, activation, thresholds. Later frames that look alike (names, shapes,
    dtypes) run what was settled. Safe to call from several threads; each works in memory of its own, and
    the compiled part holds no lock.

    Use `from_file`, `from_network` or `from_outputs` to make one.
    """

    def __init__(self, known: Known, options: Options) -> None:
        self._known = known
        self._options = options
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._spare: dict[int, list[Workspace]] = {}
        self._last: Plan | None = None

    @classmethod
    def from_network(cls, network: NetworkInfo, **options: Any) -> Decoder:
        """Make a decoder from what a model file says.

        Parameters
        ----------
        network : NetworkInfo
            As `read_network` returns it.
        **options
            Fields of `Options` (``conf``, ``iou``, ``max_det``, ``max_per_class``, ``max_nms``, ``agnostic``,
            ``multi_label``, ``suppress``), and ``quant``, ``formats``, ``roles``, ``logits``, ``family``, ``names``,
            ``input_size``, which add to the file's word and overrule it.

        Raises
        ------
        OptionError
            When an option is not one of these, or its value cannot be.
        """
        return cls(*_split(network, options))

    @classmethod
    def from_file(cls, path: str | Path, **options: Any) -> Decoder:
        """Make a decoder from a model file of any format that `read_network` knows.

        Raises
        ------
        FormatError
            When the file's bytes are not what its format asks for.
        """
        from hailo_decode.networks import read_network

        return cls.from_network(read_network(Path(path)), **options)

    @classmethod
    def from_outputs(cls, outputs: Outputs, input_size: int | tuple[int, int], **options: Any) -> Decoder:
        """Make a decoder from a first frame's outputs, and check them.

        Parameters
        ----------
        outputs : mapping of str to array, or sequence of arrays
        input_size : int or (int, int)
            Size of the network's input, or (height, width), pixels.
        **options
            As in `from_network`.
        """
        network = NetworkInfo("network", "outputs", input_size=size_pair(input_size))
        decoder = cls.from_network(network, **options)
        decoder.plan(outputs)
        return decoder

    def plan(self, outputs: Outputs) -> Plan:
        """Return the plan for outputs that look like these, made if there is none."""
        arrays = named(outputs)
        key = tuple((name, getattr(a, "shape", None), str(getattr(a, "dtype", None))) for name, a in arrays.items())
        plan = self._plans.get(key)
        if plan is None:
            plan = make_plan(arrays, self._known, self._options)
            while len(self._plans) >= _PLANS_KEPT:
                self._plans.pop(next(iter(self._plans)), None)
            self._plans[key] = plan
        self._last = plan
        return plan

    def __call__(self, outputs: Outputs, *, letterbox: Letterbox | None = None) -> Detections:
        """Decode one frame.

        Parameters
        ----------
        outputs : mapping of str to array, or sequence of arrays
            The network's raw outputs, in any order.
        letterbox : Letterbox, optional
            How the photo was placed in the input: boxes come back in pixels of the photo, clipped to it.

        Returns
        -------
        Detections

        Raises
        ------
        HailoDecodeError
            One of its kinds, when the outputs cannot be what they are said to be.
        """
        plan = self._last
        flat = None if plan is None else _flat(plan, outputs)
        if flat is None:
            plan = self.plan(outputs)
            flat = _flat(plan, named(outputs))
        if plan is None or flat is None:
            raise PairingError("the outputs changed while they were read", hint="do not write to them meanwhile")
        workspace = self._borrow(plan)
        try:
            return _collect(plan, workspace, flat, letterbox)
        finally:
            self._spare.setdefault(id(plan), []).append(workspace)

    def batch(
        self, frames: Iterable[Outputs], workers: int = 1, *, letterboxes: Sequence[Letterbox | None] | None = None
    ) -> Iterator[Detections]:
        """Decode many frames, in order; with several workers, on that many threads.

        Parameters
        ----------
        frames : iterable of outputs
            Read as results are taken, a few frames ahead.
        workers : int
        letterboxes : sequence of Letterbox or None, optional
            One for each frame.
        """
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise OptionError(f"workers is {workers!r}", wanted="a whole number of at least 1")
        boxes = iter(letterboxes) if letterboxes is not None else None
        jobs = ((frame, next(boxes, None) if boxes else None) for frame in frames)
        if workers == 1:
            return (self(frame, letterbox=box) for frame, box in jobs)
        from hailo_decode.threads import in_order

        return in_order(lambda job: self(job[0], letterbox=job[1]), jobs, workers)

    def _borrow(self, plan: Plan) -> Workspace:
        try:
            return self._spare[id(plan)].pop()
        except (KeyError, IndexError):
            from hailo_decode.workspace import Workspace

            return Workspace(plan)


def decode_yolov8(
    outputs: Outputs,
    input_size: int | tuple[int, int],
    *,
    letterbox: Letterbox | None = None,
    **options: Any,
) -> Detections:
    """Decode one frame of a YOLOv8-type network (v8 to v12, 26), from its raw heads to boxes.

    For a stream of frames make a `Decoder` once: it keeps what this works out anew each time.

    Parameters
    ----------
    outputs : mapping of str to array, or sequence of arrays
        Box and class tensors of each stride in any order: ``(H, W, C)``, ``(1, H, W, C)``, or flat device bytes.
    input_size : int or (int, int)
        Size of the network's input, or (height, width), pixels.
    letterbox : Letterbox, optional
        How the photo was placed in the input; without it boxes are in pixels of the input, unclipped.
    **options
        ``quant={name: (scale, zero_point)}``, ``formats={name: "FCR"}``, ``logits``, ``conf=0.25``, ``iou=0.7``,
        ``max_det=300``, ``agnostic``, ``multi_label``, ``names`` and the rest of `Decoder.from_network`.

    Returns
    -------
    Detections

    Examples
    --------
    >>> import numpy as np
    >>> box = np.zeros((2, 2, 32), np.float32)
    >>> cls = np.full((2, 2, 3), -9, np.float32)
    >>> len(decode_yolov8([box, cls], 64))
    0
    >>> cls[1, 0, 2] = 4
    >>> dets = decode_yolov8([box, cls], 64)
    >>> dets.class_id.tolist(), dets.xyxy.tolist()
    ([2], [[-96.0, -64.0, 128.0, 160.0]])
    """
    options.setdefault("family", ANCHOR_FREE)
    return Decoder.from_outputs(outputs, input_size, **options)(outputs, letterbox=letterbox)


def _split(network: NetworkInfo, given: dict[str, Any]) -> tuple[Known, Options]:
    """Sort arguments into what is known and how to choose."""
    choose = {f.name for f in dataclass_fields(Options)}
    know = {"quant", "formats", "roles", "logits", "family", "names", "input_size", "anchors", "keypoints", "task"}
    for name in given:
        if name not in choose | know:
            raise UnknownName("option", name, choose | know)
    if given.get("names") is not None:
        network = network.with_names(tuple(str(name) for name in given["names"]))
    if given.get("input_size") is not None:
        network = replace(network, input_size=size_pair(given["input_size"]))
    if given.get("task") is not None:
        network = replace(network, task=given["task"])
    family = given.get("family") or network.family or ()
    known = Known(
        network=network,
        quant=given.get("quant"),
        formats=given.get("formats"),
        roles=given.get("roles"),
        logits=given.get("logits"),
        family=(family,) if isinstance(family, str) else tuple(family),
        anchors=given.get("anchors"),
        keypoints=given.get("keypoints"),
        given=frozenset(given),
    )
    return known, Options(**{name: value for name, value in given.items() if name in choose})


def _flat(plan: Plan, outputs: Outputs) -> list[U1] | None:
    """Return each output of the plan as flat writable bytes, none of them moved; None where one looks different."""
    flat: list[U1] = []
    if isinstance(outputs, (list, tuple)):
        outputs = {slot.name: array for slot, array in zip(plan.slots, outputs, strict=False)}
    if len(outputs) != len(plan.slots):
        return None
    for slot in plan.slots:
        array = outputs.get(slot.name)  # type: ignore[union-attr]
        if not isinstance(array, np.ndarray) or array.shape != slot.shape or array.dtype != slot.dtype:
            return None
        flags = array.flags
        if not flags.c_contiguous:
            array = np.ascontiguousarray(array)
        array = array.reshape(-1)
        if array.itemsize != 1:
            array = array.view(np.uint8)
        flat.append(array if flags.writeable else _unlocked(array))
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


def _collect(plan: Plan, workspace: Workspace, flat: list[U1], letterbox: Letterbox | None) -> Detections:
    """Run a frame, check what it reports, and copy its result out of the workspace."""
    xyxy, confidence, class_id, anchor, turned = workspace.run(flat)
    report = workspace.report
    if report[at.BAD_VALUES] or report[at.BAD_BOXES]:
        raise _bad_values(plan, flat, report)
    meta = plan.meta
    if report[at.TRIED] >= plan.tables.anchors:
        _check_crowd(plan, flat)
    if report[at.CAPPED] or report[at.FULL] or report[at.CLASS_FULL]:
        meta = {**meta, "cut": _told_cut(plan, report)}
    found = Detections(xyxy.copy(), confidence.copy(), class_id.copy(), names=plan.names, meta=meta)
    extra = plan.family.extra
    if extra is not None and extra.kind == "keypoints":
        found = replace(found, keypoints=workspace.keypoints(anchor))
    elif extra is not None and extra.kind == "angle":
        found = replace(found, corners=corners_of(turned))
    if letterbox is not None:
        found = found.in_photo(letterbox)
    if extra is not None and extra.kind == "masks":
        found = replace(found, mask=workspace.masks(anchor, found.xyxy, letterbox))
    return found


def _told_cut(plan: Plan, report: I8) -> str:
    parts = []
    if report[at.CAPPED]:
        limit = plan.tables.settings[at.MAX_NMS]
        parts.append(f"max_nms={limit} was reached: weaker candidates were not looked at")
    if report[at.CLASS_FULL]:
        limit = plan.tables.settings[at.MAX_PER_CLASS]
        parts.append(f"max_per_class={limit} was reached: {report[at.CLASS_FULL]} candidates were turned away")
    if report[at.FULL]:
        parts.append(f"max_det={plan.tables.settings[at.MAX_DET]} was reached: weaker boxes were left out")
    return "; ".join(parts)


def _tensors_of(plan: Plan, flat: list[U1]) -> Iterator[tuple[str, Any]]:
    """Yield role and tensor of each output, as they are in this frame."""
    places = {slot.name: i for i, slot in enumerate(plan.slots)}
    for level in plan.reading.levels:
        for role, output in level.outputs.items():
            tensor = plan.tensors[output.name]
            data = flat[places[output.name]].view(tensor.data.dtype)[: tensor.geometry.elements]
            yield role, replace(tensor, data=data)


def _check_crowd(plan: Plan, flat: list[U1]) -> None:
    """Look twice when every cell holds a candidate: a sigmoid applied twice does that."""
    for role, tensor in _tensors_of(plan, flat):
        if role == plan.family.fields(plan.sizes)["cls"].role:
            logits = "logits" in plan.meta.get("activation", "")
            if not logits:
                check_not_twice(tensor.name, *value_range(tensor))


def _bad_values(plan: Plan, flat: list[U1], report: I8) -> ValuesError:
    """Say where the numbers are that are none."""
    for _role, tensor in _tensors_of(plan, flat):
        if tensor.data.dtype != np.float32:
            continue
        stored = tensor.stored()
        bad = ~np.isfinite(stored)
        if bad.any():
            h, w, c = (int(v) for v in np.argwhere(bad)[0])
            return ValuesError(
                f"output {tensor.name!r} holds {int(bad.sum())} values that are no numbers",
                got=f"{stored[h, w, c]} at row {h}, column {w}, channel {c}",
                wanted="finite float32 values",
                hint="NaN comes from dequantising with a broken scale, or from memory that was never filled",
            )
    return ValuesError(
        f"{int(report[at.BAD_BOXES])} boxes came out infinite or as no numbers",
        hint="see the scale and zero point of the box outputs",
    )
