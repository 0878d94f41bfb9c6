"""From pixels of the input to pixels of the photo that was placed in it."""

from __future__ import annotations

import numpy as np

from hailo_decode.kernels._jit import inner

# Numbers of `photo` (PHOTO,) f8.
WANTED = 0  # not 0 where places are wanted in pixels of the photo
PAD = 1  # where the photo begins in the input, across and down
SCALE = 3  # input pixels for one of the photo, across and down
SIZE = 5  # of the photo, across and down
PHOTO = 7


@inner
def moved(place, photo, axis):
    """Return a coordinate of the input, f4, in pixels of the photo; axis 0 is across, 1 is down."""
    if photo[WANTED] == 0.0:
        return place
    return np.float32((np.float64(place) - photo[PAD + axis]) / photo[SCALE + axis])


@inner
def moved_inside(place, photo, axis):
    """Do so, and clip it to the photo."""
    if photo[WANTED] == 0.0:
        return place
    return min(max(moved(place, photo, axis), np.float32(0)), np.float32(photo[SIZE + axis]))
