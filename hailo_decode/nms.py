"""decode_nms: from an NMS result in any form to Detections."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hailo_decode.errors import AmbiguousError, HailoDecodeError, OptionError, PairingError, SizeError
from hailo_decode.nms_asked import make_task, task_of
from hailo_decode.nms_forms import forms_named, read_rows
from hailo_decode.nms_network import nms_outputs
from hailo_decode.nms_task import NmsTask
from hailo_decode.options import Options
from hailo_decode.readers._nms_form import Hints
from hailo_decode.readers._nms_frames import frames_of, plain
from hailo_decode.readers.sizes import by_class_sizes
from hailo_decode.values.boxes import Detections
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.network import NetworkInfo

_TASKS_KEPT = 8
_GUESSES = 3
_ANY_SIZE = (1, 1)  # does not matter to boxes without masks


def decode_nms(
    buffer: Any,
    *,
    classes: int | None = None,
    image_size: int | tuple[int, int] | None = None,
    letterbox: Letterbox | None = None,
    **options: Any,
) -> Detections:
    """Read the NMS result of one frame, in whatever form it comes.

    The forms are told apart by type, size and content. Where two readings stay possible, the error names both.

    Parameters
    ----------
    buffer : array, bytes, list, or dict with one of these
        What pyhailort or the C library returned: a flat buffer, a list with the boxes of each class, a cube, a list
        of detection objects, or a batch of one of any of these.
    classes : int, optional
        Number of classes in the buffer; a packed buffer does not always tell.
    image_size : int or (int, int), optional
        Size, or (height, width), of the image that the boxes are fractions of, pixels: the network's input. Known
        from `network` or `letterbox`, else it must be given; given, it overrules what a model file says.
    letterbox : Letterbox, optional
        How the photo was placed in the input: boxes come back in pixels of the photo and clipped to it, masks at
        its size.
    **options
        ``conf``: least score, to be stricter than the threshold in the model; without it all are kept.
        ``names``: class names. ``network``: what `read_network` returns, for sizes, thresholds and names.
        ``form``: name of a form (``"by_score"``) or an order (``"HAILO NMS BY SCORE"``).
        ``max_per_class``, ``max_total``: most boxes that the buffer is made for; ``max_det``: most in the result.
        ``label_offset``: taken off class ids, for buffers that count from 1.
        ``quant=(scale, zero_point)``: for boxes stored as integers.
        ``box_axis``: 1 or 2, the axis of a cube that holds the five numbers of a box.
        ``chunks``, ``burst``: for raw streams of an NMS on the chip, parts of a frame and words in a burst.

    Returns
    -------
    Detections
        Best first; equal scores in the order of the buffer, class by class.

    Raises
    ------
    HailoDecodeError
        One of its kinds, for a buffer that cannot be what it is said to be.

    Examples
    --------
    >>> buffer = np.zeros(2 * (1 + 5 * 4), np.float32)
    >>> len(decode_nms(buffer, classes=2, image_size=100))
    0
    >>> buffer[:7] = [0, 1, 0.1, 0.2, 0.3, 0.4, 0.9]  # nothing of class 0, one of class 1
    >>> dets = decode_nms(buffer, classes=2, image_size=100)
    >>> dets.class_id.tolist(), dets.xyxy.round(3).tolist()
    ([1], [[20.0, 10.0, 40.0, 30.0]])
    """
    name, held = _chosen(buffer)
    fallback = None if letterbox is None else letterbox.input_size
    task = task_of(classes=classes, image_size=image_size, fallback_size=fallback, output=name, **options)
    return task.run(_one_frame(held), letterbox)


def decode_nms_batch(
    buffers: Any,
    *,
    letterboxes: Sequence[Letterbox | None] | None = None,
    **options: Any,
) -> list[Detections]:
    """Read the NMS results of several frames.

    Parameters
    ----------
    buffers : array, list, or dict with one of these
        One entry a frame: what ``InferVStreams.infer()`` returns.
    letterboxes : sequence of Letterbox or None, optional
        One for each frame.
    **options
        As in `decode_nms`.

    Returns
    -------
    list of Detections

    Raises
    ------
    OptionError
        When there are more letterboxes than frames, or fewer.
    HailoDecodeError
        As in `decode_nms`.
    """
    name, held = _chosen(buffers)
    held = plain(held)
    if not isinstance(held, (list, tuple, np.ndarray)) or getattr(held, "ndim", 2) < 2:
        raise SizeError(
            "a single buffer is no batch",
            got=type(held).__name__,
            wanted="one buffer a frame",
            hint="decode_nms(buffer, ...)",
        )
    if letterboxes is not None and len(letterboxes) != len(held):
        raise OptionError(f"{len(letterboxes)} letterboxes do not go with {len(held)} frames")
    found = []
    for i in range(len(held)):
        box = None if letterboxes is None else letterboxes[i]
        task = task_of(fallback_size=None if box is None else box.input_size, output=name, **options)
        found.append(task.run(plain(held[i]), box))
    return found


class NmsDecoder:
    """Reads the NMS results of one network, frame after frame.

    Parameters
    ----------
    network : NetworkInfo
    options : Options
        `conf`, `max_det` and `max_per_class` are heeded; suppression was done before.
    **known
        Other options of `decode_nms`, such as ``quant`` and ``label_offset``.
    """

    def __init__(self, network: NetworkInfo, options: Options, **known: Any) -> None:
        self._network = network
        self._asked: dict[str, Any] = {
            "network": network,
            "conf": options.conf,
            "max_det": options.max_det,
            "keep_per_class": options.max_per_class,
            **known,
        }
        self._results = frozenset(o.name for o in nms_outputs(network))
        self._tasks: dict[Any, NmsTask] = {}

    def takes(self, outputs: Any) -> bool:
        """Tell whether these are NMS results, and not the raw heads of the same network."""
        if isinstance(outputs, Mapping):
            return any(map(self._is_result, outputs))
        return not (isinstance(outputs, (list, tuple)) and len(outputs) > 1 and all(map(_is_grid, outputs)))

    def __call__(self, outputs: Any, *, letterbox: Letterbox | None = None) -> Detections:
        """Read one frame: a buffer, or a dict with it, in any form that `decode_nms` knows."""
        if isinstance(outputs, Mapping):
            outputs = {name: held for name, held in outputs.items() if self._is_result(name)} or outputs
        name, held = _chosen(outputs)
        key = (name, None if letterbox is None else letterbox.input_size)
        task = self._tasks.get(key)
        if task is None:
            task = make_task(**self._asked, output=name, fallback_size=key[1])
            self._tasks = {**dict(list(self._tasks.items())[-_TASKS_KEPT:]), key: task}
        return task.run(_one_frame(held), letterbox)

    def _is_result(self, name: Any) -> bool:
        if name in self._results:
            return True
        info = self._network.output(str(name))  # with or without the network's prefix
        return info is not None and info.name in self._results


def nms_decoder(network: NetworkInfo, options: Options, **known: Any) -> NmsDecoder | None:
    """Return what reads a network's NMS results; None where its outputs are raw heads."""
    return NmsDecoder(network, options, **known) if nms_outputs(network) else None


def nms_hint(outputs: Any) -> str | None:
    """Say so where what was handed in as raw outputs is an NMS result; None where nothing shows it.

    Parameters
    ----------
    outputs : mapping, list or array
        As a caller handed them to a decoder of raw heads.
    """
    held = list(outputs.values()) if isinstance(outputs, Mapping) else outputs
    if isinstance(held, list) and len(held) == 1:
        held = held[0]
    for classes in (None, *_likely_classes(held)):
        with contextlib.suppress(HailoDecodeError):
            rows = read_rows(
                _one_frame(held), forms_named(None), Hints(image_size=_ANY_SIZE, classes=classes)
            )
            # A form in which nothing is found is no proof, but for a flat buffer of just that size.
            if len(rows.boxes) or getattr(held, "ndim", 0) == 1:
                return f"this looks like an NMS result ({rows.told}): read it with decode_nms"
    return None


def _likely_classes(held: Any) -> list[int]:
    if not isinstance(held, np.ndarray) or held.dtype != np.float32:
        return []
    return [classes for classes, _ in by_class_sizes(held.size)[:_GUESSES]]


def _chosen(held: Any) -> tuple[str | None, Any]:
    """Take the one NMS result out of a dict; anything else is one already.

    Raises
    ------
    PairingError
        When there is none.
    AmbiguousError
        When there are several.
    """
    if not isinstance(held, Mapping):
        return None, held
    if not held:
        raise PairingError("there are no outputs", got="an empty dict")
    grids = [name for name, one in held.items() if _is_grid(one)]
    names = [name for name in held if name not in grids]
    if len(held) == 1 or (not names and all(_may_be_cube(held[name]) for name in grids)):
        names = list(held)
    if len(names) == 1:
        return names[0], held[names[0]]
    if not names:
        raise _raw_tensors(held)
    raise AmbiguousError(
        f"a dict with {len(names)} NMS results",
        names[:8],
        "decode_nms(outputs[name], ...) for the one that is meant",
    )


def _is_grid(one: Any) -> bool:
    """Tell whether an output has the axes of a raw tensor, which a cube has too."""
    return len(getattr(one, "shape", ())) in (3, 4)


def _may_be_cube(one: Any) -> bool:
    return 5 in one.shape[-2:]


def _one_frame(held: Any) -> Any:
    """Return the one frame of a batch of one; a frame is one already.

    Raises
    ------
    PairingError
        When these are the raw tensors of one.
    SizeError
        When there are several.
    """
    if isinstance(held, np.ndarray) and held.ndim == 1 and held.dtype.kind != "O":
        return held
    frames = frames_of(held)
    if len(frames) == 1:
        return frames[0]
    if frames and all(map(_is_grid, frames)) and len({one.shape for one in frames}) > 1:
        raise _raw_tensors({f"output{i}": one for i, one in enumerate(frames)})
    raise SizeError(
        f"a batch of {len(frames)} frames",
        wanted="one frame",
        hint="decode_nms_batch(buffers, ...) reads all of them"
        if frames
        else "an empty batch holds no frame",
    )


def _raw_tensors(outputs: Mapping[str, Any]) -> PairingError:
    shapes = ", ".join(f"{name} {getattr(one, 'shape', '')}" for name, one in list(outputs.items())[:8])
    return PairingError(
        f"{len(outputs)} raw tensors, and no NMS result: this network has no NMS step",
        got=shapes,
        hint="decode them with Decoder, or decode_yolov8(outputs, input_size=...)",
    )
