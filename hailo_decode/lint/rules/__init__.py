"""One function a rule; the docstring is its page and its test."""
