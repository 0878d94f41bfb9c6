"""Lay out an (H, W, C) array as HailoRT would hand it over, padding filled with garbage."""

import numpy as np

HOST = ("NHWC", "FCR", "F8CR", "NCHW")
DEVICE = ("NHWC", "FCR", "NHCW", "F8CR")


def host(source, order):
    """Return the dense array of a vstream: (C, H, W) under NCHW, else (H, W, C)."""
    return (
        np.ascontiguousarray(source.transpose(2, 0, 1)) if order == "NCHW" else np.ascontiguousarray(source)
    )


def padded(source, hw_shape, rng):
    """Return (Hp, Wp, Cp) with the source in its corner and random numbers around it."""
    out = rng.integers(0, np.iinfo(source.dtype).max + 1, size=hw_shape, dtype=source.dtype)
    h, w, c = source.shape
    out[:h, :w, :c] = source
    return out


def device(source, order, hw_shape, rng):
    """Return the flat bytes of a raw read, rounded up to 8, with garbage in every gap.

    Offsets of element (h, w, c): NHWC and FCR ``h*Wp*Cp + w*Cp + c``, NHCW ``h*Cp*Wp + c*Wp + w``, F8CR
    ``h*Wp*Cp + (c div 8)*8*Wp + w*8 + c mod 8``.
    """
    full = padded(source, hw_shape, rng)
    h, w, c = full.shape
    if order == "NHCW":
        full = full.transpose(0, 2, 1)
    elif order == "F8CR":
        groups = -(-c // 8)
        filled = padded(full, (h, w, 8 * groups), rng)
        full = filled.reshape(h, w, groups, 8).transpose(0, 2, 1, 3)
    return aligned(np.ascontiguousarray(full).reshape(-1).view(np.uint8), rng)


def aligned(flat, rng):
    """Return flat bytes with garbage behind them up to a multiple of 8."""
    return np.concatenate([flat, rng.integers(0, 256, size=-flat.size % 8, dtype=np.uint8)])
