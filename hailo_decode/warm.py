"""Frames that are made up, one for each way in which heads decode, so that kernels are compiled before use."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hailo_decode.decoder import Decoder
from hailo_decode.families import families
from hailo_decode.families._family import Family, Sizes
from hailo_decode.nms import decode_nms
from hailo_decode.plugins import entries
from hailo_decode.values.arrays import F4, AnyArray
from hailo_decode.values.network import NetworkInfo

_SIDE = 64  # of the input, pixels
_STRIDES = (8, 16, 32)
_ONCE_STRIDE = 4
_CLASSES = 3
_SCALE, _ZERO_POINT = 0.0625, 128.0
_POINTS = (5, 3)
_EXTRAS = {"": 0, "angle": 1, "masks": 32, "keypoints": _POINTS[0] * _POINTS[1]}  # channels, by kind


def frames() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what a frame is of, and a function that decodes it; together they use every kernel."""
    done = set()
    for family in families().values():
        sizes = _sizes(family)
        if sizes is None or family.grid != "exact":
            continue
        kind = (_extra(family), "obj" in family.fields(sizes))
        if kind in done:
            continue
        done.add(kind)
        network, floats, options = _head(family, sizes)
        stored = {
            n: np.clip(np.rint(a / _SCALE + _ZERO_POINT), 0, 255).astype(np.uint8) for n, a in floats.items()
        }
        yield (
            f"{family.title}, bytes",
            _decoding(network, stored, {**options, "quant": (_SCALE, _ZERO_POINT)}),
        )
        yield f"{family.title}, floats", _decoding(network, floats, options)
    yield "NMS result", lambda: decode_nms(_nms_result(), classes=_CLASSES, image_size=_SIDE)


def idle_kernels() -> list[str]:
    """Return the kernels that have no machine code in this process, by module and name."""
    idle = []
    for name in entries("hailo_decode.kernels"):
        module = importlib.import_module(f"hailo_decode.kernels.{name}")
        for function, made in vars(module).items():
            own = getattr(getattr(made, "py_func", None), "__module__", None) == module.__name__
            # Only what Python calls is kept in the folder; what kernels call is part of their machine code.
            if own and made.stats.cache_path and not made.signatures:
                idle.append(f"{name}.{function}")
    return idle


def _decoding(
    network: NetworkInfo, outputs: dict[str, AnyArray], options: dict[str, Any]
) -> Callable[[], object]:
    return lambda: Decoder.from_network(network, **options)(outputs)


def _extra(family: Family) -> str:
    return family.extra.kind if family.extra else ""


def _sizes(family: Family) -> Sizes | None:
    """Return counts that a family takes for its own; None where only particular ones would do."""
    anchors = len(next(iter(family.anchors[0].values()))) if family.anchors else 1
    for bins in (0, 16):
        sizes = Sizes(_CLASSES, bins, anchors, _EXTRAS[_extra(family)])
        channels = _channels(family, sizes)
        if all(channels.values()) and family.sizes(channels, anchors) == sizes:
            return sizes
    return None


def _channels(family: Family, sizes: Sizes) -> dict[str, int]:
    """Return channels by role, as the places of the fields ask for them."""
    channels = dict.fromkeys(family.roles, 0)
    for part in family.fields(sizes).values():
        behind = part.first + part.step * (sizes.anchors - 1) + part.count
        channels[part.role] = max(channels[part.role], behind)
    return channels | dict.fromkeys(family.once, sizes.extra)


def _head(family: Family, sizes: Sizes) -> tuple[NetworkInfo, dict[str, AnyArray], dict[str, Any]]:
    """Return a network, float outputs that hold some boxes, and what the decoder is told of them."""
    rng = np.random.default_rng(0)
    channels = _channels(family, sizes)
    strides = sorted(family.anchors[0])[: len(_STRIDES)] if family.anchors else _STRIDES
    places = [(stride, role) for stride in strides for role in family.roles]
    places += [(_ONCE_STRIDE, role) for role in family.once]
    shapes = {f"{role}{s}": (_SIDE // s, _SIDE // s, channels[role]) for s, role in places}
    outputs = {name: rng.normal(0, 3, shape).astype(np.float32) for name, shape in shapes.items()}
    roles = {f"{role}{stride}": role for stride, role in places}
    network = NetworkInfo("made", "outputs", input_size=(_SIDE, _SIDE))
    options: dict[str, Any] = {"family": family.name, "roles": roles, "logits": True}
    if _extra(family) == "keypoints":
        options["keypoints"] = _POINTS
    return network, outputs, options


def _nms_result() -> F4:
    """Return a buffer by class with one box (HailoRT 5.2, hailort.h: count, then y, x, y, x, score)."""
    buffer = np.zeros(_CLASSES * (1 + 5 * 4), np.float32)
    buffer[:6] = (1, 0.1, 0.2, 0.3, 0.4, 0.9)
    return buffer
