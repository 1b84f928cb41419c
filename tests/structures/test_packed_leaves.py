"""Packed memory arrays with leaves that received no entries: what their separators must be."""

from types import SimpleNamespace

import numpy as np
import pytest
from model import edges_of, make, to_host
from packed_arrays import check_array, check_layout

from frontier.core.sort import END
from structures.gpma import GPMA
from structures.lpma import LPMA
from structures.packed.cpu import leaf_at
from structures.packed.layout import EMPTY, LEAF

# Thresholds so low that a window with fewer entries than leaves is rebalanced.
SPARSE = dict(leaf_density=(0.02, 0.7), root_density=(0.025, 0.2))
VERTICES = 6000
HUB = 700
ENOUGH = SPARSE["root_density"][0] * LEAF  # entries for each leaf, with which no larger window is rebalanced


@pytest.fixture(params=[GPMA, LPMA], ids=lambda cls: cls.name)
def packed(request):
    return request.param


def check(pair):
    (check_layout if pair.graph.store.levels >= 0 else check_array)(pair.graph)
    assert edges_of(pair.graph) == pair.model.edges()


def contents(graph):
    """The entries of each leaf, leaves in order of their keys."""
    pool = to_host(graph, graph.store.neighbors).reshape(-1, LEAF)
    view = SimpleNamespace(leaves=graph.store.leaves, levels=graph.store.levels)
    order = [leaf_at.py_func(view, i) for i in range(graph.store.leaves)]
    return [leaf[leaf != EMPTY] for leaf in pool[order]], to_host(graph, graph.store.separators)[order]


@pytest.mark.parametrize("width", [4, 8, 32, 128], ids=lambda width: f"{width} leaves")
def test_fewer_entries_than_leaves(packed, device, width):
    """A window in the middle of a long row has a few arcs in its first half and is redistributed."""
    dst = np.arange(HUB + 1, VERTICES)
    pair = make(packed, device, np.full(dst.size, HUB), dst, num_vertices=VERTICES, directed=True, **SPARSE)
    graph = pair.graph
    leaves, _ = contents(graph)
    inside = [i for i, leaf in enumerate(leaves) if leaf.size and (leaf >= 0).all()]
    start = next(i for i in range(0, len(leaves), width) if i > inside[0] and i + width <= inside[-1])
    arcs = np.concatenate(leaves[start : start + width])
    # Enough for the window to be full enough, and none in its other half, whose own windows are not.
    kept = min(int(np.ceil(ENOUGH * width)), width - 1)
    first_half = np.concatenate(leaves[start : start + width // 2])
    assert kept < first_half.size
    keep = first_half[:: first_half.size // kept][:kept]
    gone = np.setdiff1d(arcs, keep)
    pair.delete(np.full(gone.size, HUB), gone)
    check(pair)
    leaves, separators = contents(graph)
    assert sum(leaf.size for leaf in leaves[start : start + width]) == kept
    empty = [i for i in range(start, start + width) if not leaves[i].size]
    assert empty and empty[-1] == start + width - 1, "no leaf was left empty"
    after = separators[start + width]
    assert after < END
    assert (separators[[i for i in empty if not any(leaf.size for leaf in leaves[i : start + width])]] == after).all()
    # Reinserted arcs find their positions, beside arcs that never left.
    pair.insert(np.full(gone.size, HUB), gone)
    check(pair)
    pair.insert(np.full(20, HUB + 1), np.arange(20))
    check(pair)


def test_an_array_with_more_leaves_than_entries(packed, device):
    """Empty leaves at the end are never searched."""
    pair = make(packed, device, num_vertices=3, directed=True, **SPARSE)
    pair.graph.store._rebuild(0, 16)
    check(pair)
    leaves, separators = contents(pair.graph)
    assert separators[-1] == (END if not leaves[-1].size else separators[-1])
    for edge in ((2, 0), (0, 1), (0, 2), (2, 1), (1, 0)):
        pair.insert([edge[0]], [edge[1]])
        check(pair)
    pair.delete([2, 0], [1, 1])
    check(pair)
