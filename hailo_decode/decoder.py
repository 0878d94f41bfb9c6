"""Decoder: makes a plan from the first frame, then runs it on every frame that looks alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from hailo_decode.arguments import nms_reader, split
from hailo_decode.describe import Outputs, named
from hailo_decode.end_to_end import is_finished, read_finished
from hailo_decode.errors import OptionError, PairingError
from hailo_decode.families import ANCHOR_FREE
from hailo_decode.frame import check_letterbox, laid_out, run_frame, run_frames
from hailo_decode.options import Options, size_pair
from hailo_decode.plan import Known, Plan, make_plan
from hailo_decode.threads import in_order, with_letterboxes
from hailo_decode.values.boxes import Detections, Room
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.network import NetworkInfo

if TYPE_CHECKING:
    from hailo_decode.workspace import Ready

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
        self._nms = nms_reader(known.network, options)
        self._ready: dict[tuple[Any, ...], Ready] = {}
        self._last: Ready | None = None
        self._lock = Lock()

    @classmethod
    def from_network(cls, network: NetworkInfo, **options: Any) -> Decoder:
        """Make a decoder from what a model file says.

        Parameters
        ----------
        network : NetworkInfo
            As `read_network` returns it.
        **options
            Fields of `Options` (``conf``, ``iou``, ``max_det``, ``max_per_class``, ``max_nms``, ``agnostic``,
            ``multi_label``, ``suppress``, ``turned_iou``), and ``quant``, ``formats``, ``roles``, ``logits``, ``family``,
            ``task``, ``names``, ``anchors``, ``keypoints``, ``input_size``, which add to the file's word and overrule it;
            ``network_name``, where a file holds several.

        Raises
        ------
        OptionError, AmbiguousError
            When an option is not one of these or cannot be; when a file holds several networks and none is named.
        """
        return cls(*split(network, options))

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
        if not is_finished(named(outputs), decoder._known):
            decoder.plan(outputs)
        return decoder

    def plan(self, outputs: Outputs) -> Plan:
        """Return the plan for outputs that look like these, made if there is none."""
        return self._prepared(outputs).plan

    def _prepared(self, outputs: Outputs) -> Ready:
        arrays = named(outputs)
        key = tuple(
            (name, getattr(a, "shape", None), str(getattr(a, "dtype", None))) for name, a in arrays.items()
        )
        with self._lock:
            ready = self._ready.get(key)
            if ready is None:
                from hailo_decode.workspace import Ready

                self._refuse_nms(arrays)
                ready = Ready(make_plan(arrays, self._known, self._options))
                if not ready.plan.settled:  # an empty frame proves nothing of the next
                    return ready
                while len(self._ready) >= _PLANS_KEPT:
                    self._ready.pop(next(iter(self._ready)))
                self._ready[key] = ready
            self._last = ready
        return ready

    def _refuse_nms(self, arrays: dict[str, Any]) -> None:
        """Refuse a lone output that is an NMS result, which would pass for a classifier's vector or a list of rows."""
        known = self._known
        told = known.network.task is not None or known.roles or (known.family and known.family != ANCHOR_FREE)
        if len(arrays) > 1 or told or not any(np.any(array) for array in arrays.values()):
            return
        from hailo_decode.nms import nms_hint

        hint = nms_hint(arrays)
        if hint is not None:
            raise PairingError("the one output is no raw head", got=", ".join(arrays), hint=hint)

    def __call__(
        self, outputs: Outputs, *, letterbox: Letterbox | None = None, out: Room | None = None
    ) -> Detections:
        """Decode one frame.

        Parameters
        ----------
        outputs : mapping of str to array, or sequence of arrays
            The network's raw outputs, in any order; or its NMS result, where the model ends in one.
        letterbox : Letterbox, optional
            How the photo was placed in the input: boxes come back in pixels of the photo, clipped to it.
        out : Room, optional
            Arrays that boxes, scores and classes are written into: the result holds views of them, which the next call
            with the same room writes over.

        Returns
        -------
        Detections

        Raises
        ------
        HailoDecodeError
            One of its kinds, when the outputs cannot be what they are said to be.
        """
        if letterbox is not None and self._known.network.input_size is not None:
            check_letterbox(letterbox, self._known.network.input_size)
        if self._nms is not None and self._nms.takes(outputs):
            return self._nms(outputs, letterbox=letterbox).within(out)
        ready = self._last
        arrays = None if ready is None else laid_out(ready.plan, outputs)
        if ready is None or arrays is None:
            if is_finished(named(outputs), self._known):
                return read_finished(named(outputs), self._known, self._options, letterbox).within(out)
            ready = self._prepared(outputs)
            arrays = laid_out(ready.plan, named(outputs))
        if arrays is None:
            raise PairingError(
                "the outputs changed while they were read", hint="do not write to them meanwhile"
            )
        workspace = ready.take()
        try:
            return run_frame(ready.plan, workspace, arrays, letterbox, out)
        finally:
            ready.give_back(workspace)

    def batch(
        self,
        frames: Iterable[Outputs],
        workers: int = 1,
        *,
        letterboxes: Sequence[Letterbox | None] | None = None,
    ) -> Iterator[Detections]:
        """Decode many frames, in order; with several workers, on that many threads, the reader's own among them.

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
        jobs = with_letterboxes(frames, letterboxes)
        if workers == 1:
            return (self(frame, letterbox=box) for frame, box in jobs)
        return in_order(self._several, jobs, workers)

    def _several(self, jobs: Sequence[tuple[Outputs, Letterbox | None]]) -> Iterator[Detections]:
        """Decode some frames, all in one compiled call where they look like the one before."""
        ready = self._last
        arrays = [
            None if ready is None or self._nms else laid_out(ready.plan, outputs) for outputs, _ in jobs
        ]
        size = self._known.network.input_size
        misplaced = size is not None and any(
            b is not None and getattr(b, "input_size", None) != size for _, b in jobs
        )
        if ready is None or misplaced or any(one is None for one in arrays):
            yield from (self(outputs, letterbox=box) for outputs, box in jobs)
            return
        workspaces = [ready.take() for _ in jobs]
        boxes = [box for _, box in jobs]
        frames = [(w, one or [], box) for w, one, box in zip(workspaces, arrays, boxes, strict=True)]
        try:
            yield from run_frames(ready.plan, frames)
        finally:
            for workspace in workspaces:
                ready.give_back(workspace)


def decode(
    outputs: Outputs,
    input_size: int | tuple[int, int],
    *,
    family: str | None = None,
    letterbox: Letterbox | None = None,
    **options: Any,
) -> Detections:
    """Decode one frame of any network, from its raw heads to boxes, masks, keypoints or turned boxes.

    Parameters
    ----------
    outputs : mapping of str to array, or sequence of arrays
    input_size : int or (int, int)
        Size of the network's input, or (height, width), pixels.
    family : str, optional
        Kind of head, such as ``"yolov5"``; without it, the head is recognised where one kind alone fits.
    letterbox : Letterbox, optional
    **options
        As in `Decoder.from_network`; ``anchors={stride: [(w, h), ...]}`` and ``keypoints=(points, numbers)`` among them.

    Raises
    ------
    AmbiguousError
        When more than one kind of head fits; it names them.
    """
    return Decoder.from_outputs(outputs, input_size, family=family, **options)(outputs, letterbox=letterbox)


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
