"""Scene: made-up frames of a network, and the maps of a head with bins.

Class logits of the background are N(-9, 1.5) or what is asked for; distances are peaked distributions over bins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.objects import BINS, Array, Cells, Shape, cells_of, objects_of
from hailo_decode.values.network import NetworkInfo, OutputInfo
from hailo_decode.values.order import FormatOrder
from hailo_decode.values.quant import Quant

# Quantisation as a compiler finds it: one scale a tensor, by role and stride (0: any).
_QUANTS = {
    ("cls", 8): (0.1087, 196),
    ("cls", 16): (0.1131, 188),
    ("cls", 32): (0.1055, 201),
    ("cls", 0): (0.11, 195),
    ("box", 8): (0.0698, 118),
    ("box", 16): (0.0734, 106),
    ("box", 32): (0.0661, 101),
    ("box", 0): (0.07, 110),
    ("sides", 0): (0.0625, 4),  # plain distances, cells
    ("cells", 0): (0.11, 190),
    ("obj", 0): (0.11, 195),
    ("size", 0): (0.047, 120),  # offsets and logarithms of sizes
    ("kpt", 0): (0.08, 124),
    ("angle", 0): (0.03, 128),
    ("mask", 0): (0.016, 128),
    ("net/proto", 0): (0.026, 24),
}


@dataclass(frozen=True)
class Scene:
    """Frames of one network, and what is known of it.

    Attributes
    ----------
    network : NetworkInfo
    frames : tuple of mapping of str to array
        Outputs of each frame by name.
    levels : tuple of (int, dict of str to str)
        Stride, and the output's name of each role.
    logits : bool
        Whether class tensors still want a sigmoid.
    options : dict
        What the decoder has to be told beside the network.
    things : tuple of (boxes, classes)
        What was put into each frame: (n, 4) f8 input pixels, (n,) i8.
    """

    network: NetworkInfo
    frames: tuple[dict[str, Array], ...]
    levels: tuple[tuple[int, dict[str, str]], ...]
    logits: bool
    options: dict[str, object]
    things: tuple[tuple[Array, Array], ...] = ()

    def quant(self, name: str) -> tuple[float, float] | None:
        """Return scale and zero point of an output; None for floats."""
        info = self.network.output(name)
        found = None if info is None else info.quant
        return None if found is None else (found.scale[0], found.zero_point[0])

    def names(self, role: str) -> list[str]:
        """Return the outputs of a role, level by level."""
        return [roles[role] for _, roles in self.levels]


def dfl_scene(shape: Shape, count: int, first: int = 0) -> Scene:
    """Return frames of a head with bins: u1, dense (H, W, C), classes as logits."""

    def maps(stride: int, cells: Cells, rng: np.random.Generator) -> dict[str, Array]:
        return {"box": dfl_map(shape, stride, cells, rng), "cls": class_map(shape, stride, cells, rng)}

    return scene_of(shape, count, maps, first)


def scene_of(
    shape: Shape,
    count: int,
    maps: Callable[[int, Cells, np.random.Generator], dict[str, Array]],
    first: int = 0,
    once: Callable[[np.random.Generator], dict[str, Array]] | None = None,
    **options: object,
) -> Scene:
    """Return quantised frames, and their network as a model file would describe it.

    Parameters
    ----------
    shape : Shape
    count : int
    maps : callable
        Stride, touched cells and random numbers to real maps by role.
    first : int
        Number of the first frame.
    once : callable, optional
        Random numbers to maps that the network has once, by name.
    **options
        What the decoder has to be told.
    """
    frames, things, levels, quants = [], [], [], {}
    for k in range(first, first + count):
        rng = np.random.default_rng(1000 + k)
        found = objects_of(shape, rng)
        frame: dict[str, Array] = {}
        levels = []
        for stride, cells in zip(shape.strides, cells_of(shape, found, rng), strict=True):
            roles = {}
            for role, real in maps(stride, cells, rng).items():
                roles[role] = name = f"net/{role}{stride}"
                quants[name] = quant_of(role, stride)
                frame[name] = stored(real, quants[name])
            levels.append((stride, roles))
        for name, real in (once(rng) if once else {}).items():
            quants[name] = quant_of(name, 0)
            frame[name] = stored(real, quants[name])
        frames.append(frame)
        things.append((found.boxes, found.class_id))
    network = NetworkInfo(
        "net", "json", input_size=(shape.size, shape.size), outputs=_described(frames[0], quants)
    )
    return Scene(network, tuple(frames), tuple(levels), True, options, tuple(things))


def _described(frame: dict[str, Array], quants: dict[str, tuple[float, float]]) -> tuple[OutputInfo, ...]:
    return tuple(
        OutputInfo(
            name,
            shape=(array.shape[0], array.shape[1], array.shape[2]),
            order=FormatOrder.NHWC,
            dtype=array.dtype.name,
            quant=Quant.of(*quants[name]),
            layout="host",
        )
        for name, array in frame.items()
    )


def quant_of(role: str, stride: int) -> tuple[float, float]:
    """Return scale and zero point of a tensor."""
    return _QUANTS.get((role, stride)) or _QUANTS[role, 0]


def stored(real: Array, quant: tuple[float, float], dtype: type = np.uint8) -> Array:
    """Quantise: what the device would store for a real number."""
    top = np.iinfo(dtype).max
    return np.clip(np.rint(real / np.float32(quant[0]) + np.float32(quant[1])), 0, top).astype(dtype)


def class_map(shape: Shape, stride: int, cells: Cells, rng: np.random.Generator) -> Array:
    """Return (H, W, classes) f4 logits; the stronger of two in a cell stands."""
    grid = shape.size // stride
    mean, spread = shape.background
    logits = rng.standard_normal((grid, grid, shape.classes), np.float32) * np.float32(spread) + np.float32(
        mean
    )
    np.maximum.at(logits, (cells.row, cells.column, cells.class_id), cells.logit.astype(np.float32))
    return logits


def sides_map(shape: Shape, stride: int, cells: Cells, rng: np.random.Generator) -> Array:
    """Return (H, W, 4) f4 distances in cells; the stronger of two in a cell stand."""
    grid = shape.size // stride
    sides = rng.uniform(0.5, 6, (grid, grid, 4)).astype(np.float32)
    order = np.argsort(cells.logit, kind="stable")
    sides[cells.row[order], cells.column[order]] = cells.sides[order]
    return sides


def dfl_map(shape: Shape, stride: int, cells: Cells, rng: np.random.Generator) -> Array:
    """Return (H, W, 4 * bins) f4 logits of bins, peaked at the distances."""
    return dfl_of(sides_map(shape, stride, cells, rng), rng)


def dfl_of(sides: Array, rng: np.random.Generator) -> Array:
    """Return (H, W, 4 * bins) f4 logits of bins for (H, W, 4) distances."""
    bins = np.arange(BINS, dtype=np.float32)
    peaks = np.maximum(7 - 3 * np.abs(bins - sides[..., None]), -4)
    noise = rng.standard_normal(peaks.shape, np.float32) * np.float32(0.25)
    return (peaks + noise).reshape(*sides.shape[:2], 4 * BINS)
