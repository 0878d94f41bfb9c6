"""Frozen things that travel between the rooms; they know nobody."""
