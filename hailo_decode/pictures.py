"""Photos in and out of files, and OpenCV, which is imported when it is wanted."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from hailo_decode.errors import FormatError, MissingPackage, OptionError
from hailo_decode.values.arrays import U1

_MOST_PIXELS = 1 << 27  # OpenCV's own limit lets a small file ask for 3 GB
_MOST_BYTES = 1 << 28


def opencv(purpose: str) -> Any:
    """Return the module ``cv2``.

    Parameters
    ----------
    purpose : str
        What it is wanted for, as the beginning of a sentence.

    Raises
    ------
    MissingPackage
        When it is not installed, or the libraries that it wants from the system are not.
    """
    if "cv2" not in sys.modules:  # it reads this once
        os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(_MOST_PIXELS))
    try:
        import cv2
    except ImportError as error:
        missing = MissingPackage("opencv-python", purpose, "opencv-python")
        if not isinstance(error, ModuleNotFoundError):
            missing.got = f"it is installed and cannot be loaded: {str(error).strip() or 'no reason given'}"
            missing.hint = (
                "on a system without desktop libraries: pip uninstall -y opencv-python && "
                "pip install --force-reinstall opencv-python-headless"
                if ".so" in str(error)
                else "pip install --upgrade opencv-python (its build and the numpy here differ)"
            )
        raise missing from error
    return cv2


def read_image(path: str | os.PathLike[str]) -> U1:
    """Read a photo, turned as its EXIF data says.

    Returns
    -------
    (H, W, 3) u1
        Blue, green, red, as OpenCV has it.

    Raises
    ------
    FormatError
        When there is no such file, or OpenCV cannot read it.
    MissingPackage
    """
    cv2 = opencv("reading a photo")
    place = Path(path)
    try:
        size = place.stat().st_size
        if size > _MOST_BYTES:
            raise FormatError(f"{str(place)!r} is {size} bytes long", wanted=f"at most {_MOST_BYTES}")
        data = place.read_bytes()
    except FileNotFoundError as error:
        raise FormatError(f"there is no file {str(place)!r}") from error
    except OSError as error:
        raise FormatError(f"{str(place)!r} cannot be read: {error.strerror or error}") from error
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error as error:
        raise FormatError(
            f"{str(place)!r} is a picture that cannot be unpacked", got=_short(error)
        ) from error
    if image is None:
        raise FormatError(
            f"{str(place)!r} is no picture that OpenCV can read",
            got=f"first bytes {data[:8].hex(' ')}" if data else "an empty file",
            wanted="JPEG, PNG, WebP, BMP, TIFF",
        )
    return image  # type: ignore[no-any-return]


def write_image(path: str | os.PathLike[str], image: U1) -> None:
    """Write a picture; the file's suffix tells the format.

    Raises
    ------
    OptionError
        When the suffix names no format that OpenCV can write.
    MissingPackage
    """
    cv2 = opencv("writing a picture")
    place = Path(path)
    try:
        done, data = cv2.imencode(place.suffix or ".", image)
    except cv2.error:
        done = False
    if not done:
        raise OptionError(
            f"no picture can be written as {place.name!r}", wanted="a name that ends in .png or .jpg"
        )
    place.write_bytes(data.tobytes())


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
