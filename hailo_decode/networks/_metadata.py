"""What Ultralytics writes beside a model: names, task, picture size, keypoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hailo_decode.errors import FormatError

_MOST_CLASSES = 100_000
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata of an export.

    Attributes
    ----------
    props : mapping
        Everything, as it stands.
    task : str or None
    classes : tuple of str
    size : (int, int) or None
        Height and width of the network's input.
    keypoints : (int, int) or None
    """

    props: Mapping[str, Any] = field(default_factory=dict)
    task: str | None = None
    classes: tuple[str, ...] = ()
    size: tuple[int, int] | None = None
    keypoints: tuple[int, int] | None = None


def metadata_of(values: Mapping[str, Any], props: Mapping[str, Any]) -> Metadata:
    """Return the metadata of an export.

    Parameters
    ----------
    values : mapping
        Its entries, read.
    props : mapping
        What is shown of them: the entries as they stand.

    Raises
    ------
    FormatError
        When one is not what it should be.
    """
    task = values.get("task")
    return Metadata(
        props=props,
        task=task if isinstance(task, str) and task else None,
        classes=_classes(values.get("names")),
        size=_pair(values.get("imgsz"), "imgsz"),
        keypoints=_pair(values.get("kpt_shape"), "kpt_shape"),
    )


def _classes(names: Any) -> tuple[str, ...]:
    if names is None:
        return ()
    numbered = dict(enumerate(names)) if isinstance(names, list) else names
    if not isinstance(numbered, dict) or len(numbered) > _MOST_CLASSES:
        raise FormatError(
            "the names of the classes cannot be read", got=repr(names)[:80], wanted="{0: 'a', 1: 'b'}"
        )
    missing = next((i for i in range(len(numbered)) if i not in numbered), None)
    if missing is not None:
        raise FormatError(f"there are {len(numbered)} class names, but none has the number {missing}")
    return tuple(str(numbered[i]) for i in range(len(numbered)))


def _pair(value: Any, what: str) -> tuple[int, int] | None:
    if value is None:
        return None
    pair = [value, value] if isinstance(value, int) and what == "imgsz" else value
    whole = isinstance(pair, list) and all(isinstance(n, int) and not isinstance(n, bool) for n in pair)
    if not whole or len(pair) != 2 or not all(0 < n <= _LARGEST for n in pair):
        raise FormatError(
            f"{what!r} cannot be read", got=repr(value)[:80], wanted="two whole numbers above 0"
        )
    return pair[0], pair[1]
