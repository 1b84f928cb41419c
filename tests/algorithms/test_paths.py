"""Shortest paths with their vertices, and neighborhoods as graphs, compared with NetworkX's."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from verifiers import VERIFIERS, host

import algorithms
from structures import CSR

N = 80


def random_graph(rng, structure=CSR, weight_dtype=None, **options):
    src, dst = rng.integers(0, N - 4, (2, 130))
    weights = None if weight_dtype is None else rng.integers(0, 9, src.size).astype(weight_dtype)
    return structure.from_edges(src, dst, weights, num_vertices=N, **options)


def networkx_of(graph):
    src, dst, weights = (None if part is None else host(part).tolist() for part in graph.to_coo())
    found = (nx.DiGraph if graph.directed else nx.Graph)()
    found.add_nodes_from(range(graph.num_vertices))
    found.add_weighted_edges_from(zip(src, dst, weights or [1] * len(src), strict=True))
    return found


@pytest.mark.parametrize("weight_dtype", [None, "float32", "int64"])
@pytest.mark.parametrize("options", [{}, {"directed": True}, {"directed": True, "in_edges": True}], ids=str)
def test_paths_between_two_vertices(weight_dtype, options, device, rng):
    graph = random_graph(rng, weight_dtype=weight_dtype, device=device, **options)
    graph.delete_vertices([5, 6])
    theirs = nx.all_pairs_dijkstra_path_length(networkx_of(graph))
    lengths = dict(theirs)
    for source, target in rng.integers(7, N, (40, 2)).tolist():
        found = algorithms.shortest_path(graph, source, target)
        VERIFIERS["shortest_path"](graph, found, source, target)
        assert bool(found.path()) == (target in lengths[source])
        assert not found.path() or host(found.distance)[target] == lengths[source][target]
    assert algorithms.shortest_path(graph, 7, 7).path() == [7]


def test_structures_agree(structure, device, rng):
    graph = random_graph(rng, structure, directed=True, in_edges=True, device=device)
    for source, target in rng.integers(0, N, (10, 2)).tolist():
        VERIFIERS["shortest_path"](graph, algorithms.shortest_path(graph, source, target), source, target)
        VERIFIERS["ego_graph"](graph, algorithms.ego_graph(graph, source, 2), source, 2)


def test_paths_to_all_vertices(device, rng):
    graph = random_graph(rng, weight_dtype="float32", device=device)
    found, (lengths, _) = algorithms.shortest_path(graph, 0), nx.single_source_dijkstra(networkx_of(graph), 0)
    for target in range(N):
        path = found.path(target)
        assert bool(path) == (target in lengths)
        assert not path or nx.path_weight(networkx_of(graph), path, "weight") == lengths[target]
    with pytest.raises(ValueError, match="target must be a vertex of the graph, not None"):
        found.path()
    with pytest.raises(ValueError, match="target must be a vertex of the graph, not 80"):
        found.path(N)


def test_a_path_whose_length_overflows():
    far = np.iinfo(np.int64).max // 2 + 1
    graph = CSR.from_edges([0, 1, 0], [1, 2, 3], [far, far, 5], num_vertices=5, directed=True, device="cpu")
    with pytest.raises(ValueError, match="the distance of vertex 2 does not fit in int64"):
        algorithms.shortest_path(graph, 0, 2)
    assert algorithms.shortest_path(graph, 0, 3).path() == [0, 3]
    for options, name in (({"source": 9}, "source"), ({"source": 0, "target": 9}, "target")):
        with pytest.raises(ValueError, match=name):
            algorithms.shortest_path(graph, **options)
    bad = CSR.from_edges([0], [1], [-1.0], device="cpu")
    with pytest.raises(ValueError, match="not negative"):
        algorithms.shortest_path(bad, 0, 1)


@pytest.mark.parametrize("weight_dtype", [None, "float32", "int64"])
@pytest.mark.parametrize("directed", [False, True])
def test_neighborhoods(weight_dtype, directed, device, rng):
    graph = random_graph(rng, weight_dtype=weight_dtype, directed=directed, device=device)
    theirs = networkx_of(graph)
    for radius in (0, 1, 2, 3, 10**12):
        found = algorithms.ego_graph(graph, 3, radius)
        VERIFIERS["ego_graph"](graph, found, 3, radius)
        assert found.num_edges == nx.ego_graph(theirs, 3, radius).number_of_edges()
        made = found.to_graph()
        assert type(made) is CSR and made.directed == directed and made.weight_dtype == graph.weight_dtype
        assert all((host(a) == host(b)).all() for a, b in zip(made.to_coo()[:2], (found.src, found.dst), strict=True))
        columns = ["src", "dst"] if weight_dtype is None else ["src", "dst", "weight"]
        assert list(found.to_dataframe().columns) == columns
    several = algorithms.ego_graph(graph, radius=1, sources=[3, 50, 3])
    VERIFIERS["ego_graph"](graph, several, sources=[3, 50], radius=1)
    for options, name in (({"source": N}, "source"), ({"source": 0, "radius": -1}, "radius"), ({}, "source")):
        with pytest.raises((ValueError, TypeError), match=name):
            algorithms.ego_graph(graph, **options)


@pytest.mark.parametrize("weight_dtype", [None, "float32", "int64"])
def test_maximum_forests(weight_dtype, structure, device, rng):
    graph = random_graph(rng, structure, weight_dtype=weight_dtype, device=device)
    found = algorithms.maximum_spanning_forest(graph)
    VERIFIERS["maximum_spanning_forest"](graph, found)
    assert found.total_weight == nx.maximum_spanning_tree(networkx_of(graph)).size(weight="weight")
