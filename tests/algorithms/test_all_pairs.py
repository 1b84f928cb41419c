"""Similarities of all pairs: exact with any pruning, and with any bound on the paths in memory."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from graphs import GRAPHS
from verifiers import VERIFIERS, host

import algorithms
import frontier as fr
from structures import CSR

NAMES = [f"all_pairs_{name}" for name in ("jaccard", "sorensen", "cosine", "overlap")]
module = importlib.import_module("algorithms.all_pairs_similarity")


def skewed(device, n=60, edges=300, **options):
    src, dst = (np.random.default_rng(edges).random((2, edges)) ** 2 * n).astype(np.int64)
    return CSR.from_edges(src, dst, num_vertices=n, device=device, **options)


@pytest.fixture
def little_memory(monkeypatch):
    """Many blocks, chunks and pieces, and sources with more paths than a chunk."""
    monkeypatch.setattr(module, "PATHS", {"cpu": 50, "gpu": 50})
    monkeypatch.setattr(module, "ARCS", {"cpu": 30, "gpu": 30})
    monkeypatch.setattr(module, "PIECE", 3)


def check(name, graph, **options):
    found = getattr(algorithms, name)(graph, **options)
    VERIFIERS[name](graph, found, **options)
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [{}, {"topk": 1}, {"topk": 20}, {"topk": 10**9}], ids=str)
@pytest.mark.parametrize("vertices", [None, [3, 1, 7, 20, 25, 3]], ids=["all", "some"])
def test_pairs(name, options, vertices, device, little_memory):
    for directed in (False, True):
        check(name, skewed(device, directed=directed), vertices=vertices, **options)


@pytest.mark.parametrize("name", NAMES[:1])
def test_pairs_are_the_same_if_they_are_sorted(name, monkeypatch, little_memory):
    """As on a GPU, instead of counted."""
    monkeypatch.setattr(module, "_count_in_order", module._count_sorted)
    for options in ({}, {"topk": 20}, {"vertices": [5, 2]}):
        check(name, skewed("cpu"), **options)


@pytest.mark.parametrize("name", NAMES)
def test_ties_go_to_the_lowest_ids(name, device, little_memory):
    """All leaves of a star are equal, and so are the leaves of a second one."""
    src, dst = [0] * 30 + [40] * 9, [*range(1, 31), *range(41, 50)]
    found = check(name, CSR.from_edges(src, dst, num_vertices=52, device=device), topk=40)
    assert host(found.src).tolist() == [1] * 29 + [2] * 11 and (host(found.coefficient) == 1).all()


def test_structures_agree(structure, device):
    src, dst, n = GRAPHS["rmat"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    graph.delete_edges(src[::4], dst[::4])
    graph.delete_vertices([0, 7])
    check("all_pairs_jaccard", graph, topk=50)
    check("all_pairs_jaccard", graph, vertices=[1, 2, 3])


def test_a_bound_prunes_most_paths(monkeypatch):
    """Almost no pair of a scale-free graph can be among the best."""
    edges, listed = fr.io.rmat(10, 16, seed=1), []
    graph = CSR.from_edges(edges.src, edges.dst, num_vertices=edges.num_vertices, device="cpu")
    monkeypatch.setattr(module, "PATHS", {"cpu": 1 << 12, "gpu": 1 << 12})
    count = module._count_in_order

    def counted(graph, paths, chunk):
        listed.append(int(paths.last[paths.starts[chunk.stop]] - paths.last[paths.starts[chunk.start]]))
        return count(graph, paths, chunk)

    monkeypatch.setattr(module, "_count_in_order", counted)
    check("all_pairs_jaccard", graph, topk=10)
    pruned, listed[:] = sum(listed), []
    algorithms.all_pairs_jaccard(graph)
    assert pruned < sum(listed) / 10


def test_bad_arguments():
    graph = skewed("cpu")
    for options, error in (
        ({"topk": 0}, ValueError), ({"topk": 1.5}, TypeError), ({"vertices": [60]}, ValueError),
        ({"vertices": [0.5]}, TypeError),
    ):  # fmt: skip
        with pytest.raises(error, match=next(iter(options))):
            algorithms.all_pairs_jaccard(graph, **options)
    assert algorithms.all_pairs_jaccard(graph, vertices=[]).src.size == 0
