"""`SlidingWindow`: the graph contains the edges whose last row is in the window, and late rows are counted."""

import datetime

import numpy as np
import pytest
from model import edge_set, to_host

import frontier as fr
from structures import CSR, SlabGraph


@pytest.mark.parametrize("order", ["in order", "out of order"])
def test_edges_of_the_last_times(structure, device, order, rng):
    """Against a list of all rows: an edge exists while any row of it that was in time is in the window."""
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no edge data")
    n, span, lateness = 15, 40, 25
    graph = structure(n, time_unit="ns", device=device)
    window = fr.SlidingWindow(graph, span, lateness=lateness)
    records, late_total = [], 0
    for step in range(30):
        size = int(rng.integers(0, 12))
        src, dst = rng.integers(0, n, (2, size))
        times = np.sort(rng.integers(10 * step, 10 * step + 10, size))
        if order == "out of order":
            times = times - rng.integers(0, 60, size)
        clock = max([time for *_, time in records], default=None)
        new_clock = max([clock, *times.tolist()] if clock is not None else times.tolist(), default=None)
        before = set() if clock is None else edge_set(graph)
        late = [
            i for i, time in enumerate(times.tolist())
            if (clock is not None and time < clock - lateness) or time <= new_clock - span
        ]  # fmt: skip
        result = window.push(src, dst, time=times)
        assert to_host(graph, result.late_records).tolist() == late and result.late == len(late)
        late_total += len(late)
        records += [(u, v, time) for i, (u, v, time) in enumerate(zip(*map(np.ndarray.tolist, (src, dst, times)),
                                                                      strict=True)) if i not in late]  # fmt: skip
        expected = {(min(u, v), max(u, v)) for u, v, time in records if u != v and time > new_clock - span}
        assert edge_set(graph) == expected
        assert window.clock == new_clock and window.late == late_total
        assert result.inserted - result.expired == len(expected) - len(before)
    assert (late_total > 0) == (order == "out of order")


@pytest.mark.parametrize("length", [{"count": 70}, {"count": 7}, {"batches": 3}])
@pytest.mark.parametrize("structure", [CSR, SlabGraph])
def test_the_last_records(structure, device, length, rng):
    """The same graphs as by the lists of `fr.io.sliding_window`."""
    records = fr.io.EdgeList(*rng.integers(0, 20, (2, 500)), num_vertices=20)
    stream = fr.io.stream_edges(records, 25)
    count = length.get("count", 25 * length.get("batches", 0))
    graph, expected = structure(20, time_unit="ns", device=device), structure(20, device=device)
    window = fr.SlidingWindow(graph, **length)
    for arriving, leaving in fr.io.sliding_window(stream, count, by="count", directed=False):
        result = window.push(arriving.src, arriving.dst)
        expected.insert_edges(arriving.src, arriving.dst)
        expected.delete_edges(leaving.src, leaving.dst)
        assert edge_set(graph) == edge_set(expected) and result.late == 0
        assert graph.num_edges == expected.num_edges


def test_the_log_of_numbered_rows_has_only_their_ids(device, rng):
    graph = SlabGraph(50, time_unit="ns", device=device)
    window = fr.SlidingWindow(graph, count=500)
    for _ in range(30):
        window.push(*graph.xp.asarray(rng.integers(0, 50, (2, 40)).astype(np.int32)))
        log = graph.payload.table.times.arrivals
        assert log.nbytes <= 4 * 1000  # chunks are removed whole, or from their start
    assert log.size == 500


def test_empty_pushes_count(device):
    window = fr.SlidingWindow(SlabGraph(5, time_unit="ns", device=device), batches=2)
    assert [window.push(*pair).expired for pair in ([[0], [1]], [[], []], [[], []])] == [0, 0, 1]
    assert window.clock == 2
    window = fr.SlidingWindow(SlabGraph(5, time_unit="ns", device=device), count=2)
    assert window.push([], []).expired == 0 and window.clock is None
    assert window.push([0], [1]).inserted == 1 and window.push([], []).expired == 0 and window.clock == 0


def test_weights_and_data_of_records_in_time(device):
    graph = SlabGraph(5, time_unit="s", weight_dtype="float32", edge_data={"kind": "int32"}, device=device)
    window = fr.SlidingWindow(graph, "1min", lateness="10s")
    window.push([0], [1], [1.0], time=[100], kind=[1])
    result = window.push([1, 2, 3], [2, 3, 4], [2.0, 3.0, 4.0], time=[89, 90, 120], kind=[2, 3, 4])
    assert (result.inserted, result.late, to_host(graph, result.late_records).tolist()) == (2, 1, [0])
    ids = graph.edge_ids([2, 3], [3, 4])
    assert to_host(graph, graph.edge_data["kind"][ids]).tolist() == [3, 4]
    assert to_host(graph, graph.edge_weights([2, 3], [3, 4])).tolist() == [3.0, 4.0]


def test_ids_of_records(device):
    graph = SlabGraph(5, time_unit="s", edge_data={"kind": "int32"}, multi_edges="all", device=device)
    window = fr.SlidingWindow(graph, "1min", lateness="10s")
    first = window.push([0, 0, 2], [1, 1, 2], time=[100, 101, 102], kind=[1, 2, 3])
    assert to_host(graph, first.record_ids).tolist() == [0, 1, -1]  # the last is a loop
    late = window.push([1, 2, 3], [2, 3, 4], time=[89, 95, 120], kind=[4, 5, 6])
    ids = to_host(graph, late.record_ids)
    assert ids[0] == -1 and to_host(graph, graph.record_data["kind"][ids[1:]]).tolist() == [5, 6]
    counted = fr.SlidingWindow(SlabGraph(5, time_unit="s", multi_edges="all", device=device), count=9)
    assert to_host(graph, counted.push([0, 0], [1, 1]).record_ids).tolist() == [0, 1]
    assert window.advance(0).record_ids is None
    assert fr.SlidingWindow(SlabGraph(2, time_unit="s", device=device), count=2).push([0], [1]).record_ids is None


def test_first_arrivals(device):
    graph = SlabGraph(5, time_unit="s", keep_time="first", device=device)
    window = fr.SlidingWindow(graph, span=10)
    window.push([0], [1], time=[0])
    window.push([0], [1], time=[5])
    assert window.push([1], [2], time=[10]).expired == 1


def test_timestamps_and_the_clock(device):
    graph = SlabGraph(5, time_unit="ms", device=device)
    window = fr.SlidingWindow(graph, datetime.timedelta(minutes=10))
    start = np.datetime64("2026-11-22T10:00:00")
    assert window.clock is None and window.push([], [], time=[]).inserted == 0
    window.push([0, 1], [1, 2], time=start + np.array([0, 60], "m8[s]"))
    assert window.clock == int(start.astype("M8[ms]").astype(np.int64)) + 60_000
    assert window.advance(start + np.timedelta64(10, "m")).expired == 1
    assert window.advance(start).expired == 0
    assert window.advance(datetime.datetime(2026, 11, 22, 10, 12)).expired == 1


def test_a_window_of_a_graph_with_edges(device):
    graph = SlabGraph(5, time_unit="s", device=device)
    graph.insert_edges([0, 1], [1, 2], time=[3, 20])
    window = fr.SlidingWindow(graph, span=10)
    assert window.clock == 20
    assert window.push([2], [3], time=[5]).late == 1
    assert graph.num_edges == 1


@pytest.mark.parametrize("multi_edges", ["last", "sum", "all"])
def test_the_clock_of_a_window_is_that_of_records_that_exist(structure, device, multi_edges):
    """Not the time of a row that was deleted, expired, replaced or refused."""
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no edge data")
    graph = structure(6, time_unit="s", multi_edges=multi_edges, device=device)
    assert fr.SlidingWindow(graph, span=10).clock is None  # makes the log
    graph.insert_edges([0, 1, 2], [1, 2, 3], time=[3, 20, 5])
    graph.insert_edges([3], [4], time=[9000])
    graph.delete_edges([3], [4])
    assert fr.SlidingWindow(graph, span=10).clock == 20
    assert graph.copy().expire(0).deleted == 0 and fr.SlidingWindow(graph.copy(), span=10).clock == 20
    graph.insert_edges([4], [5], time=[7000])
    graph.delete_vertices([5])
    with pytest.raises(ValueError, match="src"):
        graph.insert_edges([99], [5], time=[8000])
    window = fr.SlidingWindow(graph, span=10)
    assert window.clock == 20 and window.push([0], [1], time=[21]).late == 0
    graph.expire(1000)
    assert fr.SlidingWindow(graph, span=10).clock is None


def test_first_arrivals_are_the_clock(device):
    graph = SlabGraph(6, time_unit="s", keep_time="first", device=device)
    graph.insert_edges([0], [1], time=[3])
    graph.insert_edges([0], [1], time=[9000])
    assert fr.SlidingWindow(graph, span=10).clock == 3


def test_times_of_a_refused_push_are_forgotten(structure, device):
    """Their array is the caller's, who may overwrite it and insert the new contents."""
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no edge data")
    graph = structure(6, time_unit="s", device=device)
    window = fr.SlidingWindow(graph, span=100)
    times = graph.xp.asarray(np.array([50, 60]))
    with pytest.raises(TypeError, match="amount"):
        window.push([0, 1], [1, 2], time=times, amount=[1, 2])
    times[:] = graph.xp.asarray(np.array([5, 6]))
    graph.insert_edges([0, 1], [1, 2], time=times)
    assert graph.expire(10).deleted == 2


def test_ctrl_c_does_not_lose_a_batch(device):
    class Stops(fr.UpdateObserver):
        def edges_inserted(self, src, dst):
            raise KeyboardInterrupt

    graph = SlabGraph(5, time_unit="s", device=device)
    window = fr.SlidingWindow(graph, span=10)
    window.push([0], [1], time=[5])
    stops = Stops()
    graph.attach(stops)
    with pytest.raises(KeyboardInterrupt):
        window.push([1], [2], time=[15])
    assert window.clock == 15 and graph.num_edges == 2
    assert window.push([], [], time=[]).expired == 1


def test_edges_that_are_kept_are_not_replaced(structure, device):
    if not structure.can_store_weights:
        pytest.skip(f"{structure.name} stores no edge data")
    window = fr.SlidingWindow(structure(6, time_unit="s", device=device), span=10)
    window.push([0], [1], time=[5])
    pushed = window.push([0, 1], [1, 2], time=[6, 7], on_existing="keep")
    assert (pushed.inserted, pushed.replaced) == (1, 0)


def test_bad_input_moves_nothing(device):
    graph = SlabGraph(5, time_unit="s", device=device)
    window = fr.SlidingWindow(graph, span=10)
    window.push([0], [1], time=[5])
    for error, text, args, options in (
        (TypeError, "needs time=", ([1], [2]), {}),
        (ValueError, "dst", ([1], [9]), {"time": [50]}),
        (ValueError, "same length", ([1, 2], [2, 3]), {"time": [50]}),
        (ValueError, "same length", ([1, 2], [2, 3, 4]), {"time": [50, 0]}),
        (TypeError, "weight", ([1, 2], [2, 3]), {"time": [50, 0], "weight": [1, 2]}),
    ):
        with pytest.raises(error, match=text):
            window.push(*args, **options)
        assert window.clock == 5 and graph.num_edges == 1
    for error, options in ((TypeError, {}), (TypeError, {"span": 3, "count": 4}), (ValueError, {"count": 0}),
                           (ValueError, {"span": 0}), (TypeError, {"count": 3, "lateness": 1})):  # fmt: skip
        with pytest.raises(error):
            fr.SlidingWindow(graph, **options)
    with pytest.raises(ValueError, match="time_unit="):
        fr.SlidingWindow(SlabGraph(5, device=device), span=3)
    with pytest.raises(TypeError, match="another column"):
        fr.SlidingWindow(graph, count=3).push([0], [1], time=[3])
    with pytest.raises(TypeError, match="follows records only"):
        fr.SlidingWindow(graph, batches=3).advance(3)


def test_an_observer_that_fails_does_not_lose_a_batch(device):
    class Fails(fr.UpdateObserver):
        def edges_inserted(self, src, dst):
            raise RuntimeError("no")

    graph = SlabGraph(5, time_unit="s", device=device)
    window = fr.SlidingWindow(graph, span=10)
    window.push([0], [1], time=[5])
    fails = Fails()
    graph.attach(fails)
    with pytest.raises(fr.ObserverError):
        window.push([1], [2], time=[15])
    assert window.clock == 15 and graph.num_edges == 2
    assert window.push([], [], time=[]).expired == 1
