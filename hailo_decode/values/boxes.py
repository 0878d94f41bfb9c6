"""Candidates before suppression, Detections behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from hailo_decode.errors import OptionError, SizeError
from hailo_decode.values.arrays import F4, I4, AnyArray, Bool
from hailo_decode.values.letterbox import Letterbox


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Boxes of one image before suppression, in no order.

    Attributes
    ----------
    xyxy : (n, 4) f4, input pixels
        Left, top, right, bottom.
    score : (n,) f4, 0..1
    class_id : (n,) i4
        Counted from 0.
    """

    xyxy: F4
    score: F4
    class_id: I4

    def __post_init__(self) -> None:
        n = len(self.score)
        if self.xyxy.shape != (n, 4) or self.class_id.shape != (n,):
            raise SizeError(
                "the columns of candidates differ in length",
                got=f"xyxy {self.xyxy.shape}, score {self.score.shape}, class_id {self.class_id.shape}",
                wanted="(n, 4), (n,), (n,)",
            )

    def __len__(self) -> int:
        return len(self.score)


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """Arrays that results are written into, frame after frame, so that none has to be allocated.

    Attributes
    ----------
    xyxy : (n, 4) f4
    confidence : (n,) f4
    class_id : (n,) i4

    Examples
    --------
    >>> len(Room.of(300).xyxy)
    300
    """

    xyxy: F4
    confidence: F4
    class_id: I4

    def __post_init__(self) -> None:
        n = len(self.confidence)
        told = [(array.dtype.str[1:], array.shape) for array in (self.xyxy, self.confidence, self.class_id)]
        if told != [("f4", (n, 4)), ("f4", (n,)), ("i4", (n,))]:
            raise SizeError(
                "these arrays cannot hold boxes",
                got=", ".join(f"{kind} {shape}" for kind, shape in told),
                wanted="xyxy (n, 4) f4, confidence (n,) f4, class_id (n,) i4",
            )

    @classmethod
    def of(cls, boxes: int) -> Room:
        """Return room for a number of boxes."""
        return cls(np.empty((boxes, 4), np.float32), np.empty(boxes, np.float32), np.empty(boxes, np.int32))

    def take(self, xyxy: F4, confidence: F4, class_id: I4) -> tuple[F4, F4, I4]:
        """Copy columns into these arrays, and return the parts that they fill.

        Raises
        ------
        OptionError
            When there are more boxes than places.
        """
        n = len(confidence)
        if n > len(self.confidence):
            raise OptionError(
                f"{n} boxes were found, and out has room for {len(self.confidence)}",
                hint=f"out=Room.of({n}) or max_det={len(self.confidence)}",
            )
        parts = (self.xyxy[:n], self.confidence[:n], self.class_id[:n])
        parts[0][...], parts[1][...], parts[2][...] = xyxy, confidence, class_id
        return parts


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """What was found in one image, best first.

    Attributes
    ----------
    xyxy : (n, 4) f4
        Left, top, right, bottom; pixels of the network's input, unclipped, or of the photo and clipped to it, once
        a letterbox was applied.
    confidence : (n,) f4, 0..1
        Highest first; equal ones stand in the order of lower class, then row-major cell, level by level.
    class_id : (n,) i4
        Counted from 0.
    mask : (n, H, W) bool or None
    keypoints : (n, K, 3) f4 or None
        x, y in pixels, and visibility 0..1.
    corners : (n, 4, 2) f4 or None
        Corners of turned boxes, pixels.
    names : tuple of str
        Class names; empty where none are known.
    meta : dict of str to str
        What was decided and why, one line each.

    Examples
    --------
    >>> none = Detections.empty()
    >>> len(none), none.xyxy.shape
    (0, (0, 4))
    """

    xyxy: F4
    confidence: F4
    class_id: I4
    mask: Bool | None = None
    keypoints: F4 | None = None
    corners: F4 | None = None
    names: tuple[str, ...] = ()
    meta: dict[str, str] = field(default_factory=dict)

    @classmethod
    def empty(cls, names: tuple[str, ...] = (), meta: dict[str, str] | None = None) -> Detections:
        """Return a result without any box."""
        return cls(
            np.empty((0, 4), np.float32),
            np.empty(0, np.float32),
            np.empty(0, np.int32),
            names=names,
            meta=meta or {},
        )

    def __len__(self) -> int:
        return len(self.confidence)

    def within(self, room: Room | None) -> Detections:
        """Return the same boxes in the arrays of a room; the same object without one."""
        if room is None:
            return self
        xyxy, confidence, class_id = room.take(self.xyxy, self.confidence, self.class_id)
        return replace(self, xyxy=xyxy, confidence=confidence, class_id=class_id)

    def __getitem__(self, rows: int | slice | AnyArray | list[int]) -> Detections:
        """Return some of the rows, by number, slice, list, or boolean array; columns stay in step."""
        if isinstance(rows, (int, np.integer)):
            if not -len(self) <= rows < len(self):
                raise IndexError(f"row {rows} of {len(self)}")
            rows = [int(rows)]
        changed: dict[str, Any] = {}
        for column in fields(self):
            value = getattr(self, column.name)
            if isinstance(value, np.ndarray):
                changed[column.name] = value[rows]
        return replace(self, **changed)

    def __iter__(self) -> Iterator[Detections]:
        return (self[i] for i in range(len(self)))

    def name_of(self, class_id: int) -> str:
        """Return a class's name, or ``class_7`` where none is known; a box is never lost for lack of a label."""
        return self.names[class_id] if 0 <= class_id < len(self.names) else f"class_{class_id}"

    def in_photo(self, letterbox: Letterbox) -> Detections:
        """Return the same boxes in pixels of the photo, clipped to it.

        Raises
        ------
        OptionError
            When that has been done already.
        """
        if "frame" in self.meta:
            raise OptionError("these boxes are in pixels of a photo already", got=self.meta["frame"])
        width, height = letterbox.image_size[1], letterbox.image_size[0]
        xyxy = letterbox.undo(self.xyxy.reshape(-1, 2)).reshape(-1, 4)
        np.clip(xyxy, 0, np.asarray((width, height, width, height), np.float32), out=xyxy)
        meta = {**self.meta, "frame": letterbox.told}
        keypoints = self.keypoints
        if keypoints is not None:
            keypoints = keypoints.copy()
            keypoints[..., :2] = letterbox.undo(keypoints[..., :2].reshape(-1, 2)).reshape(
                *keypoints.shape[:2], 2
            )
        corners = self.corners
        if corners is not None:
            corners = letterbox.undo(corners.reshape(-1, 2)).reshape(corners.shape)
        mask = None if self.mask is None else _mask_in_photo(self.mask, letterbox)
        return replace(self, xyxy=xyxy, mask=mask, keypoints=keypoints, corners=corners, meta=meta)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, as `hailo-decode run --json` prints them."""
        from hailo_decode.export import to_dict

        return to_dict(self)

    def to_coco(self, image_id: int = 0) -> list[dict[str, Any]]:
        """Return one COCO result row a box."""
        from hailo_decode.export import to_coco

        return to_coco(self, image_id)

    def to_yolo_txt(self, image_size: tuple[int, int]) -> str:
        """Return lines of YOLO's text format: class, then centre and size as fractions of the image."""
        from hailo_decode.export import to_yolo_txt

        return to_yolo_txt(self, image_size)

    def to_supervision(self) -> Any:
        """Return a `supervision.Detections`; needs that package."""
        from hailo_decode.export import to_supervision

        return to_supervision(self)

    def to_frigate(self, image_size: tuple[int, int], rows: int = 20) -> F4:
        """Return the (rows, 6) array that a Frigate detector hands back."""
        from hailo_decode.export import to_frigate

        return to_frigate(self, image_size, rows)


def _mask_in_photo(mask: Bool, letterbox: Letterbox) -> Bool:
    """Return masks at the photo's size: each pixel has the value of the input pixel in which its middle lies."""
    height, width = letterbox.image_size
    x = np.floor((np.arange(width) + 0.5) * letterbox.scale[0] + letterbox.pad[0]).astype(np.int64)
    y = np.floor((np.arange(height) + 0.5) * letterbox.scale[1] + letterbox.pad[1]).astype(np.int64)
    inside_x, inside_y = (x >= 0) & (x < mask.shape[2]), (y >= 0) & (y < mask.shape[1])
    out = np.zeros((len(mask), height, width), np.bool_)
    rows = np.nonzero(inside_y)[0]
    for one, target in zip(mask, out, strict=True):
        target[np.ix_(rows, inside_x)] = one[np.ix_(y[rows], x[inside_x])]
    return out
