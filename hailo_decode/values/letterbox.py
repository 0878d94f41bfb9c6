"""Letterbox: how a photo was placed in the network's input, and the way back."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.values.arrays import F4, AnyArray

_PLACES = {"centre": (0.5, 0.5), "topleft": (0.0, 0.0), "bottomright": (1.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Letterbox:
    """``input = photo * scale + pad``, for x and for y.

    Attributes
    ----------
    image_size : (int, int)
        Height and width of the photo, pixels.
    input_size : (int, int)
        Height and width of the network's input, pixels.
    scale : (float, float)
        Input pixels for one photo pixel, across and down.
    pad : (float, float)
        Where the photo's left and top edge lie in the input, pixels; negative where a part was cut off.
    """

    image_size: tuple[int, int]
    input_size: tuple[int, int]
    scale: tuple[float, float]
    pad: tuple[float, float]

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (*self.scale, *self.pad))) or min(self.scale) <= 0:
            raise OptionError(
                "a letterbox wants positive scales and finite pads", got=f"scale {self.scale}, pad {self.pad}"
            )

    @classmethod
    def fit(
        cls,
        image_size: tuple[int, int],
        input_size: tuple[int, int],
        place: str = "centre",
        whole: bool = False,
    ) -> Letterbox:
        """Scale a photo alike in both directions so that all of it is seen, and pad the rest.

        Parameters
        ----------
        image_size, input_size : (int, int)
            Height and width, pixels.
        place : {"centre", "topleft", "bottomright"}
            Where the photo stands.
        whole : bool
            Round the pad to whole pixels, as code that copies the photo into a grey picture does.

        Examples
        --------
        >>> Letterbox.fit((1080, 1920), (640, 640)).pad
        (0.0, 140.0)
        """
        image_size, input_size = _size("image_size", image_size), _size("input_size", input_size)
        scale = min(input_size[0] / image_size[0], input_size[1] / image_size[1])
        return cls._placed(image_size, input_size, scale, place, whole)

    @classmethod
    def crop(
        cls,
        image_size: tuple[int, int],
        input_size: tuple[int, int],
        place: str = "centre",
        whole: bool = False,
    ) -> Letterbox:
        """Scale a photo alike in both directions so that it fills the input, and cut off the rest."""
        image_size, input_size = _size("image_size", image_size), _size("input_size", input_size)
        scale = max(input_size[0] / image_size[0], input_size[1] / image_size[1])
        return cls._placed(image_size, input_size, scale, place, whole)

    @classmethod
    def stretch(cls, image_size: tuple[int, int], input_size: tuple[int, int]) -> Letterbox:
        """Scale a photo to the input in each direction by itself."""
        image_size, input_size = _size("image_size", image_size), _size("input_size", input_size)
        scale = (input_size[1] / image_size[1], input_size[0] / image_size[0])
        return cls(image_size, input_size, scale, (0.0, 0.0))

    @classmethod
    def _placed(
        cls, image_size: tuple[int, int], input_size: tuple[int, int], scale: float, place: str, whole: bool
    ) -> Letterbox:
        if place not in _PLACES:
            raise OptionError(f"place is {place!r}", wanted=", ".join(_PLACES))
        across, down = _PLACES[place]
        pad = (
            (input_size[1] - image_size[1] * scale) * across,
            (input_size[0] - image_size[0] * scale) * down,
        )
        if whole:
            pad = (float(int(pad[0])), float(int(pad[1])))
        return cls(image_size, input_size, (scale, scale), pad)

    @classmethod
    def read(
        cls, description: Mapping[str, Any], image_size: tuple[int, int], input_size: tuple[int, int]
    ) -> Letterbox:
        """Read the placement that a recording's description states.

        Parameters
        ----------
        description : mapping
            ``scale`` or ``scale_x`` and ``scale_y``, ``pad_x``, ``pad_y``, or a ``mode`` alone: letterbox, topleft,
            stretch or crop.
        """
        if "scale" in description or "scale_x" in description:
            scale = description.get("scale", 1.0)
            try:
                scales = (float(description.get("scale_x", scale)), float(description.get("scale_y", scale)))
                pads = (float(description.get("pad_x", 0.0)), float(description.get("pad_y", 0.0)))
            except (TypeError, ValueError) as error:
                raise OptionError(
                    "a letterbox's numbers cannot be read", got=repr(dict(description))[:200]
                ) from error
            return cls(image_size, input_size, scales, pads)
        mode = description.get("mode")
        if mode == "stretch":
            return cls.stretch(image_size, input_size)
        if mode == "crop":
            return cls.crop(image_size, input_size)
        if mode in ("letterbox", "topleft"):
            return cls.fit(image_size, input_size, "centre" if mode == "letterbox" else "topleft")
        raise OptionError(f"a letterbox of mode {mode!r}", wanted="letterbox, topleft, stretch or crop")

    def apply(self, points: AnyArray) -> F4:
        """Map (n, 2) points of the photo to pixels of the input."""
        moved: AnyArray = np.asarray(points, np.float64) * np.asarray(self.scale) + np.asarray(self.pad)
        return moved.astype(np.float32)

    def undo(self, points: AnyArray) -> F4:
        """Map (n, 2) points of the input to pixels of the photo, unclipped."""
        moved: AnyArray = (np.asarray(points, np.float64) - np.asarray(self.pad)) / np.asarray(self.scale)
        return moved.astype(np.float32)

    @property
    def told(self) -> str:
        """What `Detections.meta` says of boxes that were put into the photo's pixels."""
        return f"pixels of the photo ({self.image_size[1]}x{self.image_size[0]}): {self}"

    def __str__(self) -> str:
        scale = (
            f"{self.scale[0]:g}"
            if self.scale[0] == self.scale[1]
            else f"{self.scale[0]:g}, {self.scale[1]:g}"
        )
        return f"scale {scale}, pad {self.pad[0]:g}, {self.pad[1]:g} taken off"


def _size(what: str, size: object) -> tuple[int, int]:
    """Read (height, width), whole numbers of at least 1."""
    if isinstance(size, (tuple, list)) and len(size) == 2:
        whole = [isinstance(n, numbers.Integral) and not isinstance(n, bool) and int(n) > 0 for n in size]
        if all(whole):
            return int(size[0]), int(size[1])
    raise OptionError(f"{what} is {size!r}", wanted="(height, width) in pixels, whole numbers of at least 1")
