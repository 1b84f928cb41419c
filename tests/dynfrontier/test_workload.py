"""Runs of workloads: the measured values, their duration, and the detection of a structure that disagrees."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from workloads import EDGES, FIRST, NAMES, QUICK, TELLS_LITTLE, row_of, spoil

import dynfrontier
import frontier as fr
from dynfrontier import timing
from dynfrontier.timing import Stopwatch
from dynfrontier.workload import Disagreement, WorkloadReport, recommend, run_workload, runner
from frontier.core import updates
from frontier.runtime.compile.progress import compiling


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_every_structure_is_measured(tmp_path):
    def isolated(graph):
        return (graph.degrees() == 0).sum()

    report = dynfrontier.run_workload(
        EDGES, deletes=0.2, queries=0.1, analytics=["connected_components", "dynamic_triangle_count", isolated], **QUICK
    )
    assert list(report.structures) == NAMES and report.batch_sizes == (64,) and report.notes == TELLS_LITTLE
    for row in report.rows:
        assert row.batches == 4 and set(row.seconds) == {
            "insert", "delete", "query", "connected_components", "dynamic_triangle_count", "isolated"
        }  # fmt: skip
        assert row.operations == {"insert": 179, "delete": 51, "query": 26}
        assert row.total == pytest.approx(sum(sum(times) for times in row.seconds.values()))
        assert all(time >= 0 for times in row.seconds.values() for time in times)
        assert 0 < row.used <= row.reserved or row.structure == FIRST
        assert row.percentile(50) <= row.percentile(99) == row.per_batch.max()
        assert row.rate("insert") == pytest.approx(179 / sum(row.seconds["insert"]))
        assert "dynamic_triangle_count" in row.start_seconds and row.build_seconds > 0
    assert len({row.edges for row in report.rows}) == len({row.csr for row in report.rows}) == 1
    assert {"date", "commit", "machine", "versions"} <= set(report.header)
    report.write_json(tmp_path / "report.json")
    assert WorkloadReport.read_json(tmp_path / "report.json") == report
    text = str(report)
    assert "50% of them loaded first; then 70% insertions, 20% deletions (random), 10% queries" in text
    for part in ("insertions/s", "batch, P99", "isolated, P50", "in use an edge", "all batches", *NAMES):
        assert part in text
    frame = report.to_dataframe()
    assert frame["structure"].tolist() == NAMES and (frame["batch, P50"] > 0).all()


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_several_sizes_and_weights():
    rng = np.random.default_rng(1)
    edges = replace(EDGES, weights=rng.integers(1, 9, len(EDGES)).astype(np.float32))
    options = QUICK | dict(batch_size=[128, 32], structures=NAMES[:2])
    report = run_workload(edges, queries=0.5, analytics="sssp", **options)
    assert report.batch_sizes == (32, 128) and len(report.rows) == 4 and report.workload["weighted"]
    assert str(report).count("| batches of ") == 2
    assert not run_workload(edges, weighted=False, **options).workload["weighted"]


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_structures_without_weights_are_left_out(monkeypatch):
    kind = fr.structures()[NAMES[1]]
    monkeypatch.setattr(kind, "can_store_weights", False)
    edges = replace(EDGES, weights=np.ones(len(EDGES)))
    report = run_workload(edges, structures=NAMES[:2], **QUICK)
    assert report.structures == (FIRST,)
    assert report.notes == (f"{NAMES[1]} left out: it stores no weights", *TELLS_LITTLE)


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", ["bfs", "pagerank", "triangle_count"])
def test_analytics(name):
    """Maintained incrementally and recomputed, on two structures: the same. Other tests show that it is right, and
    cover all other analytics."""
    names = [name, f"dynamic_{name}"]
    report = run_workload(EDGES, deletes=0.3, analytics=names, **QUICK | dict(structures=["csr", "slab"], batches=3))
    for row in report.rows:
        assert all(len(row.seconds[part]) == 3 and min(row.seconds[part]) > 0 for part in names)
        assert set(row.start_seconds) == {f"dynamic_{name}"}


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_preload_nothing_or_all():
    options = QUICK | dict(structures=NAMES[:2])
    assert run_workload(EDGES, preload=0, **options).rows[0].batches == 4
    assert run_workload(EDGES, preload=1.0, queries=1.0, **options).rows[0].edges > 0
    short = run_workload(fr.io.grid(3, 3), preload=0.5, **options | dict(batch_size=[64, 128]))
    assert [(row.batch_size, row.batches) for row in short.rows] == [(6, 1), (6, 1)]
    assert {f"batches of {size}: they are of 6; the stream has no more" for size in (64, 128)} <= set(short.notes)
    assert "| batches of 6 |" in str(short) and "With batches of 6 on" in recommend(short).reason
    drained = run_workload(EDGES, deletes=0.9, **options | dict(preload=0.1, batches=3))
    assert "batches of 64: 2 of 3 delete fewer edges than they should; there were no more" in drained.notes
    with pytest.raises(ValueError, match=r"preload=1\.0 of 1,024 records leaves too little"):
        run_workload(EDGES, preload=1.0, **options)


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_time_limit():
    report = run_workload(EDGES, seconds=1e-6, **QUICK | dict(batch_size=8, batches=20))
    assert {row.batches for row in report.rows} == {runner.LEAST_BATCHES}
    assert f"{FIRST}, batches of 8: 3 of 20, then time was up" in report.notes


def test_compilation_is_not_in_the_figures(monkeypatch):
    calls = []

    def slow_once(graph):
        calls.append(graph.name)
        if len(calls) == 4 + 3:
            compiling("something that only this batch needs")
        return len(calls)

    with pytest.raises(Disagreement):  # which shows, by the way, that results are compared
        run_workload(EDGES, analytics=slow_once, **QUICK | dict(structures=FIRST))
    calls.clear()
    run_workload(EDGES, analytics=lambda graph: None if slow_once(graph) else 0, **QUICK | dict(structures=FIRST))
    assert len(calls) == 4 + 4 + 4


def test_rehearsals(monkeypatch):
    apply, numbers, tidied = runner._apply, [], []

    def applied(graph, tasks, batch, number, answers):
        numbers.append(number)
        apply(graph, tasks, batch, number, answers)
        time.sleep(0.01)  # checks, which are not the batch's own time
        return {"insert": 0.004}

    options = QUICK | dict(structures=FIRST, batch_size=8, batches=8, deletes=0.25)
    run_workload(EDGES, **options)
    monkeypatch.setattr(runner, "_apply", applied)
    monkeypatch.setattr(runner, "REHEARSAL", 0.019)
    monkeypatch.setattr(fr.structures()[FIRST], "compact", lambda graph: tidied.append(graph), raising=False)
    run_workload(EDGES, **options)  # all of them
    assert numbers == 2 * [*range(1, 9)] and not tidied
    numbers.clear()
    run_workload(EDGES, seconds=100, **options)
    assert numbers == [*range(1, 6), *range(1, 9)] and len(tidied) == 1


def test_a_stopwatch_adds_up(device):
    watch = Stopwatch(fr.advanced.resolve_device(device))
    begin = time.perf_counter()
    for _ in range(2):
        assert watch.measure(lambda: time.sleep(0.02) or 3) == 3
    time.sleep(0.1)  # not measured
    assert 0.04 <= watch.seconds <= time.perf_counter() - begin - 0.1 and watch.seconds == watch.seconds
    with pytest.raises(KeyError):
        watch.measure(lambda: {}[1])
    watch.seconds = 0.0
    assert watch.seconds == 0.0


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_what_is_done_for_an_analytic_is_its_own_time(monkeypatch):
    find, clock = updates.effective_edges, [0.0]

    def slowly(*args):
        clock[0] += 1
        return find(*args)

    def now():
        clock[0] += 1e-6
        return clock[0]

    monkeypatch.setattr(updates, "effective_edges", slowly)
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=now))
    options = QUICK | dict(structures=NAMES[-1], batches=3)
    (row,) = run_workload(EDGES, deletes=0.2, analytics=["dynamic_triangle_count", "dynamic_k_truss"], **options).rows
    assert max(row.seconds["insert"]) < 1 and max(row.seconds["delete"]) < 1
    assert min(row.seconds["dynamic_triangle_count"]) >= 2 and max(row.seconds["dynamic_k_truss"]) < 2


def test_percentiles_are_not_exceeded():
    measured = row_of("a", [1.0] * 49 + [78.0], 1)
    assert measured.percentile(99) == 78 and measured.percentile(50) == 1
    assert row_of("a", range(1, 201), 1).percentile(99) == 199


@pytest.mark.slow
def test_out_of_memory_is_a_note(monkeypatch):
    def exhausted(self, *args, **options):
        raise MemoryError

    monkeypatch.setattr(fr.structures()[FIRST], "insert_edges", exhausted)
    report = run_workload(EDGES, structures=NAMES[:2], **QUICK)
    assert report.structures == (NAMES[1],)
    assert report.notes == (TELLS_LITTLE[0], f"{FIRST} left out, batches of 64: out of memory", TELLS_LITTLE[1])


# ---- a structure that disagrees -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("insert_edges", lambda right, g, s, d, w=None: right(g, s[1:], d[1:]), "batch 1 inserts"),
        ("delete_edges", lambda right, g, s, d: right(g, s[1:], d[1:]), "batch 1 deletes"),
        ("has_edges", lambda right, g, s, d: right(g, s, d)[::-1], "queries of batch 1 are answered wrong"),
        ("to_coo", lambda right, g: tuple(p if p is None else p[::-1] for p in right(g)), "last batch are wrong"),
    ],
)
def test_wrong_operations_are_found(monkeypatch, method, change, message):
    spoil(monkeypatch, method, change)
    with pytest.raises(Disagreement, match=f"{NAMES[1]}: .*{message}"):
        run_workload(EDGES, deletes=0.2, queries=0.2, **QUICK | dict(structures=NAMES[:2]))


@pytest.mark.parametrize("kind", [float, int, np.float32])
def test_wrong_results_are_found(kind):
    def wrong(graph):
        found = np.arange(5).astype(kind)
        found[2] += graph.name == NAMES[1]
        return found

    with pytest.raises(Disagreement, match=f"wrong after batch 1: the result on {NAMES[1]} differs from that on"):
        run_workload(EDGES, analytics=wrong, **QUICK | dict(structures=NAMES[:2]))


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted")
def test_timed_observers_hear_what_they_would_without(rng):
    """They follow records in a graph that stores them."""
    from algorithms import DynamicTemporalTriangleCount, temporal_triangle_count
    from dynfrontier.timing import TimedObserver

    src, dst = rng.integers(0, 12, (2, 200))
    graph = fr.structures()[FIRST].from_edges(
        src, dst, num_vertices=12, time=np.arange(200), multi_edges="all", device="cpu"
    )
    counts = DynamicTemporalTriangleCount(graph, 40)
    timed = TimedObserver(graph, counts)
    graph.insert_edges(*rng.integers(0, 12, (2, 60)), time=np.arange(200, 260))
    graph.expire(100)
    assert counts.total == temporal_triangle_count(graph, 40).total > 0
    assert timed.seconds > 0
