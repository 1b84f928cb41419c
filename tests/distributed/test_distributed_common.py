"""Common neighbors in distributed graphs: the transferred lists, their payload, and the synchronizations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from conftest import DEVICES
from distributed_cases import host

import frontier as fr
from algorithms import DynamicTriangleCount, triangle_count
from frontier.distributed import DistributedGraph, ThreadEngine
from frontier.distributed.operators.common_on_gpu import Items
from structures import Hornet, SlabGraph

N = 240


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(params=[1, 2, 3])
def engine(request, device):
    with ThreadEngine(request.param, device) as engine:
        yield engine


def pair_of(engine, seed=1, structure=SlabGraph, **options):
    """A graph with hubs, leaves and isolated vertices, distributed and on one device."""
    rng = np.random.default_rng(seed)
    src, dst = (rng.random((2, 2500)) ** 3 * (N - 20)).astype(np.int64)
    graph = DistributedGraph(structure, N, engine=engine, **options)
    one = structure(N, device=engine.hosts[0].comm.device, **options)
    for each in (graph, one):
        each.insert_edges(src, dst)
        each.insert_edges(np.zeros(N - 40, np.int64), np.arange(1, N - 39))
    return graph, one


def pairs_of(case):
    """Lists of pairs, some of them hard on whoever shares them out."""
    rng = np.random.default_rng(7)
    if case == "random":
        return rng.integers(0, N, (2, 900))
    if case == "alike":  # each pair many times, in either order
        return rng.integers(0, 12, (2, 1500))
    if case == "hub":  # the same end of all, which is the longer one
        return np.zeros(700, np.int64), rng.integers(0, N, 700)
    if case == "leaf":  # the same end of all, which is the shorter one
        return np.full(600, N - 41), rng.integers(0, N - 41, 600)
    if case == "isolated":  # nothing travels
        return np.full(30, N - 1), rng.integers(0, N - 20, 30)
    if case == "few":
        return np.array([3]), np.array([4])
    return np.empty(0, np.int64), np.empty(0, np.int64)


CASES = "random", "alike", "hub", "leaf", "isolated", "few", "none"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("vertex_dtype", ["int32", pytest.param("int64", marks=pytest.mark.slow)])
def test_counts(engine, case, vertex_dtype):
    graph, one = pair_of(engine, vertex_dtype=vertex_dtype)
    us, vs = pairs_of(case)
    expected = host(fr.intersect(one, us, vs)).tolist()
    assert fr.intersect(graph, us, vs).tolist() == expected
    assert fr.intersect(graph, vs, us).tolist() == expected


@pytest.mark.parametrize("case", CASES)
def test_counts_without_kernels_of_their_own(engine, case, monkeypatch):
    """As on GPUs with more partitions than kernels sort by."""
    monkeypatch.setattr("frontier.distributed.operators.common.takes_pairs", lambda *_: False)
    graph, one = pair_of(engine)
    us, vs = pairs_of(case)
    assert fr.intersect(graph, us, vs).tolist() == host(fr.intersect(one, us, vs)).tolist()


def test_counts_of_many_pairs(engine, monkeypatch):
    """So many that sums over tiles of pairs are added up before they are used."""
    monkeypatch.setattr("frontier.core.sort.tiles.MAX_SUMS", 1)
    graph, one = pair_of(engine)
    us, vs = np.random.default_rng(9).integers(0, N, (2, 4000))
    assert fr.intersect(graph, us, vs).tolist() == host(fr.intersect(one, us, vs)).tolist()


@pytest.mark.slow
def test_counts_in_a_structure_that_looks_through_lists(engine):
    graph, one = pair_of(engine, structure=Hornet)
    us, vs = pairs_of("random")
    assert fr.intersect(graph, us, vs).tolist() == host(fr.intersect(one, us, vs)).tolist()


def test_pairs_of_one_owner_alone(engine):
    """Partitions with nothing to send, or to receive."""
    graph, one = pair_of(engine)
    owners = host(engine.hosts[0].objects[graph._key].partition.owners)
    rng = np.random.default_rng(3)
    for a, b in itertools.product(range(engine.hosts[0].comm.size), repeat=2):
        us, vs = rng.choice(np.flatnonzero(owners == a), 200), rng.choice(np.flatnonzero(owners == b), 200)
        assert fr.intersect(graph, us, vs).tolist() == host(fr.intersect(one, us, vs)).tolist()


# ---- payload --------------------------------------------------------------------------------------------------------


def note(src, dst, edge, weight, values):
    values[edge] = 1000 * max(src, dst) + min(src, dst)


def add_up(i, u, v, w, edge_uw, edge_vw, values, again, of_pair, totals):
    fr.atomic_add(totals, 0, of_pair[i] * (3 * values[edge_uw] + again[edge_vw]) + w)


BEHIND = 77


@fr.advanced.reads
def weigh(graph, src, dst, us, vs, dtype, room):
    """A sum over all common neighbors of values of their edges and pairs. Entries behind the values stay."""
    xp = graph.xp
    first = not graph.in_parts or graph.comm.rank == 0  # which lists the pairs
    us, vs = (xp.asarray(each if first else each[:0]) for each in (us, vs))
    src, dst = (xp.asarray(each if first else each[:0]) for each in (src, dst))
    capacity = graph.edge_capacity
    values = xp.full(capacity + room, BEHIND, dtype)
    of_pair = xp.arange(us.size, dtype=np.int64) % 5
    totals = graph.sums()
    fr.visit_edges(graph, src, dst, note, values, output=False)
    fr.intersect(graph, us, vs, add_up, values, values, of_pair, totals, numbered=True)
    assert (host(values[capacity:]) == BEHIND).all()
    return int(graph.sum_all(totals))


@pytest.mark.slow
@pytest.mark.parametrize("room", [0, 3, 10**5])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_values_by_edge_and_by_pair(engine, room, dtype):
    graph, one = pair_of(engine)
    src, dst, _ = (host(each) for each in one.to_coo())
    src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    for case in CASES:
        args = (src, dst, *pairs_of(case), np.dtype(dtype), room)
        assert graph.run(weigh, *args) == weigh(one, *args)


# ---- edges that observers are notified of ---------------------------------------------------------------------------


def test_parts_wait_for_each_other_twice_for_a_batch(device):
    """Once for the counts of the pairs, and once for the total, when it is read."""
    with ThreadEngine(2, device) as engine:
        graph, one = pair_of(engine)
        comm, rng = engine.hosts[0].comm, np.random.default_rng(5)
        spent = {}
        for observed in (False, True):
            if observed:
                triangles = DynamicTriangleCount(graph)
            for change in ("insert_edges", "delete_edges"):
                batch = rng.integers(0, N, (2, 60))
                before = comm.exchanges, comm.waits
                for each in (graph, one):
                    getattr(each, change)(*batch)
                spent[observed, change] = comm.exchanges - before[0], comm.waits - before[1]
        for change in ("insert_edges", "delete_edges"):
            assert np.subtract(spent[True, change], spent[False, change]).tolist() == [4, 1]
        before = comm.exchanges, comm.waits
        assert triangles.total == triangle_count(one).total
        assert (comm.exchanges - before[0], comm.waits - before[1]) == (1, 1)
        part = engine.hosts[0].objects[graph._key]
        assert not part._notified  # nothing is referenced for longer than an update


def test_batches_of_all_forms(engine):
    """Empty batches, duplicates, edges of one partition, and batches that change nothing."""
    graph, one = pair_of(engine)
    triangles = DynamicTriangleCount(graph)
    owners = host(engine.hosts[0].objects[graph._key].partition.owners)
    own = np.flatnonzero(owners == owners[0])
    none = np.empty(0, np.int64)
    batches = [
        (none, none), (own, np.roll(own, 1)), (own, np.roll(own, 1)), np.array([[5, 7, 5, 5], [7, 5, 7, 6]]),
        np.random.default_rng(6).integers(0, N, (2, 400)), (np.full(N - 1, N - 1), np.arange(N - 1)),
    ]  # fmt: skip
    for change in ("insert_edges", "delete_edges", "insert_edges"):
        for src, dst in batches:
            done = [getattr(each, change)(src, dst) for each in (graph, one)]
            assert done[0] == done[1]
            expected = triangle_count(one)
            assert triangles.total == expected.total
        assert host(triangles.per_vertex).tolist() == host(expected.per_vertex).tolist()


class Turning(fr.UpdateObserver):
    """Visits the edges that it is notified of from their other ends."""

    over_parts = True

    def __init__(self, graph):
        self.graph = graph
        self.seen = graph.vertex_array("int64", combine="add")
        graph.attach(self)

    def edges_inserted(self, src, dst):
        for _ in range(2):  # the second time nothing travels
            fr.visit_edges(self.graph, dst, src, count_at_source, self.seen, output=False)
        counts = fr.intersect(self.graph, dst, src)
        assert host(counts).tolist() == host(fr.intersect(self.graph, src, dst)).tolist()


def count_at_source(src, dst, edge, weight, seen):
    fr.atomic_add(seen, src, 1)


def test_edges_are_visited_from_their_other_ends(engine):
    graph, one = pair_of(engine, directed=True)
    key = engine.new_key()
    engine.run_alike(lambda at, key: at.objects.update({key: Turning(at.objects[graph._key])}), key)
    other = Turning(one)
    src, dst = np.random.default_rng(8).integers(0, N, (2, 300))
    for each in (graph, one):
        each.insert_edges(np.concatenate([src, dst]), np.concatenate([dst, src]))

    def seen(at, key):
        observer = at.objects[key]
        observer.graph.sync(observer.seen)
        return host(observer.seen).tolist()

    for found in engine.run_alike(seen, key):
        assert found == host(other.seen).tolist()


def test_both_parts_have_the_same_items():
    sent = np.array([[4, 3, 0], [2, 1, 5], [0, 7, 9]])
    for a, b in itertools.combinations(range(3), 2):
        mine, theirs = (Items(rank, sent[rank].tolist(), sent[:, rank].tolist()) for rank in (a, b))
        assert mine.sizes[b] == theirs.sizes[a] == sent[a, b] + sent[b, a]
        kinds = [
            [listed for at, (listed, _, _) in enumerate(one.blocks()) if at >> 1 == peer]
            for one, peer in ((mine, b), (theirs, a))
        ]
        assert kinds == [[True, False], [False, True]]
