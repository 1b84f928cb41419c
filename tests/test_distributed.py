"""Graphs in parts against one device: threads stand for workers, and exchange by the in-process communicator."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import DEVICES
from graphs import GRAPHS
from model import Model, random_batch

import frontier as fr
from algorithms import DynamicCore, bfs, coloring, connected_components, pagerank, triangle_count
from algorithms.pagerank import ConvergenceError
from frontier.distributed import DistributedGraph, GraphPart, PartLostError, Threads, pulls
from frontier.distributed.communicator import SMALL
from frontier.distributed.partition import Partition
from frontier.distributed.transports.in_process import InProcessCommunicator
from frontier.runtime import resolve_device
from structures import Hornet, SlabGraph

PARTS = (2, 3)


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(params=PARTS)
def engine(request, device):
    with Threads(request.param, device) as engine:
        yield engine


def host(value):
    return value.get() if hasattr(value, "get") else np.asarray(value)


def spread(engine, function, *args):
    """What a function of a host returns on each worker."""
    return engine.run_alike(function, *args)


# ---- communicator ---------------------------------------------------------------------------------------------------


def test_values_go_to_their_parts(engine):
    def send(worker):
        comm, xp = worker.comm, worker.comm.device.xp
        counts = [comm.rank + peer for peer in range(comm.size)]
        values = xp.concatenate([xp.full(count, 10 * comm.rank + peer, np.int32) for peer, count in enumerate(counts)])
        got, received = comm.alltoallv(values, counts)
        return host(got).tolist(), received

    for rank, (got, received) in enumerate(spread(engine, send)):
        assert received == [peer + rank for peer in range(engine.size)]
        assert got == [10 * peer + rank for peer in range(engine.size) for _ in range(peer + rank)]


@pytest.mark.parametrize("size", [0, 1, 5, SMALL + 7])
@pytest.mark.parametrize("op", ["sum", "min", "max"])
def test_reductions_are_the_same_on_all_parts(engine, size, op):
    def values(rank):
        return np.random.default_rng(rank).integers(-50, 50, size).astype(np.int32)

    def add(worker):
        return host(worker.comm.allreduce(worker.comm.device.xp.asarray(values(worker.comm.rank)), op))

    expected = getattr(np, op)([values(rank) for rank in range(engine.size)], axis=0)
    for found in spread(engine, add):
        assert found.dtype == np.int32 and found.tolist() == expected.tolist()


def test_gathering_keeps_the_order_of_parts(engine):
    def gather(worker):
        comm, xp = worker.comm, worker.comm.device.xp
        flags, counts = comm.allgather(xp.arange(comm.rank + 1) > 0)
        return host(flags).tolist(), counts, comm.gather_objects({"rank": comm.rank})

    for flags, counts, objects in spread(engine, gather):
        assert flags == [i > 0 for rank in range(engine.size) for i in range(rank + 1)]
        assert counts == list(range(1, engine.size + 1))
        assert objects == [{"rank": rank} for rank in range(engine.size)]


def test_sent_bytes_leave_out_what_stays():
    comms = InProcessCommunicator.group(1, resolve_device("cpu"))
    comms[0].allreduce(np.ones(10))
    assert comms[0].sent_bytes == 0


def test_a_part_that_fails_alone_releases_the_others(monkeypatch):
    monkeypatch.setattr("frontier.distributed.engines.threads.GRACE", 0.1)

    def work(worker):
        if worker.comm.rank == 1:
            raise KeyError("only here")
        worker.comm.barrier()

    with Threads(3) as engine, pytest.raises(KeyError, match="only here"):
        engine.run_alike(work)


# ---- partition ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [1, 2, 3, 300])
def test_owners_stay_when_the_graph_grows(parts):
    small, large = (Partition(resolve_device("cpu"), parts, 0) for _ in range(2))
    for n in (10, 1000, 70_000):
        small.extend(n)
    large.extend(70_000)
    assert np.array_equal(small.owners, large.owners)
    assert sum(large.counts) == 70_000 and np.array_equal(np.sort(large.order), np.arange(70_000))
    assert np.all(large.is_mine(large.owned))


def test_parts_of_an_rmat_graph_are_of_one_size():
    edges = fr.io.rmat(12, 16, seed=1)
    partition = Partition(resolve_device("cpu"), 2, 0)
    partition.extend(edges.num_vertices)
    share = (partition.owners[edges.src] == 0).mean()
    assert 0.4 < share < 0.6 < (edges.src % 2 == 0).mean()


# ---- updates and queries --------------------------------------------------------------------------------------------


def assert_same(graph, model):
    """The edges, weights, degrees and counts of a model."""
    src, dst, weights = graph.to_coo()
    edges = model.edges()
    assert list(zip(src.tolist(), dst.tolist(), strict=True)) == [edge[:2] for edge in edges]
    if model.weight_dtype is not None:
        assert weights.tolist() == [edge[2] for edge in edges]
    assert graph.num_edges == len(edges) and graph.num_vertices == model.num_vertices
    assert graph.degrees().tolist() == [len(row) for row in model.adjacency]


@pytest.mark.parametrize("directed", [False, True])
def test_updates(engine, directed):
    rng = np.random.default_rng(7)
    graph = DistributedGraph(SlabGraph, 40, directed=directed, weight_dtype="int32", engine=engine)
    model = Model(40, directed=directed, weight_dtype="int32")
    for step in range(8):
        src, dst = (rng.integers(0, 40, 150) for _ in range(2))
        weights = rng.integers(-3, 9, 150).astype(np.int32)
        how = ("replace", "keep", "add")[step % 3]
        assert graph.insert_edges(src, dst, weights, on_existing=how) == model.insert_edges(
            src, dst, weights, on_existing=how
        )
        assert_same(graph, model)
        assert graph.delete_edges(src[:60], dst[::-1][:60]) == model.delete_edges(src[:60], dst[::-1][:60])
        assert_same(graph, model)


def test_batches_smaller_than_the_number_of_parts(engine):
    graph = DistributedGraph(SlabGraph, 5, engine=engine)
    assert graph.insert_edges([], []).inserted == 0
    assert graph.insert_edges([3], [1]).inserted == 1
    assert graph.insert_edges([1, 2, 2], [3, 2, 4]).inserted == 1
    assert graph.neighbors(2).tolist() == [4] and graph.neighbors(0).tolist() == []
    assert graph.has_edges([3, 1, 0], [1, 3, 2]).tolist() == [True, True, False]
    assert graph.has_edges([], []).size == 0


def test_vertices_come_and_go(engine):
    graph = DistributedGraph(SlabGraph, 6, engine=engine)
    graph.insert_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    assert graph.insert_vertices(3).tolist() == [6, 7, 8]
    graph.insert_edges([8, 7], [0, 2])
    assert graph.delete_vertices([2, 8]).deleted == 4
    assert graph.num_edges == 3 and graph.has_vertices([2, 3]).tolist() == [False, True]
    with pytest.raises(ValueError, match=r"dst\[1\] is 2, a vertex that was deleted"):
        graph.insert_edges([0, 1, 3, 4], [3, 2, 4, 5])
    assert graph.insert_vertices(1).tolist() == [2]
    assert graph.insert_edges([2], [0]).inserted == 1
    assert connected_components(graph).count == 8 - graph.num_edges


def test_weights_are_found(engine):
    graph = DistributedGraph(SlabGraph, 9, weight_dtype="int32", engine=engine)
    src, dst = np.arange(8), np.arange(1, 9)
    graph.insert_edges(src, dst, src * 10)
    assert graph.edge_weights(dst[::-1], src[::-1]).tolist() == (src * 10)[::-1].tolist()
    with pytest.raises(ValueError, match=r"edge 3 of the list, 0 - 5, is not in the graph \(1 such edges\)"):
        graph.edge_weights([0, 1, 2, 0], [1, 2, 3, 5])


BAD = {
    "range": ([0, 1, 2, 3, 4, 99, 2], [1] * 7, None, ValueError),
    "negative": ([0, 1, 2], [1, 2, -1], None, ValueError),
    "weights": ([0, 1, 2], [1, 2, 3], [1.0, 2.0, 3.5], TypeError),
    "lengths": ([0, 1], [1], None, ValueError),
    "floats": ([0.5], [1], None, TypeError),
    "dimensions": ([[0]], [1], None, ValueError),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_batches_say_what_they_say_on_one_device(engine, device, case):
    src, dst, weights, kind = BAD[case]
    one = SlabGraph(6, weight_dtype="int32", device=device)
    graph = DistributedGraph(SlabGraph, 6, weight_dtype="int32", engine=engine)
    graph.insert_edges([0, 1], [1, 2])
    with pytest.raises(kind) as expected:
        one.insert_edges(src, dst, weights)
    with pytest.raises(kind) as found:
        graph.insert_edges(src, dst, weights)
    assert str(found.value) == str(expected.value)
    assert graph.num_edges == 2 and graph.to_coo()[0].tolist() == [0, 1]
    assert graph.insert_edges([3], [4]).inserted == 1


@pytest.mark.parametrize("how", ["replace", "add", "delete"])
def test_a_batch_that_fails_on_one_part_changes_none(engine, how, monkeypatch):
    rng = np.random.default_rng(3)
    graph = DistributedGraph(SlabGraph, 30, weight_dtype="int32", engine=engine)
    src, dst = random_batch(rng, 30, 100)[:2]
    graph.insert_edges(src, dst, np.arange(100, dtype=np.int32))
    before = [array.tolist() for array in graph.to_coo()]
    method = "_delete" if how == "delete" else "_insert"
    original = getattr(SlabGraph, method)
    last = engine.hosts[-1].objects[graph._key].local

    def fail(self, arcs):
        if self is last:
            raise MemoryError("no memory left, for the test")
        return original(self, arcs)

    more = random_batch(rng, 30, 200)[:2]
    monkeypatch.setattr(SlabGraph, method, fail)
    monkeypatch.setattr(SlabGraph, f"{method}_small", lambda *_: None)  # small batches of a GPU go the same way then
    monkeypatch.setattr("frontier.distributed.batches.spare_arcs", lambda _: 0)
    with pytest.raises(MemoryError, match="for the test"):
        if how == "delete":
            graph.delete_edges(src, dst)
        else:
            graph.insert_edges(*more, np.full(200, 5, np.int32), on_existing=how)
    monkeypatch.undo()
    assert [array.tolist() for array in graph.to_coo()] == before
    assert graph.num_edges == len(before[0])
    assert graph.delete_edges(src, dst).deleted == len(before[0])


def test_a_part_that_fails_with_memory_left_ends_the_graph(engine, monkeypatch):
    graph = DistributedGraph(SlabGraph, 30, engine=engine)
    graph.insert_edges([5], [6])
    first, original = engine.hosts[0].objects[graph._key].local, SlabGraph._insert

    def fail(self, arcs):
        if self is first:
            raise MemoryError("no memory left, for the test")
        return original(self, arcs)

    with monkeypatch.context() as patch, pytest.raises(MemoryError, match="for the test"):
        patch.setattr(SlabGraph, "_insert", fail)
        graph.insert_edges(np.arange(29), np.arange(1, 30))
    with pytest.raises(PartLostError, match="load the graph"):
        graph.insert_edges([0], [1])


def test_a_first_batch_that_fails_on_one_part_leaves_all_empty(engine, monkeypatch):
    graph = DistributedGraph(SlabGraph, 30, engine=engine)
    first, original = engine.hosts[0].objects[graph._key].local, SlabGraph._build

    def fail(self, *arrays):
        original(self, *arrays)
        if self is first:
            raise MemoryError("no memory left, for the test")

    monkeypatch.setattr("frontier.distributed.batches.spare_arcs", lambda _: 0)
    with monkeypatch.context() as patch, pytest.raises(MemoryError, match="for the test"):
        patch.setattr(SlabGraph, "_build", fail)
        graph.insert_edges(np.arange(29), np.arange(1, 30))
    assert graph.num_edges == 0 and not graph.degrees().any()
    assert graph.insert_edges(np.arange(29), np.arange(1, 30)).inserted == 29


def test_sums_that_overflow_on_one_part_change_none(engine):
    graph = DistributedGraph(SlabGraph, 30, weight_dtype="int32", directed=True, engine=engine)
    graph.insert_edges(np.arange(29), np.arange(1, 30), np.full(29, 7))
    graph.insert_edges([4], [5], [2**31 - 1])
    before = [array.tolist() for array in graph.to_coo()]
    with pytest.raises(ValueError, match="in int32"):
        graph.insert_edges(np.arange(29), np.arange(1, 30), np.ones(29, np.int32), on_existing="add")
    assert [array.tolist() for array in graph.to_coo()] == before


def test_parts_that_cannot_agree_are_not_used_again(engine, monkeypatch):
    graph = DistributedGraph(SlabGraph, 30, engine=engine)
    first = engine.hosts[0].objects[graph._key].local
    original = SlabGraph._extend

    def fail(self, count):
        if self is first:
            raise MemoryError("no memory left, for the test")
        original(self, count)

    monkeypatch.setattr(SlabGraph, "_extend", fail)
    with pytest.raises(MemoryError):
        graph.insert_vertices(5)
    monkeypatch.undo()
    with pytest.raises(PartLostError, match="load the graph"):
        graph.insert_edges([0], [1])


# ---- operators ------------------------------------------------------------------------------------------------------


def of_shape(engine, name, directed=False, **options):
    src, dst, n = GRAPHS[name]
    graph = DistributedGraph(SlabGraph, n, directed=directed, engine=engine, **options)
    graph.insert_edges(src, dst)
    one = SlabGraph.from_edges(src, dst, num_vertices=n, directed=directed, device=engine.hosts[0].comm.device)
    return graph, one


def count_visits(src, dst, edge, weight, visits):
    fr.atomic_add(visits, dst, 1)
    return True


def raise_label(src, dst, edge, weight, labels):
    return fr.atomic_max(labels, dst, labels[src]) < labels[src]


def set_bits(src, dst, edge, weight, bits):
    mine = np.int32(1) << np.int32(src % 20)
    return fr.atomic_or(bits, dst, mine) & mine == 0


def visits_of(graph, start):
    visits = graph.vertex_array(np.int64, combine="add")
    reached = fr.advance(graph, fr.Frontier(graph, start), count_visits, visits)
    again = fr.advance(graph, reached, count_visits, visits)
    graph.complete(visits)
    return host(visits).tolist(), list(reached), len(again), again.num_arcs, sorted(again)


def labels_of(graph, steps):
    labels = graph.vertex_array(np.int64, graph.xp.arange(graph.num_vertices), combine="max")
    made = fr.traverse(graph, fr.Frontier.all(graph), raise_label, labels, max_steps=steps)
    graph.complete(labels)
    return host(labels).tolist() if steps is None else made


def bits_of(graph):
    bits = graph.vertex_array(np.int32, combine="or")
    fr.advance(graph, fr.Frontier.all(graph), set_bits, bits)
    graph.complete(bits)
    return host(bits).tolist()


def test_rules_combine_copies(engine):
    graph, one = of_shape(engine, "rmat")
    for function, *args in ((visits_of, [0, 3, 7]), (visits_of, [500]), (bits_of,)):
        assert graph.run(function, *args) == function(one, *args)
    components = host(connected_components(one).labels)
    largest = np.zeros(components.size, np.int64)
    np.maximum.at(largest, components, np.arange(components.size))
    assert graph.run(labels_of, None) == largest[components].tolist()
    assert graph.run(labels_of, 1) == 1


def is_odd(v, values):
    return values[v] % 2 == 1


def square(v, values):
    values[v] = values[v] * values[v]


def value_of(v, values):
    return values[v]


def neighbor_value(src, dst, edge, weight, values):
    return values[dst]


def vertex_operators(graph):
    xp = graph.xp
    values = xp.arange(graph.num_vertices, dtype=np.int64)
    odd = fr.filter(fr.Frontier.all(graph), is_odd, values)
    fr.compute(odd, square, values)  # only owners know the squares
    sums = fr.neighbor_reduce(graph, None, neighbor_value, values, reduce="sum", dtype=np.int64)
    best = fr.neighbor_reduce(graph, odd, neighbor_value, values, reduce="argmax", dtype=np.int64)
    numbers = [
        int(fr.reduce(odd, value_of, values, reduce=how, dtype=np.int64)[0]) for how in ("sum", "min", "max")
    ]
    graph.complete(values)
    return [host(array).tolist() for array in (values, sums, best, odd.mask, odd.bits)], numbers, len(odd), 3 in odd


def test_operators_over_vertices(engine):
    graph, one = of_shape(engine, "rmat")
    assert graph.run(vertex_operators) == vertex_operators(one)


def set_operations(graph):
    xp = graph.xp
    a, b = fr.Frontier(graph, xp.arange(0, 100)), fr.Frontier(graph, xp.arange(50, 200))
    return [list(f) for f in (a | b, a & b, a - b, a ^ b)], a == b, a - b <= a, bool(a & b - b), a == (a | a)


def test_sets(engine):
    graph, one = of_shape(engine, "rmat")
    assert graph.run(set_operations) == set_operations(one)


def test_what_is_missing_says_so(engine):
    graph, _ = of_shape(engine, "one-edge")
    with pytest.raises(NotImplementedError, match="common_neighbors is not available for a graph of several parts yet"):
        fr.common_neighbors(graph, [0], [1])
    with pytest.raises(TypeError, match="a DynamicCore cannot follow one in several parts yet"):
        DynamicCore(graph)
    with pytest.raises(ValueError, match="graph must have times"):
        fr.SlidingWindow(graph, count=3)
    with pytest.raises(ValueError, match="multi must be one of 'last', 'sum', not 'keep'"):
        DistributedGraph(SlabGraph, 3, multi="keep", engine=engine)


def count_sources(src, dst, edge, weight, visits):
    fr.atomic_add(visits, src, 1)
    return True


def pull_back(part):
    fr.advance(part, fr.Frontier(part, [0]), count_sources, part.vertex_array(np.int64), direction="pull")


def pull_edges(part):
    fr.advance(part, fr.Frontier(part, [0]), any_edge, direction="pull", output="edges")


def look_around(part):
    fr.advance(part, fr.Frontier(part, [0]), any_edge, direction="around")


def any_edge(src, dst, edge, weight):
    return True


def follow_nothing(part):
    part.vertex_array(np.int64, follows=part.vertex_array(np.int64, combine="add"))


def count_all(src, dst, edge, weight, counter):
    fr.atomic_add(counter, 0, 1)
    return False


def hook(src, dst, edge, weight, labels):
    labels[labels[dst]] = labels[src]
    return False


def double_next(v, values):
    values[v + 1] = 2


def unruled(part):
    fr.advance(part, fr.Frontier.all(part), raise_label, part.xp.zeros(part.num_vertices, np.int64))


def counted(part):
    fr.advance(part, fr.Frontier.all(part), count_all, part.xp.zeros(1, np.int64))


def hooked(part):
    fr.advance(part, fr.Frontier.all(part), hook, part.vertex_array(np.int64, combine="min"))


def doubled(part):
    fr.compute(fr.Frontier.all(part), double_next, part.vertex_array(np.int64))


@pytest.mark.parametrize(
    "program, message",
    [
        (unruled, r"raise_label\(\) writes to labels at edges, .*, with a rule"),
        (counted, r"count_all\(\) writes to counter at edges, .*, with a function as its rule"),
        (hooked, r"hook\(\) writes to labels at edges, .*, with a function as its rule"),
        (doubled, r"double_next\(\) writes to entries of values that are not those of v"),
    ],
)
def test_writes_that_no_rule_combines_are_refused(engine, program, message):
    graph, _ = of_shape(engine, "one-edge")
    with pytest.raises(ValueError, match=message):
        graph.run(program)


def read_next(v, values, out):
    out[v] = values[(v + 1) % 5]


def shifted(graph):
    values, out = graph.vertex_array(np.int64), graph.vertex_array(np.int64)
    fr.compute(fr.Frontier.all(graph), set_id, values)
    fr.compute(fr.Frontier.all(graph), read_next, values, out)
    graph.complete(out)
    return host(out).tolist()


def set_id(v, values):
    values[v] = v


def test_entries_of_other_vertices_are_up_to_date(engine):
    graph, _ = of_shape(engine, "one-edge")
    assert graph.run(shifted) == [1, 2, 3, 4, 0]


def test_rules_that_cannot_be_kept(engine):
    graph, _ = of_shape(engine, "one-edge")
    with pytest.raises(ValueError, match=r"count_sources\(\) writes to visits at other ends than that of dst"):
        graph.run(pull_back)
    with pytest.raises(ValueError, match="direction='pull' searches for vertices"):
        graph.run(pull_edges)
    with pytest.raises(ValueError, match="direction must be one of"):
        graph.run(look_around)
    with pytest.raises(ValueError, match="follows must be a vertex array"):
        graph.run(follow_nothing)


def claim(src, dst, edge, weight, parent, heavy, least):
    if weight < least:
        return False
    parent[dst] = src
    heavy[dst] = heavy[src] + weight
    return True


def has_none(dst, parent, heavy, least):
    return parent[dst] < 0


def pulled(graph, edges, direction):
    """Two advances, the second with what the first has written at other ends; a vertex looks at the heavy edges."""
    xp, n = graph.xp, graph.num_vertices
    parent = graph.vertex_array(np.int32, -1, combine="max")
    heavy = graph.vertex_array(np.int64, xp.arange(n) % 7, combine="max")
    reached = fr.Frontier(graph, xp.arange(0, n, 5))
    found = []
    for _ in range(2):
        reached = fr.advance(
            graph, reached, claim, parent, heavy, 20, condition=has_none, edges=edges, direction=direction
        )
        found.append((list(reached), len(reached)))
    graph.complete(parent, heavy)
    return found, (host(parent) >= 0).tolist(), (host(heavy) > 7).tolist()


@pytest.mark.parametrize("directed, edges", [(False, "out"), (True, "out"), (True, "in")])
def test_pulls(engine, directed, edges):
    src, dst, n = GRAPHS["rmat"]
    options = {"directed": directed, "in_edges": directed, "weight_dtype": "int32"}
    graph = DistributedGraph(SlabGraph, n, engine=engine, **options)
    one = SlabGraph(n, device=engine.hosts[0].comm.device, **options)
    weights = np.random.default_rng(1).integers(10, 100, src.size).astype(np.int32)
    for each in (graph, one):
        each.insert_edges(src, dst, weights)
    assert graph.run(pulled, edges, "pull") == pulled(one, edges, "pull")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["one-edge", "path", "star", "rmat"])
def test_searches_that_pull(engine, name, directed, monkeypatch):
    graph, one = of_shape(engine, name, directed, in_edges=directed)
    monkeypatch.setattr(pulls, "PULL_ABOVE", 0)
    found, expected = bfs(graph, 0), bfs(one, 0)
    assert host(found.distance).tolist() == host(expected.distance).tolist() and found.levels == expected.levels
    before, distance = host(found.predecessor), host(found.distance)
    reached = np.flatnonzero(before >= 0)
    assert np.array_equal(distance[before[reached]] + 1, distance[reached])
    assert graph.has_edges(before[reached], reached).all()
    assert np.array_equal(before >= 0, host(expected.predecessor) >= 0)


def test_a_dense_search_exchanges_bits(engine):
    edges = fr.io.rmat(12, 16, seed=3)
    graph = DistributedGraph(SlabGraph, edges.num_vertices, engine=engine)
    graph.insert_edges(edges.src, edges.dst)
    comm, source = engine.hosts[0].comm, int(edges.src[0])

    def sent():
        before = comm.sent_bytes
        bfs(graph, source)
        return comm.sent_bytes - before

    pulls_too = sent()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulls, "PULL_ABOVE", 2)
        assert sent() > pulls_too


# ---- algorithms -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["empty", "one-vertex", "path", "star", "rmat"])
def test_algorithms(engine, name, directed):
    graph, one = of_shape(engine, name, directed)
    found, expected = bfs(graph, 0), bfs(one, 0)
    distance = host(expected.distance)
    assert np.array_equal(host(found.distance), distance) and found.levels == expected.levels
    before = host(found.predecessor)
    reached = np.flatnonzero((distance > 0) & (distance < distance.max(initial=1) + (distance.max() < 2**31 - 1)))
    reached = reached[distance[reached] < 2**31 - 1]
    assert np.array_equal(distance[before[reached]] + 1, distance[reached])
    assert np.all(before[np.setdiff1d(np.arange(distance.size), reached)] == -1)
    assert graph.has_edges(before[reached], reached).all()
    found, expected = connected_components(graph), connected_components(one)
    assert np.array_equal(host(found.labels), host(expected.labels)) and found.count == expected.count
    found, expected = pagerank(graph, max_iter=500), pagerank(one, max_iter=500)
    assert np.allclose(host(found.pagerank), host(expected.pagerank), rtol=1e-4, atol=1e-9)
    if not directed:
        found, expected = triangle_count(graph), triangle_count(one)
        assert found.total == expected.total
        assert np.array_equal(host(found.per_vertex), host(expected.per_vertex))


def test_algorithms_after_updates(engine):
    graph, one = of_shape(engine, "rmat")
    src, dst, _ = GRAPHS["rmat"]
    for g in (graph, one):
        g.delete_edges(src[:400], dst[:400])
        g.delete_vertices([1, 5, 17])
    assert bfs(graph, 0, depth_limit=2).levels == 2
    assert np.array_equal(host(connected_components(graph).labels), host(connected_components(one).labels))
    assert triangle_count(graph, per_vertex=False).total == triangle_count(one).total
    ranks = [host(pagerank(g, personalization={0: 1.0, 9: 2.0}).pagerank) for g in (graph, one)]
    assert np.allclose(*ranks, rtol=1e-4, atol=1e-9)
    with pytest.raises(ConvergenceError):
        pagerank(graph, max_iter=1)
    with pytest.raises(ValueError, match="source is 5, a vertex that was deleted"):
        bfs(graph, 5)


def test_a_weighted_pagerank(engine):
    src, dst, n = GRAPHS["rmat"]
    weights = np.random.default_rng(1).integers(1, 9, src.size).astype(np.int32)
    one = SlabGraph.from_edges(src, dst, weights, num_vertices=n, device=engine.hosts[0].comm.device)
    graph = DistributedGraph(SlabGraph, n, weight_dtype="int32", engine=engine)
    graph.insert_edges(src, dst, weights)
    found, expected = (pagerank(g, snapshot=False).pagerank for g in (graph, one))
    assert np.allclose(host(found), host(expected), rtol=1e-6)


def test_algorithms_that_are_not_for_parts_say_so(engine):
    graph, one = of_shape(engine, "rmat")
    with pytest.raises(ValueError, match=r"writes to"):
        bfs(graph, sources=range(12))
    with pytest.raises(ValueError, match=r"writes to"):
        coloring(graph)
    few = bfs(graph, sources=[0, 5, 9])  # one after another
    assert np.array_equal(host(few.distance), host(bfs(one, sources=[0, 5, 9]).distance))


def test_every_worker_has_the_whole_result(engine):
    graph, one = of_shape(engine, "grid")

    def distances(worker, key):
        part: GraphPart = worker.objects[key]
        return host(bfs(part, 3).distance)

    for found in engine.run_alike(distances, graph._key):
        assert np.array_equal(found, host(bfs(one, 3).distance))


# ---- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("readers", [1, 2, 3, 5])
def test_files_are_read_by_any_number_of_parts(engine, readers, tmp_path):
    graph = DistributedGraph(Hornet, 30, weight_dtype="int32", engine=engine)
    src, dst = random_batch(np.random.default_rng(2), 30, 120)[:2]
    graph.insert_edges(src, dst, np.arange(120))
    graph.delete_vertices([3, 20])
    graph.save(tmp_path / "graph")
    graph.insert_edges([0], [1], [-7])
    graph.save(tmp_path / "graph")
    assert len(list((tmp_path / "graph").iterdir())) == engine.size + 1
    with Threads(readers, engine.hosts[0].comm.device) as others:
        found = DistributedGraph.load(tmp_path / "graph", engine=others)
        assert found.num_edges == graph.num_edges and found.weight_dtype == np.int32
        for ours, theirs in zip(found.to_coo(), graph.to_coo(), strict=True):
            assert ours.tolist() == theirs.tolist()
        assert found.has_vertices([2, 3, 20]).tolist() == [True, False, False]
        found.insert_vertices([3])
        assert found.insert_edges([3], [4], [2]).inserted == 1
        assert np.array_equal(np.flatnonzero(found.degrees() == 0), [20])


def test_a_graph_that_was_loaded_goes_on(engine, tmp_path):
    graph = DistributedGraph(SlabGraph, 30, directed=True, in_edges=True, engine=engine)
    graph.insert_edges(np.arange(29), np.arange(1, 30))
    graph.save(tmp_path)
    found = DistributedGraph.load(tmp_path, engine=engine)  # as many parts: files are taken as they are
    assert found.insert_edges([0, 5], [9, 6]).inserted == 1
    assert found.to_coo()[0].size == found.num_edges == 30 == found.in_degrees().sum()


def test_a_failed_save_leaves_the_folder_as_it_was(engine, tmp_path, monkeypatch):
    graph = DistributedGraph(SlabGraph, 30, engine=engine)
    graph.insert_edges([0, 1, 2, 3], [4, 5, 6, 7])
    graph.save(tmp_path)
    before = sorted(tmp_path.iterdir())
    last, original = engine.hosts[-1].objects[graph._key].local, SlabGraph.save

    def fail(self, path):
        if self is last:
            raise OSError(f"{path}: no space left")
        original(self, path)

    monkeypatch.setattr(SlabGraph, "save", fail)
    with pytest.raises(OSError, match="no space left"):
        graph.save(tmp_path)
    assert sorted(tmp_path.iterdir()) == before
    assert DistributedGraph.load(tmp_path, engine=engine).num_edges == 4


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}'])
def test_other_files_are_refused(engine, tmp_path, text):
    (tmp_path / "graph.json").write_text(text)
    with pytest.raises(ValueError, match="not a list of a graph's files"):
        DistributedGraph.load(tmp_path, engine=engine)
    with pytest.raises(FileNotFoundError):
        DistributedGraph.load(tmp_path / "none", engine=engine)
