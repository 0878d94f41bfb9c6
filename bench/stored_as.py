"""The same frames stored as probabilities, in sixteen bits, or as floats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bench.frames import Scene
from bench.objects import Array
from hailo_decode.values.quant import Quant


def sigmoided(scene: Scene) -> Scene:
    """Return a scene whose classes are probabilities: u1 of scale 1/255."""
    names = set(scene.names("cls"))
    frames = []
    for frame in scene.frames:
        after = dict(frame)
        for name in names:
            scale, zero = scene.quant(name) or (1.0, 0.0)
            byte = np.arange(256, dtype=np.float64)
            table = np.rint(255 / (1 + np.exp(-(byte - zero) * scale))).astype(np.uint8)
            after[name] = table[frame[name]]
        frames.append(after)
    outputs = tuple(
        replace(o, quant=Quant.of(1 / 255, 0), activation="sigmoid") if o.name in names else o
        for o in scene.network.outputs
    )
    network = replace(scene.network, outputs=outputs)
    return replace(scene, network=network, frames=tuple(frames), logits=False)


def as_dtype(scene: Scene, dtype: str) -> Scene:
    """Return the same real numbers stored as u2 (finer steps, same values) or as f4."""
    frames, outputs = [], []
    for frame in scene.frames:
        after: dict[str, Array] = {}
        for name, array in frame.items():
            scale, zero = scene.quant(name) or (1.0, 0.0)
            if dtype == "uint16":
                after[name] = array.astype(np.uint16) << 8
            else:
                after[name] = (array.astype(np.float32) - np.float32(zero)) * np.float32(scale)
        frames.append(after)
    for o in scene.network.outputs:
        scale, zero = scene.quant(o.name) or (1.0, 0.0)
        quant = Quant.of(scale / 256, zero * 256) if dtype == "uint16" else None
        outputs.append(replace(o, dtype=dtype, quant=quant))
    return replace(scene, network=replace(scene.network, outputs=tuple(outputs)), frames=tuple(frames))
