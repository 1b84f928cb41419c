"""The vertices that a push has reached are sent to their owners by kernels on GPUs, and by arrays elsewhere, with one
result."""

import numpy as np
import pytest
from distributed_cases import host, of_shape

import frontier as fr
from algorithms import bfs, sssp
from frontier.distributed import DistributedGraph, ThreadEngine
from frontier.distributed.exchange import levels
from frontier.distributed.exchange.vertex_arrays import IDLE
from frontier.distributed.partition import owners
from frontier.distributed.transport.in_process import InProcessCommunicator
from structures import SlabGraph

RULES = {
    "min": np.minimum, "max": np.maximum, "add": np.add, "or": np.bitwise_or, "countdown": lambda a, b: a + (b - 1),
}  # fmt: skip
DTYPES = ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64")


@pytest.fixture(autouse=True)
def no_windows(monkeypatch):
    """Kernels of partitions do not see each other's memory, as on several hosts."""
    monkeypatch.setattr(InProcessCommunicator, "kernels_meet", False)


@pytest.fixture(params=[8, 2048], ids=["little-room", "room"])
def room(request, monkeypatch):
    """The capacity of the first message of a level, in vertices."""
    monkeypatch.setattr(levels, "ROOM", request.param)
    return request.param


def values_of(rng, n, dtype):
    dtype = np.dtype(dtype)
    return rng.integers(0, 2 if dtype == np.bool_ else 100, n).astype(dtype)


def leave_others(rule, values, ids, owners):
    """Set copies of vertices that a partition has not reached to the owner's value, or to a neutral one."""
    own = np.choose(owners, values)
    for rank, copy in enumerate(values):
        if rule == "countdown":
            copy[owners != rank] = 1 - copy[owners != rank]
        others = np.setdiff1d(np.flatnonzero(owners != rank), ids[rank])
        copy[others] = IDLE.get(rule, own[others])


def delivered(part, ids, columns, rules):
    """The state of every partition after its copies went to the owners: own entries, members, and the sums."""
    rank, xp = part.comm.rank, part.xp
    arrays = []
    for rule, values in zip(rules, columns, strict=True):
        if rule == "follows":
            array = part.vertex_array(values[rank].dtype, 0, follows=arrays[0])
        else:
            array = part.vertex_array(values[rank].dtype, 0, combine=rule)
        array[...] = xp.asarray(values[rank])
        arrays.append(array)
    reached = xp.asarray(ids[rank].astype(part.vertex_dtype))
    members, sums = part.arrays.to_owners(reached, arrays, [rank + 5])
    owned = host(part.partition.owned)
    return owned, [host(array) for array in arrays], np.sort(host(members)), sums


def expected_of(ids, columns, rules, owners, parts):
    """The same by a loop over partitions."""
    found = []
    for rank in range(parts):
        arrays = [values[rank].copy() for values in columns]
        members = set(ids[rank][owners[ids[rank]] == rank].tolist())
        for peer in range(parts):
            if peer == rank:
                continue
            for v in ids[peer][owners[ids[peer]] == rank].tolist():
                better = []
                for rule, array, values in zip(rules, arrays, columns, strict=True):
                    if rule == "follows":
                        if better[0]:
                            array[v] = values[peer][v]
                        continue
                    total = RULES[rule](array[v], values[peer][v])
                    better.append(total != array[v] if rule != "countdown" else array[v] > 0 >= total)
                    array[v] = total
                if any(better) or not rules:
                    members.add(v)
        found.append((arrays, sorted(members)))
    return found


CASES = {
    **{f"{rule}-{dtype}": ((rule,), (dtype,)) for dtype in DTYPES for rule in ("min", "max", "add")},
    **{f"or-{dtype}": (("or",), (dtype,)) for dtype in DTYPES if not dtype.startswith("float")},
    **{f"countdown-{dtype}": (("countdown",), (dtype,)) for dtype in ("int32", "int64")},
    "nothing": ((), ()),
    "follows": (("min", "follows"), ("int32", "int64")),
    "followed-by-bytes": (("max", "follows", "follows"), ("float64", "uint8", "float32")),
    "four": (("min", "max", "or", "follows"), ("int64", "float32", "bool", "int32")),
    "counting": (("add", "countdown", "min"), ("float64", "int32", "int32")),
    "five": (("min", "max", "or", "add", "max"), ("int32",) * 5),  # more than kernels accept
}


@pytest.mark.parametrize("case", CASES)
def test_copies_reach_their_owners(engine, room, case):
    rules, dtypes = CASES[case]
    rng = np.random.default_rng(7)
    n, parts = 300, engine.size
    owner = owners.owners_of(np, np.arange(n, dtype=np.uint64), parts, owners.TOGETHER).astype(np.int64)
    for sizes in ([0] * parts, [200] * parts, [n, *[0] * (parts - 1)], [0, *[3] * (parts - 1)]):
        ids = [rng.permutation(n)[:size] for size in sizes]
        columns = [[values_of(rng, n, dtype) for _ in range(parts)] for dtype in dtypes]
        for rule, values in zip(rules, columns, strict=True):
            leave_others(rule, values, ids, owner)
        graph = DistributedGraph(SlabGraph, n, engine=engine)
        found = graph.run(delivered_on_each, ids, columns, rules)
        reached = expected_of(ids, columns, rules, owner, parts)
        total = sum(len(members) for _, members in reached)
        for rank, (owned, arrays, members, sums) in enumerate(found):
            expected, expected_members = reached[rank]
            assert members.tolist() == expected_members
            for array, values in zip(arrays, expected, strict=True):
                np.testing.assert_array_equal(array[owned], values[owned])
            # Amounts added elsewhere are removed from the copy.
            for rule, array, values in zip(rules, arrays, columns, strict=True):
                sent = np.setdiff1d(ids[rank], owned)
                if rule in IDLE:
                    assert (array[sent] == IDLE[rule]).all()
                elif rule != "follows":
                    np.testing.assert_array_equal(array[sent], values[rank][sent])
            assert sums[1] == sum(rank + 5 for rank in range(parts)) and (sums[0] > 0) == (sum(sizes) > 0)
            if engine.hosts[0].comm.device.is_gpu and case != "five":
                assert sums[0] == total


def delivered_on_each(part, ids, columns, rules):
    return part.comm.gather_objects(delivered(part, ids, columns, rules))


def test_a_nan_is_combined_as_by_numpy(engine):
    nan, n = float("nan"), 64
    columns = [[np.where(np.arange(n) % 3 == rank, nan, rank + 1.0) for rank in range(engine.size)]]
    ids = [np.arange(n) for _ in range(engine.size)]
    graph = DistributedGraph(SlabGraph, n, engine=engine)
    found = graph.run(delivered_on_each, ids, columns, ("min",))
    for owned, (array,), _, _ in found:
        np.testing.assert_array_equal(array[owned], np.minimum.reduce(columns[0])[owned])


@pytest.mark.parametrize("name", ["one-edge", "path", "star", "grid", "rmat"])
@pytest.mark.parametrize("directed", [False, True])
def test_searches_whatever_the_room(engine, room, name, directed):
    graph, one = of_shape(engine, name, directed)
    for limit in (None, 0, 1, 2):
        found, expected = bfs(graph, 0, limit), bfs(one, 0, limit)
        assert np.array_equal(host(found.distance), host(expected.distance)) and found.levels == expected.levels


def test_paths_whatever_the_room(engine, room):
    edges = fr.io.rmat(8, 8, seed=1)
    weights = np.random.default_rng(1).integers(1, 50, edges.src.size).astype(np.float32)
    graph = DistributedGraph(SlabGraph, edges.num_vertices, weight_dtype="float32", engine=engine)
    one = SlabGraph(edges.num_vertices, weight_dtype="float32", device=engine.hosts[0].comm.device)
    for each in (graph, one):
        each.insert_edges(edges.src, edges.dst, weights)
    assert np.array_equal(host(sssp(graph, 0).distance), host(sssp(one, 0).distance))


def searched(part, source, starts):
    """Levels, exchanges and synchronizations of searches from a vertex, and from a frontier that only its owners
    list."""
    comm = part.comm
    bfs(part, source)
    before = comm.exchanges, comm.waits
    levels = bfs(part, source).levels
    return levels, comm.exchanges - before[0], comm.waits - before[1]


def test_a_level_takes_one_wait_on_gpus(engine):
    """Two exchanges and a synchronization each, and one exchange for the copies of the result."""
    if not engine.hosts[0].comm.device.is_gpu:
        pytest.skip("CPUs exchange arrays of the right size")
    graph, _ = of_shape(engine, "path")
    found, exchanges, waits = graph.run(searched, 0, None)
    assert (exchanges, waits) == (2 * found + 1, found)


def lengthened(part, starts, limits):
    """Searches from frontiers that differ between partitions: only the owner of a vertex lists it."""
    mine = [v for v in starts if v in host(part.partition.owned).tolist()]
    distance = part.vertex_array(np.int32, 99, combine="min")
    for v in starts:
        distance[v] = 0
    done = fr.traverse(part, fr.Frontier(part, mine), nearer, distance, fr.advanced.StepCounter(1), **limits)
    part.sync(distance)
    return done, host(distance)


def nearer(src, dst, edge, weight, distance, level):
    return fr.atomic_min(distance, dst, level) > level


@pytest.mark.parametrize("limits", [{}, {"max_steps": 2}, {"max_arcs": 3}, {"max_arcs": 0}])
@pytest.mark.parametrize("starts", [(), (0,), (0, 5, 11)])
def test_frontiers_that_owners_list(engine, starts, limits):
    graph, one = of_shape(engine, "grid")
    distance = one.vertex_array(np.int32, 99)
    for v in starts:
        distance[v] = 0
    done = fr.traverse(one, fr.Frontier(one, list(starts)), nearer, distance, fr.advanced.StepCounter(1), **limits)
    found, distances = graph.run(lengthened, starts, limits)
    assert found == done and np.array_equal(distances, host(distance))


@pytest.mark.parametrize("options", [{}, {"directed": True}, {"directed": True, "in_edges": True}])
@pytest.mark.parametrize("edges", ["out", "in"])
def test_a_graph_in_one_part(device, options, edges):
    if edges == "in" and options == {"directed": True}:
        pytest.skip("stores no in-edges")
    rmat = fr.io.rmat(9, 16, seed=4)
    with ThreadEngine(1, device) as engine:
        graph = DistributedGraph(SlabGraph, rmat.num_vertices, engine=engine, **options)
        one = SlabGraph(rmat.num_vertices, device=device, **options)
        for each in (graph, one):
            each.insert_edges(rmat.src, rmat.dst)
        comm = engine.hosts[0].comm
        before = comm.exchanges
        done, distance = graph.run(from_hub, int(rmat.src[0]), edges)
        expected, expected_distance = from_hub(one, int(rmat.src[0]), edges)
        assert done == expected and np.array_equal(distance, expected_distance)
        assert comm.exchanges == before
        assert bfs(graph, 1).levels == bfs(one, 1).levels


def from_hub(graph, source, edges):
    distance = graph.vertex_array(np.int32, 99, combine="min")
    distance[source] = 0
    start = fr.Frontier(graph, [source])
    done = fr.traverse(graph, start, nearer, distance, fr.advanced.StepCounter(1), condition=is_far, edges=edges)
    return done, host(distance)


def is_far(dst, distance, level):
    return distance[dst] == 99
