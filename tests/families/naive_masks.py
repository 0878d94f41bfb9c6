"""A slow plain twin of masks: coefficients times prototypes, resized bilinearly at half-pixel centres, all of it."""

import numpy as np


def weights_of(pixels, samples, scale=1.0, pad=0.0, size=None):
    """Return (pixels, samples) f8: what share of each sample a pixel is made of, edges repeated.

    Pixel x of a picture lies at ``(x + 0.5) * scale + pad`` of the input, which is `size` pixels long, and the input
    has `samples` samples at ``(k + 0.5) / samples`` of its length.
    """
    length = pixels if size is None else size
    place = ((np.arange(pixels) + 0.5) * scale + pad) * samples / length - 0.5
    place = np.clip(place, 0, samples - 1)
    lower = np.minimum(np.floor(place).astype(int), max(samples - 2, 0))
    share = place - lower
    out = np.zeros((pixels, samples))
    out[np.arange(pixels), lower] += 1 - share
    out[np.arange(pixels), np.minimum(lower + 1, samples - 1)] += share
    return out


def logits_of(coefficients, proto, input_size, letterbox=None):
    """Return (n, H, W) f8: the mask logits at every pixel of the input, or of the photo.

    Parameters
    ----------
    coefficients : (n, channels) f8
    proto : (h, w, channels) f8
    """
    (height, width), (rows, columns) = input_size, proto.shape[:2]
    if letterbox is None:
        down, across = weights_of(height, rows), weights_of(width, columns)
    else:
        size = letterbox.image_size
        down = weights_of(size[0], rows, letterbox.scale[1], letterbox.pad[1], height)
        across = weights_of(size[1], columns, letterbox.scale[0], letterbox.pad[0], width)
    low = np.einsum("nk,hwk->nhw", coefficients, proto)
    return np.einsum("ph,nhw,qw->npq", down, low, across)


def inside(boxes, size):
    """Return (n, H, W) bool: the pixels x with left <= x < right, and y alike."""
    y, x = np.arange(size[0])[:, None], np.arange(size[1])[None, :]
    held = [(x >= b[0]) & (x < b[2]) & (y >= b[1]) & (y < b[3]) for b in np.asarray(boxes, np.float64)]
    return np.array(held, bool).reshape(-1, *size)


def compared(found, logits, boxes, slack):
    """Return the pixels on which a mask and its twin differ, those left out whose logit is 0 but for rounding."""
    wanted = (logits > 0) & inside(boxes, found.shape[1:])
    return (found != wanted) & (np.abs(logits) > slack)
