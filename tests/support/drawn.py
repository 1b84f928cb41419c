"""Which analytics are tested on all structures, and which on one that is drawn for each.

What an analytic does with a structure is compiled for each. Those of the gallery are loops over operators that have
tests of their own on every structure, so that one structure besides the snapshot shows what there is to see.
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
    """Parameters ``name``: those of the gallery are run on one structure, with ``--all``.

    The first tier runs them in tests/algorithms/test_gallery.py.
    """
    return [pytest.param(name, marks=[SAMPLED, pytest.mark.slow]) if name in GALLERY else name for name in names]


def names_for(structure):
    """The analytics with a static form that are tested on a structure."""
    case = SimpleNamespace(iter_markers=lambda _: [SAMPLED.mark], path=Path(__file__))

    def chosen(name):
        case.callspec = SimpleNamespace(params={"name": name, "structure": structure})
        return name not in GALLERY or is_drawn(case)

    return [name for name, known in analytics().items() if known.static and chosen(name)]
