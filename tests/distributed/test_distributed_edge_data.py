"""Edge data and times of distributed graphs, against a dictionary and against one device."""

from __future__ import annotations

import warnings
from datetime import datetime

import numpy as np
import pytest
from conftest import DEVICES
from distributed_cases import host, pair_of
from distributed_records import RecordModel, check
from graphs import GRAPHS

import frontier as fr
from algorithms import (
    DynamicTemporalTriangleCount,
    DynamicTriangleCount,
    earliest_arrival,
    temporal_pagerank,
    temporal_triangle_count,
    triangle_count,
)
from dynfrontier import Pipeline
from frontier.distributed import DistributedGraph, ThreadEngine
from structures import Hornet, SlabGraph

COLUMNS = {"amount": "float32", "kind": "uint8"}


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.fixture
def engine(device):
    with ThreadEngine(3, device) as engine:
        yield engine


# ---- updates --------------------------------------------------------------------------------------------------------

PLANS = {
    "last": {},
    "latest": {"time_unit": "s"},
    "first": {"time_unit": "s", "keep_time": "first"},
    "sum": {"multi_edges": "sum"},
    "sum-latest": {"multi_edges": "sum", "time_unit": "s"},
}


@pytest.mark.parametrize("structure", [SlabGraph, Hornet])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("plan", PLANS)
def test_a_stream_leaves_what_a_dictionary_holds(engine, structure, directed, plan):
    options, n = PLANS[plan], 24
    rng = np.random.default_rng(sorted(PLANS).index(plan))
    graph, one = pair_of(
        engine, n, structure, directed=directed, in_edges=directed and plan != "sum", weight_dtype="int32",
        edge_data=COLUMNS, **options,
    )  # fmt: skip
    timed = "time_unit" in options
    model = RecordModel(
        directed, options.get("keep_time", "latest") if timed else None, options.get("multi_edges", "last")
    )
    for step in range(9):
        size = (80, 7, 1, 0)[step % 4]
        src, dst = rng.integers(0, n, (2, size))
        weights = rng.integers(-3 if step % 3 == 2 else 1, 9, size).astype(np.int32)
        data = {"amount": rng.random(size).astype(np.float32), "kind": rng.integers(0, 255, size).astype(np.uint8)}
        if timed:
            data["time"] = rng.integers(0, 40, size)
        columns = {"weight": weights, **data}
        how = "replace" if model.multi_edges == "sum" else ("replace", "keep", "add")[step % 3]
        if model.multi_edges == "sum":
            columns["count"] = data["count"] = rng.integers(1, 4, size)
        done = graph.insert_edges(src, dst, weights, on_existing=how, **data)
        assert done == one.insert_edges(src, dst, weights, on_existing=how, **data)
        assert (done.inserted, done.deleted) == model.insert(src, dst, columns, how)
        check(graph, model)
        some = rng.integers(0, n, (2, 10))
        keys = {model.key(u, v) for u, v in some.T.tolist()}
        assert graph.delete_edges(*some).deleted == one.delete_edges(*some).deleted == model.remove(keys)
        if timed and step % 2:
            old = [key for key, record in model.edges.items() if record["time"] < 2 * step]
            assert graph.expire(2 * step) == one.expire(2 * step)
            model.remove(old)
        if step == 4:
            gone = [key for key in model.edges if 3 in key]
            assert graph.delete_vertices([3]).deleted == one.delete_vertices([3]).deleted == model.remove(gone)
            for each in (graph, one):
                each.insert_vertices([3])
        check(graph, model)
    assert model.edges


# ---- errors ---------------------------------------------------------------------------------------------------------

BAD = {
    "missing": dict(time=[1, 2, 3]),
    "unknown": dict(time=[1, 2, 3], amount=[1, 2, 3], colour=[1, 2, 3]),
    "length": dict(time=[1, 2], amount=[1, 2, 3]),
    "floats": dict(time=[1.5, 2, 3], amount=[1, 2, 3]),
    "shape": dict(time=[1, 2, 3], amount=[[1], [2], [3]]),
    "range": dict(time=[1, 2, 3], amount=[1, 2, 3], src=[0, 1, 99]),
    "on-existing": dict(time=[1, 2, 3], amount=[1, 2, 3], on_existing="twice"),
    "no-weights": dict(time=[1, 2, 3], amount=[1, 2, 3], on_existing="add"),
    "missing-time": dict(time=np.array(["2026-01-01", "NaT", "2026-01-02"], "M8[s]"), amount=[1, 2, 3]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_data_is_refused_as_on_one_device(engine, case):
    given = {"src": [0, 1, 2], "dst": [3, 4, 5]} | BAD[case]
    graph, one = pair_of(engine, 8, directed=True, in_edges=True, edge_data={"amount": "float32"}, time_unit="s")
    graph.insert_edges([0], [1], amount=[7], time=[8])
    messages = []
    for each in (graph, one):
        with pytest.raises((TypeError, ValueError)) as error:
            each.insert_edges(**given)
        messages.append((type(error.value), str(error.value)))
    assert messages[0] == messages[1]
    assert graph.edge_values("amount", [0], [1]).tolist() == [7] and graph.num_edges == 1
    assert graph.insert_edges([1], [2], amount=[3], time=[datetime(1970, 1, 1, 0, 1)]).inserted == 1
    assert graph.edge_values("time", [1], [2]).tolist() == [60]


def test_other_errors(engine):
    graph, _ = pair_of(engine, 8, edge_data={"amount": "float32"})
    graph.insert_edges([0], [1], amount=[7])
    with pytest.raises(TypeError, match=r"graph\.edge_values\('amount', src, dst\)"):
        _ = graph.edge_data["amount"]
    assert list(graph.edge_data) == ["amount"] and "time" not in graph.edge_data
    with pytest.raises(ValueError, match=r"edge 1 of the list, 1 - 2, is not in the graph \(1 such edges\)"):
        graph.edge_values("amount", [0, 1], [1, 2])
    with pytest.raises(ValueError, match="name must be one of 'amount', not 'time'"):
        graph.edge_values("time", [0], [1])
    with pytest.raises(ValueError, match="this graph has no times"):
        graph.expire(3)
    plain = DistributedGraph(SlabGraph, 3, engine=engine)
    with pytest.raises(TypeError, match=r"amount=\.\.\., but this graph has no edge data"):
        plain.insert_edges([0], [1], amount=[7])
    with pytest.raises(ValueError, match="no edge data"):
        plain.edge_values("amount", [0], [1])
    with pytest.raises(NotImplementedError, match="made of the DistributedGraph"):
        pair_of(engine, 3, time_unit="s")[0].run(window_of_part)


def window_of_part(part):
    fr.SlidingWindow(part, span=3)


@pytest.mark.parametrize("how", ["replace", "sum", "delete", "expire"])
@pytest.mark.parametrize("in_edges", [False, True])
def test_a_batch_that_fails_on_one_part_leaves_ids_and_data(engine, how, in_edges, monkeypatch):
    rng = np.random.default_rng(3)
    graph = DistributedGraph(
        SlabGraph, 30, edge_data=COLUMNS, time_unit="s", directed=in_edges, in_edges=in_edges, engine=engine,
        multi_edges="sum" if how == "sum" else "last",
    )  # fmt: skip

    def insert(size, start):
        src, dst = rng.integers(0, 30, (2, size))
        graph.insert_edges(src, dst, amount=rng.random(size), kind=np.ones(size, int), time=np.arange(size) + start)
        return src, dst

    src, dst = insert(150, 0)
    graph.expire(10)
    insert(30, 20)

    def contents():
        held = []
        for worker in engine.hosts:
            for local in worker.objects[graph._key].locals():
                u, v, _ = local.to_coo()
                ids = local.edge_ids(u, v)
                columns = [host(column[ids]).tolist() for column in local.edge_data.values()]
                free = sorted(host(local.payload.table.free_ids[: local.payload.table.free_count]).tolist())
                held.append((host(u).tolist(), host(v).tolist(), host(ids).tolist(), columns, free))
        return held

    before = contents()
    inserting = "insert", "insert_and_find", "reserve_for"  # the last one on GPUs
    methods = ("erase", "erase_and_find") if how in ("delete", "expire") else inserting
    part = engine.hosts[-1].objects[graph._key]
    last = part.inward if in_edges else part.local
    monkeypatch.setattr("frontier.distributed.exchange.memory_budget.spare_arcs", lambda _: 0)
    with monkeypatch.context() as patch, pytest.raises(MemoryError, match="for the test"):
        for method in methods:
            original = getattr(SlabGraph.store_type, method)

            def fail(self, arcs, original=original):
                if self is last.store:
                    raise MemoryError("no memory left, for the test")
                return original(self, arcs)

            patch.setattr(SlabGraph.store_type, method, fail)
        patch.setattr(SlabGraph.store_type, "erase_small", lambda *_: None)
        if how == "delete":
            graph.delete_edges(src, dst)
        elif how == "expire":
            graph.expire(60)
        else:
            insert(100, 50)
    assert contents() == before
    expected = (graph.edge_values("time", *graph.to_coo()[:2]) < 60).sum()
    assert graph.expire(60).deleted == expected > 0


def exchanges(part, columns):
    """Exchanges and synchronizations of an insertion, the second of its kind."""
    src, dst, comm = part.xp.arange(20), part.xp.arange(20)[::-1], part.comm
    part.insert_edges(src, dst, **columns)
    before = comm.exchanges, comm.waits
    part.insert_edges(src, dst, **columns)
    return comm.exchanges - before[0], comm.waits - before[1]


def test_columns_take_no_exchange_of_their_own(engine):
    plain, data = (
        DistributedGraph(SlabGraph, 20, engine=engine),
        pair_of(engine, 20, edge_data=COLUMNS, time_unit="s")[0],
    )
    columns = {name: np.arange(20) for name in (*COLUMNS, "time")}
    assert data.run(exchanges, columns) == plain.run(exchanges, {}) == (3, 2)


# ---- files, windows and pipelines -----------------------------------------------------------------------------------


@pytest.mark.parametrize("readers", [1, 2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"time_unit": "ms", "keep_time": "first", "multi_edges": "sum", "weight_dtype": "int64"}]
)
def test_files_keep_data(engine, readers, options, tmp_path):
    graph, one = pair_of(engine, 30, directed=True, in_edges=True, edge_data=COLUMNS, **options)
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 30, (2, 90))
    data = {"amount": rng.random(90), "kind": rng.integers(0, 9, 90)} | ({"time": np.arange(90)} if options else {})
    for each in (graph, one):
        each.insert_edges(src, dst, **data)
    graph.save(tmp_path)
    with ThreadEngine(readers, engine.hosts[0].comm.device) as others:
        found = DistributedGraph.load(tmp_path, engine=others)
        assert list(found.edge_data) == list(one.edge_data) and found.time_unit == one.time_unit
        assert (found.keep_time, found.multi_edges, found.weight_dtype) == (
            one.keep_time,
            one.multi_edges,
            one.weight_dtype,
        )
        u, v, _ = one.to_coo()
        for name in one.edge_data:
            assert found.edge_values(name, u, v).tolist() == host(one.edge_data[name][one.edge_ids(u, v)]).tolist()
        assert found.in_degrees().tolist() == host(one.in_degrees()).tolist()
        some = {name: values[:9] for name, values in data.items()}
        assert found.insert_edges(src[:9], dst[:9], **some) == one.insert_edges(src[:9], dst[:9], **some)
        if options:
            assert found.expire(40) == one.expire(40)


@pytest.mark.parametrize("window", [{"span": "20s", "lateness": "5s"}, {"count": 40}, {"batches": 2}])
def test_windows(engine, window):
    graphs = pair_of(engine, 40, edge_data={"amount": "float32"}, time_unit="s")
    triangles, near = DynamicTriangleCount(graphs[0]), DynamicTemporalTriangleCount(graphs[0], 4)
    windows = [fr.SlidingWindow(graph, **window) for graph in graphs]
    rng = np.random.default_rng(6)
    for step in range(5):
        src, dst = rng.integers(0, 40, (2, 90))
        given = {"amount": rng.random(90)} | ({"time": rng.integers(0, 15, 90) + 10 * step} if "span" in window else {})
        done = [each.push(src, dst, **given) for each in windows]
        assert done[0] == done[1] and windows[0].clock == windows[1].clock
        assert host(done[0].late_records).tolist() == host(done[1].late_records).tolist()
        assert triangles.total == triangle_count(graphs[1]).total
        expected = temporal_triangle_count(graphs[1], 4)
        assert near.total == expected.total
        assert host(near.per_vertex).tolist() == host(expected.per_vertex).tolist()
    assert fr.SlidingWindow.from_state(graphs[0], windows[0].state()).clock == windows[1].clock
    if "span" in window:
        assert windows[0].advance(60) == windows[1].advance(60)


def test_a_window_starts_with_the_times_of_edges_that_exist(engine):
    graph = DistributedGraph(SlabGraph, 40, time_unit="s", engine=engine)
    graph.insert_edges([0, 1, 2], [1, 2, 39], time=[3, 20, 5])
    assert fr.SlidingWindow(graph, span=10).clock == 20
    graph.insert_edges([3], [4], time=[9000])
    graph.delete_edges([3], [4])
    assert fr.SlidingWindow(graph, span=10).clock == 20
    graph.expire(100)
    assert fr.SlidingWindow(graph, span=10).clock is None


def test_pipelines(engine, tmp_path):
    rng = np.random.default_rng(8)
    records = {"src": rng.integers(0, 40, 900), "dst": rng.integers(0, 40, 900), "time": np.arange(900)}
    records["paid"] = rng.random(900)
    found = []
    for graph in pair_of(engine, 40, edge_data={"amount": "float32"}, time_unit="s"):
        analytics = {"triangles": (DynamicTriangleCount, "total"), "edges": lambda graph: graph.num_edges}
        with Pipeline(
            records, graph, analytics, window="300s", columns={"amount": "paid"}, batch_size=200
        ) as pipeline:  # fmt: skip
            found.append([(batch.inserted, batch.replaced, batch.deleted, batch.results) for batch in pipeline])
        assert pipeline.totals.records == 900
    assert found[0] == found[1] and len(found[0]) == 5


@pytest.mark.parametrize("readers", [1, 2, 3])
def test_checkpoints(engine, readers, tmp_path):
    """A pipeline continues, with a window, on any number of partitions, after one whose last batches were lost."""
    rng = np.random.default_rng(8)
    records = {"src": rng.integers(0, 40, 900), "dst": rng.integers(0, 40, 900), "time": np.arange(900)}
    records["paid"] = rng.random(900)
    options = {"columns": {"amount": "paid"}, "batch_size": 100, "every": 2}
    graph, one = pair_of(engine, 40, edge_data={"amount": "float32"}, time_unit="s")
    Pipeline(records, one, window="300s", columns={"amount": "paid"}, batch_size=100).run()
    with (
        pytest.raises(RuntimeError, match="stop"),
        Pipeline(records, graph, window="300s", checkpoint=tmp_path, **options) as pipeline,
    ):
        for batch in pipeline:
            if batch.number == 6:
                raise RuntimeError("stop")
    assert len(list(tmp_path.glob("graph-*"))) == 1
    with pytest.raises(TypeError, match="device is for graphs on one device"):
        Pipeline.resume(tmp_path, records, device="cpu", **options)
    with ThreadEngine(readers, engine.hosts[0].comm.device) as others:
        resumed = Pipeline.resume(
            tmp_path, records, {"triangles": (DynamicTriangleCount, "total")}, engine=others, **options
        )
        assert resumed.totals.batches == 6 and resumed.graph.num_parts == readers
        *_, last = list(resumed)
        assert resumed.totals.records == 900
        assert last.results["triangles"] == triangle_count(one).total
        for ours, theirs in zip(resumed.graph.to_coo(), one.to_coo(), strict=True):
            assert (ours is None) == (theirs is None)
            assert ours is None or host(ours).tolist() == host(theirs).tolist()
        assert resumed.window.clock == 899
        again = Pipeline.resume(tmp_path, records, engine=others, **options)  # nothing is left
        assert again.run().records == 900


def test_an_engine_is_for_graphs_in_parts(engine, tmp_path):
    Pipeline([([0], [1])], SlabGraph(4, device="cpu"), checkpoint=tmp_path).run()
    with pytest.raises(TypeError, match="engine is for distributed graphs"):
        Pipeline.resume(tmp_path, [([0], [1])], engine=engine)


# ---- functors and algorithms ----------------------------------------------------------------------------------------


def large_ones(src, dst, edge, weight, amount, least):
    return amount[edge] >= least


def amount_of(src, dst, edge, weight, amount):
    return amount[edge]


def halve(src, dst, edge, weight, amount):
    amount[edge] /= 2
    return False


def programs(graph):
    """Reads of columns by functors, also along in-edges, with arrays by edge as long as there are vertices."""
    amount = graph.edge_data["amount"]
    reached = list(fr.advance(graph, fr.Frontier(graph, [0, 3]), large_ones, amount, 0.5))
    sums = fr.neighbor_reduce(graph, None, amount_of, amount, dtype=np.float64)
    back = fr.neighbor_reduce(graph.reverse, None, amount_of, amount, dtype=np.float64)
    both = list(fr.advance(graph, fr.Frontier(graph, [5]), large_ones, amount, 0.5, edges="both"))
    return reached, host(sums).round(5).tolist(), host(back).round(5).tolist(), both


def halved(graph):
    fr.advance(graph, fr.Frontier.all(graph), halve, graph.edge_data["amount"], output="vertices")


@pytest.mark.parametrize("directed", [False, True])
def test_functors_read_and_write_columns(engine, directed):
    src, dst, n = GRAPHS["rmat"]
    graph, one = pair_of(engine, n, directed=directed, in_edges=directed, edge_data={"amount": "float64"})
    amount = np.random.default_rng(2).random(src.size)
    for each in (graph, one):
        each.insert_edges(src, dst, amount=amount)
        each.delete_edges(src[::3], dst[::3])
    assert graph.run(programs) == programs(one)
    u, v, _ = graph.to_coo()
    before = graph.edge_values("amount", u, v)
    if directed:  # the copies on other partitions would be outdated
        with pytest.raises(ValueError, match=r"halve\(\) writes to amount, a column of a graph with in_edges=True"):
            graph.run(halved)
    else:  # each direction has an entry
        graph.run(halved)
        assert graph.edge_values("amount", u, v).tolist() == (before / 2).tolist()
        assert graph.edge_values("amount", v, u).tolist() == (before / 2).tolist()


def add_square(src, dst, edge, weight, drawn):
    fr.atomic_add(drawn, src, dst * dst + 1)
    return False


def samples_by_kind(graph):
    drawn = graph.vertex_array(np.int64, combine="add")
    options = dict(count={0: 2, 1: 0, 3: -1}, edge_type="kind", method="uniform", seed=5)
    fr.sample_neighbors(graph, fr.Frontier.all(graph), add_square, drawn, **options)
    if graph.directed:
        fr.sample_neighbors(graph.reverse, fr.Frontier.all(graph), add_square, drawn, **options)
    graph.sync(drawn)
    return host(drawn).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("directed", [False, True])
def test_samples_by_type(engine, directed):
    src, dst, n = GRAPHS["rmat"]
    graph, one = pair_of(engine, n, directed=directed, in_edges=directed, edge_data=COLUMNS)
    for each in (graph, one):
        each.insert_edges(src, dst, kind=(src + 3 * dst) % 5, amount=src)
        each.delete_edges(src[::3], dst[::3])
    assert graph.run(samples_by_kind) == samples_by_kind(one)


def test_columns_as_long_as_there_are_vertices_are_no_vertex_arrays(engine):
    with ThreadEngine(2, engine.hosts[0].comm.device) as two:
        graph = DistributedGraph(SlabGraph, 64, edge_data={"amount": "float64"}, engine=two)
        src, dst = np.arange(40), np.arange(1, 41)
        graph.insert_edges(src, dst, amount=src)

        def work(part):
            columns = part.local.payload.table.columns
            columns["amount"] = part.xp.concatenate([columns["amount"], part.xp.zeros(64)])[:64]
            fr.advance(part, fr.Frontier.all(part), halve, columns["amount"])
            by_edge = part.xp.ones(64)
            fr.advance(part, fr.Frontier.all(part), halve, by_edge)
            fr.advance(part, fr.Frontier.all(part), halve, by_edge)
            held = part.local.edge_ids(*part.local.to_coo()[:2])
            assert (by_edge[held] == 0.25).all()

        graph.run(work)
        assert graph.edge_values("amount", src, dst).tolist() == (src / 2).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("directed, in_edges", [(False, False), (True, False), (True, True)])
def test_temporal_algorithms(engine, directed, in_edges):
    src, dst, n = GRAPHS["rmat"]
    graphs = pair_of(engine, n, directed=directed, in_edges=in_edges, time_unit="s", edge_data={"amount": "float32"})
    times = np.random.default_rng(9).integers(0, 60, src.size)
    for graph in graphs:
        graph.insert_edges(src, dst, time=times, amount=times)
        graph.delete_edges(src[::5], dst[::5])
    ranks = [host(temporal_pagerank(graph, half_life="10s", tol=1e-9, max_iter=500).pagerank) for graph in graphs]
    assert np.allclose(*ranks, rtol=0, atol=1e-12)
    for strict in (False, True):
        found, expected = (earliest_arrival(graph, 3, start=5, end=50, strict=strict) for graph in graphs)
        arrival, before = host(expected.arrival), host(found.predecessor)
        assert host(found.arrival).tolist() == arrival.tolist()
        assert ((before >= 0) == (host(expected.predecessor) >= 0)).all()
        reached = np.flatnonzero(before >= 0)
        assert (graphs[0].edge_values("time", before[reached], reached) == arrival[reached]).all()
    if directed:
        return
    for delta in (0, 7, "1min"):
        found, expected = (temporal_triangle_count(graph, delta) for graph in graphs)
        assert found.total == expected.total
        assert host(found.per_vertex).tolist() == host(expected.per_vertex).tolist()
    for graph in graphs:
        graph.expire(20)
    assert temporal_triangle_count(graphs[0], 7).total == temporal_triangle_count(graphs[1], 7).total


@pytest.mark.parametrize("directed", [False, True])
def test_a_warning_of_replaced_times(engine, directed):
    graph, _ = pair_of(engine, 6, directed=directed, time_unit="s")
    graph.insert_edges([0, 1, 2, 4], [1, 2, 3, 4], time=[1, 2, 3, 4])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        temporal_pagerank(graph, half_life=1)
        assert not [each for each in caught if each.category is fr.ReplacedTimesWarning]
        graph.insert_edges([2], [3], time=[9])
        for _ in range(2):
            earliest_arrival(graph, 0)
    assert [each.category for each in caught].count(fr.ReplacedTimesWarning) == 1


# ---- arrays by edge along in-edges ----------------------------------------------------------------------------------


def _marked(src, dst, edge, weight, mark, seen):
    return mark[edge] == 1 and fr.atomic_max(seen, dst, 1) == 0


def _is_new(v, mark, seen):
    return seen[v] == 0


def _own_marks(graph):
    """For each edge a number that its ends decide, by global or local ids."""
    local = graph.local if graph.in_parts else graph
    src, dst, _ = local.to_coo()
    mark = local.xp.zeros(local.edge_capacity, np.int32)
    mark[local.find_edges(src, dst)] = (src * 8 + dst) % 3
    return mark


def _traversed(graph):
    seen = graph.vertex_array(np.int32, combine="max")
    fr.traverse(graph, fr.Frontier(graph, [0, 1, 2, 3, 4, 5]), _marked, _own_marks(graph), seen, condition=_is_new)
    graph.sync(seen)
    return host(seen).tolist()


def _pulled(graph):
    seen = graph.vertex_array(np.int32, combine="max")
    fr.advance(graph, fr.Frontier.all(graph), _marked, _own_marks(graph), seen, direction="pull")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [{"kind": "int32"}, None])
def test_arrays_by_edge_have_the_ids_of_one_direction(columns):
    """In-edges of a partition have other ids: a traversal does not pull along them, and an advance with that direction
    raises."""
    src, dst = np.random.default_rng(0).integers(0, 8, (2, 40))
    data = {} if columns is None else {"kind": np.arange(40)}
    with ThreadEngine(2, "cpu") as threads:
        parts = DistributedGraph(SlabGraph, 8, directed=True, in_edges=True, edge_data=columns, engine=threads)
        one = SlabGraph(8, directed=True, in_edges=True, edge_data=columns, device="cpu")
        for graph in (parts, one):
            graph.insert_edges(src, dst, **data)
        assert parts.run(_traversed) == _traversed(one)
        with pytest.raises(ValueError, match="uses mark by edge: along in-edges"):
            parts.run(_pulled)
        if columns is not None:
            with pytest.raises(NotImplementedError, match="a Pipeline is made of the DistributedGraph"):
                parts.run(lambda part: Pipeline([], part))
