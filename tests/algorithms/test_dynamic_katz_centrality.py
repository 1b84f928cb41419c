"""Katz centrality that is maintained incrementally, compared with the solution of its equations."""

import numpy as np
import pytest
from model import random_batch
from verifiers import host

import frontier as fr
from algorithms import ConvergenceError, DynamicKatzCentrality, katz_centrality

pytestmark = pytest.mark.slow  # their kernels compile slowly
N = 60
KINDS = {"undirected": {}, "directed": {"directed": True}, "in_edges": {"directed": True, "in_edges": True}}
MODULE = "algorithms.dynamic_katz_centrality"


@pytest.fixture
def structure():
    """One: tests do not depend on the structure."""
    return fr.structures()["slab"]


def matrix_of(graph):
    """The adjacency matrix."""
    src, dst = (host(part) for part in graph.to_coo()[:2])
    matrix = np.zeros((graph.num_vertices, graph.num_vertices))
    matrix[src, dst] = 1
    if not graph.directed:
        matrix[dst, src] = 1
    return matrix


def check(katz, alpha=None, atol=1e-7):
    """Compare the result, and all of its state, with what they must be."""
    graph, found = katz.graph, host(katz.katz_centrality)
    matrix, there = matrix_of(graph), host(graph.has_vertices(np.arange(graph.num_vertices)))
    alpha = 1 / (matrix.sum(axis=1).max(initial=0) + 1) if alpha is None else alpha
    assert katz.alpha == pytest.approx(alpha)
    expected = np.linalg.solve(np.eye(there.size) - alpha * matrix.T, katz.beta * there)
    if katz.normalized:
        expected /= max(expected.max(initial=0), 1)  # squares of large numbers overflow
        expected /= max(np.linalg.norm(expected), 1e-300)
    np.testing.assert_allclose(found, expected, rtol=atol, atol=atol * max(np.abs(expected).max(initial=0), 1e-300))
    np.testing.assert_allclose(host(katz._sums), matrix.T @ host(katz._sent), rtol=1e-9, atol=1e-9 * katz.beta)
    assert (found[~there] == 0).all()


class Counted:
    """How often methods are called, and the numbers that they return."""

    def __init__(self, monkeypatch, *names):
        self.calls = {name: [] for name in names}
        for name in names:
            monkeypatch.setattr(DynamicKatzCentrality, name, self._counting(name, getattr(DynamicKatzCentrality, name)))

    def _counting(self, name, method):
        def count(*args):
            self.calls[name].append(method(*args))
            return self.calls[name][-1]

        return count

    def clear(self):
        for calls in self.calls.values():
            calls.clear()


@pytest.mark.parametrize("kind", KINDS)
def test_random_batches(structure, device, kind, rng, tries, monkeypatch):
    """Batches of all sizes, between vertices that go and return, by both ways to reduce the pending amount."""
    monkeypatch.setattr(f"{MODULE}.LARGE", 1 / 4)
    graph = structure.from_edges(*random_batch(rng, N, 150)[:2], num_vertices=N, device=device, **KINDS[kind])
    followed = {alpha: DynamicKatzCentrality(graph, alpha, 2.0, tol=1e-11) for alpha in (None, 0.004)}
    for step in range(tries(12, 200)):
        graph.insert_edges(*random_batch(rng, N // int(rng.integers(1, 4)), int(10 ** rng.uniform(0, 2.2)))[:2])
        if step % 2:
            src, dst, _ = graph.to_coo()
            gone = graph.xp.asarray(rng.permutation(int(src.size))[: int(10 ** rng.uniform(0, 2.2))])
            graph.delete_edges(src[gone], dst[gone])
        if step % 4 == 3:
            graph.delete_vertices([int(rng.integers(N - 3)) + step % 3, N - 1])
            absent = np.flatnonzero(~host(graph.has_vertices(np.arange(graph.num_vertices))))
            graph.insert_vertices(absent[:2])
            graph.insert_vertices(1)
            graph.delete_vertices([graph.num_vertices - 1])
            graph.insert_vertices(absent[2:])
            graph.insert_vertices([graph.num_vertices - 1])
        for alpha, katz in followed.items():
            if rng.random() < 0.7:
                check(katz, alpha)


def test_special_graphs(structure, device):
    """Without vertices, with one, a star, loops that are dropped, and results of extreme size."""
    empty, one, star = structure(0, device=device), structure(1, device=device), structure(40, device=device)
    made = [DynamicKatzCentrality(graph, tol=1e-12) for graph in (empty, one, star)]
    plain = DynamicKatzCentrality(star, 0.1, normalized=False, tol=1e-12)
    huge, nothing = DynamicKatzCentrality(star, beta=1e200, tol=1e188), DynamicKatzCentrality(star, beta=0)
    empty.insert_vertices(2)
    empty.insert_edges([0], [1])
    one.insert_edges([0], [0])
    star.insert_edges([0] * 40, range(40))
    for katz in (*made, huge):
        check(katz)
    check(plain, 0.1)
    assert not host(nothing.katz_centrality).any()
    star.delete_edges([0] * 20, range(20))
    star.delete_vertices([0])
    for katz in (made[2], huge):
        check(katz)
    check(plain, 0.1)


def test_small_batches_cost_no_sweep(structure, device, rng, monkeypatch):
    """They push few vertices, or change nothing that the tolerance does not allow. Large ones sweep all vertices."""
    n = 3000
    graph = structure.from_edges(*random_batch(rng, n, 4 * n)[:2], num_vertices=n, device=device)
    katz, counted = DynamicKatzCentrality(graph, 0.05, tol=1e-6), Counted(monkeypatch, "_push", "_gather")
    calls = counted.calls
    with monkeypatch.context() as patch:
        patch.setattr(f"{MODULE}.LOCAL_SHARE", 1)
        graph.insert_edges([0], [1])
        check(katz, 0.05, atol=1e-5)
    assert calls["_push"][0] > 0 and not calls["_gather"]
    counted.clear()
    src, dst, _ = graph.to_coo()
    graph.delete_edges(src[::150], dst[::150])
    check(katz, 0.05, atol=1e-5)
    assert calls["_gather"]
    counted.clear()
    graph.insert_edges(src[::150], dst[::150])
    graph.delete_edges(src[::150], dst[::150])
    check(katz, 0.05, atol=1e-5)
    assert not any(calls.values())  # both cancel out
    graph.insert_edges(*random_batch(rng, n, 4 * n)[:2])
    assert katz._stale
    check(katz, 0.05, atol=1e-5)
    assert 1 <= len(calls["_gather"]) <= katz_centrality(graph, 0.05).iterations


def test_an_alpha_that_is_too_large(structure, device):
    """A clique outgrows it. Once it is gone, the centralities are back, and not what diverged."""
    src, dst = np.triu_indices(12, 1)
    graph = structure.from_edges(np.arange(19), np.arange(1, 20), num_vertices=20, device=device)
    katz = DynamicKatzCentrality(graph, 0.15, tol=1e-10)
    for max_iter in (1000, 5000):  # until centralities are infinite, too
        katz.max_iter = max_iter
        graph.insert_edges(src, dst)
        for _ in range(2):
            with pytest.raises(ConvergenceError, match=r"DynamicKatzCentrality did not reach tol=1e-10 in max_iter"):
                assert katz.katz_centrality is None
        with pytest.raises(ConvergenceError):
            katz_centrality(graph, 0.15, tol=1e-10)
        assert not katz.closed
        graph.delete_edges(src[src + 1 < dst], dst[src + 1 < dst])
        check(katz, 0.15)


def test_large_centralities_that_go(structure, device, monkeypatch):
    """A clique that an alpha just allows leaves: the rest of the graph is ranked from scratch, without its rounding."""
    graph = structure.from_edges(*np.triu_indices(11, 1), num_vertices=300, device=device)
    graph.insert_edges(np.arange(10, 299), np.arange(11, 300))
    katz = DynamicKatzCentrality(graph, 0.0995, tol=1e-12, normalized=False, max_iter=10**4)
    assert host(katz.katz_centrality).max() > 100
    counted = Counted(monkeypatch, "_gather")
    graph.delete_vertices(range(10))
    check(katz, 0.0995, atol=1e-11)
    assert 2 <= len(counted.calls["_gather"]) <= 20


def test_rounding_errors_are_removed(structure, device, monkeypatch):
    """After many batches, all sums are computed from scratch."""
    graph = structure.from_edges(np.arange(9), np.arange(1, 10), num_vertices=10, device=device)
    katz = DynamicKatzCentrality(graph, tol=1e-14)
    counted = Counted(monkeypatch, "_gather")
    graph.insert_edges([0], [9])
    graph.delete_edges([0], [9])
    check(katz, atol=1e-12)
    assert counted.calls["_gather"] and katz._drift == 0


def test_refused_arguments(structure):
    graph = structure(3, device="cpu")
    for options, message in (({"alpha": -1}, "alpha must be finite and not"), ({"beta": np.inf}, "beta must be finite"),
                             ({"tol": -1e-9}, "tol must be"), ({"max_iter": 0}, "max_iter")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            DynamicKatzCentrality(graph, **options)
    with pytest.raises(TypeError, match="normalized must be True or False"):
        DynamicKatzCentrality(graph, normalized=2)
    with pytest.raises(ConvergenceError):
        DynamicKatzCentrality(structure.from_edges([0], [1], device="cpu"), tol=0, max_iter=3)
