"""PriorityFrontier: buckets by priority, against a model, and loops of users on it."""

import functools
import heapq
from unittest import mock

import numpy as np
import pytest
from graphs import GRAPHS
from hypothesis import given, settings
from hypothesis import strategies as st
from verifiers import host

import frontier as fr
from algorithms import core_number
from frontier.operators import priority_frontier
from frontier.operators.priority_frontier import cpu as buckets_of_cpus

CSR = fr.structures()["csr"]
DTYPES = ["int32", "int64", "float32", "float64"]


def edgeless(n, device, structure=CSR):
    return structure.from_edges([], [], num_vertices=n, device=device)


class Model:
    """The same with a set."""

    def __init__(self, priority, delta):
        self.members, self.priority, self.delta = set(), priority, delta

    def pop(self):
        if not self.members:
            return set()
        lowest = min(int(self.priority[v]) for v in self.members)
        bucket = {v for v in self.members if self.priority[v] <= lowest + self.delta}
        self.members -= bucket
        return bucket


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.sampled("dtype", of=4)
def test_buckets(structure, device, dtype, rng):
    graph = edgeless(500, device, structure)
    xp = graph.xp
    priority = rng.integers(-1000, 1000, 500).astype(dtype)
    ours = xp.asarray(priority)
    queue, model = fr.PriorityFrontier(graph, ours, 40), Model(priority, 40)
    for step in range(30):
        if step % 3 == 0:
            pushed = rng.integers(0, 500, 120)
            queue.push(fr.Frontier(graph, pushed))
            model.members |= set(pushed.tolist())
        if step % 4 == 1:  # members and other vertices change their priorities
            changed = rng.permutation(500)[:200]
            priority[changed] = rng.integers(-1000, 1000, 200)
            ours[:] = xp.asarray(priority)
        bucket = queue.pop()
        assert set(bucket) == model.pop()
        assert len(queue) == len(model.members) and bool(queue) == bool(model.members)
        if bucket:
            assert host(queue.limit)[0] == priority[list(bucket)].min() + 40
    while bucket := queue.pop():
        assert set(bucket) == model.pop()
    assert not model.members and not queue


@pytest.mark.parametrize("few", [True, False])
def test_large_ones(device, rng, few):
    """Lists that several threads share."""
    n = 300 if few else 50_000
    graph = edgeless(n, device)
    priority = rng.random(n)
    queue = fr.PriorityFrontier(graph, graph.xp.asarray(priority), 0.25)
    queue.push(fr.Frontier.all(graph))
    queue.push(fr.Frontier.all(graph))  # existing members stay once
    seen = np.zeros(n, int)
    last = -1.0
    while bucket := queue.pop():
        members = host(bucket.vertices)
        seen[members] += 1
        assert priority[members].min() > last
        last = priority[members].max()
        assert last <= host(queue.limit)[0] < last + 0.25
    assert (seen == 1).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_members_are_cleared(device, dtype):
    graph = edgeless(6, device)
    priority = graph.xp.asarray(np.array([1, 4, 9, -5, 100, 2]).astype(dtype))
    queue = fr.PriorityFrontier(graph, priority, 1, monotone=True)
    queue.push(fr.Frontier(graph, [0, 1, 2, 4]))
    assert set(queue.pop()) == {0}
    queue.clear()
    assert len(queue) == 0 and not queue.pop()
    queue.push(fr.Frontier(graph, [0, 3, 5]))
    assert [set(queue.pop()) for _ in range(3)] == [{3}, {0, 5}, set()]


def test_limits_of_types(device):
    low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    graph = edgeless(5, device)
    queue = fr.PriorityFrontier(graph, graph.xp.asarray(np.array([high, low, high - 1, 0, low + 1], np.int32)), 1)
    queue.push(fr.Frontier.all(graph))
    assert [list(queue.pop()) for _ in range(4)] == [[1, 4], [3], [0, 2], []]
    queue = fr.PriorityFrontier(graph, graph.xp.asarray(np.array([high, low, high - 1, 0, low + 1], np.int32)), 2**70)
    queue.push(fr.Frontier.all(graph))
    assert [list(queue.pop()) for _ in range(3)] == [[1, 4], [0, 2, 3], []]


def test_infinity_and_nan(device):
    """Infinite priorities come last. NaN is in any bucket, so nothing waits forever."""
    graph = edgeless(5, device)
    values = graph.xp.asarray(np.array([np.inf, 1, np.nan, -np.inf, 1.5], np.float32))
    queue = fr.PriorityFrontier(graph, values, 1)
    queue.push(fr.Frontier.all(graph))
    assert [list(queue.pop()) for _ in range(4)] == [[2, 3], [1, 4], [0], []]


def test_buckets_of_no_width_advance(device):
    """1e8 + 1 is 1e8 in single precision: a bucket has its lowest member at least."""
    graph = edgeless(3, device)
    queue = fr.PriorityFrontier(graph, graph.xp.asarray(np.array([1e8, 1e8 + 8, 1e8], np.float32)), 1e-3)
    queue.push(fr.Frontier.all(graph))
    assert [list(queue.pop()) for _ in range(3)] == [[0, 2], [1], []]


def test_those_that_fell_behind(device):
    """Members whose priority falls to a popped bucket's are dropped if they need no more work."""
    graph = edgeless(4, device)
    xp = graph.xp
    for monotone in (False, True):
        priority = xp.asarray(np.array([0, 10, 20, 30]))
        queue = fr.PriorityFrontier(graph, priority, 5, monotone=monotone)
        queue.push(fr.Frontier.all(graph))
        assert list(queue.pop()) == [0]
        priority[2] = 3
        assert list(queue.pop()) == ([1] if monotone else [2])
        rest = [list(queue.pop()) for _ in range(3)]
        assert rest == ([[3], [], []] if monotone else [[1], [3], []])
        # Later ones are members like all others, even after nothing was left.
        priority[:] = 100
        queue.push(fr.Frontier(graph, [1, 2]))
        assert list(queue.pop()) == [1, 2]


def test_nothing_but_dropped_members(device):
    graph = edgeless(2, device)
    priority = graph.xp.asarray(np.array([5.0, 6.0]))
    queue = fr.PriorityFrontier(graph, priority, 0, monotone=True)
    queue.push(fr.Frontier.all(graph))
    assert list(queue.pop()) == [0]
    priority[1] = 4
    assert len(queue) == 1 and not queue.pop() and not queue
    priority[1] = 7  # the limit is still the last bucket's
    queue.push(fr.Frontier.all(graph))
    assert list(queue.pop()) == [1]


def peel(src, dst, edge, weight, degree, core, limit, deferred):
    """A settled vertex removes itself from its neighbors."""
    k = limit[0]
    if degree[dst] <= k:
        return False
    left = fr.atomic_add(degree, dst, -1) - 1
    if left <= k:
        return left == k
    fr.defer(deferred, dst)
    return False


def settle(src, degree, core, limit, deferred):
    core[src] = limit[0]


@pytest.mark.sampled(of=3)
def test_a_loop_of_ones_own(structure, device):
    """Core numbers by peeling: a bucket is a level, and `traverse` continues within it."""
    src, dst, n = GRAPHS["rmat"]
    graph = structure.from_edges(src, dst, num_vertices=n, device=device)
    degree = graph.degrees()
    core = graph.xp.zeros(n, np.int64)
    queue = fr.PriorityFrontier(graph, degree, monotone=True)
    queue.push(fr.Frontier.all(graph))
    while level := queue.pop():
        fr.traverse(graph, level, peel, degree, core, queue.limit, queue.deferred, prepare=settle)
    assert (host(core) == host(core_number(graph).core_number)).all()


def relax(src, dst, edge, weight, distance, before):
    through = distance[src] + weight
    if through < distance[dst] and fr.atomic_min(distance, dst, through) > through:
        before[dst] = src
        return True
    return False


def dijkstra(graph, source, unreached):
    src, dst, weights = (host(a).tolist() for a in graph.to_coo())
    rows = {}
    for u, v, weight in zip(src, dst, weights, strict=True):
        rows.setdefault(u, []).append((v, weight))
        if not graph.directed:
            rows.setdefault(v, []).append((u, weight))
    found = [unreached] * graph.num_vertices
    found[source] = 0
    heap = [(0, source)]
    while heap:
        own, u = heapq.heappop(heap)
        for v, weight in rows.get(u, ()) if own == found[u] else ():
            if own + weight < found[v]:
                found[v] = own + weight
                heapq.heappush(heap, (found[v], v))
    return found


def shortest(graph, source, dtype, delta):
    """Distances by traversal, and its return value. Predecessors are checked if the test requests it."""
    unreached = np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max // 2
    distance = graph.xp.full(graph.num_vertices, unreached, dtype)
    before = graph.xp.full(graph.num_vertices, -1, np.int32)
    distance[source] = 0
    queue = fr.PriorityFrontier(graph, distance, delta, monotone=True)
    queue.push(fr.Frontier(graph, [source]))
    alone = queue.traverse(relax, distance, before)
    assert len(queue) == 0 and not queue.pop()
    assert host(distance).tolist() == dijkstra(graph, source, unreached)
    if alone:
        for v, u in enumerate(host(before).tolist()):
            assert (u < 0) == (v == source or distance[v] == unreached)
            while u >= 0:  # without circles
                assert distance[u] <= distance[v]
                u, v = int(before[u]), u
    return alone


@pytest.mark.parametrize("dtype", ["int64", "float32"])
@pytest.mark.sampled("dtype", of=2)
def test_shortest_paths(structure, device, dtype, directed, rng):
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no weights")
    src, dst, n = GRAPHS["rmat"]
    weights = rng.integers(0, 64, len(src)).astype(dtype)
    graph = structure.from_edges(src, dst, weights, num_vertices=n, device=device, directed=directed)
    for delta in (0, 1, 12, 1000):
        shortest(graph, int(src[0]), dtype, delta)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_any_weights(data):
    """Priorities over all levels of buckets, in any width."""
    n = data.draw(st.integers(1, 12))
    pairs = data.draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=40))
    dtype = data.draw(st.sampled_from(["int64", "float64"]))
    weights = st.sampled_from([0, 1, 255, 256, 257, 2**16, 2**40 + 1])
    if dtype == "float64":
        weights |= st.sampled_from([1e-300, 0.1, 1e30, 1e300, np.inf])
    found = data.draw(st.lists(weights, min_size=len(pairs), max_size=len(pairs)))
    src, dst = np.array(pairs, np.int64).reshape(-1, 2).T
    directed = data.draw(st.booleans())
    graph = CSR.from_edges(src, dst, np.array(found, dtype), num_vertices=n, directed=directed, device="cpu")
    delta = data.draw(st.sampled_from([0, 1, 7, 2**30] + ([1e-310, np.inf] if dtype == "float64" else [])))
    shortest(graph, data.draw(st.integers(0, n - 1)), dtype, delta)


@pytest.mark.parametrize("visits", [8, 0])
def test_vertices_that_move_often(visits):
    """Each vertex comes nearer by way of each before it: entries are left behind in many buckets."""
    n = 700
    u, v = np.triu_indices(n, 1)
    weights = np.where(v == u + 1, 1, 1000 * (n - u))
    graph = CSR.from_edges(u, v, weights.astype(np.int64), num_vertices=n, directed=True, device="cpu")
    with mock.patch.object(priority_frontier, "VISITS", visits):
        assert shortest(graph, 0, "int64", 1)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_buckets_that_threads_share(dtype, rng):
    src, dst, n = GRAPHS["rmat"]
    weights = rng.integers(0, 64, len(src)).astype(dtype)
    graph = CSR.from_edges(src, dst, weights, num_vertices=n, device="cpu")
    with mock.patch.multiple(priority_frontier, MANY=5, threads_for=lambda work, few: 2):
        assert not shortest(graph, int(src[0]), dtype, 20)


def levels(src, dst, edge, weight, level, order, number):
    if order[src] < 0:
        order[src] = fr.atomic_add(number, 0, 1)
    return False


def test_members_are_visited_in_order(rng):
    """Only pushed vertices, once each, as the queue and its memory are reused."""
    n = 2000
    v = np.arange(n)
    graph = CSR.from_edges(v, (v + 1) % n, num_vertices=n, device="cpu")
    level = np.zeros(n, np.int32)
    queue = fr.PriorityFrontier(graph, level)
    for spread in (10, 1000, 2**31 - 1):
        level[:] = rng.integers(-spread, spread, n)
        members = np.unique(rng.integers(0, n, n // 2))
        order, number = np.full(n, -1), np.zeros(1, np.int64)
        queue.push(fr.Frontier(graph, members))
        queue.traverse(levels, level, order, number)
        assert number[0] == members.size and (order[members] >= 0).all()
        assert (np.diff(level[members[np.argsort(order[members])]]) >= 0).all()


def test_errors_in_functors_leave_a_queue_of_use():
    graph = CSR.from_edges([0, 1, 2], [1, 2, 3], [1, 1, 1], device="cpu", weight_dtype="float64")

    def fails(src, dst, edge, weight, distance):
        if dst == 2:
            raise RuntimeError("stop")
        distance[dst] = distance[src] + weight
        return True

    distance = np.full(4, np.inf)
    distance[0] = 0
    queue = fr.PriorityFrontier(graph, distance, 1)
    queue.push(fr.Frontier(graph, [0]))
    with fr.interpreted(), pytest.raises(RuntimeError, match="stop"):
        queue.traverse(fails, distance)
    distance[:] = 0, np.inf, np.inf, np.inf
    queue.push(fr.Frontier(graph, [0]))
    queue.traverse(relax, distance, np.zeros(4, np.int32))
    assert distance.tolist() == [0, 1, 2, 3]


def test_functors_may_be_interpreted():
    weighted = CSR.from_edges([0, 1, 0, 2], [1, 2, 2, 3], [1, 300, 7, 2**20], device="cpu", weight_dtype="float64")
    with fr.interpreted():
        for delta in (0, 1.5):
            assert not shortest(weighted, 0, "float64", delta)
    graph = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    with fr.interpreted():
        queue = fr.PriorityFrontier(graph, np.array([3, 2, 1, 2]))
        queue.push(fr.Frontier.all(graph))
        assert [list(queue.pop()) for _ in range(4)] == [[2], [1, 3], [0], []]


def test_sizes(device):
    graph = edgeless(0, device)
    queue = fr.PriorityFrontier(graph, graph.xp.zeros(0))
    queue.push(fr.Frontier.all(graph))
    assert not queue.pop() and repr(queue) == "PriorityFrontier(0 of 0 vertices)"


@pytest.mark.parametrize("change", ["insert", "delete"])
def test_vertices_must_not_change(device, change):
    graph = fr.structures()["slab"].from_edges([0, 1], [1, 2], device=device)
    queue = fr.PriorityFrontier(graph, graph.degrees())
    queue.push(fr.Frontier.all(graph))
    graph.insert_edges([0], [2])  # edges may
    assert list(queue.pop()) == [0, 2]
    graph.insert_vertices(1) if change == "insert" else graph.delete_vertices([1])
    traverse = functools.partial(queue.traverse, relax, graph.degrees(), graph.degrees())
    for use in (queue.pop, lambda: queue.push(fr.Frontier.all(graph)), traverse):
        with pytest.raises(ValueError, match="vertices of the graph have changed since this PriorityFrontier was made"):
            use()


def test_bad_arguments_are_named():
    graph = edgeless(3, "cpu")
    good = np.zeros(3)
    for error, message, call in (
        (TypeError, "graph must be a Graph", lambda: fr.PriorityFrontier(3, good)),
        (TypeError, "priority must be a numpy array", lambda: fr.PriorityFrontier(graph, [1, 2, 3])),
        (TypeError, "priority must be an array of int32", lambda: fr.PriorityFrontier(graph, good.astype(np.uint8))),
        (ValueError, r"priority must be of shape \(3,\)", lambda: fr.PriorityFrontier(graph, np.zeros(4))),
        (ValueError, "delta must be at least 0", lambda: fr.PriorityFrontier(graph, good, -1)),
        (ValueError, "delta must be at least 0", lambda: fr.PriorityFrontier(graph, good, np.nan)),
        (TypeError, "delta must be a number", lambda: fr.PriorityFrontier(graph, good, "1")),
        (TypeError, "delta must be an integer", lambda: fr.PriorityFrontier(graph, good.astype(int), 0.5)),
        (TypeError, "monotone must be True or False", lambda: fr.PriorityFrontier(graph, good, monotone=1)),
        (TypeError, "frontier must be a Frontier", lambda: fr.PriorityFrontier(graph, good).push([1])),
        (fr.FunctorError, "is called with", lambda: fr.PriorityFrontier(graph, good).traverse(relax)),
        (ValueError, "another graph", lambda: fr.PriorityFrontier(graph, good).push(fr.Frontier(edgeless(3, "cpu")))),
    ):
        with pytest.raises(error, match=message):
            call()


def test_entries_are_counted_across_chunks(rng):
    """Chunks that buckets gave back are linked in no order."""
    buckets = buckets_of_cpus.empty_buckets(4000, np.dtype(np.int32))
    held, free = {3: [], 5: [], 9: []}, list(range(4000))
    for _ in range(60):
        bucket = int(rng.choice(list(held)))
        for _ in range(int(rng.integers(0, 200))):
            if free and rng.random() < 0.6:
                held[bucket].append(free.pop())
                buckets_of_cpus._append(buckets, bucket, held[bucket][-1])
            elif held[bucket]:
                free.append(held[bucket].pop(0))
                assert buckets_of_cpus._pop(buckets, bucket) == free[-1]
        for each, members in held.items():
            for most in (1, 40, 300, 10**6):
                count = buckets_of_cpus._count(buckets, each, most)
                assert count == len(members) if count < most else len(members) >= most
