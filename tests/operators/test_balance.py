"""Schedules of load balancing: results are the same for every choice. Outputs that are not made sets."""

import importlib

import numpy as np
import pytest
from verifiers import host

import frontier as fr
from frontier.runtime.compile.parallel import ParallelKernel

shares = importlib.import_module("frontier.operators.dispatch.cpu_balance")
BALANCES = ["auto", "thread", "tile", "block", "merge"]
HUB, SECOND, EMPTY = 7, 11, range(3000, 3300)
N = 6000


@pytest.fixture(params=["csr", "slab"])  # one that stores lists in order, one that does not
def structure(request):
    return fr.structures()[request.param]


@pytest.fixture
def arcs(rng):
    """Two hubs, one with nearly all vertices, in a sparse graph with many vertices without edges, also with weights."""
    src, dst = rng.integers(0, 3000, (2, 9000))
    others = np.r_[np.arange(3000), np.arange(3300, N)]
    src = np.r_[src, np.full(others.size, HUB), np.full(900, SECOND)]
    dst = np.r_[dst, others, rng.permutation(3000)[:900]]
    pairs = np.unique(np.stack([src, dst], 1)[src != dst], axis=0)
    return pairs[:, 0], pairs[:, 1], rng.integers(1, 100, len(pairs)).astype(np.int32)


@pytest.fixture
def graph(structure, device, arcs):
    return structure.from_edges(*arcs, N, directed=True, device=device)


@pytest.fixture
def counts(monkeypatch):
    """Have kernels on CPUs divide lists as if for two threads, in small pieces, one after another.

    Returns the numbers of work items of their calls.
    """
    seen = []

    def in_pieces(self, count, *args, **launch):
        seen.append(count)
        step = max(count // 13, 1)
        for begin in range(0, count, step):
            self._piece(begin, min(begin + step, count), *args)

    monkeypatch.setattr(ParallelKernel, "__call__", in_pieces)
    monkeypatch.setattr(shares, "threads_for", lambda work, few: 2)
    monkeypatch.setattr(shares, "LONG_LIST", 500)
    monkeypatch.setattr(shares, "SMALL_VERTICES", 3)
    monkeypatch.setattr(shares, "LARGE_ARCS", 1000)
    return seen


@pytest.fixture(params=["all", "hub", "hubs", "empty", "one"])
def members(request):
    return {"all": np.arange(N), "hub": [HUB], "hubs": [SECOND, 3001, HUB], "empty": EMPTY, "one": [2]}[request.param]


def note(src, dst, edge, weight, visits, sums):
    fr.atomic_add(visits, edge, 1)
    fr.atomic_add(sums, dst, weight)
    return weight > 50


def get_ready(src, visits, sums):
    fr.atomic_add(visits, src, 1 << 20)


@pytest.mark.parametrize("balance", BALANCES)
def test_advance(graph, arcs, members, balance, counts):
    src, dst, weights = arcs
    leaves = np.isin(src, members)
    visits, sums = (graph.xp.zeros(graph.edge_capacity + N, np.int64) for _ in range(2))
    out = fr.advance(graph, fr.Frontier(graph, members), note, visits, sums, prepare=get_ready, balance=balance)
    assert list(out) == np.unique(dst[leaves & (weights > 50)]).tolist()
    assert out.num_arcs == np.isin(src, list(out)).sum()
    prepared = host(visits) >> 20
    assert (np.flatnonzero(prepared) == np.sort(members)).all() and prepared.max() == 1
    walked = host(visits)[host(graph.find_edges(src, dst))] & 0xFFFFF
    assert (walked == leaves).all()
    assert (host(sums)[:N] == np.bincount(dst[leaves], weights[leaves], N)).all()


def length(src, dst, edge, weight):
    return weight


def larger(a, b):
    return a if a > b else b


@pytest.mark.parametrize("balance", BALANCES)
def test_neighbor_reduce(graph, arcs, members, balance, counts):
    src, _, weights = arcs
    frontier = fr.Frontier(graph, members)
    inside = np.isin(np.arange(N), members)
    total, most = np.zeros(N, np.int64), np.zeros(N, np.int64)
    np.add.at(total, src, weights)
    np.maximum.at(most, src, weights)
    for reduce, identity, expected in (("sum", None, total), (larger, 0, most)):
        out = graph.xp.full(N, -7, np.int64)
        fr.neighbor_reduce(graph, frontier, length, reduce=reduce, identity=identity, out=out, balance=balance)
        assert (host(out) == np.where(inside, expected, -7)).all()
        new = fr.neighbor_reduce(
            graph, frontier, length, reduce=reduce, identity=identity, dtype=np.int64, balance=balance
        )
        assert (host(new) == np.where(inside, expected, 0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["faimgraph", "graphvine"])  # chains of pages, and blocks
def test_lists_of_many_parts(name, device, arcs, rng, counts):
    src, dst, weights = arcs
    graph = fr.structures()[name].from_edges(src, dst, weights, N, directed=True, device=device)
    doomed = np.flatnonzero((src != HUB) | (rng.random(src.size) < 0.5))
    graph.delete_edges(src[doomed[::2]], dst[doomed[::2]])
    left = np.setdiff1d(np.arange(src.size), doomed[::2])
    expected = np.bincount(src[left], weights[left], N)
    for balance in BALANCES:
        assert (host(fr.neighbor_reduce(graph, None, length, balance=balance)) == expected).all()


@pytest.mark.parametrize("balance", BALANCES)
def test_neighbors_by_value(device, arcs, balance):
    src, dst, weights = arcs
    graph = fr.structures()["csr"].from_edges(*arcs, N, directed=True, device=device)
    found = host(fr.neighbor_reduce(graph, None, length, reduce="argmax", balance=balance))
    order = np.lexsort((-dst, weights, src))
    expected = np.full(N, -1)
    expected[src[order]] = dst[order]  # of several writes the last stays
    assert (found == expected).all()


def reach(src, dst, edge, weight, distance, step):
    return fr.atomic_min(distance, dst, step) > step


@pytest.mark.parametrize("balance", BALANCES)
def test_traverse(device, arcs, balance, monkeypatch):
    graph = fr.structures()["csr"].from_edges(*arcs, N, directed=True, device=device)
    module = importlib.import_module("frontier.operators.traverse.traversal")
    for limit in ("SMALL_COUNT", "SMALL_ARCS", "MEDIUM_COUNT", "MEDIUM_ARCS"):
        monkeypatch.setattr(module, limit, -1)  # a launch for each step
    found = []
    for options in ({"balance": balance}, {"max_steps": 100}):
        distance = graph.xp.full(N, 1 << 20, np.int32)
        distance[2] = 0
        fr.traverse(graph, fr.Frontier(graph, [2]), reach, distance, fr.advanced.StepCounter(1), **options)
        found.append(host(distance))
    assert (found[0] == found[1]).all() and (found[0] < 1 << 20).any()


def test_a_graph_of_one_vertex(device):
    graph = fr.structures()["csr"](1, device=device)
    for balance in BALANCES:
        assert not fr.advance(graph, fr.Frontier.all(graph), lambda s, d, e, w: True, balance=balance)
        assert host(fr.neighbor_reduce(graph, None, length, balance=balance)).tolist() == [0]


def test_unknown_schedules(device):
    graph = fr.structures()["csr"].from_edges([0], [1], device=device)
    everyone, always = fr.Frontier.all(graph), lambda s, d, e, w: True
    for call in (fr.advance, fr.neighbor_reduce, fr.traverse):
        with pytest.raises(ValueError, match=r"balance must be one of .*, not 'warp'"):
            call(graph, everyone, always, balance="warp")


@pytest.mark.slow
def test_hubs_are_split_on_a_cpu(arcs, counts):
    """The list of a hub is many work items, and lists that are not long are not looked through for it."""
    graph = fr.structures()["csr"].from_edges(*arcs, N, directed=True, device="cpu")
    fr.neighbor_reduce(graph, fr.Frontier(graph, [HUB]), length)
    degree = int(graph.degrees()[HUB])
    assert counts == [-(-degree // shares.UNIT)] and degree > 5000
    counts.clear()
    fr.neighbor_reduce(graph, None, length, balance="tile")
    assert counts == [N, -(-int(graph.degrees()[[HUB, SECOND]].sum()) // shares.UNIT)]
    counts.clear()
    fr.neighbor_reduce(graph, fr.Frontier(graph, [HUB]), length, balance="thread")
    fr.neighbor_reduce(graph, fr.Frontier(graph, [2, 3, 4, 5]), length)
    assert counts == [1, 4]


# ---- outputs that may list a vertex several times --------------------------------------------------------------------


def everything(src, dst, edge, weight):
    return True


def tally(src, dst, edge, weight, calls):
    fr.atomic_add(calls, src, 1)
    return False


def tally_vertex(v, calls):
    fr.atomic_add(calls, v, 1)


@pytest.mark.slow
@pytest.mark.parametrize("balance", ["auto", "merge"])
def test_an_output_that_is_no_set(device, arcs, balance):
    src, dst, _ = arcs
    graph = fr.structures()["csr"].from_edges(*arcs, N, directed=True, device=device)
    frontier = fr.Frontier(graph, np.arange(0, N, 2))
    times = np.bincount(dst[src % 2 == 0], minlength=N)
    degrees = host(graph.degrees())

    def listed():
        return fr.advance(graph, frontier, everything, unique=False, balance=balance)

    out = listed()
    assert out and f"list of {times.sum():,} with duplicates" in repr(out)
    calls = graph.xp.zeros(N, np.int64)
    assert not fr.advance(graph, out, tally, calls)  # the edges of a vertex as often as it was output
    assert (host(calls) == times * degrees).all()
    again = fr.advance(graph, out, everything)
    assert (host(again.mask) == (np.bincount(dst, times[src], N) > 0)).all()
    # All other operators require a set.
    members = np.flatnonzero(times)
    assert len(out) == members.size and list(out) == members.tolist() and "duplicates" not in repr(out)
    assert listed().num_arcs == degrees[members].sum() == out.num_arcs
    assert listed() == fr.advance(graph, frontier, everything) == out
    assert members[0] in listed() and (listed() - out).num_arcs == 0
    calls.fill(0)
    fr.compute(listed(), tally_vertex, calls)
    assert (host(calls) == (times > 0)).all()
    assert sorted(host(fr.filter(listed(), lambda v: v < 100).vertices)) == members[members < 100].tolist()
    reduced = host(fr.neighbor_reduce(graph, listed(), length, dtype=np.int64))
    assert (reduced == host(fr.neighbor_reduce(graph, out, length, dtype=np.int64))).all()
    calls.fill(0)
    fr.traverse(graph, listed(), tally, calls)
    assert (host(calls) == (times > 0) * degrees).all()


def test_few_vertices_listed_often(device):
    """A list whose duplicates are detected without a pass over all vertices."""
    graph = fr.structures()["csr"].from_edges([0, 1, 2], [9, 9, 9], num_vertices=10**5, device=device)
    out = fr.advance(graph, fr.Frontier(graph, [0, 1, 2]), everything, unique=False)
    assert len(out) == 1 and list(out) == [9] and out.num_arcs == 3
    assert not fr.advance(graph, fr.Frontier(graph, [5]), everything, unique=False)
    with pytest.raises(TypeError, match="unique must be True or False, not 1"):
        fr.advance(graph, out, everything, unique=1)


def test_lists_outlive_updates(device):
    graph = fr.structures()["csr"].from_edges([0, 1], [2, 2], num_vertices=40, device=device)
    out = fr.advance(graph, fr.Frontier(graph, [0, 1]), everything, unique=False)
    graph.insert_edges([2, 2], [5, 6])
    assert out.num_arcs == 4
    out = fr.advance(graph, fr.Frontier(graph, [0, 1]), everything, unique=False)
    graph.insert_edges([2], [7])
    assert list(fr.advance(graph, out, everything)) == [0, 1, 5, 6, 7]
    out = fr.advance(graph, fr.Frontier(graph, [0, 1]), everything, unique=False)
    graph.delete_vertices([2])
    with pytest.raises(ValueError, match="frontier contains 1 vertices that were deleted"):
        fr.advance(graph, out, everything)


def test_lists_of_the_reverse(device):
    graph = fr.structures()["csr"].from_edges([0, 1, 2], [2, 2, 3], directed=True, in_edges=True, device=device)
    out = fr.advance(graph, fr.Frontier(graph, [0, 1]), everything, unique=False)
    assert list(fr.advance(graph.reverse, out, everything)) == [0, 1]
    both = fr.advance(graph, fr.Frontier(graph, [2]), everything, edges="both", unique=False)
    assert list(both) == [0, 1, 3]
