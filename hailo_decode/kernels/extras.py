"""What a head says of the boxes that were kept: keypoints, mask coefficients."""

from __future__ import annotations

import numpy as np

from hailo_decode.kernels import layout as at
from hailo_decode.kernels._jit import kernel
from hailo_decode.kernels.boxes import read_cell
from hailo_decode.kernels.photo import moved
from hailo_decode.kernels.pick import sigmoid
from hailo_decode.kernels.select import place_of


@kernel(f"i8* i8*** f8*** i8* {at.LOOKUP} {at.RESULT} i8* f8* f4**")
def read_rows(addresses, fields, rates, settings, lookup, result, report, values, out):
    """Fill `out` (max_det, EXTRA count) f4 with the real values of the extra field of each kept anchor.

    Parameters
    ----------
    values : (channels,) f8, scratch
    Others
        As in `frame_ranked`, which has run.
    """
    anchors = result[3]
    for i in range(report[at.FOUND]):
        level, h, w, a = place_of(np.int64(anchors[i]), fields, rates, settings[at.LEVELS])
        field = fields[level, at.EXTRA]
        read_cell(addresses, field, h, w, a, lookup[3], values)
        for k in range(field[at.COUNT]):
            out[i, k] = np.float32(values[k])


@kernel(f"i8* i8*** f8*** f8** i8* {at.LOOKUP} {at.RESULT} i8* f8* f4*** i8")
def read_keypoints(addresses, fields, rates, strides, settings, lookup, result, report, values, out, numbers):
    """Fill `out` (max_det, points, 3) f4 with x, y in pixels and visibility 0..1; 1 where the head tells none.

    Parameters
    ----------
    numbers : int
        Numbers that the head gives for each point: 2 or 3.
    Others
        As in `read_rows`.
    """
    scale, offset, anchors, photo = lookup[7][0], lookup[7][1], result[3], result[5]
    for i in range(report[at.FOUND]):
        level, h, w, a = place_of(np.int64(anchors[i]), fields, rates, settings[at.LEVELS])
        field = fields[level, at.EXTRA]
        read_cell(addresses, field, h, w, a, lookup[3], values)
        for k in range(out.shape[1]):
            j = k * numbers
            x = np.float32((values[j] * scale + w + offset) * strides[level, 0])
            y = np.float32((values[j + 1] * scale + h + offset) * strides[level, 1])
            out[i, k, 0], out[i, k, 1] = moved(x, photo, 0), moved(y, photo, 1)
            out[i, k, 2] = np.float32(1)
            if numbers == 3:
                seen = (
                    values[j + 2] + values[j + 2] * 0.0
                )  # nan for infinities, of which a sigmoid makes 0 and 1
                out[i, k, 2] = np.float32(sigmoid(seen) if field[at.LOGITS] != 0 else seen)
