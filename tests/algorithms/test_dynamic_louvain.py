"""Communities that are maintained incrementally, compared with those recomputed from scratch."""

import math
from functools import partial

import numpy as np
import pytest
from histories import Followed, History
from verifiers import verify_communities

from algorithms import DynamicLouvain, louvain
from structures import SlabGraph

LIMITS = {"moves": math.inf, "levels": 0.0}
"""Fractions of changed edges above which levels follow the moves."""


@pytest.fixture(params=LIMITS)
def incremental(request, monkeypatch):
    """No communities are recomputed from scratch. Levels follow the moves never, or always."""
    monkeypatch.setattr("algorithms.dynamic_louvain.RECOMPUTE_AFTER", math.inf)
    monkeypatch.setattr("algorithms.dynamic_louvain.COARSEN_AFTER", LIMITS[request.param])


@pytest.fixture
def recomputed(monkeypatch):
    """The number of recomputations from scratch, in a list."""
    found, recompute = [], DynamicLouvain._recompute
    monkeypatch.setattr(DynamicLouvain, "_recompute", lambda self: found.append(1) or recompute(self))
    return found


def blocks(rng, count=40, size=25, inner=6.0, outer=2.0):
    """The edges of a graph of blocks, and of random edges between them, shuffled."""
    n = count * size
    inside = rng.integers(0, size, (2, int(inner * n / 2))) + size * rng.integers(0, count, int(inner * n / 2))
    edges = np.concatenate([inside, rng.integers(0, n, (2, int(outer * n / 2)))], axis=1)
    edges = np.unique(np.sort(edges[:, edges[0] != edges[1]], axis=0), axis=1)
    return edges[:, rng.permutation(edges.shape[1])]


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, "float32"])
def test_any_history(device, incremental, weights, monkeypatch, tries):
    """Communities need not be good here: a change of few edges may change all communities of a small graph."""
    monkeypatch.setattr(Followed, "check", lambda self: verify_communities(self.one, self.made))
    for seed in range(tries(20, 500) if device == "cpu" else 3):
        History(seed, partial(SlabGraph, device=device, weight_dtype=weights), ["louvain"]).run()


@pytest.mark.parametrize("weighted", [False, True])
def test_modularity_over_a_long_stream(device, rng, weighted, recomputed):
    """Of insertions, of deletions and of both: within 1 % of recomputation on average, and within 2 % always."""
    src, dst = blocks(rng)
    weights = rng.integers(1, 5, src.size).astype(np.float32) if weighted else None

    def some(batch):
        return src[batch], dst[batch], weights[batch] if weighted else None

    begin, size = src.size // 2, src.size // 50
    graph = SlabGraph.from_edges(*some(slice(begin)), num_vertices=1000, device=device)
    found, lost = DynamicLouvain(graph), []
    for step in range(60):
        held = slice(begin + step * size, begin + (step + 1) * size)
        gone = slice((step - 20) * size, (step - 19) * size)
        if step < 25:
            graph.insert_edges(*some(held))
        if step >= 20:
            graph.delete_edges(*some(gone)[:2])
        verify_communities(graph, found)
        lost.append(1 - found.modularity / np.mean([louvain(graph, seed=seed).modularity for seed in range(2)]))
    assert np.mean(lost) < 0.005 and max(lost) < 0.02, (np.mean(lost), max(lost))
    assert 2 < len(recomputed) < 40
