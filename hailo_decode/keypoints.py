"""Keypoint channels as points: how many, and how many numbers each."""

from __future__ import annotations

from hailo_decode.errors import AmbiguousError, OptionError


def divide(channels: int, told: tuple[int, int] | None) -> tuple[tuple[int, int], str]:
    """Divide channels into points of two or three numbers.

    Parameters
    ----------
    channels : int
    told : (int, int) or None
        Points, and numbers for each.

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
    numbers = 3 if channels % 3 == 0 else 2
    return (
        channels // numbers,
        numbers,
    ), f"{channels // numbers} of {numbers} numbers, the one way {channels} channels divide"
