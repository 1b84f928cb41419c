"""Batches with edge data in few launches (`frontier.features.windows.pushes`): as the general way has them, on GPUs."""

import numpy as np
import pytest
from model import to_host
from small_batches import LooseRecorder, Recorder

import frontier as fr
from algorithms import DynamicTriangleCount, triangle_count
from dynfrontier import Pipeline, PipelineError
from frontier.core.invariants import check_graph
from frontier.features.windows import pushes
from frontier.runtime import gpu_available
from structures import Hornet, SlabGraph
from structures.slab.update_plan import UpdatePlan

N = 40
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not gpu_available(), reason="there is no GPU")]


@pytest.fixture
def ways(monkeypatch):
    """The number of batches on each path."""
    counts = {"at once": 0, "general": 0}
    run = pushes.Pushes.run

    def counted(self, *args):
        done = run(self, *args)
        counts["general" if done is None else "at once"] += 1
        return done

    monkeypatch.setattr(pushes.Pushes, "run", counted)
    return counts


def general_way(monkeypatch, call):
    """The result of `call` if nothing is pushed at once."""
    with monkeypatch.context() as patch:
        for module in ("frontier.features.edge_payload", "frontier.features.windows.window"):
            patch.setattr(f"{module}.plain_records", lambda *args, **options: None)
        return call()


def contents(graph):
    """Edges with their columns, for any ids."""
    src, dst, _ = graph.to_coo()
    ids = graph.edge_ids(src, dst)
    columns = [to_host(graph, graph.edge_data[name][ids]).tolist() for name in graph.edge_data]
    rows = zip(to_host(graph, src).tolist(), to_host(graph, dst).tolist(), *columns, strict=True)
    return sorted(row for row in rows if graph.directed or row[0] < row[1])


def on(graph, *columns):
    return [graph.xp.asarray(column) for column in columns]


def batch(rng, graph, step, size, n, *, ordered, dtype=np.int32):
    src, dst = rng.integers(0, n, (2, size)).astype(dtype)
    times = rng.integers(20 * step, 20 * step + 20, size)
    times = np.sort(times) if ordered else times - rng.integers(0, 10, size)
    return src, dst, times.astype(np.int64)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("keep_time", ["latest", "first"])
def test_windows_by_time(directed, ordered, keep_time, ways, monkeypatch, rng):
    options = {"directed": directed, "keep_time": keep_time, "edge_data": {"kind": "int32"}}
    graphs = [SlabGraph(N, time_unit="s", device="gpu", **options) for _ in range(2)]
    windows = [fr.SlidingWindow(graph, 70, lateness=15) for graph in graphs]
    for step in range(25):
        size = int(rng.integers(1, 120))
        dtype = np.int64 if step % 3 == 0 else np.int32
        src, dst, times = batch(rng, graphs[0], step, size, N if step % 2 else 7, ordered=ordered, dtype=dtype)
        kind = rng.integers(0, 99, size).astype(np.int32)
        policy = "keep" if step % 5 == 4 else "replace"
        arrays = on(graphs[0], src, dst, times, kind)

        def push(window, given=arrays, policy=policy):
            return window.push(given[0], given[1], time=given[2], kind=given[3], on_existing=policy)

        expected = general_way(monkeypatch, lambda push=push: push(windows[1]))
        assert push(windows[0]) == expected
        assert windows[0].clock == windows[1].clock and windows[0].late == windows[1].late
        assert contents(graphs[0]) == contents(graphs[1])
        check_graph(graphs[0].copy())
        assert graphs[0].num_edges == graphs[1].num_edges == graphs[0].payload.table.size
    assert ways["at once"] >= (20 if ordered else 5)
    assert graphs[0].payload.table.top < 3 * N * N  # freed ids are used again


@pytest.mark.parametrize("few", [0, 4096])
@pytest.mark.parametrize("length", [{"count": 300}, {"count": 40}, {"batches": 4}])
def test_windows_of_records(directed, length, few, ways, monkeypatch, rng):
    monkeypatch.setattr("frontier.features.times.arrivals.FEW", few)  # larger chunks are not merged
    graphs = [SlabGraph(N, directed=directed, time_unit="ns", device="gpu") for _ in range(2)]
    windows = [fr.SlidingWindow(graph, **length) for graph in graphs]
    for _ in range(20):
        size = int(rng.integers(1, 100))
        src, dst = on(graphs[0], *rng.integers(0, N, (2, size)).astype(np.int32))
        expected = general_way(monkeypatch, lambda s=src, d=dst: windows[1].push(s, d))
        assert windows[0].push(src, dst) == expected and windows[0].clock == windows[1].clock
        assert contents(graphs[0]) == contents(graphs[1])
        check_graph(graphs[0].copy())
    assert ways == {"at once": 20, "general": 0}


def test_kernels_are_bound_once(ways, monkeypatch, rng):
    """Arrays of the graph may grow, and move, from then on."""
    made, make = [], pushes.PushPlan.__init__

    def counted(bound, *args):
        made.append(bound)
        make(bound, *args)

    monkeypatch.setattr(pushes.PushPlan, "__init__", counted)
    n, size = 2000, 1500
    graph = SlabGraph(n, time_unit="ns", edge_data={"kind": "int32"}, device="gpu")
    window, arrived = fr.SlidingWindow(graph, count=20 * size), {}
    moved = {name: set() for name in ("neighbors", "column", "free", "ends")}
    for step in range(30):
        src, dst = rng.integers(0, n, (2, size)).astype(np.int32)
        window.push(*on(graph, src, dst), kind=graph.xp.full(size, step, np.int32))
        times = range(step * size, step * size + size)
        pairs = zip(np.minimum(src, dst).tolist(), np.maximum(src, dst).tolist(), strict=True)
        arrived |= {pair: (time, step) for pair, time in zip(pairs, times, strict=True) if pair[0] != pair[1]}
        data = graph.payload.table
        arrays = (graph.store.neighbors, data.columns["kind"], data.free_ids, data.times.ends[0])
        for seen, array in zip(moved.values(), arrays, strict=True):
            seen.add(array.data.ptr)
    assert len(made) == 1
    assert all(len(seen) > 1 for seen in moved.values()), moved
    begin = 30 * size - 20 * size
    held = {(u, v, kind) for (u, v), (time, kind) in arrived.items() if time >= begin}
    src, dst, _ = graph.to_coo()
    kinds = graph.edge_data["kind"][graph.edge_ids(src, dst)]
    rows = set(zip(*(to_host(graph, part).tolist() for part in (src, dst, kinds)), strict=True))
    assert {row for row in rows if row[0] < row[1]} == held
    check_graph(graph.copy())
    assert ways == {"at once": 30, "general": 0}


@pytest.mark.parametrize("weight_dtype", [None, "float32", "int64"])
def test_insertions_without_a_window(directed, weight_dtype, ways, monkeypatch, rng):
    """With other columns, without times, and mixed with deletions, after which ids are used again."""
    options = {"directed": directed, "edge_data": {"a": "float64", "b": "int8"}, "device": "gpu"}
    graphs = [SlabGraph(N, weight_dtype=weight_dtype, **options) for _ in range(2)]
    for step in range(20):
        size = int(rng.integers(1, 150))
        src, dst = on(graphs[0], *rng.integers(0, N if step % 2 else 6, (2, size)).astype(np.int32))
        a, b = on(graphs[0], rng.random(size), rng.integers(0, 9, size).astype(np.int8))
        policy = "keep" if step % 4 == 3 else "replace"
        weights = None
        if weight_dtype is not None:
            weights = graphs[0].xp.asarray(rng.integers(1, 9, size).astype(weight_dtype))

        def insert(graph, src=src, dst=dst, weights=weights, a=a, b=b, policy=policy):
            return graph.insert_edges(src, dst, weights, a=a, b=b, on_existing=policy)

        expected = general_way(monkeypatch, lambda insert=insert: insert(graphs[1]))
        assert insert(graphs[0]) == expected
        assert len({graph.delete_edges(src[::3], dst[::3]) for graph in graphs}) == 1
        assert contents(graphs[0]) == contents(graphs[1])
        assert weights is None or arcs_of(graphs[0]) == arcs_of(graphs[1])
        check_graph(graphs[0].copy())
    assert ways["at once"] == 20


def arcs_of(graph):
    """With their weights, in both directions."""
    return sorted(zip(*(to_host(graph, part).tolist() for part in graph.to_coo()), strict=True))


@pytest.mark.parametrize("n", [90, 4000])
@pytest.mark.parametrize("blocks", [1, 3])
def test_large_batches(directed, n, blocks, ways, monkeypatch, rng):
    """Blocks with several tiles each, or none. Most edges come several times, or few do."""
    monkeypatch.setattr("frontier.runtime.compile.cuda.cooperative_blocks", lambda each=2: blocks)
    monkeypatch.setattr(pushes, "MAX_ENTRIES", 1 << 21 if blocks == 1 else 0)  # 0: the smaller share
    options = {"directed": directed, "time_unit": "s", "edge_data": {"a": "int64"}, "device": "gpu"}
    graphs = [SlabGraph(n, **options) for _ in range(2)]
    windows = [fr.SlidingWindow(graph, 25) for graph in graphs]
    for step in range(4):
        size = int(rng.integers(2000, 4000))
        src, dst, times = on(graphs[0], *batch(rng, graphs[0], step, size, n, ordered=step != 1))
        a = graphs[0].xp.arange(size)

        def push(window, src=src, dst=dst, times=times, a=a):
            return window.push(src, dst, time=times, a=a)

        expected = general_way(monkeypatch, lambda push=push: push(windows[1]))
        assert push(windows[0]) == expected
        assert contents(graphs[0]) == contents(graphs[1])
        check_graph(graphs[0].copy())
    assert ways["at once"] >= 3


def test_tables_that_have_to_grow(ways, monkeypatch, rng):
    """A hub whose chain is full: its arcs are deferred, and the host finishes the arcs that were pushed at once."""
    resumed = []
    resume = UpdatePlan.resume
    monkeypatch.setattr(UpdatePlan, "resume", lambda *args: resumed.append(1) or resume(*args))
    n = 3000
    graphs = [SlabGraph(n, time_unit="s", edge_data={"a": "int32"}, device="gpu") for _ in range(2)]
    windows = [fr.SlidingWindow(graph, 40) for graph in graphs]
    seen = [Recorder(graph) for graph in graphs]
    for step in range(8):
        size = 700
        src, dst = np.zeros(size, np.int32), rng.integers(1, n, size).astype(np.int32)
        src[::7] = rng.integers(0, n, src[::7].size)
        given = on(graphs[0], src, dst, np.sort(rng.integers(10 * step, 10 * step + 10, size)).astype(np.int64))
        a = graphs[0].xp.asarray(rng.integers(0, 9, size).astype(np.int32))

        def push(window, given=given, a=a):
            return window.push(given[0], given[1], time=given[2], a=a)

        expected = general_way(monkeypatch, lambda push=push: push(windows[1]))
        assert push(windows[0]) == expected and told(seen[0]) == told(seen[1])
        assert contents(graphs[0]) == contents(graphs[1])
        check_graph(graphs[0].copy())
    assert resumed and ways["general"] == 0


def test_invalid_batches_change_nothing(ways):
    graph = SlabGraph(6, time_unit="s", device="gpu")
    window = fr.SlidingWindow(graph, 100)
    src, dst, times = on(graph, np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32), np.arange(3))
    window.push(src, dst, time=times)
    before = contents(graph), graph.version, window.clock
    bad = on(graph, np.array([0, 6, 2], np.int32))[0]
    with pytest.raises(ValueError, match=r"src\[1\] is 6"):
        window.push(bad, dst, time=times + 50)
    with pytest.raises(ValueError, match=r"dst\[1\] is 6"):
        graph.insert_edges(src, bad, time=times)
    with pytest.raises(TypeError, match="time"):
        window.push(src, dst)
    with pytest.raises(TypeError, match="kind"):
        window.push(src, dst, time=times, kind=times)
    assert (contents(graph), graph.version, window.clock) == before
    weighted = SlabGraph(6, weight_dtype="float64", edge_data={"a": "int32"}, device="gpu")
    for weights in ([0.5, 1, 2], [-1, 0, np.nan]):
        given = on(weighted, np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32), np.array(weights, float))
        if np.isnan(weights[-1]):
            with pytest.raises(ValueError, match=r"weights\[2\] is NaN"):
                weighted.insert_edges(*given, a=on(weighted, np.zeros(3, np.int32))[0])
        else:
            weighted.insert_edges(*given, a=on(weighted, np.ones(3, np.int32))[0])
    assert contents(weighted) == [(0, 1, 0.5, 1), (1, 2, 1, 1), (2, 3, 2, 1)]
    narrow = SlabGraph(6, weight_dtype="float32", time_unit="s", device="gpu")
    with pytest.raises(ValueError, match=r"weights\[1\] is NaN"):
        narrow.insert_edges(src, dst, on(narrow, np.array([0, np.nan, 1], np.float32))[0], time=times)
    assert narrow.num_edges == 0
    graph.delete_vertices([5])
    with pytest.raises(ValueError, match="deleted"):
        window.push(*on(graph, np.array([5], np.int32), np.array([0], np.int32)), time=times[:1])
    assert ways["at once"] == 2


@pytest.mark.parametrize("options", [
    {"edge_data": {"a": "float64"}}, {"time_unit": "s"}, {"weight_dtype": "float64", "edge_data": {"a": "float64"}},
])  # fmt: skip
def test_columns_that_are_not_there(options, ways):
    """Columns of the default type, in the right number, with wrong names."""
    graph = SlabGraph(4, device="gpu", **options)
    src, dst, values = on(graph, np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.ones(2))
    known = {"a": values} if "edge_data" in options else {"time": graph.xp.arange(2)}
    weights = (values,) if graph.is_weighted else ()
    graph.insert_edges(src, dst, *weights, **known)
    before = contents(graph)
    for wrong in ({"b": values}, {**known, "b": values}, {**known, "weight": values}):
        with pytest.raises(TypeError, match=r"got (b|weight)="):
            graph.insert_edges(dst, src, *weights, **wrong)
    if graph.is_weighted:
        with pytest.raises(TypeError, match="got weight="):
            graph.insert_edges(dst, src, weight=values, **known)
    assert contents(graph) == before and ways == {"at once": 1, "general": 0}


def test_many_columns(ways, rng):
    """More than are written as records are settled."""
    dtypes = dict(zip("abcdef", ("int8", "float32", "int64", "bool", "float64", "uint32"), strict=True))
    graph = SlabGraph(N, edge_data=dtypes, device="gpu")
    held = {}
    for _ in range(3):
        src, dst = rng.integers(0, N, (2, 150)).astype(np.int32)
        columns = {name: rng.integers(0, 2, 150).astype(dtype) for name, dtype in dtypes.items()}
        graph.insert_edges(*on(graph, src, dst), **dict(zip(columns, on(graph, *columns.values()), strict=True)))
        for i, ends in enumerate(zip(np.minimum(src, dst).tolist(), np.maximum(src, dst).tolist(), strict=True)):
            if ends[0] != ends[1]:
                held[ends] = tuple(column[i].item() for column in columns.values())
    assert contents(graph) == sorted((*ends, *values) for ends, values in held.items())
    assert ways == {"at once": 3, "general": 0}


class ChangesRecorder(Recorder):
    """Is notified of edges that get other values, too."""

    sees_changes = True


def told(recorder, *, loose=False):
    """Its notifications since, by method, in any order. Dropped arcs are left out."""
    edges = {}
    for method, seen in recorder.seen:
        edges.setdefault(method, []).extend(edge for edge in seen if edge[0] >= 0)
    recorder.seen = []
    return {method: sorted(set(seen) if loose else seen) for method, seen in edges.items() if seen}


@pytest.mark.parametrize("length", [70, {"count": 300}, {"batches": 4}])
def test_observers_of_windows(directed, length, ways, monkeypatch, rng):
    """They get the same notifications as from the general path."""
    options = {} if isinstance(length, int) else length
    graphs = [SlabGraph(N, directed=directed, time_unit="s", device="gpu") for _ in range(2)]
    recorders = [(Recorder(graph), LooseRecorder(graph)) for graph in graphs]
    windows = [fr.SlidingWindow(graph, *([] if options else [length]), **options) for graph in graphs]
    deleted = 0
    for step in range(25):
        size = int(rng.integers(1, 120))
        src, dst, times = on(graphs[0], *batch(rng, graphs[0], step, size, N if step % 2 else 7, ordered=True))
        given = {} if options else {"time": times}

        def push(window, src=src, dst=dst, given=given):
            return window.push(src, dst, **given)

        expected = general_way(monkeypatch, lambda push=push: push(windows[1]))
        assert push(windows[0]) == expected
        (exact, loose), (other_exact, other_loose) = recorders
        seen = told(exact)
        assert seen == told(other_exact) and seen.keys() <= {"inserted", "deleting", "deleted"}
        deleted += len(seen.get("deleted", ()))
        assert told(loose, loose=True) == told(other_loose, loose=True)
        assert contents(graphs[0]) == contents(graphs[1])
        check_graph(graphs[0].copy())
    assert ways["at once"] == 25 and deleted > 100


def test_triangles_of_a_window(ways, rng):
    graph = SlabGraph(N, time_unit="s", device="gpu")
    window, triangles = fr.SlidingWindow(graph, 70), DynamicTriangleCount(graph)
    for step in range(20):
        src, dst, times = on(graph, *batch(rng, graph, step, int(rng.integers(1, 150)), N, ordered=True))
        window.push(src, dst, time=times)
        expected = triangle_count(graph)
        assert triangles.total == expected.total
        assert to_host(graph, triangles.per_vertex).tolist() == to_host(graph, expected.per_vertex).tolist()
    assert ways == {"at once": 20, "general": 0}


@pytest.mark.parametrize("method", ["edges_inserted", "edges_deleting", "edges_deleted"])
def test_observers_that_fail(method, ways):
    """The batch is applied, the edges that left the window are deleted, and the remaining observers are notified of
    all."""
    graph = SlabGraph(6, time_unit="s", device="gpu")
    window = fr.SlidingWindow(graph, 10)
    ends = on(graph, np.array([0, 1], np.int32), np.array([1, 2], np.int32))
    window.push(*ends, time=graph.xp.asarray([3, 5]))

    class Fails(fr.UpdateObserver):
        pass

    def fail(self, src, dst):
        raise RuntimeError("for the test")

    setattr(Fails, method, fail)
    fails, seen = Fails(), Recorder(graph)
    graph.attach(fails)
    new = on(graph, np.array([4, 2], np.int32), np.array([3, 3], np.int32))
    with pytest.raises(fr.ObserverError, match=r"WindowResult\(inserted=2, replaced=0, expired=1, late=0\)") as failed:
        window.push(*new, time=graph.xp.asarray([13, 14]))
    assert failed.value.result.expired == 1 and window.clock == 14
    assert told(seen) == {"inserted": [(2, 3), (3, 4)], "deleting": [(0, 1)], "deleted": [(0, 1)]}
    assert contents(graph) == [(1, 2, 5), (2, 3, 14), (3, 4, 13)]
    check_graph(graph.copy())
    assert window.push(*ends, time=graph.xp.asarray([15, 15])).inserted == 1
    assert ways == {"at once": 3, "general": 0}


def test_a_pipeline_counts_the_push_of_which_an_observer_fails(ways):
    class Fails(fr.UpdateObserver):
        def edges_deleted(self, src, dst):
            raise RuntimeError("for the test")

    graph = SlabGraph(6, time_unit="s", device="gpu")
    fails = Fails()
    graph.attach(fails)
    src, dst = (graph.xp.arange(k, k + 4, dtype=np.int32) for k in (0, 1))
    pipeline = Pipeline((src, dst), graph, window={"count": 2}, batch_size=2)
    with pytest.raises(PipelineError, match="for the test") as failed:
        pipeline.run()
    totals = pipeline.totals
    assert (failed.value.stage, totals.batches, totals.inserted, totals.deleted) == ("analytic", 2, 4, 2)
    assert graph.num_edges == 2 and ways == {"at once": 2, "general": 0}


def test_edges_that_were_pushed_again_at_the_same_time(directed, ways):
    """The log names them twice, and they leave once."""
    graph = SlabGraph(6, directed=directed, time_unit="s", device="gpu")
    seen, window = Recorder(graph), fr.SlidingWindow(graph, 10)
    ends = on(graph, np.array([0, 1], np.int32), np.array([1, 2], np.int32))
    for _ in range(3):
        window.push(*ends, time=graph.xp.asarray([3, 3]))
    new = on(graph, np.array([4], np.int32), np.array([5], np.int32))
    for begin in (13, 14, 15):
        window.push(*new, time=graph.xp.asarray([begin]))
    assert contents(graph) == [(4, 5, 15)] and ways["general"] == 0
    assert told(seen)["deleted"] == [(0, 1), (1, 2)]
    data = graph.payload.table
    assert len(set(to_host(graph, data.free_ids[: data.free_count]).tolist())) == data.free_count == data.top - 1


def test_what_goes_the_general_way(ways, rng):
    """Observers of changes, other types, arrays of the host, and structures that do not bind updates."""

    def times(graph, size=3):
        return graph.xp.arange(size)

    src, dst = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32)
    watched = SlabGraph(6, time_unit="s", device="gpu")
    seen = ChangesRecorder(watched)
    window = fr.SlidingWindow(watched, 2)
    for begin in (0, 5):
        assert window.push(*on(watched, src, dst), time=times(watched) // 2 + begin).inserted == (3 if not begin else 0)
    assert [method for method, told in seen.seen if told] == ["inserted"]
    weighted = SlabGraph(6, time_unit="s", weight_dtype="float32", device="gpu")
    weighted.insert_edges(*on(weighted, src, dst), time=times(weighted))
    weighted.insert_edges(*on(weighted, src, dst, np.ones(3)), time=times(weighted))
    plain = SlabGraph(6, time_unit="s", device="gpu")
    plain.insert_edges(src, dst, time=np.arange(3))
    plain.insert_edges(*on(plain, src, dst), time=times(plain).astype(np.int32))
    plain.insert_edges(*on(plain, src, dst)[:2], time=times(plain, 6)[::2])
    other = Hornet(6, time_unit="s", device="gpu")
    other.insert_edges(*on(other, src, dst), time=times(other))
    assert plain.num_edges == other.num_edges == weighted.num_edges == 3
    assert ways["at once"] == 0


def test_memory_that_runs_out(monkeypatch, rng):
    """The graph stays as it was, and the log too."""
    graph = SlabGraph(N, time_unit="s", device="gpu")
    window = fr.SlidingWindow(graph, 30)
    for step in range(5):
        src, dst, times = on(graph, *batch(rng, graph, step, 60, N, ordered=True))
        window.push(src, dst, time=times)
    before, entries = contents(graph), graph.payload.table.times.arrivals.size

    def fail(*args):
        raise MemoryError("none left")

    src, dst, times = on(graph, *batch(rng, graph, 5, 60, N, ordered=True))
    with monkeypatch.context() as patch:
        patch.setattr(type(graph.payload.table), "reserve_free", fail)
        with pytest.raises(MemoryError):
            window.push(src, dst, time=times)
    assert (contents(graph), graph.payload.table.times.arrivals.size) == (before, entries)
    window.push(src, dst, time=times)
    check_graph(graph.copy())
    assert min(row[2] for row in contents(graph)) > window.clock - 30


@pytest.mark.parametrize("how", ["first", "resumed"])
def test_memory_that_runs_out_in_the_middle(how, monkeypatch, rng):
    """Some arcs of the batch were deferred: the inserted ones are deleted again."""
    graph = SlabGraph(3000, time_unit="s", device="gpu")
    window = fr.SlidingWindow(graph, 100)
    src, dst, times = on(graph, *batch(rng, graph, 0, 200, 3000, ordered=True))
    window.push(src, dst, time=times)
    graph.delete_edges(src[:50], dst[:50])  # frees some ids
    data = graph.payload.table
    before = contents(graph), data.size, data.free_count, data.times.arrivals.size, graph.version, window.clock

    def fail(*args):
        raise MemoryError("none left")

    ends = np.zeros(700, np.int32), rng.permutation(np.arange(1, 3000, dtype=np.int32))[:700]
    hub = on(graph, *ends, np.full(700, 30))
    with monkeypatch.context() as patch:
        if how == "first":
            patch.setattr(SlabGraph.store_type, "_insert_deferred", fail)
        else:
            patch.setattr(SlabGraph.store_type, "_make_room", fail)
            patch.setattr(SlabGraph.store_type, "_reserve", lambda *args: None)
        with pytest.raises(MemoryError):
            window.push(hub[0], hub[1], time=hub[2])
    now = contents(graph), data.size, data.free_count, data.times.arrivals.size, graph.version, window.clock
    assert now == before
    assert window.push(hub[0], hub[1], time=hub[2]).inserted >= 690
    check_graph(graph.copy())


def test_snapshots_stay_as_they_were(ways, rng):
    graph = SlabGraph(N, time_unit="s", edge_data={"a": "int32"}, device="gpu")
    window, held = fr.SlidingWindow(graph, 50), []
    for step in range(8):
        src, dst, times = batch(rng, graph, step, 40, N, ordered=True)
        given = on(graph, src, dst, times, src)
        held.append((graph.snapshot(), contents(graph)))
        window.push(given[0], given[1], time=given[2], a=given[3])
    assert all(contents(snapshot) == known for snapshot, known in held) and ways["at once"] == 8


def test_more_leaves_than_was_expected(ways, rng):
    """A clock that jumps: the rest of the log is deleted after the push."""
    graph = SlabGraph(N, time_unit="s", device="gpu")
    window = fr.SlidingWindow(graph, 100)
    for step in range(12):
        src, dst, times = on(graph, *batch(rng, graph, 0, 30, N, ordered=True))
        window.push(src, dst, time=times // 4 + 5 * step)
    count = graph.num_edges
    src, dst, times = on(graph, np.array([0], np.int32), np.array([1], np.int32), np.array([10_000]))
    assert window.push(src, dst, time=times).expired >= count - 1
    assert contents(graph) == [(0, 1, 10_000)] and ways["general"] == 0
