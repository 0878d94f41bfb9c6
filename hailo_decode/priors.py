"""Anchor sizes: from the caller, the model file, or the published model, in input pixels."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from hailo_decode.errors import OptionError
from hailo_decode.evidence import Candidate
from hailo_decode.families._family import Anchors
from hailo_decode.grids import stride_of
from hailo_decode.pairing import Paired, Reading
from hailo_decode.values.network import NetworkInfo


class Priors:
    """What is known of the anchors of a network.

    Parameters
    ----------
    told : mapping of int or str to sequence of (float, float), or None
        By stride or by output name, input pixels, as the caller gives them.
    network : NetworkInfo
    """

    def __init__(self, told: Mapping[Any, Any] | None, network: NetworkInfo) -> None:
        given = network.anchors if told is None else told
        if not isinstance(given, Mapping):
            wanted = "{stride or output: [(width, height), ...]}, input pixels"
            raise OptionError(f"anchors is {given!r}"[:160], wanted=wanted)
        self._by_key: dict[Any, Anchors] = {_key(k): _read(k, v) for k, v in given.items()}
        self._where = "as told" if told is not None else "from the network's description"
        if not self._by_key:
            self._by_key = _of_steps(network)

    @property
    def known(self) -> bool:
        """Whether anything is known of the anchors."""
        return bool(self._by_key)

    def _check_used(self, reading: Reading) -> None:
        """Refuse anchors for strides and outputs that are not there."""
        there = {key for level in reading.levels for key in _key_names(level)}
        unknown = [key for key in self._by_key if key not in there]
        if unknown and self._where == "as told":
            strides = ", ".join(f"{level.stride[0]:g}" for level in reading.levels)
            raise OptionError(
                f"anchors are given for {unknown[0]!r}, which is no stride and no output of this head",
                wanted=f"strides {strides}",
            )

    def _of(self, names: tuple[str, ...], stride: float | None) -> Anchors | None:
        for key in (*names, *(n.rpartition("/")[2] for n in names), stride):
            if key in self._by_key:
                return self._by_key[key]
        return None

    def count(self, output: Candidate, input_size: tuple[int, int] | None, grid: str) -> int | None:
        """Return how many anchors an output has in each cell of such a grid; None where nothing tells."""
        if input_size is None or not self._by_key:
            return None
        stride = stride_of(grid, output.shape[:2], input_size)
        found = self._of((output.name,), stride[0] if stride else None)
        return len(found) if found else None

    def sizes(self, reading: Reading, input_size: tuple[int, int]) -> tuple[list[Anchors], str]:
        """Return each level's anchors, and where they come from.

        Raises
        ------
        OptionError
            When the head needs anchors and none are known, or their number is not the level's.
        """
        if not reading.family.anchored:
            return [], ""
        found = [
            self._of(tuple(o.name for o in level.outputs.values()), level.stride[0])
            for level in reading.levels
        ]
        where = self._where
        if not any(found):
            found, where = (
                _published(reading),
                f"those of the published {reading.family.name}: anchors= tells others",
            )
        else:
            self._check_used(reading)
        sizes = []
        for level, anchors in zip(reading.levels, found, strict=True):
            if anchors is None or len(anchors) != level.sizes.anchors:
                raise _missing(reading, level, anchors)
            sizes.append(anchors)
        return sizes, where


def _key_names(level: Paired) -> tuple[Any, ...]:
    names = tuple(o.name for o in level.outputs.values())
    return (*names, *(n.rpartition("/")[2] for n in names), level.stride[0])


def _key(key: Any) -> Any:
    if isinstance(key, str) and key.replace(".", "", 1).isdigit():
        return float(key)
    return float(key) if isinstance(key, (int, float)) else key


def _read(key: Any, value: Any) -> Anchors:
    try:
        rows = tuple((float(w), float(h)) for w, h in _by_two(value))
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"the anchors of {key!r} cannot be read",
            got=repr(value)[:120],
            wanted="[(width, height), ...] in input pixels",
        ) from error
    if not rows or not all(isfinite(n) and n > 0 for row in rows for n in row):
        raise OptionError(f"the anchors of {key!r} must be positive sizes", got=repr(value)[:120])
    if max(map(max, rows)) <= 1:
        raise OptionError(
            f"the anchors of {key!r} are no larger than a pixel",
            got=repr(value)[:120],
            wanted="sizes in input pixels",
            hint="fractions of the input want to be multiplied by its width and height, cells by the stride",
        )
    return rows


def _by_two(value: Any) -> Any:
    flat = list(value)
    if flat and not isinstance(flat[0], (list, tuple)) and getattr(flat[0], "ndim", 0) == 0:
        if len(flat) % 2:
            raise ValueError("an odd count")
        return zip(flat[::2], flat[1::2], strict=True)
    return flat


def _of_steps(network: NetworkInfo) -> dict[Any, Anchors]:
    """Take anchors from the post-processing step that a model file holds; SSD gives them as fractions of the picture."""
    found: dict[Any, Anchors] = {}
    for op in network.ops:
        for decoder in op.decoders:
            if not decoder.anchors:
                continue
            anchors = decoder.anchors
            if op.kind == "ssd" and network.input_size is not None:
                h, w = network.input_size
                anchors = tuple((a * w, b * h) for a, b in anchors)
            found |= dict.fromkeys(decoder.layers.values(), anchors)
    return found


def _published(reading: Reading) -> list[Anchors | None]:
    strides = {level.stride[0] for level in reading.levels}
    for anchors in reading.family.anchors:
        if set(anchors) == strides:
            return [anchors[int(level.stride[0])] for level in reading.levels]
    return [None] * len(reading.levels)


def _missing(reading: Reading, level: Paired, anchors: Anchors | None) -> OptionError:
    name = next(iter(level.outputs.values())).name
    return OptionError(
        f"{name!r} (stride {level.stride[0]:g}) has {level.sizes.anchors} anchors in each cell",
        got=f"{len(anchors)} anchor sizes" if anchors else "no anchor sizes",
        wanted=f"{level.sizes.anchors} pairs of width and height, input pixels",
        hint=f"anchors={{{level.stride[0]:g}: [(w, h), ...], ...}}; "
        f"the published {reading.family.name} has some for other strides",
    )
