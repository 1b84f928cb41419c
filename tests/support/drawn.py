"""Which analytics are tested on all structures, and which on one that is drawn for each.

The code of an analytic for a structure is compiled for each structure. Algorithms of the gallery are loops over
operators that are tested on every structure, so one structure in addition to the snapshot suffices.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from tiers import STRUCTURES, is_drawn

from algorithms import analytics
from algorithms.catalogue import GALLERY

SAMPLED = pytest.mark.sampled("name", of=len(STRUCTURES))


def each(names):
    """Parameters ``name``: gallery algorithms run on one structure, with ``--all``.

    The first tier runs them in tests/algorithms/test_gallery.py.
    """
    return [pytest.param(name, marks=[SAMPLED, pytest.mark.slow]) if name in GALLERY else name for name in names]


def names_for(structure):
    """The analytics with a static form that are tested on a structure."""
    case = SimpleNamespace(iter_markers=lambda name: [SAMPLED.mark][: name == "sampled"], path=Path(__file__))

    def chosen(name):
        case.callspec = SimpleNamespace(params={"name": name, "structure": structure})
        return name not in GALLERY or is_drawn(case)

    return [name for name, known in analytics().items() if known.static and chosen(name)]
