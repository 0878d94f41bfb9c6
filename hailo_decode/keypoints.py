"""Keypoint channels as points: how many, and how many numbers each."""

from __future__ import annotations

from hailo_decode.errors import AmbiguousError, OptionError
from hailo_decode.pairing import Reading


def points_of(value: object) -> tuple[int, int] | None:
    """Read (points, numbers for each), or None.

    Raises
    ------
    OptionError
    """
    if value is None:
        return None
    if isinstance(value, (tuple, list)) and len(value) == 2 and all(type(n) is int and n > 0 for n in value):
        return value[0], value[1]
    raise OptionError(f"keypoints is {value!r}", wanted="(points, numbers for each), such as (17, 3)")


def divide(channels: int, told: tuple[int, int] | None, sure: bool = True) -> tuple[tuple[int, int], str]:
    """Divide channels into points of two or three numbers.

    Parameters
    ----------
    channels : int
    told : (int, int) or None
        Points, and numbers for each.
    sure : bool
        Whether these are keypoints; False where they may be mask coefficients whose prototypes are missing.

    Returns
    -------
    (points, numbers), note

    Raises
    ------
    OptionError
        When what is told does not make up the channels.
    AmbiguousError
        When they divide both ways.

    Examples
    --------
    >>> divide(51, None)[0]
    (17, 3)
    """
    if told is not None:
        points, numbers = told
        if numbers not in (2, 3) or points * numbers != channels:
            raise OptionError(
                f"{points} keypoints of {numbers} numbers do not make up {channels} channels",
                wanted="points times 2 (x, y) or 3 (x, y, visibility)",
            )
        return (points, numbers), f"{points} of {numbers} numbers, as told"
    if channels % 3 == 0 and channels % 2 == 0:
        raise AmbiguousError(
            f"{channels} keypoint channels divide two ways",
            [f"{channels // 3} points of x, y and visibility", f"{channels // 2} points of x and y"],
            f"keypoints=({channels // 3}, 3) or keypoints=({channels // 2}, 2)",
        )
    if channels % 3 and sure:
        return (channels // 2, 2), f"{channels // 2} of 2 numbers, the one way {channels} channels divide"
    if channels % 3:
        raise AmbiguousError(
            f"{channels} channels beside box and class can be read two ways",
            [f"{channels // 2} points of x and y", "mask coefficients, whose prototypes are missing"],
            f"keypoints=({channels // 2}, 2), or the prototypes among the outputs",
        )
    return (channels // 3, 3), f"{channels // 3} of 3 numbers, the one way {channels} channels divide"


def keypoints_of(
    reading: Reading, told: tuple[int, int] | None, sure: bool
) -> tuple[tuple[int, int] | None, str]:
    """Divide the extra channels of a head into points, the one way in which they divide or the one that is told.

    Returns
    -------
    (points, numbers) or None, note
        None where the head has no keypoints.
    """
    extra = reading.family.extra
    if extra is None or extra.kind != "keypoints":
        return None, ""
    return divide(reading.sizes.extra, told, sure)
