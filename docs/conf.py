"""How Sphinx makes the documentation: ``scripts/docs``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import dynfrontier  # noqa: E402

project = "dynfrontier"
author = "The dynfrontier authors"
copyright = "2026, The dynfrontier authors"
version = release = dynfrontier.__version__
html_title = f"dynfrontier {release}"

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False

# Notebooks are shown with the outputs that are stored in them; tests/test_tutorials.py runs them.
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# `name` in a docstring is a link where the name is documented.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False

# Blocks that name a shell or a language which Pygments cannot read in full are not worth a warning.
suppress_warnings = ["misc.highlighting_failure"]

OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./(?:\.\./)?([^)]+)\)")
"""Links to files of the repository that are no pages."""


def prepare(app, name, source):
    """What pages say for readers of the repository, for readers of the site."""
    text = OUTSIDE.sub(lambda link: _name_file(*link.groups()), source[0])
    if name == "index":
        pages = {path.stem for path in FOLDER.glob("*.md")}
        more = sorted(pages - set(re.findall(r"^(\w+)$", text, re.MULTILINE)) - {"index"})
        text = text.replace("MORE\n", "\n".join(more) + "\n")
    source[0] = text


def _name_file(text: str, path: str) -> str:
    """The text of a link and the file that it leads to, which is in the repository."""
    return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"


def setup(app):
    app.connect("source-read", prepare)
