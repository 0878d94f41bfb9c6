"""How Sphinx builds these pages: Markdown by MyST, docstrings by autodoc and napoleon, looks by furo."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import hailo_decode

project = "hailo_decode"
author = "the maintainers of hailo_decode"
version = release = hailo_decode.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "changes"]
default_role = "py:obj"  # `names` in docstrings are links where they can be
suppress_warnings = ["toc.empty_glob"]  # a section of pages may be empty

myst_heading_anchors = 3

napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # types such as "mapping of str to array" are words, not links
autodoc_typehints = "none"  # numpydoc says it, with shapes and units
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"hailo_decode {release}"
