"""Loops that are compiled: no checks, no options, no names of families; the only room with numba."""
