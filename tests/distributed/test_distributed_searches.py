"""Searches over partitions whose kernels see each other's memory, in one launch each, against one device.

They run on two GPUs, and on an emulated one, where partitions are threads.
"""

import emulator
import numpy as np
import pytest
from distributed_cases import check_tree, gpus, host, workers
from graphs import GRAPHS

import frontier as fr
from algorithms import bfs, sssp
from frontier.distributed import DistributedGraph, ProcessEngine
from frontier.distributed.operators import persistent
from frontier.distributed.operators.persistent import window_of
from frontier.distributed.partition import owners
from structures import SlabGraph

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not emulator.wanted() and gpus() < 2, reason="needs two GPUs, or an emulated one"),
]
PARTS = (2, 3) if emulator.wanted() else (2,)


@pytest.fixture(scope="module", params=PARTS)
def engine(request):
    with workers(request.param) as made:
        yield made


@pytest.fixture(autouse=True)
def owners_of_runs(small_graphs_have_vertices_on_all_parts, engine, monkeypatch):
    """Two partitions that are threads own runs of vertices, as processes do."""
    monkeypatch.setattr(owners, "TOGETHER", 5 if engine.size == 2 else 0)


@pytest.fixture(params=[None, 16], ids=["room", "little-room"])
def room(request, engine):
    """Bytes of a message, on all partitions: with few bytes most pushes overflow it."""
    yield request.param
    graph = DistributedGraph(SlabGraph, 1, engine=engine)
    graph.run(have_room, None)


ROOM = persistent.message_bytes


def have_room(part, nbytes):
    persistent.message_bytes = ROOM if nbytes is None else lambda _: max(nbytes, 128)


def in_parts(engine, src, dst, n, room=None, weights=None, **options):
    """A distributed graph, and the same on one device."""
    graph = DistributedGraph(SlabGraph, n, engine=engine, **options)
    one = SlabGraph(n, device="gpu", **options)
    for each in (graph, one):
        each.insert_edges(src, dst, *(() if weights is None else (weights,)))
    graph.run(have_room, room)
    return graph, one


def counted(part, function, *args):
    """The result of a function, and its exchanges and synchronizations."""
    comm = part.comm
    before = comm.exchanges, comm.waits
    found = function(part, *args)
    return found, comm.exchanges - before[0], comm.waits - before[1], window_of(part) is not None


@pytest.mark.parametrize("name", ["one-vertex", "one-edge", "star", "grid", "rmat"])
@pytest.mark.parametrize("options", [{}, {"directed": True}, {"directed": True, "in_edges": True}], ids=str)
def test_breadth_first(engine, room, name, options):
    src, dst, n = GRAPHS[name]
    graph, one = in_parts(engine, src, dst, n, room, **options)
    for source in {0, n - 1}:
        for limit in (None, 2):
            check_tree(one, source, bfs(graph, source, limit), bfs(one, source, limit))


@pytest.mark.parametrize("options", [{}, {"directed": True, "in_edges": True}], ids=str)
def test_pulls(engine, options):
    """Dense graphs, in which a push costs more than a pull. Several searches use the same windows."""
    rng = np.random.default_rng(1)
    n = 2500
    graph, one = in_parts(engine, rng.integers(0, n, 20 * n), rng.integers(0, n, 20 * n), n, **options)
    for source in range(4):
        check_tree(one, source, bfs(graph, source), bfs(one, source))


def test_hubs(engine):
    """A hub whose list is shared by all blocks, and two levels of leaves."""
    n = 30_000
    src = np.concatenate([np.zeros(n // 2 - 1, np.int64), np.arange(1, n // 2)])
    dst = np.concatenate([np.arange(1, n // 2), np.arange(n // 2, n - 1)])
    graph, one = in_parts(engine, src, dst, n, directed=True)
    check_tree(one, 0, bfs(graph, 0), bfs(one, 0))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_shortest_paths(engine, room, dtype):
    edges = fr.io.rmat(8, 8, seed=1)
    weights = np.random.default_rng(1).integers(1, 50, edges.src.size).astype(np.float32)
    graph, one = in_parts(
        engine, edges.src, edges.dst, edges.num_vertices, room, weights, weight_dtype="float32", vertex_dtype=dtype
    )
    np.testing.assert_array_equal(host(sssp(graph, 0).distance), host(sssp(one, 0).distance))


def test_graphs_that_change(engine):
    """Windows grow with the graph, and later searches see later edges."""
    rng = np.random.default_rng(3)
    graph, one = in_parts(engine, [0], [1], 2)
    for n in (40, 3000, 20_000):
        for each in (graph, one):
            each.insert_vertices(n - each.num_vertices)
        src, dst = rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n)
        for each in (graph, one):
            each.insert_edges(src, dst)
        check_tree(one, 0, bfs(graph, 0), bfs(one, 0))
        for each in (graph, one):
            each.delete_edges(src[:n], dst[:n])
        check_tree(one, 1, bfs(graph, 1), bfs(one, 1))


def levels_of(part, source):
    return bfs(part, source).levels


def test_a_search_takes_one_wait(engine):
    """And one exchange, with another for the copies of the result if few vertices are reached."""
    graph, one = in_parts(engine, np.arange(29), np.arange(1, 30), 500)
    for more in (0, 1):
        graph.run(counted, levels_of, 0)
        assert graph.run(counted, levels_of, 0) == (levels_of(one, 0), 2 - more, 1, True)
        for each in (graph, one):
            each.insert_edges(np.arange(29, 60), np.arange(30, 61))


def nearer(src, dst, edge, weight, distance, level):
    return fr.atomic_min(distance, dst, level) > level


def levels_by_hand(part, source):
    """A loop of advances, the distances, and the sizes of the frontiers."""
    distance = part.vertex_array(np.int32, 99, combine="min")
    distance[source] = 0
    frontier, level, sizes = fr.Frontier(part, [source]), 0, []
    while frontier:
        sizes.append(len(frontier))
        level += 1
        frontier = fr.advance(part, frontier, nearer, distance, np.int32(level))
    part.sync(distance)
    return sizes, host(distance).tolist()


def test_a_loop_of_advances(engine, room):
    src, dst, n = GRAPHS["rmat"]
    graph, one = in_parts(engine, src, dst, n, room)
    found, exchanges, waits, _ = graph.run(counted, levels_by_hand, 0)
    assert found == levels_by_hand(one, 0)
    if room is None:  # one of each reports whether the first frontier has members, and an exchange brings the result
        levels = len(found[0])
        assert (exchanges, waits) == (levels + 2, levels + 1)


def arcs_after_a_step(part, source):
    distance = part.vertex_array(np.int32, 99, combine="min")
    distance[source] = 0
    return fr.advance(part, fr.Frontier(part, [source]), nearer, distance, np.int32(1)).num_arcs


def test_arcs_of_what_a_step_reaches(engine, room):
    src, dst, n = GRAPHS["rmat"]
    graph, one = in_parts(engine, src, dst, n, room)
    assert graph.run(arcs_after_a_step, 0) == arcs_after_a_step(one, 0)


def visit_counted(src, dst, edge, weight, distance, visits, level):
    return fr.atomic_min(distance, dst, level) > level


def count_visit(src, distance, visits, level):
    visits[src] += 1


def visits_of(part, starts, steps):
    """The number of calls of `prepare` for each vertex, in a traversal from several vertices that their owners list."""
    mine = [v for v in starts if part.comm.size == 1 or v in host(part.partition.owned).tolist()]
    distance = part.vertex_array(np.int32, 99, combine="min")
    visits = part.vertex_array(np.int32, 0)
    for v in starts:
        distance[v] = 0
    done = fr.traverse(
        part, fr.Frontier(part, mine), visit_counted, distance, visits, fr.advanced.StepCounter(1), prepare=count_visit,
        max_steps=steps,
    )  # fmt: skip
    part.sync(visits)
    return done, host(visits).tolist()


@pytest.mark.parametrize("steps", [None, 0, 1, 3])
@pytest.mark.parametrize("starts", [(), (0,), (0, 5, 11)])
def test_members_are_prepared_once_each(engine, starts, steps):
    src, dst, n = GRAPHS["grid"]
    graph, _ = in_parts(engine, src, dst, n)
    with workers(1) if emulator.wanted() else ProcessEngine(1, "nccl") as alone:
        other = DistributedGraph(SlabGraph, n, engine=alone)
        other.insert_edges(src, dst)
        assert graph.run(visits_of, starts, steps) == other.run(visits_of, starts, steps)


def greatest(src, dst, edge, weight, label, seen):
    seen[dst] |= np.uint8(1)
    return fr.atomic_max(label, dst, label[src]) < label[src]


def labels_of(part):
    label = part.vertex_array("int64", part.xp.arange(part.num_vertices), combine="max")
    seen = part.vertex_array("uint8", 0, combine="or")
    fr.traverse(part, fr.Frontier.all(part), greatest, label, seen)
    part.sync(label)
    return host(label).tolist()


def test_other_rules(engine, room):
    src, dst, n = GRAPHS["rmat"]
    graph, one = in_parts(engine, src, dst, n, room)
    assert graph.run(labels_of) == labels_of(one)


def spread(src, dst, edge, weight, label, seen, least, origin):
    seen[dst] |= np.uint8(1)
    if fr.atomic_min(least, dst, least[src]) > least[src]:
        origin[dst] = src
    return fr.atomic_max(label, dst, label[src]) < label[src]


def entries_after_a_search(part):
    """Four arrays, after a search that has reached everything: the labels, and whether all partitions have the same."""
    ids = part.xp.arange(part.num_vertices)
    label = part.vertex_array("int64", ids, combine="max")
    seen = part.vertex_array("uint8", 0, combine="or")
    least = part.vertex_array("float64", ids[::-1].astype("float64"), combine="min")
    origin = part.vertex_array("int32", -1, follows=least)
    fr.traverse(part, fr.Frontier.all(part), spread, label, seen, least, origin)
    before = part.comm.exchanges
    part.sync(label, seen, least, origin)
    exchanges = part.comm.exchanges - before
    found = [host(each).tolist() for each in (label, seen, least, origin)]
    return found[0], all(each == found for each in part.comm.gather_objects(found)), exchanges


@pytest.mark.parametrize("room", [None, 16, 1024])
def test_all_parts_have_all_entries(engine, room):
    """Also in rounds, by turns in each half of the buffer. If it is too small, an exchange brings them."""
    src, dst, n = GRAPHS["rmat"]
    graph, one = in_parts(engine, src, dst, n, room)
    label, alike, exchanges = graph.run(entries_after_a_search)
    graph.run(have_room, None)
    assert alike
    assert label == labels_of(one)
    if room is None:
        assert exchanges == 0


def test_a_part_that_does_not_come_is_reported(monkeypatch):
    """The other partitions wait for it in their kernels, with a timeout."""
    if not emulator.wanted():
        pytest.skip("takes more than a minute")
    with workers(2) as engine:
        graph, _ = in_parts(engine, [0, 1], [1, 2], 3)
        bfs(graph, 0)
        monkeypatch.setattr(persistent, "PATIENCE", 1000)
        for function in (search_alone, bfs_of_zero):  # then also in further calls
            with pytest.raises(fr.distributed.PartLostError, match="did not come"):
                graph.run(function)


def bfs_of_zero(part):
    bfs(part, 0)


def search_alone(part):
    if part.comm.rank == 0:
        part._run_over_parts(bfs, (part, 0), {})
