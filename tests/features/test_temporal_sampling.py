"""`sample_temporal_neighbors` against its rules in plain Python, and its cache between two updates."""

import importlib
import math
import threading
from itertools import pairwise

import numpy as np
import pytest
from concurrency import in_threads
from model import to_host
from verifiers import host

import frontier as fr
from frontier.core.locking import VersionCache
from frontier.functor.intrinsics.random import philox
from structures import CSR, SlabGraph

rows_by_time = importlib.import_module("frontier.features.temporal_sampling.rows_by_time")  # hidden by the function
pytestmark = pytest.mark.filterwarnings("ignore::frontier.ReplacedTimesWarning")

N = 40
EXTREMES = np.array([-(2**63), 2**63 - 1, -(2**63) + 1, 2**63 - 2, 0])
METHODS = ({"method": "latest"}, {"method": "uniform", "seed": 5}, {"method": "decay", "seed": -3, "decay": 0.05})


@pytest.fixture(params=["asked for", "all"])
def lists(request, monkeypatch):
    """Whether the first call sorts all lists, or only the requested ones."""
    for kind in rows_by_time.CALL_COST:
        monkeypatch.setitem(rows_by_time.CALL_COST, kind, 2**60 if request.param == "all" else -(2**60))
    return request.param


def rows_of(graph):
    """For each vertex, the negative times, ids and edges of its neighbors, sorted."""
    rows = [[] for _ in range(graph.num_vertices)]
    forward = graph.reverse if graph.read_only and graph.directed and hasattr(graph, "_forward") else graph
    src, dst = (to_host(graph, part) for part in forward.to_coo()[:2])
    if src.size:
        if graph.multi_edges == "all":  # each record is an event, and the one inserted last comes first
            offsets, edges = (to_host(graph, part) for part in forward.records(src, dst))
            src, dst = (np.repeat(part, np.diff(offsets)) for part in (src, dst))
            times = to_host(graph, graph.record_data["time"])[edges]
            src, dst, edges, times = (part[::-1] for part in (src, dst, edges, times))
        else:
            edges = to_host(graph, forward.edge_ids(src, dst))
            times = to_host(graph, graph.edge_data["time"])[edges]
        for u, v, time, edge in zip(*(part.tolist() for part in (src, dst, times, edges)), strict=True):
            if not graph.directed or forward is graph:
                rows[u].append((-time, v, edge))
            if not graph.directed or forward is not graph:
                rows[v].append((-time, u, edge))
    return [sorted(row, key=lambda event: event[:2]) for row in rows]


def words(seed, i, j):
    """The words of the generator."""
    halves = [[number & 0xFFFFFFFF, number >> 32 & 0xFFFFFFFF] for number in (i, j, seed)]
    return [int(word) for word in philox(*(np.uint64(half) for pair in halves for half in pair))]


def expected(rows, vertices, count, before=None, *, method, seed=0, decay=0.0, inclusive=False, records=False):
    """By the rules: for each vertex the neighbors, times and edges, or records."""
    found = []
    limits = [None] * len(vertices) if before is None else np.broadcast_to(before, len(vertices)).tolist()
    for i, (v, limit) in enumerate(zip(vertices, limits, strict=True)):
        row = [entry for entry in rows[v] if limit is None or -entry[0] < limit or (inclusive and -entry[0] == limit)]
        count = len(row) if count == -1 else count
        if method == "uniform" and len(row) > count:
            for t in range(count):
                w0, w1, w2, w3 = words(seed, i, t // 2)
                word = w2 | w3 << 32 if t % 2 else w0 | w1 << 32
                chosen = t + (word * (len(row) - t) >> 64)
                row[t], row[chosen] = row[chosen], row[t]
        if method == "decay":
            keys = []
            for negative, u, edge in row:
                w0, w1, _, _ = words(seed, i, edge if records else u)
                wait = -math.log(1 - ((w0 >> 5) * 2**26 + (w1 >> 6)) / 2**53)
                keys.append((math.log(max(wait, 2.0**-54)) + decay * float(negative - row[0][0]), u))
            row = [row[k] for k in sorted(range(len(row)), key=keys.__getitem__)]
        found.append([(u, -negative, edge) for negative, u, edge in row[:count]])
    return found


def sampled(graph, vertices, count, before=None, **options):
    """The returned arrays, in the same form."""
    offsets, ids, times, edges = fr.sample_temporal_neighbors(graph, vertices, count, before=before, **options)
    assert ids.dtype == graph.vertex_dtype and times.dtype == edges.dtype == offsets.dtype == np.int64
    offsets, *parts = (to_host(graph, part).tolist() for part in (offsets, ids, times, edges))
    assert offsets[0] == 0 and offsets[-1] == len(parts[0]) and len(offsets) == len(vertices) + 1
    entries = list(zip(*parts, strict=True))
    return [entries[low:high] for low, high in pairwise(offsets)]


def check(graph, vertices, counts=(1, 3, 100), limits=(None,), methods=METHODS):
    rows, records = rows_of(graph), graph.multi_edges == "all"
    for count in counts:
        for before in limits:
            for options in methods:
                assert sampled(graph, vertices, count, before, **options) == expected(
                    rows, vertices, count, before, records=records, **options
                ), (count, before, options)


def make(structure, device, size=400, draw=None, **options):
    """A random graph in which two vertices have no edges."""
    rng = np.random.default_rng(size)
    src, dst = rng.integers(0, N - 2, (2, size))
    times = rng.integers(-20, 20, size) if draw is None else draw(rng, size)
    return structure.from_edges(src, dst, num_vertices=N, time=times, time_unit="s", device=device, **options)


# ---- the rules ------------------------------------------------------------------------------------------------------


def test_samples_are_those_of_the_rules(structure, device, orientation, lists):
    graph = make(structure, device, **orientation)
    rng = np.random.default_rng(2)
    vertices = [*rng.integers(0, N, 30).tolist(), N - 1, 0, 0]
    limits = None, 3, -100, np.datetime64(5, "s").astype(np.int64), rng.integers(-22, 22, len(vertices))
    for view in (graph, graph.reverse) if graph.has_in_edges else (graph,):
        check(view, vertices, (1, 3, 2**70), limits)
        check(view, [], (2,), (None, 5, np.zeros(0, np.int64)))
    assert bool(graph._access.kept.nbytes()) == (lists == "all")


@pytest.mark.slow
@pytest.mark.parametrize("vertex_dtype", ["int32", "int64"])
def test_extreme_times(device, lists, vertex_dtype):
    """At both ends of int64, and equal ones. Ages need all 64 bits."""
    for draw in (lambda rng, size: rng.choice(EXTREMES, size), lambda rng, size: np.full(size, 7)):
        graph = make(SlabGraph, device, 300, draw, vertex_dtype=vertex_dtype)
        fading = [{"method": "decay", "seed": 1, "decay": rate} for rate in (0.0, 1e-18, 1.0, 1e300)]
        limits = None, 2**63 - 1, -(2**63), -(2**63) + 1, 0, np.resize(EXTREMES, N)
        check(graph, list(range(N)), (1, 4), limits, [*METHODS[:2], *fading])


@pytest.mark.slow
@pytest.mark.parametrize("span", [3, 2**20, 2**62])
def test_hubs(device, lists, span):
    """Rows of each length that is sorted in its way, and many draws, which are looked up in a table."""
    degrees = 1, 11, 13, 64, 66, 400, 3000
    rng = np.random.default_rng(span % 1000)
    src = np.repeat(np.arange(len(degrees)), degrees)
    dst = np.concatenate([10 + rng.permutation(3100)[:degree] for degree in degrees])
    times = rng.integers(-span, span, src.size)
    graph = CSR.from_edges(src, dst, num_vertices=3200, time=times, directed=True, device=device)
    rates = [{"method": "decay", "seed": 9, "decay": rate / span} for rate in (1.0, 100.0, 10_000.0)]
    vertices = [6, 0, 5, 4, 6, 3, 2, 1]
    limits = None, rng.integers(-span, span, len(vertices))
    check(graph, vertices, (1, 20, 63, 64, 65, 399, 2999, 5000), limits, [*METHODS[:2], *rates[:2]])
    check(graph, vertices, (1, 30), limits, rates)


def test_samples_are_uniform(device):
    """Chi-square of ordered pairs from 7 neighbors, 6 of them before the limit: 30 pairs, 30,000 samples."""
    graph = CSR.from_edges(np.zeros(7, np.int64), np.arange(1, 8), time=np.arange(7), directed=True, device=device)
    vertices = np.zeros(30_000, np.int64)
    for seed in (1, 2):
        ids = host(fr.sample_temporal_neighbors(graph, vertices, 2, before=6, seed=seed)[1]).reshape(-1, 2) - 1
        counts = np.bincount(ids[:, 0] * 6 + ids[:, 1], minlength=36).reshape(6, 6)
        assert (np.diag(counts) == 0).all()
        pairs = counts[~np.eye(6, dtype=bool)]
        assert ((pairs - 1000) ** 2 / 1000).sum() < 58.3  # passed by one in a thousand, of 29 degrees of freedom


def test_a_few_of_very_many_are_uniform(device):
    """Means of ranks by draw, where the table of draws is used: deviations of 4 in a normal distribution."""
    size, count, draws = 1000, 100, 400
    graph = CSR.from_edges(
        np.zeros(size, np.int64), np.arange(1, size + 1), time=-np.arange(size), directed=True, device=device
    )
    ids = host(fr.sample_temporal_neighbors(graph, np.zeros(draws, np.int64), count, seed=3)[1]).reshape(draws, count)
    assert all(len(set(row)) == count for row in ids.tolist())
    scale = size / math.sqrt(12)
    assert np.abs(ids.mean(0) - (size + 1) / 2).max() < 4.5 * scale / math.sqrt(draws)
    assert abs(ids.mean() - (size + 1) / 2) < 4 * scale / math.sqrt(draws * count)


# ---- changes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep_time", ["latest", "first"])
def test_changes_are_seen(structure, device, lists, keep_time):
    rng = np.random.default_rng(8)
    graph = make(structure, device, 200, directed=True, in_edges=True, keep_time=keep_time)
    vertices = list(range(5, N))

    def check_both():
        for view in (graph, graph.reverse):
            check(view, vertices, (4,), (None, 10))
            assert bool(graph._access.kept.nbytes()) == (lists == "all")

    check_both()
    src, dst = (to_host(graph, part) for part in graph.to_coo()[:2])
    other = 50 if keep_time == "latest" else -50
    for change in (
        lambda: graph.insert_edges(src[:20], dst[:20], time=rng.integers(0, 40, 20) + other),  # other times
        lambda: graph.insert_edges(*rng.integers(0, N, (2, 60)), time=rng.integers(-20, 60, 60)),
        lambda: graph.delete_edges(src[30:60], dst[30:60]),
        lambda: graph.expire(-5),
        lambda: graph.delete_vertices([1, 2]),
        lambda: graph.insert_vertices(3),
        lambda: graph.apply([fr.Operation.DELETE, fr.Operation.INSERT], [7, 7], [9, 9], time=[0, 3]),
        lambda: graph.compact(),
    ):
        change()
        assert not graph._access.kept.entries
        check_both()


def test_an_update_that_fails_changes_nothing(device, lists):
    graph = make(SlabGraph, device)
    check(graph, [0, 1])
    with pytest.raises(ValueError, match="src"):
        graph.insert_edges([N], [0], time=[1])
    check(graph, [0, 1])


@pytest.mark.parametrize("multi_edges", ["sum", "all"])
def test_several_records_of_an_edge(device, lists, multi_edges):
    """They are one neighbor with one time, or several where all records are stored."""
    graph = SlabGraph(N, time_unit="s", multi_edges=multi_edges, directed=True, in_edges=True, device=device)
    rng = np.random.default_rng(4)
    for low in (0, 30):
        graph.insert_edges(*rng.integers(0, 8, (2, 150)), time=rng.integers(low, low + 20, 150))
        for view in (graph, graph.reverse):
            check(view, list(range(9)), (2, 20, 70), (None, 35))
    if multi_edges == "all":
        assert len(sampled(graph, [0], 1000, method="latest")[0]) > 20
        graph.expire(25)
        graph.delete_edges([1, 2], [2, 3])
        check(graph, list(range(9)), (2, 20), (None, 35))


def test_all_neighbors_up_to_a_time(device, lists):
    for multi_edges in ("last", "all"):
        graph = SlabGraph(4, time_unit="s", multi_edges=multi_edges, device=device)
        graph.insert_edges([0, 0, 1, 0], [1, 2, 0, 3], time=[10, 20, 30, 2**63 - 1])
        for options in METHODS:
            check(graph, [0, 1, 3], (-1, 1), (None, 20, 30, 2**63 - 1), [options | {"inclusive": True}, options])
    ids, times = (to_host(graph, part).tolist() for part in fr.latest_neighbors(graph, [0], -1)[1:])
    assert (ids, times) == ([3, 1, 2, 1], [2**63 - 1, 30, 20, 10])
    assert to_host(graph, fr.latest_neighbors(graph, [0], 1, before=20, inclusive=True)[1]).tolist() == [2]
    with pytest.raises(TypeError, match="inclusive"):
        fr.latest_neighbors(graph, [0], 1, before=20, inclusive=1)
    with pytest.raises(ValueError, match="count must be at least 1, or -1 for all neighbors, got -2"):
        fr.latest_neighbors(graph, [0], -2)


def test_snapshots(device, lists):
    graph = make(SlabGraph, device, directed=True, in_edges=True)
    rows, backward = rows_of(graph), rows_of(graph.reverse)
    snapshot = graph.snapshot()
    graph.insert_edges(np.zeros(30, np.int64), np.arange(1, 31), time=np.full(30, 99))
    options = METHODS[1]
    for _ in range(2):
        assert sampled(snapshot, [0, 5], 3, **options) == expected(rows, [0, 5], 3, **options)
        assert sampled(snapshot.reverse, [0, 5], 3, **options) == expected(backward, [0, 5], 3, **options)
        check(graph, [0, 5])
    check(graph.copy(), [0, 5])


class Asking(fr.UpdateObserver):
    """Samples when edges were inserted, in the middle of an update, and before."""

    def __init__(self, graph):
        self.graph, self.found = graph, []

    def edges_inserted(self, src, dst):
        self.found.append(sampled(self.graph, [0, 1], 5, method="latest"))


def test_observers_sample(device, lists):
    graph = make(SlabGraph, device)
    observer = Asking(graph)
    graph.attach(observer)
    graph.insert_edges([0, 0, 1], [37, 36, 35], time=[70, 80, 90])
    assert not graph._access.kept.entries
    assert observer.found == [sampled(graph, [0, 1], 5, method="latest")]
    assert [entry[:2] for entry in observer.found[0][0][:2]] == [(36, 80), (37, 70)]


# ---- cached lists ---------------------------------------------------------------------------------------------------


def test_all_lists_are_sorted_when_that_pays(device, monkeypatch):
    graph = make(SlabGraph, device, directed=True)
    monkeypatch.setitem(rows_by_time.CALL_COST, graph.device.kind, 10)
    made, sort = [], rows_by_time._sorted_rows
    monkeypatch.setattr(
        rows_by_time, "_sorted_rows", lambda graph, *vertices: made.append(len(vertices)) or sort(graph, *vertices)
    )
    degrees = to_host(graph, graph.degrees())
    vertex = int(degrees.argmax())
    calls = -(-graph.num_arcs // (10 + int(degrees[vertex])))
    for _ in range(2):
        made.clear()
        before = graph.memory_usage().reserved
        found = [sampled(graph, [vertex] * 9, 4, seed=1) for _ in range(calls + 3)]
        assert made == [1] * (calls - 1) + [0] and found == [found[0]] * len(found)
        kept = graph.num_arcs * 16 + (N + 1) * 8
        assert graph._access.kept.nbytes() == kept and graph.memory_usage().reserved >= before + kept
        graph.delete_edges([], [])  # an update, although of nothing
        assert not graph._access.kept.entries
    made.clear()
    sampled(graph, list(range(N)), 1, method="latest")
    assert made == [0]


def test_without_memory_for_all_lists(device, lists, monkeypatch):
    graph, sort = make(SlabGraph, device), rows_by_time._sorted_rows

    def fail(graph, *vertices):
        if not vertices:
            raise MemoryError
        return sort(graph, *vertices)

    monkeypatch.setattr(rows_by_time, "_sorted_rows", fail)
    check(graph, [0, 1, 2])
    assert not graph._access.kept.nbytes()


def test_threads_sort_all_lists_once(device, lists, monkeypatch):
    graph = make(SlabGraph, device, directed=True, in_edges=True)
    made, sort = [], rows_by_time._sorted_rows
    monkeypatch.setattr(
        rows_by_time, "_sorted_rows",
        lambda graph, *vertices: made.append((threading.get_ident(), len(vertices))) or sort(graph, *vertices),
    )  # fmt: skip
    views = graph, graph.reverse
    rows, vertices = [rows_of(view) for view in views], list(range(10))

    def work(i):
        return [sampled(views[i % 2], vertices, 3, seed=i) for _ in range(4)]

    for i, found in enumerate(in_threads(6, work)):
        assert found == [expected(rows[i % 2], vertices, 3, method="uniform", seed=i)] * 4
    assert len([each for each in made if not each[1]]) == (2 if lists == "all" else 0)


@pytest.mark.gpu
@pytest.mark.skipif(not fr.gpu_available(), reason="there is no GPU")
def test_streams_share_what_is_kept(lists):
    import cupy

    graph = make(SlabGraph, "gpu", directed=True)
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(3)]
    rng = np.random.default_rng(1)
    for i in range(9):
        rows, vertices, found = rows_of(graph), rng.integers(0, N, 50).tolist(), []
        for stream in streams[i % 3 :] + streams[: i % 3]:
            with stream:
                found.append((stream, fr.sample_temporal_neighbors(graph, vertices, 3, seed=i)))
        with streams[(i + 1) % 3]:
            graph.insert_edges(*rng.integers(0, N, (2, 20)), time=rng.integers(0, 40, 20))
        for stream, parts in found:
            stream.synchronize()
            offsets, *entries = (part.get().tolist() for part in parts)
            entries = list(zip(*entries, strict=True))
            assert [entries[low:high] for low, high in pairwise(offsets)] == expected(
                rows, vertices, 3, method="uniform", seed=i
            )


def test_a_forked_process_need_not_wait_for_threads_of_its_parent():
    kept = VersionCache()
    in_threads(1, lambda _: kept.lock.acquire())
    assert not kept.lock.acquire(blocking=False)
    kept.forked()
    assert kept.lock.acquire(blocking=False)
