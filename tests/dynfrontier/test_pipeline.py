"""`Pipeline`: every row in order, from any source, with bounded memory and a clean end in all cases."""

from __future__ import annotations

import json
import re
import signal
import time
from collections import namedtuple
from itertools import pairwise

import numpy as np
import pytest
from model import edge_set, to_host
from pipeline_cases import *  # noqa: F403
from pipeline_cases import RECORDS, SIZE, N, cut, threads, weighted

import frontier as fr
from algorithms import DynamicTriangleCount, connected_components
from dynfrontier import Pipeline, PipelineError
from dynfrontier.pipeline.records import RecordColumns, in_parts
from structures import CSR, SlabGraph


def as_file(records, tmp_path, rng):
    path = tmp_path / "records.txt"
    np.savetxt(path, records.T, fmt="%d")
    return path


def as_frames(records, tmp_path, rng):
    pandas = pytest.importorskip("pandas")
    return (pandas.DataFrame({"payer": src, "payee": dst, "note": "x"}) for src, dst in cut(records))


def as_arrow(records, tmp_path, rng):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.Table.from_batches([pyarrow.record_batch({"payer": s, "payee": d}) for s, d in cut(records, 99)])


SOURCES = {
    "arrays": lambda records, *_: tuple(records),
    "dictionary": lambda records, *_: dict(zip(("src", "dst"), records, strict=True)),
    "edge list": lambda records, *_: fr.io.EdgeList(*records, num_vertices=N),
    "stream": lambda records, *_: fr.io.stream_edges(fr.io.EdgeList(*records, num_vertices=N), SIZE),
    "list": lambda records, *_: cut(records),
    "generator": lambda records, *_: (batch for batch in cut(records)),
    "odd items": lambda records, tmp_path, rng: [
        tuple(records[:, a:b]) for a, b in pairwise([0, *np.sort(rng.integers(0, RECORDS, 9)), RECORDS])
    ],
    "function": lambda records, *_: lambda begin: cut(records[:, begin:]),
    "file": as_file,
    "pandas": as_frames,
    "arrow": as_arrow,
}  # fmt: skip


@pytest.mark.parametrize("name", SOURCES)
def test_every_source(name, device, records, tmp_path, rng):
    graph = CSR(N, device=device)
    columns = {"src": "payer", "dst": "payee"} if name in ("pandas", "arrow") else None
    source = SOURCES[name](records, tmp_path, rng)
    with Pipeline(source, graph, columns=columns, batch_size=SIZE) as pipeline:
        found = []
        for number, batch in enumerate(pipeline):
            assert batch.number == number and batch.num_edges == graph.num_edges
            found.append((batch.begin, batch.end))
        assert found == [(begin, min(begin + SIZE, RECORDS)) for begin in range(0, RECORDS, SIZE)]
    assert pipeline.totals.records == RECORDS
    assert edge_set(graph) == edge_set(CSR.from_edges(*records, num_vertices=N, device=device))


def test_insertions_and_deletions_in_their_order(device, records):
    inserts = np.arange(RECORDS) % 100 < 70
    stream = fr.io.EdgeStream(fr.io.EdgeList(*records, num_vertices=N), SIZE, inserts)
    graph, expected = CSR(N, device=device), CSR(N, device=device)
    operations = [batch.operation for batch in Pipeline(stream, graph)]
    for batch in stream:
        (expected.insert_edges if batch.operation == "insert" else expected.delete_edges)(batch.src, batch.dst)
    assert operations == [batch.operation for batch in stream]
    assert edge_set(graph) == edge_set(expected)
    Pipeline([{"src": [0, 1], "dst": [1, 2]}, {"src": [1], "dst": [0], "operation": "delete"}], graph).run()
    assert (1, 2) in edge_set(graph) and (0, 1) not in edge_set(graph)


def test_parts_hold_whole_batches(rng):
    for _ in range(50):
        sizes = rng.integers(0, 30, rng.integers(0, 12))
        operations = rng.choice(["insert", "delete"], sizes.size, p=[0.8, 0.2])
        values = np.arange(sizes.sum())
        ends = np.cumsum(sizes)
        items = [RecordColumns({"src": values[end - size : end]}, operation)
                 for size, end, operation in zip(sizes, ends, operations, strict=True)]  # fmt: skip
        found = list(in_parts(iter(items), 10))
        joined = np.concatenate([part.columns["src"] for part in found]) if found else values
        assert joined.tolist() == values.tolist()
        for part, following in pairwise(found):
            assert len(part) % 10 == 0 or part.operation != following.operation


def test_arrays_of_many_parts_through_few_slots(device, monkeypatch):
    """Memory on the device is used again and again, while the copies to it are ahead of the updates."""
    monkeypatch.setattr("dynfrontier.pipeline.records.PART_RECORDS", 4 * SIZE)
    graph = CSR(1 << 14, device=device)
    src = np.arange(100 * SIZE)
    sums = {"edges": lambda graph: graph.num_edges}
    for ahead in (1, 3):
        empty = graph.copy()
        found = [(batch.inserted, batch.results["edges"])
                 for batch in Pipeline((src, src + 1), empty, sums, batch_size=SIZE, ahead=ahead)]  # fmt: skip
        assert found == [(SIZE, SIZE * (i + 1)) for i in range(100)]


def test_slots_take_parts_of_any_layout(device, rng):
    """Parts with other sizes, types, columns, operations and offsets than the earlier parts in the same memory."""
    graph, expected = (CSR(N, device=device, weight_dtype="int64") for _ in range(2))
    items = []
    for number in range(40):
        size = int(rng.choice([SIZE, SIZE, 3 * SIZE, 5 * SIZE]))
        item = dict(zip(("src", "dst"), rng.integers(0, N, (2, size), dtype=rng.choice([np.int32, np.int64])),
                        strict=True))  # fmt: skip
        if number % 5 == 4:
            item["operation"] = "delete"
        elif number % 2:
            item["weights"] = rng.integers(1, 9, size)
        places = rng.integers(0, 2, len(item)) if number % 3 == 0 else np.zeros(len(item))
        items.append({name: graph.xp.asarray(column) if there and name != "operation" else column
                      for (name, column), there in zip(item.items(), places, strict=True)})  # fmt: skip
    sizes = [batch.records for batch in Pipeline(iter(items), graph, batch_size=SIZE)]
    assert sum(sizes) == sum(item["src"].size for item in items) and max(sizes) == SIZE
    for item in items:
        columns = {name: column for name, column in item.items() if name != "operation"}
        if "operation" in item:
            expected.delete_edges(**columns)
        else:
            expected.insert_edges(**columns)
    assert weighted(graph) == weighted(expected)


def test_a_pipeline_ended_within_a_part_leaves_its_memory_in_order(device, records):
    """The next one may get it."""
    expected = edge_set(CSR.from_edges(*records, num_vertices=N, device=device))
    for _ in range(5):
        graph = CSR(N, device=device)
        pipeline = Pipeline(tuple(records), graph, batch_size=SIZE)
        next(pipeline)
        pipeline.close()
        graph = CSR(N, device=device)
        Pipeline(tuple(records[::-1]), graph, batch_size=SIZE).run()
        assert edge_set(graph) == expected


def test_batches_are_reported_only_where_somebody_asked(records, tmp_path, monkeypatch):
    reported = []
    monkeypatch.setattr(Pipeline, "_report", lambda self, batch: reported.append(batch.number))
    for options in ({}, {"log": tmp_path / "log"}, {"metrics": tmp_path / "metrics"}, {"progress": True}):
        reported.clear()
        totals = Pipeline(tuple(records), CSR(N, device="cpu"), batch_size=SIZE, **options).run()
        assert len(reported) == (totals.batches if options else 0)


def test_arrays_on_the_device_and_in_pinned_memory(device, records):
    graph = CSR(N, device=device)
    expected = edge_set(CSR.from_edges(*records, num_vertices=N, device=device))

    def made_in_the_reading_thread():
        for src, dst in cut(records):
            yield graph.xp.asarray(src) + 0, graph.xp.asarray(dst) + 0

    stream = graph.xp.cuda.Stream(non_blocking=True) if graph.device.is_gpu else None
    if stream is not None:
        import cupyx

        pinned = cupyx.empty_pinned(records.shape, records.dtype)
        pinned[:] = records
        Pipeline(tuple(pinned), graph, batch_size=SIZE).run()
        assert edge_set(graph) == expected
        graph = CSR(N, device=device)
        with stream:
            Pipeline(made_in_the_reading_thread(), graph).run()
        stream.synchronize()
    else:
        Pipeline(made_in_the_reading_thread(), graph).run()
    assert edge_set(graph) == expected


def test_analytics_and_their_results(device, records):
    graph = CSR(N, device=device)
    analytics = {
        "triangles": (DynamicTriangleCount, "total"), "each": (DynamicTriangleCount, "per_vertex"),
        "both": lambda graph: {"degrees": graph.degrees(), "edges": [graph.num_edges]},
    }  # fmt: skip
    found = []
    Pipeline(tuple(records), graph, analytics, batch_size=SIZE).run(lambda batch: found.append(batch.results))
    final = DynamicTriangleCount(graph)
    assert isinstance(found[0]["each"], np.ndarray) and found[0]["each"].sum() == 3 * found[0]["triangles"]
    assert found[-1]["triangles"] == final.total
    assert found[-1]["both"]["degrees"].tolist() == to_host(graph, graph.degrees()).tolist()
    counts = [result["both"]["edges"][0] for result in found]
    assert counts == sorted(counts) and counts[0] < counts[-1] == graph.num_edges  # each belongs to its own batch


def test_a_source_is_read_no_further_ahead_than_said():
    produced, consumed = [], []

    def source():
        for i in range(40):
            produced.append(i)
            yield [i], [i + 1]

    for batch in Pipeline(source(), CSR(N, device="cpu"), ahead=2):
        consumed.append(batch.number)
        time.sleep(0.002)
        assert len(produced) - len(consumed) <= 2 + 2  # in the channel, and one on either side of it
    assert len(produced) == len(consumed) == 40


def test_a_slow_callback_holds_the_rest_back():
    graph, behind, delivered = CSR(100, device="cpu"), [], []

    def slow(batch):
        time.sleep(0.002)
        behind.append(graph.num_edges - batch.num_edges)
        delivered.append(batch.number)

    Pipeline([([i], [i + 1]) for i in range(40)], graph, ahead=2).run(slow)
    assert delivered == list(range(40)) and max(behind) <= 2 + 2


def failing_at(stage, at):
    """Source, analytics and callbacks, one of which fails with the batch number `at`."""

    class Failure(Exception):
        pass

    def source():
        for i in range(8):
            if stage == "source" and i == at:
                raise Failure
            yield ([i, 99] if stage == "update" and i == at else [i, i]), [i + 1, i + 2]

    def analytic(graph):
        if stage == "analytic" and graph.num_edges > 2 * at:
            raise Failure

    def callback(batch):
        if stage == "callback" and batch.number == at:
            raise Failure

    return source(), {"it": analytic}, [callback]


@pytest.mark.parametrize("stage", ["source", "update", "analytic", "callback"])
def test_a_failure_is_raised_once_with_its_record(stage):
    graph = CSR(20, device="cpu")
    source, analytics, callbacks = failing_at(stage, 3)
    pipeline = Pipeline(source, graph, analytics)
    with pytest.raises(PipelineError, match=rf"the {stage}.* record.* 6.*batch 3") as caught:
        pipeline.run(*callbacks)
    error = caught.value
    assert (error.stage, error.batch, error.record) == (stage, 3, 6) and error.__cause__ is not None
    assert pipeline.closed and list(pipeline) == []
    applied = 2 * (3 + (stage == "analytic"))
    assert graph.num_edges >= applied if stage == "callback" else graph.num_edges == applied
    assert pipeline.totals.records == graph.num_edges
    graph.insert_edges([0], [19])  # nothing references it


@pytest.mark.parametrize("item, what", [
    (([0.5], [1]), "src must contain integer"), (([0, 1], [1]), "src has 2, dst has 1"), (3, "a source yields"),
    ({"src": [1]}, "no column 'dst'"), (([1],), "a tuple contains src, dst"),
])  # fmt: skip
def test_items_that_are_no_records(item, what):
    graph = CSR(N, device="cpu")
    with pytest.raises(PipelineError, match=what) as caught:
        Pipeline([([0, 1], [1, 2]), item], graph).run()
    assert caught.value.stage == "source" and caught.value.record == 2 and graph.num_edges == 2


@pytest.mark.parametrize("unit, factor", [("s", 1), ("ns", 10**9)])
def test_dates_of_a_file_are_in_the_unit_of_the_graph(unit, factor, tmp_path):
    path = tmp_path / "dates.csv"
    path.write_text("src,dst,time\n0,1,1970-01-02\n1,2,1970-01-01T00:00:05Z\n")
    for source in (path, fr.io.read_edges(path), fr.io.read_stream(path)):
        graph = SlabGraph(3, time_unit=unit, device="cpu")
        Pipeline(source, graph).run()
        assert graph.edge_values("time", [0, 1], [1, 2]).tolist() == [86400 * factor, 5 * factor]


def test_records_before_a_fault_are_applied():
    graph = CSR(N, device="cpu")
    with pytest.raises(PipelineError, match="at record 6"):
        Pipeline([*[([i, i], [i + 1, i + 2]) for i in range(3)], ([-1], ["x"])], graph, batch_size=4).run()
    assert graph.num_edges == 6


def test_bad_arguments():
    graph = CSR(N, device="cpu")
    for wrong, what in [
        ({"batch_size": 0}, "batch_size must be at least 1"), ({"objective": "fast"}, "objective must be a percentile"),
        ({"analytics": [len]}, "analytics must be a dictionary"), ({"every": 3}, "every has no meaning"),
        ({"analytics": {"a": DynamicTriangleCount}}, r"analytics\['a'\] must name what to read"),
        ({"window": "1h"}, "graph must have times"), ({"columns": {"from": "a"}}, "columns names 'from'"),
        ({"on_existing": "sum"}, "on_existing must be one of"), ({"source": 3}, "source must be a file's name"),
    ]:  # fmt: skip
        with pytest.raises((TypeError, ValueError), match=what):
            Pipeline(**{"source": [], "graph": graph} | wrong)


@pytest.mark.usefixtures("python_handles_interrupts")
@pytest.mark.parametrize("where", ["body", "analytic", "update"])
def test_an_interrupt_ends_it_between_two_batches(where, monkeypatch):
    graph, closed = CSR(N, device="cpu"), []

    def source():
        try:
            for i in range(30):
                yield [i], [i + 1]
        finally:
            closed.append(True)

    def interrupt(graph=None):
        if where == "analytic" and graph.num_edges == 5:
            raise KeyboardInterrupt

    insert = CSR.insert_edges

    def insert_edges(self, *args, **kwargs):
        done = insert(self, *args, **kwargs)
        if where == "update" and self.num_edges == 5:
            signal.raise_signal(signal.SIGINT)  # in this thread, delivered when the batch is counted
        return done

    monkeypatch.setattr(CSR, "insert_edges", insert_edges)
    pipeline = Pipeline(source(), graph, {"it": interrupt})
    with pytest.raises(KeyboardInterrupt), pipeline:
        for batch in pipeline:
            if where == "body" and batch.number == 4:
                raise KeyboardInterrupt
    assert pipeline.closed and closed == [True]
    assert graph.num_edges == pipeline.totals.records == 5


def test_a_pipeline_that_nobody_uses_any_more_ends():
    pipeline = Pipeline((([i], [i + 1]) for i in range(30)), CSR(N, device="cpu"))
    next(pipeline)
    assert threads()
    del pipeline  # and the fixture looks for its threads


def test_a_window(device, rng):
    graph, expected = (SlabGraph(N, time_unit="s", device=device) for _ in range(2))
    window = fr.SlidingWindow(expected, "5min", lateness="1min")
    batches = []
    for i in range(12):
        seconds = 60 * i + rng.integers(0, 60, 30) - np.where(rng.random(30) < 0.1, 200, 0)
        batches.append((*rng.integers(0, N, (2, 30)), None, seconds.astype("M8[s]")))
    pipeline = Pipeline(batches, graph, window={"span": "5min", "lateness": "1min"})
    late = 0
    for (src, dst, _, seconds), batch in zip(batches, pipeline, strict=True):
        done = window.push(src, dst, time=seconds)
        assert (batch.inserted, batch.replaced, batch.deleted, batch.late) == (
            done.inserted, done.replaced, done.expired, done.late)  # fmt: skip
        assert edge_set(graph) == edge_set(expected)
        late += done.late
    assert pipeline.totals.late == late > 0


@pytest.mark.parametrize("lines", ["3,4\n-7,3\n", "007,07\n07,7\n", "18446744073709551615,3\n12e4,bob\n"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_names_that_are_text_are_the_ids_of_a_file_as_written(lines, suffix, tmp_path):
    path, names = tmp_path / f"names{suffix}", fr.VertexNames("str")
    written = [tuple(line.split(",")) for line in lines.splitlines()]
    if suffix == ".csv":
        path.write_text("src,dst\n" + lines)
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        pyarrow = pytest.importorskip("pyarrow")
        parquet.write_table(pyarrow.table(dict(zip(("src", "dst"), zip(*written, strict=True), strict=True))), path)
    graph = CSR(device="cpu", directed=True)
    Pipeline(path, graph, names=names).run()
    src, dst = (names.ids(list(ends)).tolist() for ends in zip(*written, strict=True))
    assert names.size == len({*src, *dst}) == len({name for pair in written for name in pair})
    assert graph.has_edges(src, dst).all()
    assert graph.num_edges == len(written)


def test_log_and_metrics(records, tmp_path):
    log, prom = tmp_path / "log.jsonl", tmp_path / "metrics.prom"
    analytics = {"count": lambda graph: np.int64(graph.num_edges), "degrees": lambda graph: graph.degrees()}
    graph = CSR(N, device="cpu")
    pipeline = Pipeline(tuple(records), graph, analytics, batch_size=SIZE, log=log, metrics=prom, progress=True)
    totals = pipeline.run()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["begin"] for line in lines] == list(range(0, RECORDS, SIZE))
    assert lines[-1]["results"] == {"count": graph.num_edges}
    assert sum(line["inserted"] for line in lines) == totals.inserted == graph.num_edges
    text = prom.read_text()
    assert text == pipeline.metrics()
    assert f"dynfrontier_records_total {RECORDS}\n" in text
    assert f'dynfrontier_result{{analytic="count"}} {graph.num_edges}\n' in text
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+(\{\w+=\"[^\"]*\"\})? (\d[\d.e+-]*|NaN)", line, re.I), line


def test_results_of_algorithms_come_to_the_host(device):
    """Also results in named tuples. Later batches do not change them."""
    pair = namedtuple("pair", ["count", "degrees"])
    items = [(np.array([v]), np.array([v + 1])) for v in range(3)]
    analytics = {"found": connected_components, "pair": lambda graph: pair(graph.num_edges, graph.degrees())}
    batches = list(Pipeline(iter(items), SlabGraph(4, device=device), analytics))
    labels = [batch.results["found"].labels for batch in batches]
    assert all(type(each) is np.ndarray for each in labels)
    assert [each.tolist() for each in labels] == [[0, 0, 2, 3], [0, 0, 0, 3], [0, 0, 0, 0]]
    assert [batch.results["pair"].degrees.tolist() for batch in batches] == [[1, 1, 0, 0], [1, 2, 1, 0], [1, 2, 2, 1]]
    assert batches[0].results["pair"].count == 1


def test_a_function_that_fails_is_a_source_that_does():
    def source(begin):
        raise ConnectionError("nobody there")

    with pytest.raises(PipelineError, match="nobody there") as raised:
        Pipeline(source, SlabGraph(N, device="cpu")).run()
    assert raised.value.stage == "source"
