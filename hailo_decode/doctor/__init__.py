"""Remarks about tensors: why a result is empty, scattered or weak."""
