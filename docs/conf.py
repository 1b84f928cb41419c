"""How Sphinx makes the documentation: ``scripts/docs``."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from sphinx.util.inspect import stringify_signature

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER)]

import algorithm_pages  # noqa: E402
import versions  # noqa: E402

import algorithms  # noqa: E402
import frontier  # noqa: E402

project = "dynfrontier"
author = "The dynfrontier authors"
copyright = "2026, The dynfrontier authors"
documented = versions.documented()
version = release = documented.number
html_css_files = ["pages.css"]
html_title = f"dynfrontier {release}" if documented.released else f"dynfrontier {release}, {versions.DEVELOPMENT}"

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "versions"]
exclude_patterns = ["_build"]  # which contains copies of the notebooks
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False

# Notebooks are shown with their stored outputs. tests/project/test_tutorials.py runs them.
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

DESCRIBED = [*algorithm_pages.described()]
"""The members that pages of algorithms describe."""
OUTSIDE = r"\[([^\]]*)\]\({up}([^)]+)\)"
"""Links to files of the repository that are no pages, from a page that is so far below it."""


INTERNAL = "store_type", "form_over_parts"
"""Class attributes that only this project sets."""
FORWARDED = re.compile(r"`\w+` of `\w+`\.")
"""The docstring of a property that forwards. The section of attributes, or of parameters, describes it."""


def describe_once():
    """Leave the description of forwarding properties to the sections of their classes."""
    for cls in {base for kind in frontier.structures().values() for base in kind.__mro__}:
        for member in vars(cls).values():
            if isinstance(member, property) and FORWARDED.fullmatch(member.__doc__ or ""):
                member.__doc__ = None


def prepare(app, name, source):
    """Adapt pages written for readers of the repository to readers of the site."""
    outside = OUTSIDE.replace("{up}", re.escape("../") * (1 + name.count("/")))
    text = re.sub(outside, lambda link: _name_file(*link.groups()), source[0])
    if name == "catalogue":
        text = algorithm_pages.catalogue(text, linked=True)
    source[0] = text


def _name_file(text: str, path: str) -> str:
    """The text of a link and the file that it leads to, which is in the repository."""
    return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"


def leave_out(app, what, name, member, skip, options):
    """Whether a member is left out: members with their own page, and the methods by which algorithms follow updates."""
    if what == "module":
        return True if member in DESCRIBED else None
    if name in INTERNAL:
        return True
    return True if app.env.docname.startswith("algorithms/") and hasattr(frontier.UpdateObserver, name) else None


def sign(app, what, name, member, options, signature, returns):
    """The parameters of incremental algorithms, whose base class has a `__new__` of any parameters."""
    if inspect.isclass(member) and issubclass(member, algorithms.IncrementalAlgorithm):
        return stringify_signature(inspect.signature(member), show_annotation=False), None
    return None


def name_costs(app, what, name, member, options, lines):
    """Name the notes of algorithms after their content, the cost."""
    if member in DESCRIBED:
        lines[:] = [line.replace(".. rubric:: Notes", ".. rubric:: Complexity and notes") for line in lines]


def setup(app):
    describe_once()
    app.connect("builder-inited", lambda app: algorithm_pages.write())
    app.connect("source-read", prepare)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-signature", sign)
    app.connect("autodoc-process-docstring", name_costs, priority=600)  # after numpydoc, which makes rubrics
