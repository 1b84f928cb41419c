"""Walks by weights and of node2vec: every step has its exact chance, by chi-squared tests with fixed seeds."""

from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest
from scipy.stats import chi2
from verifiers import VERIFIERS, host

import algorithms
from structures import CSR

SRC, DST = [0, 0, 0, 1, 1, 2, 3, 4, 5], [1, 2, 3, 2, 4, 4, 5, 5, 1]
WEIGHTS = np.array([1, 2, 3, 1.5, 0.5, 2, 1, 4, 1], np.float32)


def matrix_of(graph):
    """The weights as a dense matrix."""
    src, dst, weights = (None if part is None else host(part) for part in graph.to_coo())
    matrix = np.zeros((graph.num_vertices, graph.num_vertices))
    matrix[src, dst] = 1 if weights is None else weights
    return matrix if graph.directed else matrix + matrix.T


def check_chances(paths, chances):
    """Steps after the first one, by the two vertices before: only steps with a positive chance."""
    before, at, chosen = (paths[:, i : paths.shape[1] - 2 + i].ravel() for i in range(3))
    taken = chosen >= 0
    n, error, freedom = len(chances), 0.0, 0
    counts = np.bincount(np.ravel_multi_index((before[taken], at[taken], chosen[taken]), (n, n, n)), minlength=n**3)
    for (t, v), _row in np.ndenumerate(np.empty((n, n))):
        counted = counts.reshape(n, n, n)[t, v]
        if not counted.sum():
            continue
        expected = chances[t, v] / chances[t, v].sum() * counted.sum()
        assert (counted[expected == 0] == 0).all()
        possible = expected > 0
        error += ((counted - expected)[possible] ** 2 / expected[possible]).sum()
        freedom += possible.sum() - 1
    assert not freedom or chi2.sf(error, freedom) > 0.001


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("p, q", [(1, 1), (0.05, 2), (4, 0.25), (0.5, 0.1), (8, 3)])
def test_steps_of_node2vec(p, q, weights, directed, device):
    graph = CSR.from_edges(SRC, DST, weights, directed=directed, device=device)
    matrix = matrix_of(graph)
    bias = np.where(matrix > 0, 1, 1 / q)[:, None, :] * np.ones((1, 6, 1))
    bias[np.arange(6), :, np.arange(6)] = 1 / p
    found = algorithms.node2vec_random_walks(graph, np.zeros(20_000, np.int64), 5, p, q, seed=5)
    check_chances(host(found.paths), bias * matrix[None])


def test_steps_after_many_rejected_draws(device, monkeypatch):
    """They are chosen exactly: with the same chances, and at once where nearly all draws would be rejected."""
    graph = CSR.from_edges(range(40), range(1, 41), device=device)
    ends = host(algorithms.node2vec_random_walks(graph, [0, 40], 40, 1e18, 1e15).ends)
    assert ends.tolist() == [40, 0]
    monkeypatch.setattr(importlib.import_module("algorithms.biased_random_walks"), "MAX_REJECTED", 1)
    test_steps_of_node2vec(4, 0.25, WEIGHTS, False, device)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_steps_by_weight(dtype, device):
    graph = CSR.from_edges(SRC, DST, (WEIGHTS * 2).astype(dtype), device=device)
    found = algorithms.biased_random_walks(graph, np.zeros(20_000, np.int64), 5, seed=3)
    check_chances(host(found.paths), np.broadcast_to(matrix_of(graph), (6, 6, 6)))
    assert (np.bincount(host(found.paths)[:, 1], minlength=4)[1:] / 20_000) == pytest.approx(
        [1 / 6, 1 / 3, 1 / 2], 0.05
    )


@pytest.mark.parametrize("name", ["biased_random_walks", "node2vec_random_walks"])
def test_long_lists(name, device, rng):
    """Lists of several blocks of running sums, and weights of 0, which no walk follows."""
    src = np.r_[np.zeros(3000, np.int64), rng.integers(1, 4000, 9000)]
    dst = np.r_[np.arange(1, 3001), rng.integers(1, 4000, 9000)]
    weights = (rng.random(12000) * (rng.random(12000) < 0.8)).astype(np.float32)
    graph = CSR.from_edges(src, dst, weights, num_vertices=4000, device=device)
    options = {"p": 0.5, "q": 2.0} if name.startswith("node2vec") else {}
    known = algorithms.find_analytic(name)
    settings = known.settings(graph, length=4, seed=9, **options)
    VERIFIERS[name](graph, known.compute(graph, **settings), **settings)


@pytest.mark.parametrize("block", [1, 2, 5, 64])
def test_running_sums(block, monkeypatch, rng):
    module = importlib.import_module("algorithms.biased_random_walks")
    monkeypatch.setattr(module, "BLOCK", block)
    src, dst = rng.integers(0, 12, (2, 90)) ** 2 // 12
    graph = CSR.from_edges(src, dst, rng.random(90), directed=True, device="cpu")
    sums, offsets = module._running_sums(graph), graph.offsets
    for low, high in itertools.pairwise(offsets):
        np.testing.assert_allclose(sums[low:high], np.cumsum(graph.weights[low:high].astype(float)))


def test_bad_arguments():
    graph = CSR.from_edges([0], [1], [1.0], device="cpu")
    for options in ({"p": 0}, {"q": -1.0}, {"p": np.inf}, {"q": "1"}, {"length": -1}, {"starts": [2]}, {"seed": 0.5}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            algorithms.node2vec_random_walks(graph, **options)
    for weight, words in ((-1.0, "that are not negative"), (np.inf, "whose sums are finite"), (1e308, "whose sums")):
        bad = CSR.from_edges([0, 0], [1, 2], [weight, weight], device="cpu")
        for walks in (algorithms.biased_random_walks, algorithms.node2vec_random_walks):
            with pytest.raises(ValueError, match=f"{walks.__name__} needs weights {words}"):
                walks(bad)
    assert algorithms.biased_random_walks(graph, [], 5).paths.shape == (0, 6)
    assert algorithms.node2vec_random_walks(graph, [0], 0).paths.tolist() == [[0]]
