"""Sphinx configuration."""

from __future__ import annotations

import gc
import os
import sys
import tomllib
from pathlib import Path

# Trees of pages and of expressions are no garbage: to search them for it took a tenth of the build. What goes
# round in them is freed when it ends.
gc.disable()
# Before sympy is loaded: it remembers a thousand answers of each function, and the pages ask of many systems.
os.environ.setdefault("SYMPY_CACHE_SIZE", "100000")

root = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(root / "docs" / "_extensions"), str(root / "docs"), str(root)]

import gallery  # noqa: E402 - found by the path above

project = "geoctrl"
author = "The geoctrl developers"
copyright = "2026, The geoctrl developers"
release = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "catalogue",
    "commands",
    "examples",
    "formulas",
    "gallery",
    "reference",
    "sidebar",
]
sphinx_gallery_conf = gallery.SETTINGS
exclude_patterns = ["_build", "gallery", "viewer"]  # pages are made of the gallery
templates_path = ["_templates"]
html_math_renderer = "katex"
html_static_path = ["_static"]
html_css_files = ["layout.css"]

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_use_type_comments = False  # there are none, and each function would be parsed for them
autodoc_member_order = "bysource"
default_role = "py:obj"  # `name` in a docstring links to the entry of that name
numpydoc_show_class_members = False

nitpicky = False
# Attributes of one class may have the name of a function elsewhere ("symbols").
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"geoctrl {release}"
