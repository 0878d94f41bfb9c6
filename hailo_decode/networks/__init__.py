"""Model files to NetworkInfo: one file a format, recognised by its bytes."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path

from hailo_decode.networks._format import Format, format_of
from hailo_decode.plugins import entries
from hailo_decode.values.network import NetworkInfo


def known_formats(first: str = "") -> Iterator[Format]:
    """Yield every format of this folder; each is imported when its turn comes.

    Parameters
    ----------
    first : str
        Name of the file whose format comes before the others: no two know the same bytes, but the right one at
        once spares the import of the rest.
    """
    for name in sorted(entries(__name__), key=lambda name: name != first):
        module = importlib.import_module(f"{__name__}.{name}")
        if hasattr(module, "FORMAT"):
            yield module.FORMAT


def known_devices() -> tuple[str, ...]:
    """Return every device that a compiled network may name, as `NetworkInfo.devices` has them.

    Examples
    --------
    >>> known_devices()[:2]
    ('hailo8', 'hailo8l')
    """
    from hailo_decode.networks._hef_numbers import DEVICES

    return tuple(dict.fromkeys(name for names in DEVICES.values() for name in names))


def read_network(path: str | os.PathLike[str], *, verify: bool = False) -> NetworkInfo:
    """Read what a model file says of its network; weights are never read.

    Parameters
    ----------
    path : str or path
        A file or a folder; its bytes decide what it is, its name does not.
    verify : bool
        Also check the checksums that the format has, over the whole file. Without it they are checked
        where that costs little; ``facts["integrity"]`` of the result says what was checked.

    Raises
    ------
    FormatError
        When no format knows the bytes, or they are not what the format asks for.

    Examples
    --------
    >>> read_network("no-such.hef")
    Traceback (most recent call last):
    hailo_decode.errors.MissingFile: there is no file 'no-such.hef'
    """
    place = Path(path)
    found = format_of(place, known_formats(first=place.suffix[1:].lower()))
    return found.verify(place) if verify and found.verify else found.read(place)
