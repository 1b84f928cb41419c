"""A new structure of less than 150 lines has all features of existing ones (``docs/structures.md``)."""

from __future__ import annotations

import numpy as np
import pytest
from centrality_verifiers import verify_pagerank
from graphs import GRAPHS
from model import Pair, make, random_batch
from toy import Rows
from verifiers import verify_bfs, verify_components, verify_triangles

import frontier as fr
from algorithms import DynamicTriangleCount, bfs, connected_components, pagerank, triangle_count
from frontier.core import registry
from frontier.runtime.compile.disk_cache import PROJECT_ROOT

TOY = PROJECT_ROOT / "tests" / "support" / "toy"


def test_it_is_small():
    assert sum(len(path.read_text().splitlines()) for path in TOY.glob("*.py")) < 150


@pytest.mark.parametrize("weight_dtype", [None, "float32"])
@pytest.mark.parametrize("directed", [False, True])
def test_updates(directed, weight_dtype, rng):
    pair = make(Rows, "cpu", num_vertices=60, directed=directed, weight_dtype=weight_dtype)
    for _ in range(4):
        pair.insert(*random_batch(rng, 60, 300, weight_dtype))
        pair.delete(*random_batch(rng, 60, 300)[:2])
        pair.check()
    pair.insert_vertices(4)
    pair.delete_vertices([3, 61])
    pair.graph.compact()
    pair.check()
    assert pair.graph.statistics().used == pair.graph.num_arcs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rmat", "star", "grid"])
def test_analytics(name):
    src, dst, n = GRAPHS[name]
    graph = Rows.from_edges(src, dst, num_vertices=n, device="cpu")
    with DynamicTriangleCount(graph) as counts:
        graph.insert_edges([0, 1, 2], [1, 2, 0])
        graph.delete_edges(src[::3], dst[::3])
        assert counts.total == triangle_count(graph).total
    verify_bfs(graph, 0, bfs(graph, 0))
    verify_components(graph, connected_components(graph))
    verify_pagerank(graph, pagerank(graph))
    verify_triangles(graph, triangle_count(graph))
    assert int(fr.intersect(graph, *graph.to_coo()[:2]).sum()) == 3 * triangle_count(graph).total


def test_in_edges(rng):
    graph = Rows(60, directed=True, in_edges=True, device="cpu")
    graph.insert_edges(*rng.integers(0, 60, (2, 300)))
    graph.delete_edges(*rng.integers(0, 60, (2, 300)))
    src, dst, _ = graph.to_coo()
    order = np.lexsort((src, dst))
    assert [a.tolist() for a in graph.reverse.to_coo()[:2]] == [dst[order].tolist(), src[order].tolist()]


def test_files_and_copies(tmp_path, monkeypatch, rng):
    monkeypatch.setattr(registry, "_structures", registry.registered())
    registry.register_structure(Rows)
    pair = make(Rows, "cpu", num_vertices=60, weight_dtype="float32")
    pair.insert(*random_batch(rng, 60, 300, "float32"))
    pair.delete(*random_batch(rng, 60, 300)[:2])
    pair.graph.save(tmp_path / "graph.npz")
    for twin in (pair.graph.copy(), fr.Graph.load(tmp_path / "graph.npz", device="cpu")):
        assert type(twin) is Rows
        Pair(twin, pair.model).check()
        assert np.array_equal(twin.store.neighbors, pair.graph.store.neighbors)
