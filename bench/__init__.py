"""Timings of this package against others on the same frames: `bench/compare.py`."""
