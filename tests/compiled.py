"""Parts of kernels as compiled code that a test can call: the package itself compiles them into kernels only."""

import functools

import numba

from hailo_decode.kernels import _build, _jit


@functools.cache
def compiled(function):
    """Return a function that runs a marked one as numba compiles it."""
    made = _build.compiled(_jit.COMPILED.get(function, function), inlined=False, instead={})

    @numba.njit(error_model="numpy")
    def call(*args):
        return made(*args)

    return call
