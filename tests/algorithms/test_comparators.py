"""Each comparator on results that agree and on results that do not, by itself and through digests."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest

from algorithms.comparators import (
    Automatic,
    Best,
    Counts,
    Distances,
    Distribution,
    Edges,
    Exact,
    Partition,
    Quality,
    Valid,
    Values,
    modularity,
)
from frontier.io import EdgeList

N = 1000
RNG = np.random.default_rng(7)
RANKS = RNG.random(N) / N
LABELS = RNG.integers(0, 40, N)
HOPS = RNG.integers(0, 9, N).astype(np.int32)
SRC, DST = np.triu_indices(30, 1)
SRC, DST = SRC[::3], DST[::3]
PATH = EdgeList([0, 1, 2, 3], [1, 2, 3, 4], num_vertices=5)
MORE = EdgeList([0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3], num_vertices=6)


def changed(array, value):
    array = np.array(array)
    array[array.size // 2] = value
    return array


def independent(edges, chosen):
    both = int((chosen[edges.src] & chosen[edges.dst]).sum())
    return f"{both} edges join two vertices of the set" if both else ""


ORDER = RNG.permutation(SRC.size)
UNREACHED = np.iinfo(np.int32).max
UNREACHED_HOPS, UNREACHED_LENGTHS = changed(HOPS, UNREACHED), changed(HOPS.astype(float), np.inf)
# The comparator, a result, equal results, unequal results, and the edges if needed.
CASES = {
    "exact": (Exact(), (HOPS, 5), [(HOPS.astype(np.int64), 5)], [(changed(HOPS, 77), 5), (HOPS, 6), (HOPS[:-1], 5)]),
    "counts": (
        Counts(3), (np.array([1, 1, 1]),), [(np.array([1, 1, 1]),), (1,), (1, None), (1, np.array([1, 1, 1]))],
        [(2,), (np.array([2, 1, 0]),), (np.array([1, 1, 4]),), (2, None)],
    ),
    "partition": (
        Partition(), (LABELS,), [(LABELS * 10**12 - 5,), (39 - LABELS,), (LABELS.astype(float),)],
        [(changed(LABELS, 77),), (LABELS // 2,), (np.append(LABELS[1:], LABELS[0]),), (LABELS[:-1],)],
    ),
    "hops": (
        Distances(), (UNREACHED_HOPS,), [(changed(HOPS, -1),), (UNREACHED_LENGTHS,), (UNREACHED_LENGTHS,)],
        [(HOPS,), (UNREACHED_HOPS + 1,), (changed(HOPS, 3),), (HOPS[1:],)],
    ),
    "lengths": (
        Distances(), (RANKS.astype(np.float32),), [(RANKS,), (RANKS * (1 + 1e-6),)],
        [(RANKS * 1.01,), (changed(RANKS, np.inf),), (RANKS[::-1],)],
    ),
    "values": (
        Values(), (changed(RANKS, np.inf),), [(changed(RANKS.astype(np.float32), np.inf),)],
        [(RANKS,), (changed(RANKS, np.nan),), (changed(RANKS * 1.01, np.inf),)],
    ),
    "distribution": (
        Distribution(1e-5), (RANKS,), [(3 * RANKS,), (RANKS.astype(np.float32),)],
        [(RANKS[::-1],), (changed(RANKS, RANKS.sum() / 50),), (np.append(RANKS, 0),)],
    ),
    "edges": (
        Edges(), (SRC, DST), [(DST[ORDER], SRC[ORDER]), (np.append(SRC, DST), np.append(DST, SRC))],
        [(SRC[1:], DST[1:]), (changed(SRC, 29), DST)],
    ),
    "edge numbers": (
        Edges(), (SRC, DST, SRC * DST), [(DST[ORDER], SRC[ORDER], (SRC * DST)[ORDER])],
        [(SRC, DST, SRC * DST + 1), (SRC, DST, changed(SRC * DST, -1))],
    ),
    "edge values": (
        Edges(Values(1e-6)), (SRC, DST, SRC / 7), [(DST[ORDER], SRC[ORDER], (SRC / 7)[ORDER] * (1 + 1e-9))],
        [(SRC, DST, SRC / 7 * 1.001)],
    ),
    "best pairs": (
        Best(Values(1e-6)), (SRC, DST, SRC / 7),
        [(DST[ORDER], SRC[ORDER], SRC[ORDER] / 7), (SRC, np.where(SRC == 0, 31, DST), SRC / 7)],  # the lowest are 0
        [(SRC, DST, SRC / 7 * 1.001), (SRC[1:], DST[1:], SRC[1:] / 7), (SRC, changed(DST, 31), SRC / 7)],
    ),
    "quality": (
        Quality(modularity, 0.01), (np.array([0, 1, 0, 1, 0, 1]),), [(np.array([5, 2, 5, 2, 5, 2]),)],
        [(np.array([0, 0, 0, 1, 1, 1]),)], MORE,  # theirs is better
    ),
    "valid": (
        Valid(independent), (np.array([True, False, True, False, True]),),
        [(np.array([False, True, False, False, True]),), (np.zeros(5, bool),)], [(np.ones(5, bool),)], PATH,
    ),
    "automatic": (
        Automatic(), (HOPS, RANKS, 2, "text"), [(HOPS.copy(), RANKS.astype(np.float32), 2, None)],
        [(HOPS, RANKS, 3, "text"), (changed(HOPS, 77), RANKS, 2, ""), (HOPS, RANKS[::-1], 2, ""), (HOPS,)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_equal_results_agree(name):
    comparator, mine, equal, _, *edges = CASES[name]
    edges = edges[0] if edges else None
    assert comparator.needs_edges == (edges is not None)
    for theirs in (mine, *equal):
        assert comparator.compare(mine, theirs, edges=edges).agrees, comparator.compare(mine, theirs, edges=edges)
        digests = (json.loads(json.dumps(comparator.digest(found, edges=edges))) for found in (mine, theirs))
        assert comparator.same_digests(*digests)


@pytest.mark.parametrize("name", CASES)
def test_other_results_do_not_agree(name):
    comparator, mine, _, others, *edges = CASES[name]
    edges = edges[0] if edges else None
    for theirs in others:
        verdict = comparator.compare(mine, theirs, edges=edges)
        assert not verdict.agrees and verdict.text
        digests = (comparator.digest(found, edges=edges) for found in (mine, theirs))
        assert not comparator.same_digests(*digests)


def test_what_verdicts_say():
    assert Exact().compare((HOPS,), (changed(HOPS, 77),)) == (False, "1 of 1,000 values differ")
    assert Exact().compare((HOPS,), (HOPS[1:],)) == (False, "1,000 values against 999")
    assert Counts(3).compare((np.array([1, 1, 1]),), (1,)) == (True, "exact, total")
    assert Partition().compare((LABELS,), (LABELS + 1,)) == (True, "exact, up to relabelling")
    ours = np.array([0, 1]), np.array([1, 5])
    assert Edges().compare(ours, (np.array([5, 1, 0]), np.array([1, 5, 1]))) == (True, "exact, 2 edges")
    verdict = Edges().compare(ours, (np.array([5, 2]), np.array([1, 5])))
    assert verdict == (False, "1 edges in both, 1 only in ours, 1 in theirs")
    said = Valid(independent).compare((np.zeros(5, bool),), (np.ones(5, bool),), edges=PATH)
    assert said == (False, "theirs: 4 edges join two vertices of the set")


def test_nothing_is_equal_to_nothing():
    none = np.zeros(0, np.int32)
    for comparator in (Exact(), Partition(), Distances(), Values(), Distribution(0.0), Automatic()):
        assert comparator.compare((none,), (none,)).agrees
        assert comparator.same_digests(comparator.digest((none,)), comparator.digest((none,)))
    assert Edges().compare((none, none), (none, none)).agrees
    assert modularity(EdgeList([], [], num_vertices=3), np.arange(3)) == 0


def test_integers_beyond_those_of_floats():
    """Peers' float64 cannot represent them. Integers must be equal."""
    long = np.array([0, 2**53 + 1, 2**60 + 3])
    more = changed(long, 2**53 + 2)
    assert Distances().compare((long,), (long.astype(np.float64),)).agrees
    assert not Distances().compare((long,), (more,)).agrees
    assert not Distances().same_digests(Distances().digest((long,)), Distances().digest((more,)))


def test_rounding_of_one_side():
    far = RANKS + np.where(np.arange(N) % 2, 1e-8, -1e-8)
    assert not Distribution(1e-8).compare((RANKS,), (far,)).agrees
    assert Distribution(1e-8).compare((RANKS,), (far,), rounding=1e-3).agrees


@pytest.mark.parametrize("weighted", [False, True])
def test_modularity(weighted):
    weights = RNG.integers(1, 9, SRC.size).astype(np.float32) if weighted else None
    labels = RNG.integers(0, 4, 30)
    model = nx.Graph()
    model.add_nodes_from(range(30))
    model.add_weighted_edges_from(zip(SRC, DST, np.ones(SRC.size) if weights is None else weights, strict=True))
    expected = nx.community.modularity(model, [set(np.flatnonzero(labels == label)) for label in range(4)])
    assert modularity(EdgeList(SRC, DST, weights, num_vertices=30), labels) == pytest.approx(expected)
