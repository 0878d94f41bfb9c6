"""The same frames as raw device buffers, with the padding that devices have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bench.frames import Scene
from bench.objects import Array
from hailo_decode.values.order import FormatOrder

ORDERS = ("NHCW", "FCR", "F8CR")
_ALIGNED = {"NHCW": 8, "FCR": 16, "F8CR": 8}  # to which the device pads a row, elements


def on_device(scene: Scene, order: str) -> Scene:
    """Return a scene of flat device bytes.

    Parameters
    ----------
    scene : Scene
        Of dense (H, W, C) arrays.
    order : {"NHCW", "FCR", "F8CR"}
        Offsets of element (h, w, c), Wp the padded width (HailoRT 5.2, transform.cpp): NHCW ``(h*C + c)*Wp + w``,
        FCR ``(h*Wp + w)*C + c``, F8CR ``h*Wp*C + (c div 8)*8*Wp + w*8 + c mod 8``.
    """
    frames = tuple({name: _laid_out(array, order) for name, array in frame.items()} for frame in scene.frames)
    outputs = []
    for info in scene.network.outputs:
        height, width, channels = info.shape or (0, 0, 0)
        padded = (height, _up(width, _ALIGNED[order]), _channels(channels, order))
        outputs.append(replace(info, order=FormatOrder[order], hw_shape=padded, layout="device"))
    return replace(scene, frames=frames, network=replace(scene.network, outputs=tuple(outputs)))


def _up(n: int, to: int) -> int:
    return -(-n // to) * to


def _channels(channels: int, order: str) -> int:
    return _up(channels, 8) if order == "F8CR" else channels


def _laid_out(array: Array, order: str) -> Array:
    height, width, channels = array.shape
    full: Array = np.zeros((height, _up(width, _ALIGNED[order]), _channels(channels, order)), array.dtype)
    full[:, :width, :channels] = array
    if order == "NHCW":
        full = full.transpose(0, 2, 1)
    elif order == "F8CR":
        full = full.reshape(height, full.shape[1], -1, 8).transpose(0, 2, 1, 3)
    flat = np.ascontiguousarray(full).reshape(-1).view(np.uint8)
    return np.concatenate([flat, np.zeros(-flat.size % 8, np.uint8)])
