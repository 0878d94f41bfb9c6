"""Options of a decoder: thresholds and limits, checked once."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hailo_decode.errors import OptionError


@dataclass(frozen=True, slots=True)
class Options:
    """How candidates are chosen and suppressed.

    Attributes
    ----------
    conf : float
        Least score, 0..1; compared as float32, and a score equal to it is kept.
    iou : float
        Overlap from which a box is dropped, 0..1; compared as float32, and a box that reaches it is dropped.
    max_det : int
        Most boxes in a result, applied behind suppression.
    max_per_class : int or None
        Most boxes of one class, applied behind suppression.
    max_nms : int
        Most candidates that suppression looks at, best first; `meta` says when it bites.
    agnostic : bool
        Let boxes of different classes suppress each other.
    multi_label : bool
        Let every class of a cell that reaches `conf` count, not the best one alone.
    turned_iou : {"exact", "gaussian"}
        How much turned boxes overlap: their exact common area, or the likeness of Gaussians (ProbIoU) as Ultralytics has it.
    suppress : bool or None
        False for heads that give each object once. None: as the network's description says, else True.
    """

    conf: float = 0.25
    iou: float = 0.7
    max_det: int = 300
    max_per_class: int | None = None
    max_nms: int = 30_000
    agnostic: bool = False
    multi_label: bool = False
    suppress: bool | None = None
    turned_iou: str = "exact"

    def __post_init__(self) -> None:
        for name in ("conf", "iou"):
            value = getattr(self, name)
            if not _is_number(value) or not 0 <= value <= 1:
                hint = (
                    f"{value} per cent is {value / 100:g}" if _is_number(value) and 1 < value <= 100 else None
                )
                raise OptionError(f"{name} is {value!r}", wanted="a number from 0 to 1", hint=hint)
        for name in ("max_det", "max_per_class", "max_nms"):
            value = getattr(self, name)
            if value is None and name == "max_per_class":
                continue
            if not _is_count(value):
                raise OptionError(f"{name} is {value!r}", wanted="a whole number of at least 1")
        for name in ("agnostic", "multi_label", "suppress"):
            value = getattr(self, name)
            if not isinstance(value, bool) and not (value is None and name == "suppress"):
                raise OptionError(f"{name} is {value!r}", wanted="True or False")
        if self.turned_iou not in ("exact", "gaussian"):
            raise OptionError(f"turned_iou is {self.turned_iou!r}", wanted='"exact" or "gaussian"')

    def with_defaults(self, defaults: Mapping[str, Any], given: frozenset[str]) -> Options:
        """Return options with a family's defaults in the place of those that the caller did not give."""
        return replace(self, **{name: value for name, value in defaults.items() if name not in given})


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1


def name_list(names: object) -> tuple[str, ...]:
    """Read class names given as a sequence, or as a mapping of class numbers to names.

    Raises
    ------
    OptionError
    """
    if isinstance(names, Mapping):
        keys = [int(k) if str(k).isdigit() else None for k in names]
        if sorted(k for k in keys if k is not None) == list(range(len(names))):
            return tuple(str(name) for _, name in sorted(zip(keys, names.values(), strict=True)))
        raise OptionError("class names are numbered otherwise than 0, 1, 2, ...", got=repr(dict(names))[:120])
    if isinstance(names, Iterable) and not isinstance(names, (str, bytes)):
        return tuple(str(name) for name in names)
    hint = "a file of names is read by `hailo-decode run --names FILE`" if isinstance(names, str) else None
    raise OptionError(f"names is {names!r}", wanted="a list of class names", hint=hint)


def size_pair(size: object) -> tuple[int, int]:
    """Read an image size given as one number or as (height, width).

    Raises
    ------
    OptionError
    """
    if _is_count(size):
        return int(size), int(size)  # type: ignore[call-overload]
    if isinstance(size, (tuple, list)) and len(size) in (2, 3) and all(map(_is_count, size)):
        return int(size[0]), int(size[1])
    raise OptionError(
        f"the size {size!r} cannot be read", wanted="a whole number, or (height, width), in pixels"
    )
