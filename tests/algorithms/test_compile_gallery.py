"""Every functor of the gallery compiles for GPUs and links with its operator, without a GPU.

Each algorithm runs on a small graph on the CPU, while its operator calls are noted. Then the same calls are compiled.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from functor_compilers import *  # noqa: F403
from noted_functors import CSR, compile_noted, note

from algorithms import (
    DynamicCoreNumber,
    DynamicLabelPropagation,
    DynamicLouvain,
    DynamicStronglyConnectedComponents,
    analytics,
)
from algorithms.catalogue import GALLERY

pytest.importorskip("cuda.core")


WITHOUT_FUNCTORS = ("local_clustering", "jaccard", "sorensen", "cosine", "overlap", "degree_centrality")
"""Algorithms without functors."""


@pytest.mark.slow
@pytest.mark.parametrize("name", GALLERY)
def test_functors_compile(name, monkeypatch, request):
    known, kept = analytics()[name], []
    graph = CSR.from_edges([0, 1, 2, 3, 3], [1, 2, 0, 0, 4], num_vertices=6, device="cpu")
    forests = importlib.import_module("algorithms.minimum_spanning_forest")
    pairs = importlib.import_module("algorithms.all_pairs_similarity")
    with monkeypatch.context() as patch:
        patch.setattr(forests, "_join_in_order", lambda graph: forests._join_in_rounds(graph, 1.0))  # as on GPUs
        patch.setattr(pairs, "_count_in_order", pairs._count_sorted)
        note(patch, kept)
        known.compute(graph, **known.settings(graph))
    compile_noted(graph, kept, request)
    assert kept or name in WITHOUT_FUNCTORS


SEVERAL = {"bfs": None, "closeness_centrality": None, "sssp": "float32"}
"""Searches from several sources, which have separate functors, and the weights of their graphs."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SEVERAL)
def test_functors_of_several_sources_compile(name, monkeypatch, request):
    known, kept, weights = analytics()[name], [], SEVERAL[name]
    weights = None if weights is None else np.ones(6, weights)
    graph = CSR.from_edges([0, 1, 2, 3, 3, 4], [1, 2, 0, 0, 4, 5], weights, num_vertices=9, device="cpu")
    with monkeypatch.context() as patch:
        note(patch, kept)
        for above in (0, 1):  # pull, and push
            patch.setattr("algorithms._source_words.PULL_ABOVE", above)
            known.compute(graph, sources=range(9))
    assert {"advance", "traverse"} <= {operator for operator, _, _ in kept}
    compile_noted(graph, kept, request)


@pytest.mark.slow
def test_functors_of_dynamic_core_compile(monkeypatch, request):
    kept = []
    graph = CSR.from_edges([0, 1, 2, 3, 3], [1, 2, 3, 0, 4], num_vertices=6, device="cpu")
    with monkeypatch.context() as patch:
        note(patch, kept)
        cores = DynamicCoreNumber(graph)
        graph.insert_edges([0], [2])
        graph.delete_edges([0], [1])
        assert cores.degeneracy == 2
    assert {"visit_edges", "advance", "traverse", "filter", "compute", "reduce"} == {operator for operator, *_ in kept}
    compile_noted(graph, kept, request)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["katz_centrality", "coloring", "betweenness_centrality"])
def test_functors_of_incremental_forms_compile(name, monkeypatch, request):
    known, kept = analytics()[name], []
    graph = CSR.from_edges([0, 1, 2, 3], [1, 2, 3, 4], num_vertices=40, device="cpu")
    with monkeypatch.context() as patch:
        patch.setattr("algorithms.dynamic_katz_centrality.LOCAL_SHARE", 10)
        patch.setattr("algorithms.dynamic_katz_centrality.MOST_LEFT", np.inf)
        patch.setattr("algorithms.dynamic_betweenness_centrality.MOST", 10**6)
        patch.setattr("algorithms.dynamic_betweenness_centrality.MOST_EDGES", 10**6)
        note(patch, kept)
        made = known.maintain(graph, **known.settings())
        graph.insert_edges([0], [2])
        known.read(made)
        graph.delete_edges([0], [1])
        known.read(made)
        made.close()
    expected = {
        "katz_centrality": {"traverse"},
        "coloring": {"advance", "compute", "neighbor_reduce"},
        "betweenness_centrality": {"advance", "compute", "neighbor_reduce", "traverse"},
    }[name]
    assert expected | {"visit_edges", "filter", "reduce"} <= {operator for operator, *_ in kept}
    compile_noted(graph, kept, request)


@pytest.mark.slow
def test_functors_of_dynamic_strong_components_compile(monkeypatch, request):
    """Also the functor of the order of components, which a CPU finds by a search."""
    kept = []
    options = {"num_vertices": 8, "directed": True, "in_edges": True, "device": "cpu"}
    graph = CSR.from_edges([0, 1, 2, 3, 4, 4, 6, 7], [1, 2, 0, 4, 3, 5, 7, 6], **options)
    module = importlib.import_module("algorithms.dynamic_strongly_connected_components")
    monkeypatch.setattr(module, "SMALL_GRAPH", {"cpu": 0})
    monkeypatch.setattr(module, "ROUNDS", 0)
    with monkeypatch.context() as patch:
        note(patch, kept)
        components = DynamicStronglyConnectedComponents(graph)
        assert module._depths(graph, components.labels).tolist() == [0, 0, 0, 0, 0, 1, 0, 0]
        for src, dst, count in ((0, 3, 4), (5, 1, 2)):
            graph.insert_edges([src], [dst])
            assert components.count == count
        for src, dst, count in ((0, 1, 2), (5, 1, 6), (6, 7, 7)):
            graph.delete_edges([src], [dst])
            assert components.count == count
    assert {"visit_edges", "advance", "traverse", "filter", "compute"} == {operator for operator, *_ in kept}
    compile_noted(graph, kept, request)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "weights"), [
    (DynamicLouvain, None), (DynamicLouvain, "float32"), (DynamicLabelPropagation, None),
])  # fmt: skip
def test_functors_of_dynamic_communities_compile(make, weights, monkeypatch, request):
    """The functors that the static forms do not have, among others."""
    kept = []
    graph = CSR.from_edges([0, 1, 2, 3], [1, 2, 3, 0], weights and np.ones(4, weights), num_vertices=6, device="cpu")
    monkeypatch.setattr("algorithms._maintained_communities.RECOMPUTE_AFTER", 9)
    communities = make(graph)
    with monkeypatch.context() as patch:
        note(patch, kept)
        graph.insert_edges([0], [2])
        graph.delete_edges([0], [1])
        assert communities.count >= 2
    assert {"visit_edges", "compute"} <= {operator for operator, *_ in kept}
    compile_noted(graph, kept, request)


@pytest.mark.slow
def test_functors_of_strong_components_compile(monkeypatch, request):
    """The kernels of the rounds, which a CPU does not make by itself."""
    kept = []
    graph = CSR.from_edges([0, 1, 2, 3, 3], [1, 2, 0, 0, 4], num_vertices=6, directed=True, device="cpu")
    module = importlib.import_module("algorithms.strongly_connected_components")
    with monkeypatch.context() as patch:
        note(patch, kept)
        assert module.find_in_parallel(graph).tolist() == [0, 0, 0, 3, 4, 5]
    assert {"traverse", "filter", "compute"} == {operator for operator, *_ in kept}
    compile_noted(graph, kept, request)
