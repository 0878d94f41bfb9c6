"""Texts to validated models that remember their places."""
