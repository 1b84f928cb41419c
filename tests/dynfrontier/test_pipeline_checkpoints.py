"""Checkpoints of a pipeline: it resumes after every batch, and no row is lost or applied twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from model import edge_set
from pipeline_cases import *  # noqa: F403
from pipeline_cases import RECORDS, SIZE, N, weighted

from dynfrontier import Pipeline
from frontier.runtime.compile.disk_cache import PROJECT_ROOT
from structures import CSR, SlabGraph


def stream_of(device, at=0):
    """Added weights count how often each row was applied."""
    return CSR(N, device=device, weight_dtype="int64"), {"batch_size": SIZE, "on_existing": "add"}


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
