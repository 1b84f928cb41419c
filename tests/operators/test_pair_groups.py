"""Pairs of vertices with a common hub are intersected together on a CPU, by an array that has the hub's list."""

import numpy as np
import pytest

import frontier as fr
from frontier.operators.dispatch import pair_groups
from structures import SlabGraph


def _note(i, u, v, w, edge_uw, edge_vw, ends, wrong, seen):
    if ends[edge_uw] != w or ends[edge_vw] != w:
        fr.atomic_add(wrong, 0, 1)
    fr.atomic_add(seen, i, 1)


@pytest.mark.parametrize("room", [True, False])
def test_groups(structure, rng, room, monkeypatch):
    """Groups of one pair, of some, and of more than one worker processes at once, with arrays by vertex, and
    without."""
    if not room:
        monkeypatch.setattr(pair_groups, "SMALLEST_ROOM", -1)
        monkeypatch.setattr(pair_groups, "FEW", 10**9)
    n, hubs = 900, (0, 1, 2)
    src = np.concatenate([rng.integers(0, n, 3000), *(np.full(700, hub) for hub in hubs)])
    dst = np.concatenate([rng.integers(0, n, 3000), *(rng.permutation(n)[:700] for _ in hubs)])
    graph = structure.from_edges(src, dst, num_vertices=n, device="cpu")
    arcs = np.zeros((n, n), np.int64)
    for u, v in zip(*graph.to_coo()[:2], strict=True):
        arcs[u, v] = arcs[v, u] = 1
    us, vs = rng.integers(0, n, (2, 1500))
    us[:700], vs[700:1000], vs[1000:1010] = 0, 1, us[1000:1010]
    expected = (arcs @ arcs)[us, vs]
    assert fr.intersect(graph, us, vs).tolist() == expected.tolist()
    ends = np.full(graph.edge_capacity, -1)
    every = np.flatnonzero(arcs)
    ends[graph.find_edges(every // n, every % n)] = every % n
    wrong, seen = np.zeros(1, np.int64), np.zeros(us.size, np.int64)
    fr.intersect(graph, us, vs, _note, ends, wrong, seen, numbered=True)
    assert wrong[0] == 0 and seen.tolist() == expected.tolist()


def test_an_error_of_a_functor_that_python_runs_leaves_no_traces(rng):
    def fail(u, v, w, edge_uw, edge_vw):
        raise KeyError("it fails")

    src, dst = rng.integers(0, 40, (2, 400))
    graph = SlabGraph.from_edges(src, dst, num_vertices=40, device="cpu")
    expected = fr.intersect(graph, src, dst)
    with fr.interpreted(), pytest.raises(Exception, match="it fails"):
        fr.intersect(graph, src, dst, fail)
    assert fr.intersect(graph, src, dst).tolist() == expected.tolist()
