"""The workload runner: its operations, its figures, its checks, and what it recommends."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from test_cli import run

import dynfrontier
import frontier as fr
import structures
from algorithms import analytics
from benchmarks import choosing
from benchmarks.results import Results
from dynfrontier.supported import replace_between
from dynfrontier.workload import Disagreement, Measured, Workload, WorkloadReport, recommend, run_workload, runner
from dynfrontier.workload import recommend as recommend_function
from dynfrontier.workload.generated import GENERATORS, HUBS, generate
from dynfrontier.workload.operations import Operations, apportion, open_records
from frontier import dynamic
from frontier.runtime.cache import PROJECT_ROOT
from frontier.runtime.progress import compiling

NAMES = [name for name, kind in fr.structures().items() if issubclass(kind, fr.DynamicGraph)]
FIRST = NAMES[0]
EDGES = fr.io.rmat(7, 8)  # with loops and duplicates
QUICK = dict(device="cpu", quiet=True, batch_size=64, batches=4)
TELLS_LITTLE = ("batches of 64: 4 batches alone, which is too few to tell much",
                "P99 of fewer than 100 batches is the time of the worst one")  # fmt: skip


# ---- operations -----------------------------------------------------------------------------------------------------


def names_of(src, dst, directed):
    pairs = zip(np.asarray(src).tolist(), np.asarray(dst).tolist(), strict=True)
    return [(u, v) if directed or u < v else (v, u) for u, v in pairs]


def replay(operations, directed):
    """Apply the operations to a set, one by one; the set, and the order in which its members came."""
    there = dict.fromkeys(e for e in names_of(operations.preloaded.src, operations.preloaded.dst, directed)
                          if e[0] != e[1])  # fmt: skip
    for batch in operations.batches:
        before = set(there)
        for edge in names_of(*batch.inserts[:2], directed) if batch.inserts else ():
            if edge[0] != edge[1]:
                there.setdefault(edge)
        assert len(set(there) - before) == batch.inserted
        gone = names_of(*batch.deletes, directed) if batch.deletes else []
        assert sum(edge in there for edge in gone) == batch.deleted
        yield batch, before, list(there), gone
        for edge in gone:
            there.pop(edge, None)
        assert len(there) == batch.edges
        asked = names_of(*batch.queries, directed) if batch.queries else []
        assert [edge in there for edge in asked] == ([] if batch.there is None else batch.there.tolist())
    keys = [u * operations._records.edges.num_vertices + v for u, v in there]
    assert sorted(keys) == operations.edges.tolist()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("order", ["random", "oldest"])
@pytest.mark.parametrize(("deletes", "queries"), [(0.0, 0.0), (0.3, 0.2), (0.75, 0.25), (0.0, 1.0), (0.05, 0.5)])
def test_operations_do_what_they_say(directed, order, deletes, queries):
    workload = Workload(EDGES, 64, deletes, queries, order, batches=5, directed=directed)
    operations = Operations(open_records(workload), workload, 64)
    assert len(operations.batches) == 5 and operations.size == 64 and not operations.short
    for batch, before, there, gone in replay(operations, directed):
        assert len(gone) == len(set(gone)) and abs(len(gone) - 64 * deletes) < 1 and set(gone) <= before
        assert order == "random" or there[: len(gone)] == gone or set(there[: len(gone)]) == set(gone)
        held = [0 if part is None else len(part[0]) for part in (batch.inserts, batch.deletes, batch.queries)]
        assert sum(held) == 64 and abs(held[2] - 64 * queries) < 1
        assert held[2] == 0 or batch.there.sum() >= held[2] // 2  # those that were meant to, and some by chance


def held_by(operations):
    return [tuple(0 if part is None else len(part[0]) for part in batch[:3]) for batch in operations.batches]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10**9])
@pytest.mark.parametrize("shares", [(0.4, 0.3, 0.3), (0, 0.5, 0.5), (1, 0, 0), (0.97, 0.02, 0.01), 3 * (1 / 3,)])
def test_every_kind_gets_its_share(size, shares):
    batches = np.array(list(islice(apportion(size, shares), 200)))
    assert (batches >= 0).all() and (batches.sum(1) == size).all()
    due = size * np.arange(1, 201)[:, None] * np.array(shares)
    assert (abs(batches.cumsum(0) - due) < 1).all()
    assert not batches[:, np.array(shares) == 0].any()


@pytest.mark.parametrize(("size", "preload"), [(1, 0.5), (3, 0.5), (3, 0.01)])
def test_small_batches_are_no_larger_than_asked(size, preload):
    workload = Workload(EDGES, size, 0.5, 0.5, preload=preload)
    held = held_by(Operations(open_records(workload), workload, size))
    assert held and all(sum(batch) <= size and not batch[0] for batch in held)
    workload = replace(workload, deletes=0.3, queries=0.3)
    held = np.array(held_by(Operations(open_records(workload), workload, size)))
    assert (held.sum(1) == size).all() and (held.sum(0) > 0).all()


def test_short_streams_have_smaller_batches():
    for changed, size, count in (
        (dict(), 512, 1), (dict(deletes=0.25), 682, 1), (dict(batch_size=300), 300, 1), (dict(batch_size=200), 200, 2),
        (dict(preload=1.0, deletes=1.0), None, 1),
    ):  # fmt: skip
        workload = Workload(EDGES, **dict(batch_size=4096) | changed)
        operations = Operations(open_records(workload), workload, workload.batch_size)
        size = size or operations.batches[0].deleted  # all there are
        assert operations.size == size and [sum(held) for held in held_by(operations)] == count * [size]


def test_operations_are_the_same_again():
    workload = Workload(EDGES, 64, 0.2, 0.2)
    one, other = (Operations(open_records(workload), workload, 64) for _ in range(2))
    for mine, yours in zip(one.batches, other.batches, strict=True):
        for a, b in zip(mine[:3], yours[:3], strict=True):
            assert all(x is y is None or np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    changed = Operations(open_records(workload), replace(workload, seed=2), 64)
    assert any((a.deletes[0] != b.deletes[0]).any() for a, b in zip(one.batches, changed.batches, strict=True))


def test_deleting_ends_when_nothing_is_left():
    workload = Workload(fr.io.grid(4, 4), 5, deletes=1.0, preload=1.0)
    operations = Operations(open_records(workload), workload, 5)
    assert [batch.deleted for batch in operations.batches] == [5, 5, 5, 5, 4] and not operations.edges.size
    assert operations.short == 1


@pytest.fixture
def changes(tmp_path):
    """A file of insertions and deletions, in which edges come and go within a batch."""
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 12, (400, 2))
    signs = np.where(rng.random(400) < 0.6, "+", "-")
    path = tmp_path / "changes.txt"
    path.write_text("".join(f"{sign} {u} {v}\n" for sign, (u, v) in zip(signs, ends, strict=True)))
    return path, [(str(sign), (min(u, v), max(u, v))) for sign, (u, v) in zip(signs, ends.tolist(), strict=True)]


def test_streams_own_deletions(changes):
    path, lines = changes
    workload = Workload(str(path), 40, queries=0.25, preload=0.2)
    operations = Operations(open_records(workload), workload, 40)
    for _ in replay(operations, False):
        pass
    there = set()
    for position, (sign, edge) in enumerate(lines, 1):
        (there.add if sign == "+" and edge[0] != edge[1] else there.discard)(edge)
        if position >= 80 and (position - 80) % 30 == 0 and position > 80:
            assert operations.batches[(position - 80) // 30 - 1].edges == len(there)
    for batch in operations.batches:
        if batch.inserts and batch.deletes:
            assert not set(names_of(*batch.inserts[:2], False)) & set(names_of(*batch.deletes, False))
    report = run_workload(workload, device="cpu", quiet=True, structures=NAMES[:2])
    assert report.workload["stream_deletes"] and "updates" in report.title
    with pytest.raises(ValueError, match="deletes: this stream says itself"):
        run_workload(str(path), deletes=0.1, device="cpu")


@pytest.mark.parametrize("kind", GENERATORS)
def test_generators(kind):
    edges = generate(kind, 8, 4, seed=3)
    assert edges.num_vertices == 256 and len(edges) > 200
    assert (edges.src == generate(kind, 8, 4, seed=3).src).all()
    if kind == "hubs":
        assert (np.bincount(edges.src, minlength=256)[:HUBS].sum()) >= len(edges) // 2


# ---- runs -----------------------------------------------------------------------------------------------------------


def test_every_structure_is_measured(tmp_path):
    def isolated(graph):
        return (graph.degrees() == 0).sum()

    report = dynfrontier.run_workload(
        EDGES, deletes=0.2, queries=0.1, analytics=["components", "dynamic_triangles", isolated], **QUICK
    )
    assert list(report.structures) == NAMES and report.batch_sizes == (64,) and report.notes == TELLS_LITTLE
    for row in report.rows:
        assert row.batches == 4 and set(row.seconds) == {
            "insert", "delete", "query", "components", "dynamic_triangles", "isolated"
        }  # fmt: skip
        assert row.operations == {"insert": 179, "delete": 51, "query": 26}
        assert row.total == pytest.approx(sum(sum(times) for times in row.seconds.values()))
        assert all(time >= 0 for times in row.seconds.values() for time in times)
        assert 0 < row.used <= row.reserved or row.structure == FIRST
        assert row.percentile(50) <= row.percentile(99) == row.per_batch.max()
        assert row.rate("insert") == pytest.approx(179 / sum(row.seconds["insert"]))
        assert "dynamic_triangles" in row.start_seconds and row.build_seconds > 0
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


def test_several_sizes_and_weights():
    rng = np.random.default_rng(1)
    edges = replace(EDGES, weights=rng.integers(1, 9, len(EDGES)).astype(np.float32))
    options = QUICK | dict(batch_size=[128, 32], structures=NAMES[:2])
    report = run_workload(edges, queries=0.5, analytics="sssp", **options)
    assert report.batch_sizes == (32, 128) and len(report.rows) == 4 and report.workload["weighted"]
    assert str(report).count("| batches of ") == 2
    assert not run_workload(edges, weighted=False, **options).workload["weighted"]


def test_structures_without_weights_are_left_out(monkeypatch):
    kind = fr.structures()[NAMES[1]]
    monkeypatch.setattr(kind, "can_store_weights", False)
    edges = replace(EDGES, weights=np.ones(len(EDGES)))
    report = run_workload(edges, structures=NAMES[:2], **QUICK)
    assert report.structures == (FIRST,)
    assert report.notes == (f"{NAMES[1]} left out: it stores no weights", *TELLS_LITTLE)


@pytest.mark.parametrize("name", [name for name, known in analytics().items() if known.static and known.incremental])
def test_analytics(name):
    """Maintained incrementally and recomputed, on two structures: the same; that it is right is shown elsewhere."""
    names = [name, f"dynamic_{name}"]
    report = run_workload(EDGES, deletes=0.3, analytics=names, **QUICK | dict(structures=NAMES[-2:], batches=3))
    for row in report.rows:
        assert all(len(row.seconds[part]) == 3 and min(row.seconds[part]) > 0 for part in names)
        assert set(row.start_seconds) == {f"dynamic_{name}"}


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


def test_what_is_done_for_an_analytic_is_its_own_time(monkeypatch):
    find = dynamic.effective_edges

    def slowly(*args):
        time.sleep(0.05)
        return find(*args)

    monkeypatch.setattr(dynamic, "effective_edges", slowly)
    options = QUICK | dict(structures=NAMES[-1], batches=3)
    (row,) = run_workload(EDGES, deletes=0.2, analytics=["dynamic_triangles", "dynamic_k_truss"], **options).rows
    assert min(row.seconds["insert"]) < 0.05 and min(row.seconds["delete"]) < 0.05
    assert min(row.seconds["dynamic_triangles"]) >= 0.1 and min(row.seconds["dynamic_k_truss"]) < 0.1


def test_percentiles_are_not_exceeded():
    measured = row("a", [1.0] * 49 + [78.0], 1)
    assert measured.percentile(99) == 78 and measured.percentile(50) == 1
    assert row("a", range(1, 201), 1).percentile(99) == 199


def test_out_of_memory_is_a_note(monkeypatch):
    def exhausted(self, *args, **options):
        raise MemoryError

    monkeypatch.setattr(fr.structures()[FIRST], "insert_edges", exhausted)
    report = run_workload(EDGES, structures=NAMES[:2], **QUICK)
    assert report.structures == (NAMES[1],)
    assert report.notes == (TELLS_LITTLE[0], f"{FIRST} left out, batches of 64: out of memory", TELLS_LITTLE[1])


# ---- a structure that disagrees -------------------------------------------------------------------------------------


def spoil(monkeypatch, method, change):
    kind = fr.structures()[NAMES[1]]
    right = getattr(kind, method)
    monkeypatch.setattr(kind, method, lambda self, *args, **options: change(right, self, *args, **options))


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("insert_edges", lambda right, g, s, d, w=None: right(g, s[1:], d[1:]), "batch 1 inserts"),
        ("delete_edges", lambda right, g, s, d: right(g, s[1:], d[1:]), "batch 1 deletes"),
        ("has_edges", lambda right, g, s, d: right(g, s, d)[::-1], "queries of batch 1 are answered wrong"),
        ("to_coo", lambda right, g: tuple(p if p is None else p[::-1] for p in right(g)), "edges are not those"),
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


# ---- recommendations ------------------------------------------------------------------------------------------------


def row(name, seconds, used, size=64):
    times = {"insert": list(seconds)}
    return Measured(name, size, {"insert": 64, "delete": 0, "query": 0}, times, 0.1, {}, 100, used, 2 * used, 800)


def report_of(*rows):
    said = Workload(EDGES, 64).to_dict() | {"records": 9, "records_used": 9, "vertices": 5, "weighted": False,
                                           "stream_deletes": False}  # fmt: skip
    return WorkloadReport(said, "cpu", rows, header={"machine": {"cpu": "some"}, "date": "2026-01-01"})


STEADY, SMALL = row("steady", [3.0] * 10, 2000), row("small", [9.0] * 10, 1000)
JUMPY = row("jumpy", [1.0] * 9 + [20.0], 3000)


@pytest.mark.parametrize(
    ("objective", "best", "parts"),
    [
        # Two are nearly equal: what takes less memory is better.
        ("time", "steady", ("steady takes 3 s a batch, jumpy 2.9 s", "But steady needs 20.0 bytes an edge against")),
        ("latency", "steady", ("99 % of batches within 3 s", "next is small 9 s, 3.0 times", "last is jumpy 20 s")),
        ("memory", "small", ("small needs 10.0 bytes an edge", "next is steady 20.0 bytes, 2.0 times", "the least is")),
    ],
)
def test_objectives(objective, best, parts):
    report = report_of(STEADY, JUMPY, SMALL)
    found = recommend(report, objective)
    assert found.structure == best and found.report is report
    for part in (*parts, "With batches of 64 on the CPU, "):
        assert part in found.reason, found.reason
    assert str(found) == found.reason and found.equals == (("jumpy",) if objective == "time" else ())
    assert found.reason.count(". ") == 1  # nothing is said of batches that some did not have


def test_the_same_batches_are_compared():
    late, early = row("late", [1.0] * 6 + [50.0] * 4, 3000), row("early", [2.0] * 6, 2000)
    stopped = row("stopped", [1.0] * 4, 1000)
    report = report_of(late, early, stopped)
    found = recommend(report)
    assert found.structure == "late" and "late takes 1 s a batch; next is early 2 s" in found.reason
    assert "Times are those of the first 6 batches, for which all had time." in found.reason
    assert "The time of stopped was up too early for a comparison." in found.reason
    assert recommend(report, "latency").structure == "late" and recommend(report, "memory").structure == "early"
    assert "**" not in str(report) and "| batches | 10 | 6 | 4 |" in str(report)
    assert recommend(report_of(late, early)).reason.endswith("all had time.")
    # Each was stopped somewhere.
    rows = (row("a", [1.0] * 9, 1), row("a", [1.0], 1, 128), row("b", [2.0], 1), row("b", [2.0] * 9, 1, 128))
    found = recommend(report_of(*rows))
    assert found.structure == "a" and "the first 1 and 1 batches" in found.reason


def test_several_sizes_are_weighed_alike():
    rows = (row("a", [1.0], 1), row("b", [2.0], 1), row("a", [100.0], 1, 128), row("b", [10.0], 1, 128))
    found = recommend(report_of(*rows))
    assert found.structure == "b" and "batches of 64 and 128" in found.reason and "geometric mean" in found.reason
    assert "b takes 4.47 s" in found.reason and "a 10 s, 2.2 times" in found.reason
    assert recommend(report_of(*rows[:3])).structure == "a"  # b was not measured at every size
    with pytest.raises(ValueError, match="no structure"):
        recommend(report_of())


def test_recommend_of_a_stream_by_its_door():
    assert structures.recommend is recommend_function
    found = structures.recommend(EDGES, seconds=0.5, deletes=0.1, analytics=["components"], **QUICK | dict(batches=3))
    assert found.structure in NAMES and found.structure in found.reason
    assert set(found.report.structures) == set(NAMES) and found.report.workload["records_used"] == len(EDGES)
    again = recommend(found.report, "memory")
    assert again.report is found.report
    with pytest.raises(AttributeError, match="nosuch"):
        structures.nosuch  # noqa: B018


def test_long_streams_are_cut(monkeypatch):
    module = sys.modules["dynfrontier.workload.recommend"]
    monkeypatch.setattr(module, "SMALLEST_SAMPLE", 256)
    edges = fr.io.rmat(10, 16)
    options = QUICK | dict(batch_size=16, structures=FIRST)
    cut = recommend(edges, seconds=1e-6, **options).report
    assert cut.workload["records_used"] == 256 and cut.workload["records"] == len(edges)
    assert "the first 256 of 16,384 records were used, 1.56%" in cut.notes
    assert cut.workload["vertices"] < edges.num_vertices  # those of the sample alone
    assert recommend(edges, seconds=3600, **options).report.workload["records_used"] == len(edges)


# ---- wrong arguments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(batch_size=0), "batch_size must be a positive integer, got 0"),
        (dict(batch_size=[]), "batch_size must not be empty"),
        (dict(batches=1.5), r"batches must be a positive integer, got 1\.5"),
        (dict(deletes=1.5), r"deletes must be a share from 0 to 1, got 1\.5"),
        (dict(queries=float("nan")), "queries must be a share"),
        (dict(preload="half"), "preload must be a share"),
        (dict(deletes=0.6, queries=0.6), "deletes and queries must add up"),
        (dict(delete_order="newest"), "delete_order must be one of 'random', 'oldest'"),
        (dict(analytics="colors"), "analytics: there is no 'colors'; choose from bfs, components"),
        (dict(analytics="dynamic_truss_numbers"), "analytics: truss_numbers has no incremental form"),
        (dict(analytics=["bfs", "bfs"]), "analytics: 'bfs' is there twice"),
        (dict(analytics="triangles", directed=True), "analytics: triangles is defined for undirected graphs"),
        (dict(structures="tree"), "structures: there is no 'tree'; choose from"),
        (dict(structures=[]), "structures must not be empty"),
        (dict(weighted=True), "weighted=True, but source has no weights"),
        (dict(seconds=0), "seconds must be positive, got 0"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    for function in (run_workload, recommend):
        with pytest.raises(ValueError, match=message):
            function(EDGES, device="cpu", quiet=True, **options)


def test_other_wrong_arguments():
    def query(graph):
        return 0

    with pytest.raises(ValueError, match="a function must have another name than 'query'"):
        run_workload(EDGES, analytics=query)
    with pytest.raises(TypeError, match="source must be a file, an EdgeList or an EdgeStream"):
        run_workload([(0, 1)])
    with pytest.raises(TypeError, match="batchsize"):
        run_workload(EDGES, batchsize=3)
    with pytest.raises(TypeError, match="a Workload has its own"):
        run_workload(Workload(EDGES), batch_size=3)
    with pytest.raises(TypeError, match="a report is judged as it is"):
        recommend(report_of(STEADY), batch_size=3)
    with pytest.raises(ValueError, match="objective must be one of 'time', 'latency', 'memory'"):
        recommend(EDGES, "speed")
    with pytest.raises(ValueError, match="source holds no records"):
        run_workload(fr.io.EdgeList([], []), device="cpu")
    with pytest.raises(OSError, match="missing"):
        recommend("missing.csv", device="cpu")
    with pytest.raises(ValueError, match="device must be"):
        run_workload(EDGES, device="tpu")
    with pytest.raises(ValueError, match="there is no generator"):
        generate("tree")


def test_what_is_no_report_is_refused(tmp_path):
    path = tmp_path / "x.json"
    good = report_of(STEADY)
    good.write_json(path)
    assert WorkloadReport.read_json(path) == good
    texts = ["{}", "no json", "[]", '{"workload": {}, "device": "cpu", "rows": [{"a": 1}], "notes": [], "header": {}}']
    for broken in (
        replace(good, header={}), replace(good, header=good.header | {"machine": {}}), replace(good, workload={}),
        replace(good, rows=(replace(STEADY, seconds={"insert": [1.0], "delete": [1.0, 2.0]}),)),
    ):  # fmt: skip
        broken.write_json(path)
        texts.append(path.read_text())
    for text in texts:
        path.write_text(text)
        with pytest.raises(ValueError, match="holds no report of a workload"):
            WorkloadReport.read_json(path)


# ---- the command ----------------------------------------------------------------------------------------------------

SMALL_RUN = ("workload", "--generate", "hubs", "--scale", 7, "--edge-factor", 8, "--batch", 64, "--batches", 3,
             "--device", "cpu")  # fmt: skip


def test_command(tmp_path):
    json = tmp_path / "report.json"
    output = run(*SMALL_RUN, "--mix", "70/20/10", "--analytic", "components", "--oldest", "--json", json)
    assert "hubs, scale 7, seed 1: 1,024 records" in output and "20% deletions (oldest)" in output
    for part in ("insertions/s", "components, P50", "With batches of 64 on the CPU", *NAMES):
        assert part in output, part
    report = WorkloadReport.read_json(json)
    assert [name for name in NAMES if name in report.structures] == NAMES
    shown = run("workload", "--read", json, "--objective", "memory", "--markdown")
    assert "bytes an edge" in shown and "| batches of 64 |" in shown
    assert run("workload", "--read", json, "--quiet") in NAMES
    assert "leave out the stream" in run("workload", "--read", json, "--generate", "rmat", code=2)
    refused = run("workload", "--read", json, "-s", FIRST, "-b", 64, "--mix", "1/99/0", "--device", "cpu", code=2)
    assert "leave out --batch, --mix, --structure, --device" in refused


def test_command_looks_first_where_it_will_write(tmp_path, monkeypatch):
    monkeypatch.setattr("dynfrontier.commands.workload._run", lambda *args: pytest.fail("it has run"))
    assert "No such file or directory" in run(*SMALL_RUN, "--json", tmp_path / "none" / "x.json", code=2)
    assert "Is a directory" in run(*SMALL_RUN, "--json", tmp_path, code=2)
    pytest.importorskip("matplotlib")
    assert "no picture can be drawn as 'xyz'; choose from" in run(*SMALL_RUN, "--plot", tmp_path / "a.xyz", code=2)
    assert "No such file" in run(*SMALL_RUN, "--plot", tmp_path / "none" / "a.png", code=2)
    assert "there is no 'colors'" in run(*SMALL_RUN, "--analytic", "colors", "--json", tmp_path / "x.json", code=2)
    assert not list(tmp_path.iterdir())


def test_command_on_a_file(tmp_path, changes):
    output = run("workload", changes[0], "-b", 30, "-b", 60, "--device", "cpu", "-s", FIRST, "--seconds", 1)
    assert "changes.txt: 400 records" in output and "batches of 30 and 60" in output.lower()
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.png"
    run(*SMALL_RUN, "-b", 32, "-a", "bfs", "-s", FIRST, "--plot", plot)
    assert plot.read_bytes().startswith(b"\x89PNG")
    run(*SMALL_RUN, "-s", FIRST, "--plot", plot)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--mix", "70/20"), "three percentages"),
        (("--mix", "70/20/20"), "with a sum of 100"),
        (("--mix", "a/b/c"), "three percentages"),
        (("--analytic", "colors"), "there is no 'colors'"),
        (("--structure", "tree"), "there is no 'tree'"),
        (("--objective", "speed"), "--objective must be time, latency, memory"),
        (("--generate", "tree"), "there is no generator 'tree'"),
        (("--device", "tpu"), "must be 'auto', 'cpu' or 'gpu'"),
        (("missing.txt",), "leave out one of them"),
    ],
)
def test_command_names_what_is_wrong(options, message):
    assert message in run(*SMALL_RUN, *options, code=2)


def test_command_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install matplotlib" in run(*SMALL_RUN, "--plot", tmp_path / "x.png", code=2)


def test_command_with_a_structure_that_disagrees(monkeypatch):
    spoil(monkeypatch, "has_edges", lambda right, g, s, d: right(g, s, d)[::-1])
    assert "queries of batch 1 are answered wrong" in run(*SMALL_RUN, "--mix", "50/0/50", code=1)


def test_command_help():
    assert "Usage" in run("workload", "--help")


# ---- the README's advice --------------------------------------------------------------------------------------------


def test_advice_is_written_from_results(tmp_path, monkeypatch):
    monkeypatch.setattr(choosing, "CASES", choosing.CASES[3:4])
    assert choosing.main(["--device", "cpu", "--mode", "smoke", "--structures", ",".join(NAMES[:2]),
                          "--out", str(tmp_path)]) == 0  # fmt: skip
    (results,) = tmp_path.glob("choosing-cpu-*.json")
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- choosing -->\nold\n<!-- /choosing -->\nafter\n")
    assert choosing.main(["--write", str(page), str(results)]) == 0
    text = page.read_text()
    assert "old" not in text and choosing.CASES[0].title in text and f"`{FIRST}`, " in text and text.endswith("after\n")
    (report,) = choosing.reports_of(Results.load(results)).values()
    assert str(report).count(NAMES[1]) and recommend(report).structure in NAMES
    assert f"`{results.name}`" in choosing.advice(results) and choosing.advice(results) in text


def test_advice_names_all_that_are_as_good(monkeypatch, tmp_path):
    a, b, c = row("a", [1.0] * 200, 1), row("b", [1.01] * 200, 2), row("c", [1.0] * 198 + [1.5, 6.0], 3)
    reports = {"title": report_of(a, b, c), "other": report_of(a, row("d", [7.0] * 150, 4))}
    results = Results(choosing.NAME, "cpu", "smoke", header={"machine": {"gpu": "G"}, "date": "2026-01-01"})
    monkeypatch.setattr(choosing, "reports_of", lambda results: reports)
    text = choosing.advice(results.save(tmp_path))
    assert "| title (64) | `a`, 1 s | tied: `b`, 1.01 s; `c`, 1.03 s | `c`, 1.03 s | `a`, 1 s |" in text
    assert "150 to 200 batches" in text and "| other (64) | `a`, 1 s | `d`, 7 s |" in text
    reports["title"] = report_of(c)
    assert "`c`, 1.5 s; max 6 s" in choosing.advice(results.save(tmp_path))


def test_advice_has_a_graph_that_grows():
    assert any(case.options.get("preload") == 0 and not case.large for case in choosing.CASES)


def test_readme_has_the_advice_of_its_results():
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    files = sorted(set(re.findall(r"`(choosing-[\w.-]+\.json)`", readme)), reverse=True)  # the GPU's first
    assert files
    advice = "\n\n".join(choosing.advice(choosing.FOLDER / name) for name in files)
    assert replace_between(readme, "choosing", advice) == readme
