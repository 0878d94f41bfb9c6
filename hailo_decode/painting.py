"""Masks of kept boxes: prototypes weighed and painted at the size that is asked for, in scratch memory of one thread."""

from __future__ import annotations

import numpy as np

from hailo_decode.errors import OptionError
from hailo_decode.kernels import layout as at
from hailo_decode.kernels.paint import paint_masks
from hailo_decode.kernels.scan import holds_bad
from hailo_decode.plan import Plan
from hailo_decode.settings import IDENTITY
from hailo_decode.tables import place, whole_part
from hailo_decode.values.arrays import F4, F8, I8, Bool
from hailo_decode.values.letterbox import Letterbox
from hailo_decode.values.tensor import Tensor

_MOST_BYTES = 2**31  # of the masks of one frame


class Painter:
    """What painting masks needs beside a frame: the prototypes' place and scratch of their size.

    Parameters
    ----------
    proto : Tensor
    output : int
        Place of the prototypes among the addresses.
    input_size : (int, int)
        Height and width of the network's input, pixels.
    """

    @classmethod
    def of(cls, plan: Plan) -> Painter:
        """Return what paints the masks of a plan."""
        name = plan.reading.once["proto"].name
        return cls(plan.tensors[name], [slot.name for slot in plan.slots].index(name), plan.input_size)

    def __init__(self, proto: Tensor, output: int, input_size: tuple[int, int]) -> None:
        height, width, channels = proto.shape
        self._input_size = input_size
        self._size = height, width
        self.field: I8 = np.zeros(at.COLUMNS, np.int64)
        place(self.field, proto, whole_part("proto", channels))
        self.field[at.TENSOR] = output
        quant = proto.quant or IDENTITY
        self.field[at.QUANT_STEP] = int(quant.per_channel)
        self._quants: F8 = np.array(list(zip(quant.scale, quant.zero_point, strict=True)), np.float64)
        self._scratch = (
            np.empty((height, width), np.float32),
            np.empty(width, np.float32),
            np.empty(channels, np.float32),
        )

    def __call__(self, addresses: I8, coefficients: F4, xyxy: F4, letterbox: Letterbox | None) -> Bool:
        """Return (n, H, W) bool masks: see `Workspace.masks`."""
        (high, wide), (rows, columns) = self._input_size, self._size
        scale, pad, size = (1.0, 1.0), (0.0, 0.0), (high, wide)
        if letterbox is not None:
            scale, pad, size = letterbox.scale, letterbox.pad, letterbox.image_size
        across = np.array([scale[0] * columns / wide, pad[0] * columns / wide - 0.5])
        down = np.array([scale[1] * rows / high, pad[1] * rows / high - 0.5])
        if len(xyxy) * size[0] * size[1] > _MOST_BYTES:
            raise OptionError(
                f"masks of {len(xyxy)} boxes at {size[1]}x{size[0]} pixels take {len(xyxy) * size[0] * size[1]:,} bytes",
                wanted=f"at most {_MOST_BYTES:,}",
                hint="see the letterbox's image_size, or lower max_det",
            )
        out = np.zeros((len(xyxy), *size), np.bool_)
        paint_masks(
            addresses,
            self.field,
            self._quants,
            coefficients,
            xyxy,
            across,
            down,
            *self._scratch,
            out.view(np.uint8),
        )
        return out

    def holds_bad(self, addresses: I8) -> bool:
        """Tell whether the prototypes of a frame hold values that are no numbers."""
        field = self.field
        return field[at.ITEM] == 4 and bool(holds_bad(addresses[field[at.TENSOR]], field[at.ELEMENTS]))
