"""Strongly connected components of graphs of all shapes, against SciPy's."""

import importlib

import emulator
import numpy as np
import pytest
from verifiers import VERIFIERS, host

import frontier as fr
from algorithms import strongly_connected_components
from algorithms._strong_search import search
from algorithms.connected_components import ConnectedComponentsResult

CSR = fr.structures()["csr"]
module = importlib.import_module("algorithms.strongly_connected_components")


def check(graph, found=None):
    found = strongly_connected_components(graph) if found is None else found
    VERIFIERS["strongly_connected_components"](graph, found)
    return found


def cycles(size, count):
    """Cycles in a row, each with an arc to the next."""
    v = np.arange(size * count).reshape(count, size)
    return np.r_[v.ravel(), v[:-1, -1]], np.r_[np.roll(v, -1, axis=1).ravel(), v[1:, 0]], size * count


def ladder(n):
    """Two paths in opposite directions, with rungs: one component."""
    a = np.arange(n)
    return np.r_[a[:-1], a[1:] + n, a, a[::2] + n], np.r_[a[1:], a[:-1] + n, a + n, a[::2]], 2 * n


def wheel(n):
    """The hub points to all of the rim, which is a path back to it."""
    rim = np.arange(1, n)
    return np.r_[0 * rim, rim], np.r_[rim, rim[1:], 0], n


SHAPES = {
    "pairs": cycles(2, 60), "triangles": cycles(3, 40), "cycles": cycles(10, 12), "cycle": cycles(150, 1),
    "path": cycles(1, 150), "ladder": ladder(40), "wheel": wheel(120),
}  # fmt: skip


def orders(n, rng):
    """Ids that ascend along a shape, that descend, and in no order."""
    return np.arange(n), np.arange(n)[::-1], rng.permutation(n)


def test_long_thin_graphs(device, rng):
    for src, dst, n in SHAPES.values():
        for ids in orders(n, rng):
            check(CSR.from_edges(ids[src], ids[dst], num_vertices=n, directed=True, device=device))


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 2, 7, 256])
def test_rounds(device, steps, rng, monkeypatch):
    """As GPUs make them. Whichever traversal ends early, its result is correct or discarded."""
    monkeypatch.setattr(module, "COLORING_STEPS", steps)
    monkeypatch.setattr(module, "STEP_ARCS", 2**40)
    for src, dst, n in SHAPES.values():
        ids = orders(n, rng)[int(rng.integers(3))]
        graph = CSR.from_edges(ids[src], ids[dst], num_vertices=n, directed=True, device=device)
        graph.delete_vertices(ids[:2])
        labels = module.find_in_parallel(graph)
        check(graph, ConnectedComponentsResult(labels, np.unique(host(labels)).size - 1))


def test_random_graphs(device, rng, tries):
    """With deleted vertices, and as many arcs as give components of all sizes."""
    for _ in range(tries(40, 2000)):
        n = int(rng.integers(1, 40))
        src, dst = rng.integers(0, n, (2, int(n * rng.uniform(0, 2.5))))
        graph = CSR.from_edges(src, dst, num_vertices=n, directed=True, device=device)
        graph.delete_vertices(rng.permutation(n)[: int(rng.integers(0, 3))])
        check(graph)
        offsets, heads, _ = fr.advanced.extract_neighbors(graph)
        smallest, order = search(host(offsets), host(heads))
        tails = np.repeat(np.arange(n), np.diff(host(offsets)))
        assert (order[host(heads)] <= order[tails]).all() and (order >= 0).all()
        pairs = set(zip(order.tolist(), smallest.tolist(), strict=True))
        assert len(pairs) == order.max() + 1 == np.unique(smallest).size


@pytest.mark.timeout(60)
def test_linear_time(device):
    """The time of each round, and of each step, would add up to minutes."""
    much = 500 if device == "gpu" and emulator.wanted() else 50_000
    for src, dst, n in (cycles(2, much // 2), cycles(1, much), wheel(much)):
        for ids in (np.arange(n), np.arange(n)[::-1]):
            graph = CSR.from_edges(ids[src], ids[dst], num_vertices=n, directed=True, device=device)
            check(graph)


def test_rings_in_a_row(device):
    """Rings of different sizes that point to each other in a row, with tails before and behind."""
    src, dst, first = [0], [1], 1
    for size in (2, 7, 3, 40, 5):
        ring = np.arange(first, first + size)
        src += [*ring, ring[-1]]
        dst += [*np.roll(ring, -1), first + size]
        first += size
    graph = CSR.from_edges(np.array(src), np.array(dst), directed=True, device=device)
    assert check(graph).count == 7
