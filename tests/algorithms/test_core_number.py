"""Core numbers that are maintained incrementally, compared with those computed from scratch and by NetworkX."""

import networkx as nx
import numpy as np
import pytest
from model import random_batch
from verifiers import host

import frontier as fr
from algorithms import DynamicCoreNumber, core_number

N = 60


@pytest.fixture(params=["csr", "slab"])
def structure(request):
    """Two: one in order, one not. The tests here do not depend on the structure."""
    return fr.structures()[request.param]


@pytest.fixture(autouse=True)
def thresholds(monkeypatch):
    """No batch is too large, and none visits too much: tests set their own limits."""
    limit(monkeypatch, LARGE_EDGES=np.inf, RECOMPUTE_ABOVE=10**6)


def limit(monkeypatch, **limits):
    """Set constants of the module."""
    for name, value in limits.items():
        monkeypatch.setattr(f"algorithms.dynamic_core_number.{name}", value)


def by_networkx(graph):
    """The core numbers of the current graph, computed from its edges."""
    src, dst, _ = graph.to_coo()
    plain = (nx.DiGraph if graph.directed else nx.Graph)()
    plain.add_nodes_from(range(graph.num_vertices))
    plain.add_edges_from(zip(host(src).tolist(), host(dst).tolist(), strict=True))
    found = nx.core_number(plain)
    return [found[v] for v in range(graph.num_vertices)]


def check(cores, incremental=True):
    """Compare all of its state with the expected values."""
    graph = cores.graph
    if incremental:
        assert cores._known
    expected = by_networkx(graph)
    assert host(cores.core_number).tolist() == expected
    assert cores.degeneracy == max(expected, default=0)
    assert host(core_number(graph).core_number).tolist() == expected
    if not cores._ordered:
        assert not incremental
        return
    ends = [host(part) for part in graph.to_coo()[:2]]
    src, dst = np.concatenate(ends), np.concatenate(ends[::-1])
    order, core = cores._order, np.array(expected)
    rank, above, level = host(order.rank), core[dst] > core[src], core[dst] == core[src]
    for kept, counted in ((order.support, above | level), (order.later, above | level & (rank[dst] >= rank[src]))):
        assert host(kept).tolist() == np.bincount(src[counted], minlength=graph.num_vertices).tolist()
    assert (host(order.later) <= core).all()


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_random_batches(structure, device, directed, rng, tries):
    """Insertions and deletions of all sizes, with duplicates and edges that exist or not."""
    graph = structure.from_edges(
        *random_batch(rng, N, 90)[:2], num_vertices=N, directed=directed, device=device, in_edges=directed
    )
    cores = DynamicCoreNumber(graph)
    for _ in range(tries(15, 300)):
        size = int(10 ** rng.uniform(0, 2.2))
        src, dst, _ = random_batch(rng, N // int(rng.integers(1, 5)), size)
        graph.insert_edges(src, dst)
        check(cores)
        if graph.num_edges > 200 or rng.random() < 0.5:
            src, dst, _ = graph.to_coo()
            gone = rng.permutation(int(src.size))[: int(10 ** rng.uniform(0, 2.2))]
            gone = graph.xp.asarray(np.r_[gone, gone[:3]])
            graph.delete_edges(src[gone], dst[gone])
            check(cores)


def test_a_clique_that_comes_and_goes(structure, device):
    """Core numbers that rise and fall by more than one in a batch."""
    graph = structure(40, device=device)
    cores = DynamicCoreNumber(graph)
    src, dst = np.triu_indices(20, 1)
    graph.insert_edges([0, 20, 20], [39, 39, 0])
    graph.insert_edges(src, dst)
    check(cores)
    assert cores.degeneracy == 19
    graph.insert_edges(src, dst)
    graph.insert_edges(dst, src)
    check(cores)
    graph.delete_edges(src[::3], dst[::3])
    check(cores)
    graph.delete_edges(src, dst)
    check(cores)
    assert cores.degeneracy == 2


def test_a_ring_is_closed_and_cut(structure, device):
    """One edge that changes the core number of every vertex, far from its ends."""
    n = 500
    graph = structure.from_edges(np.arange(n - 1), np.arange(1, n), num_vertices=n, device=device)
    cores = DynamicCoreNumber(graph)
    for _ in range(2):
        graph.insert_edges([n - 1], [0])
        assert cores._known and (host(cores.core_number) == 2).all()
        graph.delete_edges([n // 2], [n // 2 + 1])
        assert cores._known and (host(cores.core_number) == 1).all()
        graph.insert_edges([n // 2], [n // 2 + 1])
        graph.delete_edges([0], [n - 1])
    check(cores)


def test_vertices_come_and_go(structure, device, rng):
    """A hub is deleted, and vertices join: reinserted and new ones."""
    graph = structure.from_edges(*random_batch(rng, N, 200)[:2], num_vertices=N, device=device)
    graph.insert_edges(np.zeros(N - 1, np.int64), np.arange(1, N))
    cores = DynamicCoreNumber(graph)
    graph.delete_vertices([0, 7])
    check(cores)
    graph.insert_vertices(5)
    check(cores)
    graph.insert_edges([0, 0, 0, N, N + 1], [7, N, N + 1, N + 1, 7])
    check(cores)


def test_vertices_return_that_were_absent_when_core_numbers_were_computed(structure, device):
    graph = structure(4, device=device)
    graph.delete_vertices([0, 3])
    cores = DynamicCoreNumber(graph)
    graph.insert_vertices([0])
    graph.insert_edges([0], [1])
    check(cores)
    graph.insert_vertices([3])
    graph.insert_edges([0, 1], [3, 3])
    check(cores)
    assert host(cores.core_number).tolist() == [2, 2, 0, 2]


def test_much_of_the_graph_changes(structure, device, rng, monkeypatch):
    """Core numbers are then recomputed from scratch, once for all batches until they are read."""
    limit(monkeypatch, LARGE_EDGES=1 / 16, SMALL_EDGES={device: 1})
    graph = structure.from_edges(*random_batch(rng, N, 90)[:2], num_vertices=N, device=device)
    cores = DynamicCoreNumber(graph)
    graph.insert_edges(*random_batch(rng, N, 200)[:2])
    assert not cores._known
    graph.delete_edges(*random_batch(rng, N, 200)[:2])
    graph.insert_vertices(3)
    check(cores, incremental=False)
    assert cores._known and not cores._ordered
    for _ in range(2):
        graph.insert_edges([1], [N + 1])
        check(cores, incremental=False)
        graph.delete_edges([1], [N + 1])
    check(cores)


def test_a_directed_graph_without_in_edges(structure, device, rng):
    """Edges cannot be followed backward: core numbers are recomputed."""
    graph = structure.from_edges(*random_batch(rng, N, 200)[:2], num_vertices=N, directed=True, device=device)
    cores = DynamicCoreNumber(graph)
    graph.insert_edges([3], [4])
    graph.delete_edges(*(part[:5] for part in graph.to_coo()[:2]))
    check(cores, incremental=False)


def test_after_a_batch_that_visited_too_much(structure, device, monkeypatch):
    """The unfinished repair is dropped, and the next batches are not tried: more of them after more failures."""
    limit(monkeypatch, RECOMPUTE_ABOVE=1 / 4, ROUND_ARCS={device: 0}, WASTED=1)
    n = 200
    graph = structure.from_edges(np.arange(n - 1), np.arange(1, n), num_vertices=n, device=device)
    cores = DynamicCoreNumber(graph)
    for skipped in (1, 3, 7):
        graph.insert_edges([n - 1], [0])
        assert not cores._known and cores._trials._skip == skipped
        assert (host(cores.core_number) == 2).all()
        for i in range(skipped):
            update = graph.insert_edges if i % 2 else graph.delete_edges
            update([n - 1], [0])
            assert not cores._known
            assert (host(cores.core_number) == (2 if i % 2 else 1)).all()
    limit(monkeypatch, RECOMPUTE_ABOVE=10**6)
    graph.insert_edges([0], [2])
    check(cores)
    assert not cores._trials.skips


@pytest.mark.parametrize("price", [0, 10**6])
def test_rounds_cost_as_much_as_arcs(structure, device, monkeypatch, price):
    """Moves along a path visit few arcs, in many rounds."""
    limit(monkeypatch, RECOMPUTE_ABOVE=9, ROUND_ARCS={device: price})
    n = 200
    graph = structure.from_edges(np.arange(n - 1), np.arange(1, n), num_vertices=n, device=device)
    cores = DynamicCoreNumber(graph)
    graph.insert_edges([n - 1], [0])
    assert cores._known == (price == 0)
    check(cores, incremental=price == 0)
