"""A coloring that is maintained incrementally: proper after every batch, with no color above a vertex's degree."""

import numpy as np
import pytest
from model import random_batch
from verifiers import existing, host

import frontier as fr
from algorithms import DynamicColoring, coloring
from algorithms.comparators import edges_of, proper_coloring

pytestmark = pytest.mark.slow  # their kernels compile slowly
N = 60
MODULE = "algorithms.dynamic_coloring"


@pytest.fixture
def structure():
    """One: tests do not depend on the structure."""
    return fr.structures()["slab"]


@pytest.fixture
def always_repairs(monkeypatch):
    """No batch has colors computed from scratch."""
    monkeypatch.setattr(f"{MODULE}.MOST_ARCS", 2)
    monkeypatch.setattr(f"{MODULE}.FEW_COLORS", 10**6)


def check(colors):
    """Return the colors, which are valid."""
    graph, color, there = colors.graph, np.array(host(colors.color)), existing(colors.graph)
    assert color.shape == there.shape and (color[~there] == -1).all() and (color[there] >= 0).all()
    assert not proper_coloring(edges_of(graph), color)
    assert colors.count == color.max(initial=-1) + 1 and (color <= host(graph.degrees())).all()
    assert not host(colors._reason).any() and not int(colors._listed.arguments[1][0])
    return color


def test_random_batches(structure, device, rng, tries, always_repairs):
    """Batches of all sizes, with duplicates, loops and absent edges, read or not, and vertices that go and return."""
    graph = structure.from_edges(*random_batch(rng, N, 90)[:2], num_vertices=N, device=device)
    colors = DynamicColoring(graph)
    for step in range(tries(20, 400)):
        src, dst, _ = random_batch(rng, N // int(rng.integers(1, 5)), int(10 ** rng.uniform(0, 2.2)))
        graph.insert_edges(src, dst)
        if rng.random() < 0.5:
            check(colors)
        if step % 2:
            src, dst, _ = graph.to_coo()
            gone = graph.xp.asarray(rng.permutation(int(src.size))[: int(10 ** rng.uniform(0, 2.2))])
            graph.delete_edges(src[gone], dst[gone])
        if step % 4 == 3:
            graph.delete_vertices([3, 7, int(rng.integers(8, N))])
            if rng.random() < 0.5:
                check(colors)
            graph.insert_vertices(4)
            graph.insert_edges([3, 7, 3], [7, 9, 9])
            graph.delete_vertices(np.arange(N, graph.num_vertices))
        if rng.random() < 0.5:
            check(colors)
    check(colors)


def test_only_what_must_change_does(structure, device):
    """An end of an edge between equal colors, the one of lower degree, and a vertex whose degree is below its color."""
    graph = structure.from_edges([0, 0, 0, 4, 4], [1, 2, 3, 5, 6], num_vertices=9, device=device)
    colors = DynamicColoring(graph)
    before = check(colors)
    assert before[0] == before[4] == 0
    graph.insert_edges([0, 7], [5, 1])
    graph.delete_edges([7], [1])
    assert check(colors).tolist() == before.tolist()
    graph.insert_edges([4, 0], [0, 4])
    changed = check(colors)
    assert np.flatnonzero(changed != before).tolist() == [4] and changed[4] == 2
    graph.delete_edges([4], [0])
    assert check(colors).tolist() == changed.tolist()
    graph.delete_edges([4], [5])
    assert check(colors).tolist() == before.tolist()


def test_cliques(structure, device, always_repairs):
    """More colors than are tested at once. Deletions lower them, and vertices that return get the first."""
    src, dst = np.triu_indices(140, 1)
    graph = structure(150, device=device)
    colors = DynamicColoring(graph)
    graph.insert_edges(src[dst < 100], dst[dst < 100])
    check(colors)
    graph.insert_edges(src, dst)
    assert sorted(check(colors)[:140]) == list(range(140))
    few = dst < 80
    graph.delete_edges(src[~few], dst[~few])
    assert sorted(check(colors)[:80]) == list(range(80))
    graph.delete_vertices(range(150))
    assert check(colors).max() == -1 and colors.count == 0
    graph.insert_vertices(150)
    graph.insert_edges([3] * 150, range(150))
    assert check(colors).max() == 1 and colors.count == 2


def test_many_changes_are_colored_from_scratch(structure, device, monkeypatch):
    """Many vertices have changed, or colors become many."""
    src, dst = np.triu_indices(24, 1)
    graph = structure(50, device=device)
    colors = DynamicColoring(graph)
    made = []
    monkeypatch.setattr(f"{MODULE}.SMALL_ARCS", 0)
    monkeypatch.setattr(f"{MODULE}.FEW_COLORS", 2)
    monkeypatch.setattr(f"{MODULE}.coloring", lambda *args: made.append(1) or coloring(*args))
    graph.insert_edges(src, dst)
    assert check(colors).tolist() == host(coloring(graph).color).tolist() and len(made) == 1
    monkeypatch.setattr(f"{MODULE}.MOST_ARCS", 2)
    for more, count in ((30, 1), (32, 1), (33, 2), (40, 2)):  # a quarter and 2 more than 24
        src, dst = np.triu_indices(more, 1)
        graph.insert_edges(src, dst)
        check(colors)
        assert len(made) == count, more
    graph.delete_edges(src[::2], dst[::2])
    check(colors)
    assert len(made) == 2
    graph.delete_edges(src[:-2], dst[:-2])
    assert check(colors).max() == 1 and len(made) == 3


def test_graphs_without_edges(structure, device):
    empty, one = structure(0, device=device), structure(1, device=device)
    colors, of_one = DynamicColoring(empty), DynamicColoring(one)
    one.insert_edges([0], [0])
    assert check(of_one).tolist() == [0]
    assert colors.count == 0 and colors.color.size == 0
    empty.insert_vertices(3)
    empty.insert_edges([0, 1], [1, 2])
    assert check(colors).max() == 1


def test_refused_arguments(structure):
    with pytest.raises(ValueError, match="DynamicColoring is defined for undirected graphs"):
        DynamicColoring(structure(3, directed=True, device="cpu"))
    with pytest.raises(TypeError, match="seed must be an integer"):
        DynamicColoring(structure(3, device="cpu"), seed=0.5)
