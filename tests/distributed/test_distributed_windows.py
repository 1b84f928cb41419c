"""Batches that kernels write into the windows of the partitions that own their arcs, against one device.

They run on two GPUs, and on an emulated one, where partitions are threads.
"""

from threading import Timer

import emulator
import numpy as np
import pytest
from distributed_cases import check_tree, gpus, host, workers

import frontier as fr
from algorithms import DynamicBFS, bfs
from frontier.distributed import DistributedGraph, PartLostError
from frontier.distributed.operators import persistent
from frontier.distributed.partition import owners
from structures import Hornet, SlabGraph

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not emulator.wanted() and gpus() < 2, reason="needs two GPUs, or an emulated one"),
]
N = 3000
TOO_MANY = 60_000 if emulator.wanted() else 600_000
"""Edges that overflow the windows of a graph of N vertices. The windows of a GPU are larger."""


@pytest.fixture(scope="module", params=(2, 3) if emulator.wanted() else (2,))
def engine(request):
    with workers(request.param) as made:
        yield made


@pytest.fixture(autouse=True)
def owners_of_runs(small_graphs_have_vertices_on_all_parts, engine, monkeypatch):
    """Two partitions that are threads own runs of vertices, as processes do."""
    monkeypatch.setattr(owners, "TOGETHER", 5 if engine.size == 2 else 0)


def has_window(part):
    return persistent.window_of(part) is not None


def exchanges_of(part, src, dst):
    """Exchanges and synchronizations of an insertion."""
    comm = part.comm
    before = comm.exchanges, comm.waits
    part.insert_edges(src, dst)
    return comm.exchanges - before[0], comm.waits - before[1]


def both(engine, structure=SlabGraph, n=N, **options):
    return DistributedGraph(structure, n, engine=engine, **options), structure(n, device="gpu", **options)


def assert_same(graph, one):
    for found, expected in zip(graph.to_coo(), one.to_coo(), strict=True):
        assert (found is None) == (expected is None)
        assert found is None or np.array_equal(host(found), host(expected))


@pytest.mark.parametrize("weight_dtype", [None, "float32", "float64"])
@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
@pytest.mark.parametrize("directed", [False, True])
def test_batches(engine, directed, vertex_dtype, weight_dtype):
    """Batches of all sizes, with duplicates (the last counts), and self-loops, also if they overflow the windows."""
    rng = np.random.default_rng(3)
    graph, one = both(engine, directed=directed, vertex_dtype=vertex_dtype, weight_dtype=weight_dtype)
    assert graph.run(has_window)
    for size in (0, 1, 2, 500, 5000, TOO_MANY, 3):
        src, dst = rng.integers(0, N, (2, size)) // rng.integers(1, 40, (2, size))
        weights = () if weight_dtype is None else (rng.integers(1, 99, size).astype(weight_dtype),)
        assert graph.insert_edges(src, dst, *weights) == one.insert_edges(src, dst, *weights)
        gone = src[::3], dst[::3]
        assert graph.delete_edges(*gone) == one.delete_edges(*gone)
    assert_same(graph, one)


def sender_of(part):
    """The sender of the partition's unweighted batches."""
    return next(iter(persistent.window_of(part).senders.values()))


def let_barriers_wrap_around(part):
    """As after many batches whose blocks passed barriers."""
    sender, begun = sender_of(part), 2**32 - 2
    sender._barriers = begun
    sender.arrived.view(np.int32)[...] = begun - 2**32


def blocks_have_come(part):
    sender = sender_of(part)
    return int(host(sender.arrived)[0]) == sender._barriers < 1000


def test_counters_of_barriers_wrap_around(engine):
    rng = np.random.default_rng(6)
    graph, one = both(engine)
    for size in (5, 20_000, 5, 3000):
        src, dst = rng.integers(0, N, (2, size))
        assert graph.insert_edges(src, dst) == one.insert_edges(src, dst)
        graph.run(let_barriers_wrap_around)
        assert graph.delete_edges(src[::2], dst[::2]) == one.delete_edges(src[::2], dst[::2])
        assert graph.run(blocks_have_come)
    assert_same(graph, one)


@pytest.mark.parametrize("weight_dtype", [None, "float64"])
def test_large_batches_have_room(engine, weight_dtype):
    """Blocks sort several spans each, and nothing is sent as messages, which need one more exchange."""
    n, most = (400_000, 60_000) if emulator.wanted() else (4_000_000, 1_500_000)
    rng = np.random.default_rng(8)
    graph, one = both(engine, n=n, weight_dtype=weight_dtype)
    exchanges = []
    for size in (5, most, most):
        src, dst = rng.integers(0, n, (2, size)) // rng.integers(1, 40, (2, size))
        weights = () if weight_dtype is None else (rng.random(size),)
        before = graph.run(exchanges_so_far)
        assert graph.insert_edges(src, dst, *weights) == one.insert_edges(src, dst, *weights)
        assert graph.delete_edges(src[::3], dst[::3]) == one.delete_edges(src[::3], dst[::3])
        exchanges.append(graph.run(exchanges_so_far) - before)
    assert exchanges[1] == exchanges[2] == 4, exchanges
    assert_same(graph, one)


def exchanges_so_far(part):
    return part.comm.exchanges


def send_alone(part):
    """The first partition sends a batch to absent ones, until the partitions are given up."""
    window, board = persistent.window_of(part), getattr(part.comm, "_board", None)
    if part.comm.rank:
        return "does not come"

    def give_up():
        window.abandon()
        if board is not None:  # of partitions that are threads
            board.barrier.abort()

    timer = Timer(0.5, give_up)
    timer.start()
    with pytest.raises(PartLostError):
        part.insert_edges([1], [2])
    timer.join()
    return part.local.num_arcs


def test_a_batch_is_given_up_with_the_parts():
    with workers(2) as engine:
        graph, _ = both(engine)
        assert graph.run(send_alone) == 0


def test_a_batch_takes_two_exchanges(engine):
    """One of arcs with their counts, and one of results."""
    graph, _ = both(engine)
    src, dst = np.arange(100), np.arange(100) + 7
    graph.run(exchanges_of, src, dst)
    exchanges, waits = graph.run(exchanges_of, src + 1000, dst + 2000)
    assert (exchanges, waits) == (2, 2)


@pytest.mark.parametrize("bad", [([1], [N]), ([-1], [2]), ([1, 2], [3]), (["a"], [1])], ids=str)
def test_bad_batches_change_nothing(engine, bad):
    graph, one = both(engine)
    for each in (graph, one):
        each.insert_edges([1, 2, 3], [4, 5, 6])
    with pytest.raises((ValueError, TypeError)) as expected:
        one.insert_edges(*bad)
    with pytest.raises(type(expected.value)) as raised:
        graph.insert_edges(*bad)
    assert str(raised.value) == str(expected.value)
    assert_same(graph, one)
    for each in (graph, one):
        each.insert_edges([1000, 2000], [400, 500])
    assert_same(graph, one)


def exchanges_by_kernels(part, count):
    """Rows, and reductions of numbers, by kernels that see each other's windows, several in a row."""
    window, comm = persistent.window_of(part), part.comm
    assert window.can_exchange(count) and not window.can_exchange(35)
    found = []
    for turn in range(5):
        row = part.xp.arange(count, dtype=np.int64) + 1000 * comm.rank + turn
        found.append(host(window.exchange_rows(row)).tolist())
        numbers = [10 * comm.rank - turn] * min(count, 8)
        found += [window.combine(numbers, op) for op in ("sum", "min", "max")]
    return found


@pytest.mark.parametrize("count", [1, 7, 34])
def test_exchanges_by_kernels(engine, count):
    graph, _ = both(engine)
    parts, few = engine.size, min(count, 8)
    expected = []
    for turn in range(5):
        expected.append([[1000 * p + turn + k for k in range(count)] for p in range(parts)])
        values = [10 * p - turn for p in range(parts)]
        expected += [[op(values)] * few for op in (sum, min, max)]
    assert graph.run(exchanges_by_kernels, count) == expected


def combine_alone(part):
    """The first partition waits for absent ones, until the partitions are given up."""
    window, comm = persistent.window_of(part), part.comm
    if comm.rank == 0:
        timer = Timer(0.5, window.abandon)
        timer.start()
        found = window.combine([1], "sum")
        timer.join()
        return found
    return "does not come"


def test_parts_that_are_given_up_wait_no_longer():
    with workers(2) as engine:
        graph, _ = both(engine)
        assert graph.run(combine_alone) is None


def window_that_cannot_double(part):
    """The result if a window cannot double, but reach the necessary size, and if it cannot reach that."""
    comm, opened = part.comm, []
    first = persistent.window_of(part)
    wanted = first.nbytes + 128
    open_window = comm._open_window

    def limited(nbytes):
        opened.append(nbytes)
        return open_window(nbytes) if nbytes <= wanted else None

    comm._open_window = limited
    second = comm.window(wanted)
    third = comm.window(3 * wanted)
    comm._open_window = open_window
    return len(opened), second is not None and second.nbytes >= wanted, third


def test_windows_that_cannot_double():
    with workers(2) as engine:
        graph, one = both(engine)
        assert graph.run(window_that_cannot_double) == (4, True, None)
        for each in (graph, one):  # by messages from now on
            each.insert_edges([1, 2, 3], [4, 5, 6])
        check_tree(one, 1, bfs(graph, 1), bfs(one, 1))
        assert_same(graph, one)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_frontiers_of_arrays_of_the_host(engine, dtype):
    graph, _ = both(engine)
    assert graph.run(size_of_frontier, np.array([1, 2, 2, 40, 200], dtype)) == 4


def size_of_frontier(part, ids):
    return len(fr.Frontier(part, ids))


def test_searches_between_batches(engine):
    """They write to the same windows, as do searches of analytics that follow the batches."""
    rng = np.random.default_rng(5)
    graph, one = both(engine)
    with DynamicBFS(graph, 0) as found, DynamicBFS(one, 0) as expected:
        for _ in range(4):
            src, dst = rng.integers(0, N, (2, 4000))
            for each in (graph, one):
                each.insert_edges(src, dst)
                each.delete_edges(src[:2000], dst[:2000])
            np.testing.assert_array_equal(host(found.distance), host(expected.distance))
            check_tree(one, 1, bfs(graph, 1), bfs(one, 1))
    assert_same(graph, one)


def test_graphs_that_grow(engine):
    """Windows are made larger while the graph is in use."""
    rng = np.random.default_rng(6)
    graph, one = both(engine, Hornet, 10)
    for n in (10, 3000, 50_000, 200_000):
        for each in (graph, one):
            each.insert_vertices(n - each.num_vertices)
        src, dst = rng.integers(0, n, (2, 3000))
        for each in (graph, one):
            each.insert_edges(src, dst)
    assert_same(graph, one)
