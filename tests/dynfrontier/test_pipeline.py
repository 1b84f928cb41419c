"""`Pipeline`: every record in order, from any source, with bounded memory and a clean end in all cases."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import namedtuple
from itertools import pairwise

import numpy as np
import pytest
from model import edge_set, to_host

import frontier as fr
from algorithms import DynamicTriangleCount, connected_components
from dynfrontier import Pipeline, PipelineError, SocketSource
from dynfrontier.pipeline.records import RecordColumns, in_parts
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from structures import CSR, SlabGraph

N, RECORDS, SIZE = 60, 500, 64


def threads():
    """The threads of pipelines. Threads that compile end at any time."""
    names = {thread: thread.name for thread in threading.enumerate()}
    return {
        thread for thread, name in names.items() if name.startswith("dynfrontier-") and name != "dynfrontier-compile"
    }


@pytest.fixture(autouse=True)
def _no_thread_is_left():
    before = threads()
    yield
    assert threads() <= before


@pytest.fixture
def records(rng):
    return rng.integers(0, N, (2, RECORDS))


def cut(columns, size=SIZE):
    return [tuple(column[begin : begin + size] for column in columns) for begin in range(0, columns[0].size, size)]


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


def test_lines_from_a_socket(rng):
    here, there = socket.socketpair()
    graph = CSR(N, device="cpu")
    pairs = rng.integers(0, N, (300, 2))

    def send():
        text = "".join(f"{u} {v}\n" for u, v in pairs).encode()
        for begin in range(0, len(text), 97):
            there.send(text[begin : begin + 97])
        there.close()

    sender = threading.Thread(target=send)
    sender.start()
    assert Pipeline(SocketSource(here), graph).run().records == 300
    sender.join()
    assert edge_set(graph) == edge_set(CSR.from_edges(*pairs.T, num_vertices=N, device="cpu"))


@pytest.mark.parametrize(
    "line", [b'3,"4\n', b'"3,4\n', b'3,4,"note\n', b'3,4,"note" x\n', b"3,4," + b"x" * 300], ids=lambda line: line[:12]
)
def test_a_fault_in_a_line_of_a_socket_is_an_error_at_once(line):
    """The connection stays open: no more has to come for it."""
    here, there = socket.socketpair()
    there.send(b'1,2,5" disc\n# it is 5"\n' + line)
    source = SocketSource(here, ("src", "dst", None), ",", max_record_bytes=200)
    with pytest.raises(PipelineError, match="socket, line 3: "):
        Pipeline(source, CSR(N, device="cpu")).run()
    there.close()
    here.close()


@pytest.mark.parametrize("text", [b"0 1 1000\n3 4 2000\n", b"0 1 1000\r\n3 4 2000\r\n#\n"])
def test_a_line_that_the_end_of_a_connection_cuts_is_an_error(text):
    for size in range(len(text) + 1):
        here, there = socket.socketpair()
        there.send(text[:size])
        there.close()
        graph = CSR(N, weight_dtype="int64", directed=True, device="cpu")
        pipeline = Pipeline(SocketSource(here, ("src", "dst", "weight")), graph)
        cut = text[:size].split(b"\n")[-1].decode().strip()
        if cut:
            line = text[:size].count(b"\n") + 1
            reason = f"socket, line {line}: the connection ended within a line.*{cut}"
            with pytest.raises(PipelineError, match=reason):
                pipeline.run()
        else:
            pipeline.run()
        src, dst, weights = graph.to_coo()
        found = set(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))
        assert found <= {(0, 1, 1000), (3, 4, 2000)} and (cut or len(found) == min(2, text[:size].count(b"\n")))
        here.close()


@pytest.mark.parametrize("sent", [b"x" * 4096, b"# " + b"x" * 4094])
def test_a_line_of_a_socket_takes_bounded_memory(sent):
    here, there = socket.socketpair()
    there.send(b"0 1\n")
    taken = []

    def send():
        with contextlib.suppress(OSError):
            for _ in range(4096):
                there.sendall(sent)
                taken.append(len(sent))

    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(PipelineError, match="socket, line 2: "):
        Pipeline(SocketSource(here, max_record_bytes=1 << 16), CSR(N, device="cpu")).run()
    here.close()
    sender.join()
    assert sum(taken) < 1 << 23  # buffers of sockets and of one call of `recv`, in addition
    there.close()


def test_a_socket_may_begin_with_comments():
    """Comments arrive as a separate part, and reveal nothing about columns."""
    here, there = socket.socketpair()
    source = iter(SocketSource(here, ("src", "dst", "time")))
    there.send(b"# a feed\n\n")
    sender = threading.Timer(0.2, lambda: there.sendall(b"0 1 2020-01-01\n"))
    sender.start()
    assert next(source).times.tolist() == [1577836800 * 10**9]
    there.send(b"0 1 x\n")
    with pytest.raises(fr.io.ParseError, match="socket, line 4: 'x' is no date"):
        next(source)
    here.close()
    there.close()


def test_a_socket_on_which_nothing_comes_is_left():
    here, there = socket.socketpair()
    there.send(b"0 1\n2")
    pipeline = Pipeline(SocketSource(here), CSR(N, device="cpu"))
    assert next(pipeline).records == 1
    pipeline.close()
    there.close()
    here.close()


# ---- reports --------------------------------------------------------------------------------------------------------


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


# ---- checkpoints ----------------------------------------------------------------------------------------------------


def stream_of(device, at=0):
    """Added weights count how often each record was applied."""
    return CSR(N, device=device, weight_dtype="int64"), {"batch_size": SIZE, "on_existing": "add"}


def weighted(graph):
    return [to_host(graph, column).tolist() for column in graph.to_coo()]


def test_it_goes_on_from_every_batch(device, records, tmp_path):
    weights = np.arange(1, RECORDS + 1)
    source = (*records, weights)
    expected, options = stream_of(device)
    Pipeline(source, expected, **options).run()
    for stop in (1, 4, 8):
        folder, log = tmp_path / str(stop), tmp_path / f"{stop}.jsonl"
        graph, options = stream_of(device)
        options |= {"every": 3, "log": log}
        pipeline = Pipeline(source, graph, checkpoint=folder, **options)
        with pytest.raises(RuntimeError, match="stop"), pipeline:
            for batch in pipeline:
                if batch.number == stop - 1:
                    raise RuntimeError("stop")
        if stop < 3:
            with pytest.raises(FileNotFoundError):
                Pipeline.resume(folder, source, device=device, **options)
            continue
        options["device"] = device
        resumed = Pipeline.resume(folder, source, {"degrees": lambda graph: graph.degrees()}, **options)
        assert resumed.totals.batches == (stop - 1) // 3 * 3
        assert resumed.run().records == RECORDS
        assert weighted(resumed.graph) == weighted(expected)
        begins = [json.loads(line)["begin"] for line in log.read_text().splitlines()]
        assert begins == list(range(0, RECORDS, SIZE))  # none is missing, none there twice
        assert Pipeline.resume(folder, source, **options).run().records == RECORDS  # nothing is left
        with pytest.raises(FileExistsError, match="continue with Pipeline"):
            Pipeline(source, graph, checkpoint=folder)


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


def test_a_socket_cannot_begin_again(tmp_path):
    here, there = socket.socketpair()
    there.send(b"0 1\n2 3\n")
    there.close()
    Pipeline(SocketSource(here), SlabGraph(N, device="cpu"), checkpoint=tmp_path).run()
    with pytest.raises(TypeError, match="a SocketSource cannot; pass a function"):
        Pipeline.resume(tmp_path, SocketSource(here), device="cpu")
    here.close()


@pytest.mark.parametrize("checkpoint", [False, True])
@pytest.mark.parametrize("other", [False, True], ids=["callback", "thread"])
def test_a_run_may_be_closed_from_elsewhere(records, tmp_path, checkpoint, other):
    """It stops after the current batch, and writes its last checkpoint."""
    records = *records, np.ones(RECORDS, np.int64)
    graph, options = stream_of("cpu")
    pipeline = Pipeline(records, graph, checkpoint=tmp_path if checkpoint else None, **options)
    closers = []

    def enough(batch):
        if batch.number == 1 and other:
            closers.append(threading.Thread(target=pipeline.close))
            closers[0].start()
        elif batch.number == 1:
            pipeline.close()

    totals = pipeline.run(enough)
    for thread in closers:
        thread.join()
    assert pipeline.closed and totals.records >= 2 * SIZE
    if checkpoint:
        assert Pipeline.resume(tmp_path, records, device="cpu", **options).totals.records == totals.records


def test_items_without_records_are_not_applied_again(tmp_path):
    def item(*ends):
        return np.array(ends, np.int64), np.array(ends, np.int64) + 1

    items = [item(0, 1), item(), item(2, 3), item(4)]
    log = tmp_path / "log"
    pipeline = Pipeline(iter(items), SlabGraph(N, device="cpu"), checkpoint=tmp_path / "held", log=log)
    for _ in range(3):
        next(pipeline)
    pipeline.close()
    resumed = Pipeline.resume(tmp_path / "held", iter(items), device="cpu", log=log)
    assert [(batch.number, batch.records) for batch in resumed] == [(3, 1)]
    assert [json.loads(line)["number"] for line in log.read_text().splitlines()] == [0, 1, 2, 3]
    Pipeline(iter(items[:1]), SlabGraph(N, device="cpu"), log=log).run()
    assert len(log.read_text().splitlines()) == 5  # the existing file stays


def test_a_function_that_fails_is_a_source_that_does():
    def source(begin):
        raise ConnectionError("nobody there")

    with pytest.raises(PipelineError, match="nobody there") as raised:
        Pipeline(source, SlabGraph(N, device="cpu")).run()
    assert raised.value.stage == "source"


def test_a_window_goes_on(device, rng, tmp_path):
    times = np.sort(rng.integers(0, 600, RECORDS))
    times[100] = 5000  # of a self-loop: the window's clock is then ahead of the graph's times
    src, dst = rng.integers(0, N, (2, RECORDS))
    src[100] = dst[100] = 1
    source = (src, dst, None, times)
    whole = SlabGraph(N, time_unit="s", device=device)
    expected = Pipeline(source, whole, window=200, batch_size=SIZE).run()
    pipeline = Pipeline(source, SlabGraph(N, time_unit="s", device=device), window=200, batch_size=SIZE,
                           checkpoint=tmp_path)  # fmt: skip
    for _ in range(4):
        next(pipeline)
    pipeline.close()  # writes a checkpoint
    resumed = Pipeline.resume(tmp_path, source, device=device, batch_size=SIZE)
    assert resumed.window.state() == pipeline.window.state()
    totals = resumed.run()
    assert (totals.late, totals.inserted, totals.deleted) == (expected.late, expected.inserted, expected.deleted)
    assert edge_set(resumed.graph) == edge_set(whole)


def test_a_checkpoint_that_fails_leaves_the_one_before(records, tmp_path, monkeypatch):
    """At each of its calls of the system in turn, as if the process had been killed there."""
    graph, options = stream_of("cpu")
    source = (*records, np.ones(RECORDS, np.int64))
    pipeline = Pipeline(source, graph, checkpoint=tmp_path, every=1000, **options)
    next(pipeline)
    pipeline._checkpoint()
    next(pipeline)
    for name in ("replace", "fsync"):
        for at in range(1, 4):
            original, calls = getattr(os, name), []

            def fail(*args, original=original, calls=calls, at=at, **kwargs):
                calls.append(None)
                if len(calls) == at:
                    raise OSError(5, "killed")
                return original(*args, **kwargs)

            with monkeypatch.context() as patched, pytest.raises(OSError, match="killed"):
                patched.setattr(os, name, fail)
                pipeline._checkpoint()
                raise OSError(5, "killed")  # it has fewer calls than that
            state = Pipeline.resume(tmp_path, source, device="cpu", **options)
            assert state.totals.records in (SIZE, 2 * SIZE) and state.totals.inserted == state.graph.num_edges
            pipeline._saved = False
    pipeline.close()


KILLED = """
import sys, time
import numpy as np
from dynfrontier import Pipeline
from structures import CSR

rng = np.random.default_rng(7)
src, dst = rng.integers(0, 50, (2, 4000))
source = (src, dst, np.arange(1, 4001))
options = dict(batch_size=40, on_existing="add", every=2)

def told(batch):
    print(batch.number, flush=True)

try:
    pipeline = Pipeline.resume(sys.argv[1], source, device="cpu", **options)
except FileNotFoundError:
    graph = CSR(50, device="cpu", weight_dtype="int64")
    pipeline = Pipeline(source, graph, checkpoint=sys.argv[1], **options)
pipeline.run(told)
np.save(sys.argv[2], np.array([np.asarray(column) for column in pipeline.graph.to_coo()]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_nothing_is_lost_or_doubled_by_kills(tmp_path):
    rng = np.random.default_rng()
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    command = [sys.executable, "-c", KILLED, str(tmp_path / "checkpoint"), str(tmp_path / "result.npy")]
    for kills in range(2):
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            for number in map(int, process.stdout):
                if number >= 10 + 35 * kills + rng.integers(0, 20):
                    time.sleep(rng.random() * 0.02)
                    break
            process.kill()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    src, dst = np.random.default_rng(7).integers(0, 50, (2, 4000))
    sums: dict[tuple[int, int], int] = {}
    rows = list(zip(np.minimum(src, dst).tolist(), np.maximum(src, dst).tolist(), range(1, 4001), strict=True))
    for begin in range(0, len(rows), 40):
        for edge, weight in {(u, v): w for u, v, w in rows[begin : begin + 40] if u != v}.items():  # the last counts
            sums[edge] = sums.get(edge, 0) + weight
    found = np.load(tmp_path / "result.npy")
    assert {(u, v): w for u, v, w in found.T.tolist()} == sums
