"""A frame with one object, small enough to know its box by hand."""

import numpy as np

from hailo_decode import NetworkInfo, Quant, Recording
from hailo_decode.values.network import OutputInfo

INPUT = (64, 64)
STRIDE, BINS, CLASSES = 16, 16, 3
GRID = INPUT[0] // STRIDE
NAMES = ("cat", "dog", "cup")
BOX, CLS = "net/conv41", "net/conv42"
BOX_QUANT, CLS_QUANT = Quant.of(0.25, 128.0), Quant.of(1 / 255, 0.0)


def one_object(row=1, column=2, class_id=1, stored=230):
    """Return uint8 outputs with one object: every side one cell away from its cell's middle."""
    box = np.zeros((GRID, GRID, 4, BINS), np.uint8)
    box[:, :, :, 1] = 255  # the rest of the softmax is exp(-63)
    cls = np.zeros((GRID, GRID, CLASSES), np.uint8)
    cls[row, column, class_id] = stored
    return {BOX: box.reshape(GRID, GRID, -1), CLS: cls}


def box_of(row=1, column=2):
    """Return the box of `one_object`, input pixels."""
    x, y = (column + 0.5) * STRIDE, (row + 0.5) * STRIDE
    return [x - STRIDE, y - STRIDE, x + STRIDE, y + STRIDE]


def network(**more):
    """Return the network that `one_object` is a frame of."""
    outputs = (
        OutputInfo(BOX, (GRID, GRID, 4 * BINS), dtype="uint8", quant=BOX_QUANT, layout="host"),
        OutputInfo(
            CLS, (GRID, GRID, CLASSES), dtype="uint8", quant=CLS_QUANT, layout="host", activation="sigmoid"
        ),
    )
    return NetworkInfo("net", "json", input_size=INPUT, outputs=outputs, classes=NAMES, **more)


def recording(**more):
    """Return both as a recording."""
    return Recording(network(**more), one_object())
