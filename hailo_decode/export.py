"""Detections in the forms that other programs read: plain values, COCO, YOLO text, supervision, Frigate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hailo_decode.errors import MissingPackage, OptionError
from hailo_decode.options import size_pair
from hailo_decode.outlines import outline
from hailo_decode.rle import packed, run_lengths
from hailo_decode.values.arrays import F4, F8, AnyArray, Bool
from hailo_decode.values.boxes import Detections


def to_dict(detections: Detections) -> dict[str, Any]:
    """Return plain Python values that JSON can hold.

    Returns
    -------
    dict
        ``frame``: ``"photo"`` or ``"input"``, whose pixels the numbers are. ``detections``: for each box
        ``xyxy``, ``confidence``, ``class_id``, ``name``; where the task has them ``mask`` (``size`` [H, W]
        and ``counts``, run lengths down the columns, the first one unset), ``keypoints`` ([[x, y,
        visibility], ...]), ``corners`` ([[x, y], ...]). ``meta``: what was decided, and why.

    Examples
    --------
    >>> to_dict(Detections.empty())
    {'frame': 'input', 'detections': [], 'meta': {}}
    """
    rows = []
    for i in range(len(detections)):
        class_id = int(detections.class_id[i])
        row: dict[str, Any] = {
            "xyxy": _numbers(detections.xyxy[i]),
            "confidence": _numbers(detections.confidence[i]),
            "class_id": class_id,
            "name": detections.name_of(class_id),
        }
        if detections.mask is not None:
            row["mask"] = {"size": list(detections.mask[i].shape), "counts": run_lengths(detections.mask[i])}
        if detections.keypoints is not None:
            row["keypoints"] = _numbers(detections.keypoints[i])
        if detections.corners is not None:
            row["corners"] = _numbers(detections.corners[i])
        rows.append(row)
    frame = "photo" if "frame" in detections.meta else "input"
    return {"frame": frame, "detections": rows, "meta": dict(detections.meta)}


def to_coco(
    detections: Detections, image_id: int | str = 0, category_ids: Sequence[int] | None = None
) -> list[dict[str, Any]]:
    """Return one row of a COCO result file for each box.

    Parameters
    ----------
    detections : Detections
    image_id : int or str
    category_ids : sequence of int, optional
        COCO's number of each class; without it a class keeps its own number, counted from 0.

    Returns
    -------
    list of dict
        ``image_id``, ``category_id``, ``bbox`` (left, top, width, height), ``score``; ``segmentation`` as
        compressed run lengths, ``keypoints`` as a flat list of x, y, visibility, and ``corners``, which COCO
        does not know.

    Raises
    ------
    OptionError
        When a class has no category.

    Examples
    --------
    >>> to_coco(Detections.empty())
    []
    """
    rows = []
    for i in range(len(detections)):
        left, top, right, bottom = detections.xyxy[i]
        row: dict[str, Any] = {
            "image_id": image_id,
            "category_id": _category(int(detections.class_id[i]), category_ids),
            "bbox": _numbers(np.array((left, top, right - left, bottom - top))),
            "score": _numbers(detections.confidence[i]),
        }
        if detections.mask is not None:
            mask = detections.mask[i]
            row["segmentation"] = {"size": list(mask.shape), "counts": packed(run_lengths(mask))}
        if detections.keypoints is not None:
            row["keypoints"] = _numbers(detections.keypoints[i].ravel())
        if detections.corners is not None:
            row["corners"] = _numbers(detections.corners[i])
        rows.append(row)
    return rows


def to_yolo_txt(
    detections: Detections, image_size: int | tuple[int, int], *, with_confidence: bool = False
) -> str:
    """Return lines of YOLO's text format, cut to the image.

    A box is ``class x y width height``, with its centre and as fractions of the image, and behind it ``x y
    visibility`` for each keypoint. A turned box is ``class`` and its four corners, a mask ``class`` and its
    outline; holes of a mask are lost, and parts of it are joined by a line to and fro.

    Parameters
    ----------
    detections : Detections
    image_size : int or (int, int)
        Height and width of the picture that the boxes are in, pixels.
    with_confidence : bool
        Put the confidence at the end of the line.

    Raises
    ------
    MissingPackage
        When there are masks, and no OpenCV to trace them.

    Examples
    --------
    >>> to_yolo_txt(Detections.empty(), 640)
    ''
    """
    size = _width_height(image_size)
    lines = []
    for i in range(len(detections)):
        if detections.mask is not None:
            numbers = _outline(detections.mask[i], detections.xyxy[i], size)
        elif detections.corners is not None:
            numbers = (detections.corners[i] / size).ravel()
        else:
            box = np.clip(detections.xyxy[i].reshape(2, 2) / size, 0, 1)
            numbers = np.concatenate([box.mean(axis=0), box[1] - box[0]])
        numbers = np.clip(numbers, 0, 1)
        if detections.keypoints is not None:
            numbers = np.append(numbers, _keypoints(detections.keypoints[i], size))
        if with_confidence:
            numbers = np.append(numbers, detections.confidence[i])
        words = (np.format_float_positional(n, 6, trim="-") for n in numbers)
        lines.append(f"{int(detections.class_id[i])} {' '.join(words)}\n")
    return "".join(lines)


def to_supervision(detections: Detections) -> Any:
    """Return a ``supervision.Detections``.

    Names are its ``data["class_name"]``, corners its ``data["xyxyxyxy"]``, keypoints its
    ``data["keypoints"]``.

    Raises
    ------
    MissingPackage
        When that package is not installed.
    """
    try:
        from supervision import Detections as Theirs
    except ImportError as error:
        raise MissingPackage("supervision", "to_supervision()", "supervision") from error
    data: dict[str, AnyArray] = {
        "class_name": np.array([detections.name_of(int(c)) for c in detections.class_id], np.str_)
    }
    if detections.corners is not None:
        data["xyxyxyxy"] = detections.corners
    if detections.keypoints is not None:
        data["keypoints"] = detections.keypoints
    return Theirs(
        xyxy=detections.xyxy,
        confidence=detections.confidence,
        class_id=detections.class_id,
        mask=detections.mask,
        data=data,
    )


def to_frigate(detections: Detections, image_size: int | tuple[int, int], rows: int = 20) -> F4:
    """Return the array that a Frigate detector hands back, best box first.

    Frigate stops at the first row below its threshold (frigate/object_detection/base.py, 0.16), so the rows
    stand by confidence.

    Parameters
    ----------
    detections : Detections
    image_size : int or (int, int)
        Height and width of the picture that the boxes are in, pixels: that of the network's input, for
        Frigate.
    rows : int
        Rows of the array; weaker boxes are left out.

    Returns
    -------
    (rows, 6) f4
        Class, confidence, top, left, bottom, right, as fractions of the image; zeros where there is no box.

    Examples
    --------
    >>> to_frigate(Detections.empty(), 320, rows=1).tolist()
    [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    width, height = _width_height(image_size)
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise OptionError(f"rows is {rows!r}", wanted="a whole number of at least 1")
    array = np.zeros((rows, 6), np.float32)
    best = np.argsort(-detections.confidence, kind="stable")[:rows]
    array[: len(best), 0] = detections.class_id[best]
    array[: len(best), 1] = detections.confidence[best]
    fractions = detections.xyxy[best][:, [1, 0, 3, 2]] / np.array((height, width, height, width))
    array[: len(best), 2:] = np.clip(fractions, 0, 1)
    return array


def _width_height(image_size: int | tuple[int, int]) -> F8:
    height, width = size_pair(image_size)
    return np.array((width, height), np.float64)


def _category(class_id: int, category_ids: Sequence[int] | None) -> int:
    if category_ids is None:
        return class_id
    if not 0 <= class_id < len(category_ids):
        raise OptionError(f"class {class_id} has no category", got=f"{len(category_ids)} category_ids")
    return int(category_ids[class_id])


def _outline(mask: Bool, box: F4, size: F8) -> F8:
    """Return the outline of a mask as fractions; that of its box where the mask is no more than a line."""
    points = outline(mask) / np.array(mask.shape[::-1], np.float64)
    if len(points) < 3:
        left, top, right, bottom = box
        points = np.array(((left, top), (left, bottom), (right, bottom), (right, top))) / size
    return points.ravel()


def _keypoints(points: F4, size: F8) -> F8:
    fractions = points.astype(np.float64)
    fractions[:, :2] = np.clip(fractions[:, :2] / size, 0, 1)
    return fractions.ravel()


def _numbers(values: AnyArray | np.float32) -> Any:
    """Return float32 values as the shortest decimals that read back to the same float32."""
    array = np.asarray(values, np.float32)
    return [_numbers(value) for value in array] if array.ndim else float(str(array))
