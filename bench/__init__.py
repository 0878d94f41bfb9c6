"""Timings of this package against others on the same frames: `python bench/compare.py`."""
