"""Buffers as devices lay them out; and element types other than bytes."""

from __future__ import annotations

import numpy as np

from bench.frames import Scene, dfl_scene
from bench.layouts import ORDERS, on_device
from bench.objects import Shape
from bench.peers import floor
from bench.peers._peer import Boxes, Choice, Way
from bench.reference import reference
from bench.rows._decoding import Decoding, decoding_row, our_way, own_row
from bench.rows._row import OURS, Row, ahead, faster, within
from bench.stored_as import as_dtype

_TRANSPOSED = "NHCW transposed by NumPy first, then hailo_decode"


def rows() -> list[Row]:
    """Return the rows of this file."""
    return [
        own_row(
            "layouts",
            "the same frames dense, and as raw device buffers read in place",
            lambda count, notes: _layouts(count, Choice()),
            *(within(OURS, 1.7, f"{order} in place over dense", f"{OURS}, {order}") for order in ORDERS),
            faster(_TRANSPOSED, 4, "NHCW in place faster than transposed first", f"{OURS}, NHCW"),
        ),
        own_row(
            "layouts-multi",
            "the same, multi-label",
            lambda count, notes: _layouts(count, Choice(multi_label=True)),
            *(within(OURS, 1.7, f"{order} in place over dense", f"{OURS}, {order}") for order in ORDERS),
        ),
        decoding_row(
            "uint16",
            "sixteen bits an element",
            Decoding(lambda count: as_dtype(dfl_scene(Shape(), count), "uint16")),
            ahead(),
            within(floor.NAME, 4.5),
        ),
        decoding_row(
            "float32",
            "floats, dequantised by the runtime",
            Decoding(lambda count: as_dtype(dfl_scene(Shape(), count), "float32")),
            ahead(),
            within(floor.NAME, 4.5),
        ),
    ]


def _layouts(count: int, choice: Choice) -> tuple[list[Way], Boxes]:
    scene = dfl_scene(Shape(), count)
    found = [our_way(scene, choice)]
    for order in ORDERS:
        found.append(our_way(on_device(scene, order), choice, f"{OURS}, {order}"))
    found.append(_transposed_first(scene, choice))
    return found, reference(scene, choice)


def _transposed_first(scene: Scene, choice: Choice) -> Way:
    """Make dense copies of NHCW buffers as people do, and decode those."""
    given = on_device(scene, "NHCW")
    widths = {info.name: info.hw_shape[1] for info in given.network.outputs if info.hw_shape}
    dense = our_way(scene, choice)
    from hailo_decode import Decoder

    decoder = Decoder.from_network(scene.network, **{**scene.options, **choice.options()})

    def run(k: int) -> object:
        outputs = {}
        for name, flat in given.frames[k].items():
            height, width, channels = scene.frames[k][name].shape
            padded = widths[name]
            rows = flat[: height * channels * padded].reshape(height, channels, padded)
            outputs[name] = np.ascontiguousarray(rows[:, :, :width].transpose(0, 2, 1))
        return decoder(outputs)

    return Way(_TRANSPOSED, run, dense.boxes)
