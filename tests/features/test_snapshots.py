"""Snapshots: graphs that stay unchanged while their original is updated."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from allocations import failing_after
from concurrency import in_threads
from model import Model, Pair, assert_same, edges_of, make

import frontier as fr
from algorithms import DynamicTriangleCount, connected_components, triangle_count
from frontier.core.component import component_of
from frontier.features.snapshots import History, log
from structures import GraphVine, SlabGraph

VERTICES = 24


@pytest.fixture(params=["repeated", "copied"])
def costs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether updates are repeated on copies at any size, or the graph is copied each time."""
    cost = 0 if request.param == "repeated" else 1 << 40
    monkeypatch.setattr(log, "ARCS_A_RECORD", cost)
    monkeypatch.setattr(log, "ARCS_AN_UPDATE", cost)
    return request.param


def _update(pair: Pair, rng: np.random.Generator) -> None:
    """One of all updates, on a graph and its model."""
    present = np.array(pair.model.present)
    kind = rng.choice(["insert", "keep", "add", "delete", "delete_all", "grow", "drop", "compact", "apply", "nothing"])
    size = int(rng.integers(1, 12))
    src, dst = rng.choice(present, (2, size)) if present.size else np.empty((2, 0), np.int64)
    weights = None if pair.graph.weight_dtype is None else rng.integers(1, 9, src.size).astype(pair.graph.weight_dtype)
    if kind == "delete":
        pair.delete(src, dst)
    elif kind == "delete_all":
        src, dst = np.array([edge[:2] for edge in pair.model.edges()], np.int64).reshape(-1, 2).T.copy()
        pair.delete(src, dst)
    elif kind == "grow":
        pair.insert_vertices(2 if rng.random() < 0.5 else [len(pair.graph) + 1])
    elif kind == "drop":
        pair.delete_vertices(present[4:6])
    elif kind == "compact":
        pair.graph.compact()
    elif kind == "apply":
        pair.graph.apply([fr.Operation.INSERT] * src.size, src, dst, weights)
        pair.model.insert_edges(src, dst, weights)
    elif kind == "nothing":
        pair.insert(src[:0], dst[:0])
    else:
        plain = kind == "insert" or (kind == "add" and weights is None)
        pair.insert(src, dst, weights, on_existing="replace" if plain else kind)
    src.fill(0)  # the arguments may be reused


@pytest.mark.sampled(by="file")
@pytest.mark.parametrize("kind", ["plain", "directed, weighted"])
def test_snapshots_show_the_graph_as_it_was(structure: Any, device: str, kind: str, costs: str, tries: Any) -> None:
    options: dict[str, Any] = {} if kind == "plain" else {"directed": True, "in_edges": True, "weight_dtype": "float32"}
    for seed in range(tries(6, 100)):
        rng = np.random.default_rng(seed)
        pair = make(structure, device, num_vertices=VERTICES, **options)
        held: list[tuple[Any, Model]] = []
        for _ in range(40):
            if rng.random() < 0.5:
                held.append((pair.graph.snapshot(), copy.deepcopy(pair.model)))
            if held and rng.random() < 0.4:  # read one, some of them later than the rest
                shown, model = held[int(rng.integers(len(held)))]
                assert edges_of(shown) == model.edges()
            if held and rng.random() < 0.3:
                held.pop(int(rng.integers(len(held))))
            _update(pair, rng)
        pair.check()
        for shown, model in held:
            assert_same(shown, model)
            if shown.directed:
                assert shown.in_degrees().tolist() == np.bincount(
                    [v for _, v, _ in model.arcs()], minlength=model.num_vertices
                ).tolist()  # fmt: skip
        del held[:], shown
        pair.delete([0], [0])
        pair.graph.insert_vertices(1)
        assert len(component_of(pair.graph, History)._copies) <= 1  # a spare one


def test_it_takes_no_copy_until_it_is_read() -> None:
    graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 0], device="cpu")
    shown = graph.snapshot()
    assert shown.num_edges == 3 and len(shown) == 3 and not shown.directed and shown.version == graph.version
    assert "3 vertices, 3 edges" in repr(shown) and "store" not in shown.__dict__
    assert graph.snapshot() is shown
    assert not hasattr(shown, "__no_such_name__") and "store" not in shown.__dict__
    before = graph.memory_usage().reserved
    assert triangle_count(shown).total == 1
    assert graph.memory_usage().reserved > before
    with pytest.raises(AttributeError, match="no_such_name"):
        shown.no_such_name  # noqa: B018
    graph.insert_vertices(1)
    assert graph.snapshot() is not shown and graph.snapshot().num_vertices == 4


def test_a_copy_serves_snapshots_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "ARCS_A_RECORD", 0)
    monkeypatch.setattr(log, "ARCS_AN_UPDATE", 0)
    graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 0], num_vertices=40, device="cpu")
    copied = []
    original = SlabGraph.copy
    monkeypatch.setattr(SlabGraph, "copy", lambda graph: copied.append(graph) or original(graph))
    for v in range(3, 39):
        shown = graph.snapshot()
        graph.insert_edges([v], [v + 1])
        assert shown.num_edges == v and shown.degrees().sum() == 2 * v
        del shown
    assert copied == [graph]
    assert len(component_of(graph, History)._copies) == 1


def test_a_spare_copy_is_dropped_once_it_is_too_old() -> None:
    graph = SlabGraph.from_edges(np.arange(50), np.arange(1, 51), num_vertices=100, device="cpu")
    graph.snapshot().degrees()
    assert component_of(graph, History).memory_usage(graph).reserved > 0
    graph.insert_edges([60], [61])  # repeating it costs more than copying such a graph
    assert not component_of(graph, History)._copies and component_of(graph, History).memory_usage(graph).reserved == 0


def test_the_memory_of_a_snapshot_is_freed_with_it_or_with_the_graph() -> None:
    graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 0], device="cpu")
    read, unread = graph.snapshot(), None
    read.degrees()
    arrays = weakref.ref(read._shown)
    graph.delete_edges([0], [1])
    unread = graph.snapshot()
    origin = weakref.ref(graph)
    del graph
    assert unread.num_edges == 2 and unread.degrees().tolist() == [1, 1, 2]  # the graph itself serves as the copy
    gc.collect()
    assert origin() is None and read.degrees().tolist() == [2, 2, 2]
    del read
    gc.collect()
    assert arrays() is None


@pytest.mark.parametrize("read", [False, True])
def test_its_updates_raise_and_its_copies_are_graphs(structure: Any, read: bool) -> None:
    graph = structure.from_edges([0, 1, 2], [1, 2, 0], num_vertices=5, directed=True, in_edges=True, device="cpu")
    shown = graph.snapshot()
    if read:
        shown.degrees()
    for name, arguments in {
        "insert_edges": ([0], [1]), "delete_edges": ([0], [1]), "insert_vertices": (1,), "delete_vertices": ([1],),
        "apply": ([0], [0], [1]), "expire": (1,), "delete_records": ([0],), "compact": (),
    }.items():  # fmt: skip
        with pytest.raises(TypeError, match=r"snapshot is read-only: .* or a copy\(\) of the snapshot"):
            getattr(shown, name)(*arguments)
    with pytest.raises(TypeError, match="a snapshot does not change: attach the observer to the graph"):
        shown.attach(fr.UpdateObserver())
    with pytest.raises(TypeError, match="graph must be a graph that can be updated"):
        DynamicTriangleCount(shown)
    assert shown.snapshot() is shown and shown.reverse.snapshot() is shown.reverse
    graph.insert_edges([3], [4])
    for twin in (shown.copy(), copy.copy(shown), copy.deepcopy(shown), pickle.loads(pickle.dumps(shown))):
        assert type(twin) is structure and twin.has_in_edges and edges_of(twin) == edges_of(shown)
        twin.insert_edges([0], [4])
        assert twin.num_edges == 4 and shown.num_edges == 3
    assert graph.reverse.snapshot().in_degrees().tolist() == [1, 1, 1, 1, 0]
    assert isinstance(shown, structure) and type(shown).from_edges([0], [1], device="cpu").num_edges == 1


def test_it_is_saved_like_any_graph(tmp_path: Any) -> None:
    graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 0], [1.5, 2.5, 3.5], device="cpu")
    shown = graph.snapshot()
    graph.delete_edges([0, 1], [1, 2])
    shown.save(tmp_path / "graph")
    assert edges_of(SlabGraph.load(tmp_path / "graph", device="cpu")) == [(0, 1, 1.5), (0, 2, 3.5), (1, 2, 2.5)]


@pytest.mark.sampled(by="file")
def test_graphs_with_times_and_data(structure: Any, device: str) -> None:
    graph = structure(6, time_unit="s", edge_data={"amount": "float32"}, device=device)
    graph.insert_edges([0, 1, 2], [1, 2, 3], time=[10, 20, 30], amount=[1, 2, 3])
    first = graph.snapshot()
    assert graph.expire(before=15).deleted == 1
    second = graph.snapshot()
    assert second.edge_data["amount"] is not graph.edge_data["amount"]
    graph.insert_edges([1, 4], [2, 5], time=[40, 50], amount=[8, 9])
    third = graph.snapshot()
    amounts = []
    for shown in (first, second, third, graph):
        ids = shown.edge_ids([1, 2], [2, 3])
        assert ids.tolist() == graph.edge_ids([1, 2], [2, 3]).tolist()
        amounts.append(shown.edge_data["amount"][ids].tolist())
    assert amounts == [[2, 3], [2, 3], [8, 3], [8, 3]]
    assert (first.num_edges, second.num_edges, third.num_edges) == (3, 2, 3)
    assert edges_of(first)[0][:2] == (0, 1) and first.time_unit == "s"


def test_graphs_that_keep_records() -> None:
    graph = SlabGraph(4, multi_edges="all", weight_dtype="int32", device="cpu")
    graph.insert_edges([0, 0, 1], [1, 1, 2], [1, 2, 4])
    first = graph.snapshot()
    graph.delete_records(graph.records([0], [1])[1][:1])
    second = graph.snapshot()
    graph.delete_edges([0], [1])
    assert (first.num_records, second.num_records, graph.num_records) == (3, 2, 1)
    assert edges_of(first) == [(0, 1, 3), (1, 2, 4)] and edges_of(second) == [(0, 1, 2), (1, 2, 4)]


def test_an_update_that_fails_leaves_snapshots(structure: Any) -> None:
    graph = structure.from_edges([0, 1], [1, 2], device="cpu")
    shown = graph.snapshot()
    with pytest.raises(ValueError, match="src"):
        graph.insert_edges([7], [1])
    assert graph.snapshot() is shown and shown.degrees().tolist() == [1, 2, 1]


def test_observers_that_fail_do_not_matter() -> None:
    class Failing(fr.UpdateObserver):
        def edges_inserted(self, src: Any, dst: Any) -> None:
            raise ValueError("it fails")

    graph = SlabGraph.from_edges([0, 1], [1, 2], num_vertices=5, device="cpu")
    first = graph.snapshot()
    first.degrees()
    graph.attach(observer := Failing())
    with pytest.raises(fr.ObserverError):
        graph.insert_edges([3], [4])
    second = graph.snapshot()
    graph.insert_edges([0], [4])
    assert (first.degrees().sum(), second.degrees().sum(), graph.degrees().sum()) == (4, 6, 8) and observer


def test_memory_that_runs_out_costs_the_snapshot_and_not_the_update(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = SlabGraph.from_edges([0, 1], [1, 2], num_vertices=5, device="cpu")
    lost = graph.snapshot()

    def fail(graph: Any) -> Any:
        raise MemoryError("none is left")

    with monkeypatch.context() as patch:
        patch.setattr(SlabGraph, "copy", fail)
        with pytest.raises(MemoryError, match="none is left"):
            lost.degrees()
        assert graph.insert_edges([3], [4]).inserted == 1
    with pytest.raises(MemoryError, match="before the graph was updated"):
        lost.degrees()
    assert graph.snapshot().degrees().tolist() == [1, 2, 1, 1, 1]


def test_memory_that_runs_out_while_updates_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The snapshot can be read again, for any failing allocation."""
    monkeypatch.setattr(log, "ARCS_A_RECORD", 0)
    monkeypatch.setattr(log, "ARCS_AN_UPDATE", 0)
    rng = np.random.default_rng(3)
    graph = SlabGraph.from_edges(*rng.integers(0, 60, (2, 90)), num_vertices=60, device="cpu")
    graph.snapshot().degrees()
    failed = 0
    for allowed in range(200):
        graph.insert_edges(*rng.integers(0, 60, (2, 20)))
        graph.delete_edges(*rng.integers(0, 60, (2, 20)))
        shown, expected = graph.snapshot(), edges_of(graph)
        graph.insert_edges(*rng.integers(0, 60, (2, 20)))
        try:
            with failing_after(graph, allowed):
                shown.degrees()
        except MemoryError:
            failed += 1
        else:
            if allowed > failed + 3:
                break
        assert edges_of(shown) == expected
    assert failed > 3 and len(component_of(graph, History)._copies) == 1


def test_threads_read_while_another_updates(costs: str) -> None:
    """Each reader makes snapshots and sees in each the state of the graph at that time."""
    rng = np.random.default_rng(5)
    graph = SlabGraph(200, device="cpu")
    states: dict[int, tuple[int, int]] = {}
    done = threading.Event()
    failures: list[BaseException] = []
    read = [0, 0]

    def write() -> None:
        for step in range(300):
            batch = rng.integers(0, 200, (2, 30))
            (graph.delete_edges if step % 3 == 2 else graph.insert_edges)(*batch)
        done.set()

    def look(i: int) -> None:
        try:
            while not done.is_set() or read[i] == 0:
                shown = graph.snapshot()
                version, edges = shown.version, shown.num_edges
                if read[i] % 3:
                    threading.Event().wait(0.001)  # updates come before it is read
                count = int(connected_components(shown).count)
                assert shown.num_edges == edges == int(shown.degrees().sum()) // 2
                assert states.setdefault(version, (edges, count)) == (edges, count)
                read[i] += 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=look, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    write()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert min(read) > 0 and graph.snapshot().num_edges == graph.num_edges


def test_threads_that_read_one_snapshot_first() -> None:
    graph = SlabGraph.from_edges(*np.random.default_rng(1).integers(0, 500, (2, 4000)), device="cpu")
    for step in range(20):
        shown, expected = graph.snapshot(), graph.degrees()
        graph.insert_edges([step], [499 - step])
        graph.delete_edges([step], [step + 1])
        found = in_threads(4, lambda _, shown=shown: shown.degrees())
        assert all(np.array_equal(each, expected) for each in found)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_child_process_reads_snapshots() -> None:
    graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 0], device="cpu")
    shown = graph.snapshot()
    graph.delete_edges([0], [1])
    pid = os.fork()
    if pid == 0:
        good = shown.num_arcs == 6 and shown.degrees().tolist() == [2, 2, 2] and graph.snapshot().num_edges == 2
        os._exit(0 if good else 1)
    assert os.waitpid(pid, 0)[1] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_child_process_makes_no_use_of_a_copy_that_another_thread_was_changing() -> None:
    """That thread is not in the child, so no thread brings the copy to a state of the graph."""
    graph = SlabGraph.from_edges([0, 1, 2], [1, 2, 0], device="cpu")
    first = graph.snapshot()
    graph.delete_edges([0], [1])
    assert first.num_edges == 3 and first.degrees().tolist() == [2, 2, 2]
    history = component_of(graph, History)
    (copy,) = history._copies
    copy.in_use, copy.moving = False, True  # as another thread has it while it repeats updates on it
    copy.graph.delete_edges([1], [2])
    second = graph.snapshot()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)  # ends a child that waits for that thread
        good = second.degrees().tolist() == [1, 1, 2] and copy not in history._copies
        os._exit(0 if good else 1)
    assert os.waitpid(pid, 0)[1] == 0


def test_an_observer_cannot_take_one(structure: Any) -> None:
    """It would show a partial update."""

    class Taking(fr.UpdateObserver):
        def __init__(self, graph: Any) -> None:
            self.graph = graph
            graph.attach(self)

        def edges_inserted(self, src: Any, dst: Any) -> None:
            self.graph.snapshot()

    graph = structure.from_edges([0, 1], [1, 2], device="cpu")
    before, observer = graph.snapshot(), Taking(graph)
    with pytest.raises(fr.ObserverError, match="an observer must not take a snapshot"):
        graph.insert_edges([0], [2])
    assert before.num_edges == 2 and before.degrees().sum() == 4 and graph.snapshot().num_edges == 3 and observer


def test_values_that_are_written_show_in_later_snapshots() -> None:
    graph = SlabGraph(3, edge_data={"amount": "float32"}, device="cpu")
    graph.insert_edges([0, 1], [1, 2], amount=[1, 2])
    first = graph.snapshot()
    assert first.edge_values("amount", [0], [1]) == 1
    graph.edge_data["amount"][:] = 7
    assert graph.snapshot().edge_values("amount", [0], [1]) == 7 and first.edge_values("amount", [0], [1]) == 1


def test_columns_of_snapshots_cannot_be_written_to() -> None:
    graph = SlabGraph(3, edge_data={"amount": "float32"}, multi_edges="all", device="cpu")
    graph.insert_edges([0, 1], [1, 2], amount=[1, 2])
    shown = graph.snapshot()
    for columns in (shown.edge_data, shown.record_data):
        with pytest.raises(ValueError, match="read-only"):
            columns["amount"][0] = 7
    assert fr.neighbor_reduce(shown, None, amount_of, shown.edge_data["amount"]).tolist() == [1, 3, 2]
    assert shown.copy().edge_data["amount"].flags.writeable and SlabGraph(3, device="cpu").snapshot().edge_data is None


def amount_of(src: int, dst: int, edge: int, weight: float, amount: Any) -> Any:
    return amount[edge]


def test_batches_are_not_kept_for_a_snapshot_that_nobody_reads() -> None:
    rng = np.random.default_rng(2)
    graph = SlabGraph(100, device="cpu")
    held = graph.snapshot()
    for _ in range(50):
        graph.insert_edges(*rng.integers(0, 100, (2, 1000)))
    assert len(component_of(graph, History)._log._steps) < 3 and component_of(graph, History)._log.nbytes() < 50_000
    assert held.num_edges == 0 and held.degrees().sum() == 0


def test_a_copy_that_is_brought_to_a_state_keeps_what_others_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a thread reads one snapshot, an update leaves the way to a later one."""
    monkeypatch.setattr(log, "ARCS_A_RECORD", 0)
    monkeypatch.setattr(log, "ARCS_AN_UPDATE", 0)
    graph = SlabGraph(50, device="cpu")
    graph.snapshot().degrees()
    graph.insert_edges([0], [1])
    first = graph.snapshot()
    graph.insert_edges([1], [2])
    second = graph.snapshot()
    original = log.LoggedUpdate.repeat

    def repeat(step: Any, copied: Any) -> None:  # another thread updates the graph now
        monkeypatch.setattr(log.LoggedUpdate, "repeat", original)
        thread = threading.Thread(target=graph.insert_edges, args=([2], [3]))
        thread.start()
        thread.join()
        original(step, copied)

    monkeypatch.setattr(log.LoggedUpdate, "repeat", repeat)
    assert [first.degrees().sum(), second.degrees().sum(), graph.num_edges] == [2, 4, 3]


def test_a_thread_that_blocks_updates_reads_a_snapshot_that_another_reads_first() -> None:
    graph = SlabGraph.from_edges([0, 1], [1, 2], device="cpu")
    for _ in range(50):
        shown = graph.snapshot()
        with graph.reading():
            update = threading.Thread(target=graph.insert_edges, args=([0], [1]))
            other = threading.Thread(target=lambda shown=shown: shown.degrees())
            update.start(), other.start()
            assert shown.degrees().tolist() == [1, 2, 1]
        other.join(60), update.join(60)
        assert not other.is_alive() and not update.is_alive()


def test_in_edges_of_a_copy_that_serves_two_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "ARCS_A_RECORD", 0)
    monkeypatch.setattr(log, "ARCS_AN_UPDATE", 0)
    graph = SlabGraph(6, directed=True, in_edges=True, device="cpu")  # its in-edges are made when they are needed
    first = graph.snapshot()
    assert first.reverse.degrees().sum() == 0
    graph.insert_edges([0, 1], [2, 2])
    del first
    gc.collect()
    second = graph.snapshot()
    assert second.reverse.degrees().tolist() == [0, 0, 2, 0, 0, 0]


def test_what_a_structure_adds_is_refused_too() -> None:
    graph = GraphVine.from_edges([0, 1], [1, 2], device="cpu")
    with pytest.raises(TypeError, match="a snapshot is read-only"):
        graph.snapshot().rebuild()
