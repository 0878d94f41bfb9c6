"""Detections drawn into a picture: masks, boxes, keypoints, and labels that stay readable."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np

from hailo_decode.errors import OptionError, SizeError
from hailo_decode.labels import Pen, label_texts, place_labels
from hailo_decode.outlines import contours
from hailo_decode.pictures import opencv
from hailo_decode.values.arrays import F4, U1, AnyArray
from hailo_decode.values.boxes import Detections

Colour = tuple[int, int, int]

_VISIBLE = 0.5  # keypoints that are less likely are left out
_SUBPIXEL = 4  # bits behind the point that OpenCV's drawing takes
_TINT = 0.4
_LEAST_LUMA = 0.4
_LIGHT = 0.5  # from here on letters are black

# The person of COCO's keypoint task: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles, left
# before right (cocodataset.org, category "person").
_COCO_POINTS = 17
_COCO_BONES = (
    *((15, 13), (13, 11), (16, 14), (14, 12), (11, 12), (5, 11), (6, 12), (5, 6), (5, 7), (6, 8)),
    *((7, 9), (8, 10), (1, 2), (0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6)),
)  # fmt: skip


def annotate(image: AnyArray, detections: Detections, *, labels: bool = True) -> U1:
    """Return a copy of a picture with its detections drawn in, best on top.

    Lines and letters grow with the picture. Labels stand where they cover each other least; where a crowd
    leaves no room, the weaker ones are left out.

    Parameters
    ----------
    image : (H, W, 3), (H, W, 4) or (H, W) u1
        Blue, green, red (and alpha, which is dropped), or grey.
    detections : Detections
        In pixels of this picture.
    labels : bool
        Write name and confidence.

    Returns
    -------
    (H, W, 3) u1
        Blue, green, red.

    Raises
    ------
    SizeError
        When masks are of another size than the picture.
    OptionError
        When the picture is none.
    MissingPackage
        When OpenCV is not there.
    """
    cv2 = opencv("drawing")
    canvas = _canvas(image)
    height, width = canvas.shape[:2]
    if detections.mask is not None and detections.mask.shape[1:] != (height, width):
        raise SizeError(
            "masks and picture differ in size",
            got=f"masks of {detections.mask.shape[1]}x{detections.mask.shape[2]}",
            wanted=f"{height}x{width}, as the picture",
            hint="masks are in the frame of the boxes: that of the network's input, without a letterbox",
        )
    pen = Pen.fitting(cv2, height, width)
    for i in reversed(range(len(detections))):
        colour = colour_of(int(detections.class_id[i]))
        if detections.mask is not None:
            _tint(cv2, canvas, detections.mask[i], colour, pen)
        _frame(cv2, canvas, detections, i, colour, pen)
        if detections.keypoints is not None:
            _points(cv2, canvas, detections.keypoints[i], colour, pen)
    if labels:
        boxes = _within(detections.xyxy, height, width)
        placed = place_labels(pen, label_texts(detections), boxes, (height, width))
        for i in sorted(placed, reverse=True):
            _label(cv2, canvas, pen, *placed[i], colour_of(int(detections.class_id[i])))
    return canvas


def colour_of(class_id: int) -> Colour:
    """Return a class's own colour (blue, green, red): the same everywhere, far from those of its neighbours.

    Examples
    --------
    >>> colour_of(0) == colour_of(0), colour_of(0) == colour_of(1)
    (True, False)
    """
    hue = (0.36 + class_id * 0.618034) % 1  # the golden ratio never comes back to where it was
    saturation, value = ((0.85, 1.0), (0.55, 1.0), (0.95, 0.85))[class_id % 3]
    red, green, blue = colorsys.hsv_to_rgb(hue, saturation, value)
    # Blue alone is too dark for a line on a dark picture: white is mixed in up to a least luma.
    white = max(0.0, (_LEAST_LUMA - _luma(blue, green, red)) / (1 - _luma(blue, green, red)))
    blue, green, red = (round(255 * (part + (1 - part) * white)) for part in (blue, green, red))
    return blue, green, red


def _luma(blue: float, green: float, red: float) -> float:
    return 0.114 * blue + 0.587 * green + 0.299 * red  # ITU-R BT.601


def _canvas(image: AnyArray) -> U1:
    """Return a contiguous copy in three channels."""
    array = np.asarray(image)
    shaped = array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (1, 3, 4))
    if array.dtype != np.uint8 or not shaped:
        raise OptionError(
            "there is no picture to draw on",
            got=f"{array.dtype} of shape {array.shape}",
            wanted="uint8 of shape (H, W, 3), (H, W, 4) or (H, W)",
        )
    if 0 in array.shape:
        raise OptionError("the picture is empty", got=f"shape {array.shape}")
    if array.ndim == 2 or array.shape[2] == 1:
        array = np.repeat(array.reshape(*array.shape[:2], 1), 3, axis=2)
    return np.array(array[:, :, :3], np.uint8, order="C")


def _within(xyxy: F4, height: int, width: int) -> Any:
    """Return boxes as whole pixels; what lies outside stays outside, but near enough to be drawn."""
    far = np.array((width, height, width, height), np.float64)
    safe = np.nan_to_num(xyxy.astype(np.float64), posinf=np.inf, neginf=-np.inf)
    return np.rint(np.clip(safe, -far, 2 * far)).astype(np.int64)


def _tint(cv2: Any, canvas: U1, mask: AnyArray, colour: Colour, pen: Pen) -> None:
    chosen = canvas[mask]
    canvas[mask] = np.rint(chosen * (1 - _TINT) + np.array(colour) * _TINT).astype(np.uint8)
    cv2.drawContours(canvas, contours(mask), -1, colour, max(1, pen.line // 2), cv2.LINE_AA)


def _frame(cv2: Any, canvas: U1, detections: Detections, i: int, colour: Colour, pen: Pen) -> None:
    """Draw a box, or its turned one, on a thin dark edge that parts it from any background."""
    height, width = canvas.shape[:2]
    if detections.corners is None:
        left, top, right, bottom = (int(v) for v in _within(detections.xyxy[i], height, width))
        for edge, ink in pen.strokes(colour):
            cv2.rectangle(canvas, (left, top), (right, bottom), ink, edge, cv2.LINE_8)
        return
    fixed = _fixed(detections.corners[i], height, width)
    for edge, ink in pen.strokes(colour):
        cv2.polylines(canvas, [fixed], True, ink, edge, cv2.LINE_AA, _SUBPIXEL)


def _fixed(points: F4, height: int, width: int) -> Any:
    """Return points in the fixed point numbers that OpenCV's antialiased drawing takes."""
    far = np.array((width, height), np.float64)
    safe = np.clip(np.nan_to_num(points.astype(np.float64)), -far, 2 * far)
    return np.rint(safe * (1 << _SUBPIXEL)).astype(np.int32)


def _points(cv2: Any, canvas: U1, keypoints: F4, colour: Colour, pen: Pen) -> None:
    seen = keypoints[:, 2] >= _VISIBLE
    fixed = _fixed(keypoints[:, :2], *canvas.shape[:2])
    if len(keypoints) == _COCO_POINTS:
        for a, b in _COCO_BONES:
            if seen[a] and seen[b]:
                for edge, ink in pen.strokes(colour):
                    cv2.line(canvas, fixed[a].tolist(), fixed[b].tolist(), ink, edge, cv2.LINE_AA, _SUBPIXEL)
    radius = (pen.line + 1) << _SUBPIXEL
    for k in np.flatnonzero(seen):
        cv2.circle(canvas, fixed[k].tolist(), radius, colour, -1, cv2.LINE_AA, _SUBPIXEL)
        cv2.circle(
            canvas, fixed[k].tolist(), radius, (255, 255, 255), max(1, pen.line // 2), cv2.LINE_AA, _SUBPIXEL
        )


def _label(cv2: Any, canvas: U1, pen: Pen, text: str, box: tuple[int, int, int, int], colour: Colour) -> None:
    left, top, right, bottom = box
    cv2.rectangle(canvas, (left, top), (right - 1, bottom - 1), colour, -1)
    ink = (0, 0, 0) if _luma(*colour) > _LIGHT * 255 else (255, 255, 255)
    at = (left + pen.margin, bottom - pen.margin - pen.below)
    cv2.putText(canvas, text, at, pen.font, pen.scale, ink, pen.stroke, cv2.LINE_AA)
