"""common_neighbors lists what intersect counts."""

import networkx as nx
import numpy as np
import pytest
from neighbor_sets import N, check
from verifiers import host

import frontier as fr


@pytest.fixture
def edges(rng):
    """Two hubs with most vertices for neighbors, vertices with few, and some isolated ones."""
    src = np.concatenate([rng.integers(0, 400, 1500), np.zeros(390, int), np.ones(380, int)])
    dst = np.concatenate([rng.integers(0, 400, 1500), np.arange(1, 391), np.arange(10, 390)])
    return src, dst


@pytest.mark.parametrize("directed", [False, True])
def test_lists_are_those_of_sets(structure, device, directed, edges, rng):
    graph = structure.from_edges(*edges, num_vertices=N, directed=directed, device=device)
    us, vs = rng.integers(0, N, 300), rng.integers(0, N, 300)
    us[:4], vs[:4] = (0, 1, 0, 7), (1, 0, 499, 7)
    check(graph, us.tolist(), vs.tolist())
    if isinstance(graph, fr.DynamicGraph):
        graph.delete_edges(edges[0][::3], edges[1][::3])
        graph.insert_edges([450, 450, 451, 0], [3, 0, 3, 451])
        check(graph, [*us.tolist(), 450], [*vs.tolist(), 451])


def test_few_pairs(structure, device, edges):
    """As few as are looked up in the structure itself, not in a snapshot of it."""
    graph = structure.from_edges(*edges, num_vertices=N, device=device)
    for pair in ((5, 6), (0, 5), (0, 1), (499, 0), (3, 3)):
        check(graph, [pair[0]], [pair[1]])
    check(graph, [], [])


def test_networkx_agrees(device, edges):
    graph = fr.structures()["slab"].from_edges(*edges, num_vertices=N, device=device)
    other = nx.Graph([(u, v) for u, v in zip(*(part.tolist() for part in edges), strict=True) if u != v])
    offsets, ids = fr.common_neighbors(graph, [0, 2, 8], [1, 3, 9])
    for i, pair in enumerate(((0, 1), (2, 3), (8, 9))):
        assert host(ids[offsets[i] : offsets[i + 1]]).tolist() == sorted(nx.common_neighbors(other, *pair))


def test_wrong_arguments(device):
    graph = fr.structures()["csr"].from_edges([0], [1], num_vertices=3, device=device)
    for us, vs, message in (([0], [3], "vs"), ([-1], [0], "us"), ([0, 1], [2], "same length"), ([0.5], [1], "us")):
        with pytest.raises((TypeError, ValueError), match=message):
            fr.common_neighbors(graph, us, vs)
    graph.insert_vertices(1)
    graph.delete_vertices([3])
    with pytest.raises(ValueError, match="vs"):
        fr.common_neighbors(graph, [0], [3])
