"""Pairs that a GPU puts in order before it intersects them (`frontier.operators.pair_order`)."""

from importlib import import_module

import numpy as np
import pytest
from neighbor_sets import N, check, neighbor_sets
from verifiers import host

import frontier as fr
from frontier.operators import pair_order
from frontier.operators.dispatch.gpu_balance import Pieces
from frontier.runtime import gpu_available

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not gpu_available(), reason="there is no GPU")]
module = import_module("frontier.operators.intersect")  # whose name is also the operator's
HUBS = 6


class FewPieces(Pieces):
    """Capacity for so few pieces that the pieces of some pairs do not fit."""

    def __init__(self, graph, arcs=None):
        super().__init__(graph, arcs)
        pieces, size, _ = self.args
        self.args = (pieces, size, np.uint32(2))


@pytest.fixture(params=[Pieces, FewPieces])
def queue(request, monkeypatch):
    monkeypatch.setattr(pair_order, "LARGE_PAIRS", 0)
    monkeypatch.setattr(module, "Pieces", request.param)


@pytest.fixture
def graph(structure, rng):
    """With hubs whose lists are cut into pieces, and isolated vertices."""
    src = np.concatenate([rng.integers(0, 400, 1500), *(np.full(400, hub) for hub in range(HUBS))])
    dst = np.concatenate([rng.integers(0, 400, 1500), *(np.arange(400) for _ in range(HUBS))])
    return structure.from_edges(src, dst, num_vertices=N, device="gpu")


@pytest.fixture
def pairs(rng):
    us, vs = rng.integers(0, N, (2, 2000))
    us[:500], vs[:400] = rng.integers(0, HUBS, 500), rng.integers(0, HUBS, 400)
    return us, vs


def share(i, u, v, w, edge_uw, edge_vw, found, sums, ends):
    fr.atomic_add(found, i, 1)
    if ends[i, 0] != u or ends[i, 1] != v:
        fr.atomic_add(sums, 0, 1 << 40)
    return w


def credit(u, v, total, found, sums, ends):
    fr.atomic_add(sums, u, total)


def test_common_neighbors(queue, graph, pairs):
    us, vs = (ends.tolist() for ends in pairs)
    check(graph, us, vs)
    check(graph, us[:1], vs[:1])
    check(graph, [N - 1] * 3, [0, 1, N - 1])


def test_functors(queue, graph, pairs):
    """Each gets the pairs as they were given, by their numbers. Pairs with negative ends are skipped."""
    xp, (us, vs) = graph.xp, pairs
    sets = neighbor_sets(graph)
    us[::7] = -1
    ends = xp.asarray(np.stack([us, vs], 1))
    found, sums = xp.zeros(us.size, np.int64), xp.zeros(N, np.int64)
    given = [xp.asarray(part.astype(graph.vertex_dtype)) for part in (us, vs)]
    for times in (1, 2):
        fr.intersect(graph, *given, share, found, sums, ends, per_pair=credit, numbered=True, checked=False)
        common = [sets[u] & sets[v] if u >= 0 else set() for u, v in zip(us.tolist(), vs.tolist(), strict=True)]
        assert host(found).tolist() == [times * len(ws) for ws in common]
        expected = np.zeros(N, np.int64)
        np.add.at(expected, np.maximum(us, 0), [times * sum(ws) for ws in common])
        assert host(sums).tolist() == expected.tolist()
    assert host(given[0]).tolist() == us.tolist()  # a user's array stays as it is


def test_which_pairs_are_put_in_order(monkeypatch, graph):
    """Many pairs, or fewer in large graphs, in structures that look arcs up."""
    ordered = []
    order = pair_order.ordered_pairs

    def counted(graph, kernels, us, *args):
        ordered.append(int(us.size))
        return order(graph, kernels, us, *args)

    monkeypatch.setattr(module, "ordered_pairs", counted)
    monkeypatch.setattr(pair_order, "LARGE_PAIRS", 100)
    pairs = graph.xp.zeros(500, graph.vertex_dtype), graph.xp.ones(500, graph.vertex_dtype)

    def orders(count):
        ordered.clear()
        us, vs = (ends[:count] for ends in pairs)
        fr.intersect(graph, us, vs, share, *arguments, per_pair=credit, numbered=True, checked=False)
        return ordered == [count]

    ends = graph.xp.stack(pairs, 1).astype(np.int64)
    arguments = graph.xp.zeros(500, np.int64), graph.xp.zeros(N, np.int64), ends
    assert [orders(count) for count in (99, 100, 399, 400)] == [False, False, False, graph.finds_fast]
    monkeypatch.setattr(pair_order, "LARGE_LISTS", graph.store.neighbors.nbytes)
    assert [orders(count) for count in (99, 100, 399, 400)] == [False, *3 * [graph.finds_fast]]
