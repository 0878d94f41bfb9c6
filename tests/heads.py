"""Small frames with known boxes, for tests that need one particular frame."""

import numpy as np

BOX_QUANT = (0.125, 128.0)
CLS_QUANT = (1 / 255, 0.0)


def dfl_frame(size=64, classes=3, bins=16, strides=(8, 16, 32), objects=((16, 0, 1, 2, 0.8),), names=None):
    """Return (outputs, quant) of a DFL head: uint8, probabilities, an object a row of `objects`.

    Parameters
    ----------
    size : int or (int, int)
        Height and width of the input.
    objects : sequence of (stride, row, column, class, score)
        Its distance is one cell on all sides, as that of every cell: see `box_of`.
    names : callable, optional
        ``names(role, stride)`` to the output's name.
    """
    height, width = (size, size) if isinstance(size, int) else size
    name_of = names or (lambda role, stride: f"net/{role}{stride}")
    outputs, quant = {}, {}
    for stride in strides:
        h, w = height // stride, width // stride
        box = np.zeros((h, w, 4, bins), np.uint8)
        box[:, :, :, min(1, bins - 1)] = 255
        cls = np.zeros((h, w, classes), np.uint8)
        for at, row, column, c, score in objects:
            if at == stride:
                cls[row, column, c] = round(score * 255)
        outputs[name_of("box", stride)] = box.reshape(h, w, 4 * bins)
        outputs[name_of("cls", stride)] = cls
        quant[name_of("box", stride)], quant[name_of("cls", stride)] = BOX_QUANT, CLS_QUANT
    return outputs, quant


def box_of(stride, row, column):
    """Return the box of an object of `dfl_frame`: one cell to each side of the cell's centre."""
    return [(column - 0.5) * stride, (row - 0.5) * stride, (column + 1.5) * stride, (row + 1.5) * stride]


def float_frame():
    """Return the outputs of a plain-distance head of floats: 3 classes, one object."""
    cls = np.full((4, 4, 3), -8, np.float32)
    cls[1, 2, 0] = 2
    return {"net/box": np.ones((4, 4, 4), np.float32), "net/cls": cls}
