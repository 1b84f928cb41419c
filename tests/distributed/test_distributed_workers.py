"""Distributed graphs with real workers: processes on CPUs, of a Dask cluster, and on several GPUs with NCCL.

On a machine with two GPUs: ``pytest -m gpu tests/distributed/test_distributed_workers.py``.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from distributed_cases import gpus, host, missing
from distributed_frames import check_frames_of_dask
from graphs import GRAPHS
from model import Model

import frontier as fr
from algorithms import (
    DynamicConnectedComponents,
    DynamicTriangleCount,
    bfs,
    connected_components,
    pagerank,
    temporal_triangle_count,
    triangle_count,
)
from frontier.distributed import DaskEngine, DistributedGraph, PartLostError, ProcessEngine, ThreadEngine
from structures import SlabGraph


def kind(name: str, obstacle: str, *marks: Any) -> Any:
    return pytest.param(name, id=name, marks=[*marks, pytest.mark.skipif(bool(obstacle), reason=obstacle)])


SLOW = pytest.mark.slow
KINDS = [
    kind("processes", missing("ucxx")),
    kind("dask", missing("ucxx", "distributed"), SLOW),
    kind("nccl", "" if gpus() > 1 else f"NCCL needs two GPUs, and there are {gpus()}", pytest.mark.gpu),
]


@contextmanager
def workers(kind: str) -> Iterator[Any]:
    """Two workers."""
    if kind != "dask":
        with ProcessEngine(2, "nccl" if kind == "nccl" else "ucxx") as engine:
            yield engine
        return
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        engine = DistributedGraph(SlabGraph).engine  # by default the client's
        assert isinstance(engine, DaskEngine)
        yield engine
        engine.close()


def fail_alone(worker):
    """Let one partition fail where the rest wait for it."""
    if worker.comm.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    worker.comm.barrier()


def exchange(worker):
    """All that a communicator does, with arrays small and large, empty ones among them."""
    comm, xp = worker.comm, worker.comm.device.xp
    found = []
    for dtype in (np.bool_, np.uint8, np.int32, np.int64, np.float32, np.float64):
        counts = [3, 0] if comm.rank else [0, 7]
        values = xp.arange(sum(counts)).astype(dtype)
        got, received = comm.alltoallv(values, counts)
        found.append((host(got).tolist(), received))
        if dtype is not np.bool_:
            large = (xp.arange(20_000) % 100).astype(dtype) + dtype(comm.rank)
            found.append([host(comm.allreduce(large, op)).tolist() for op in ("sum", "min", "max")])
        found.append(host(comm.allgather(values[:2])[0]).tolist())
    comm.barrier()
    return found, comm.reduce_numbers([comm.rank, 5]), comm.gather_objects(("part", comm.rank))


def exchange_in_numpy(rank):
    """The result of `exchange` on a partition."""
    all_counts = [[0, 7], [3, 0]]
    found = []
    for dtype in (np.bool_, np.uint8, np.int32, np.int64, np.float32, np.float64):
        values = [np.arange(sum(counts)).astype(dtype) for counts in all_counts]
        pieces = [np.split(v, [c[0]])[rank] for v, c in zip(values, all_counts, strict=True)]
        found.append((np.concatenate(pieces).tolist(), [piece.size for piece in pieces]))
        if dtype is not np.bool_:
            large = [(np.arange(20_000) % 100).astype(dtype) + dtype(r) for r in range(2)]
            found.append([getattr(np, op)(large, axis=0, **kw).tolist() for op, kw in
                          (("sum", {"dtype": dtype}), ("min", {}), ("max", {}))])  # fmt: skip
        found.append(np.concatenate([v[:2] for v in values]).tolist())
    return found, [1, 10], [("part", 0), ("part", 1)]


@pytest.mark.parametrize("kind", KINDS)
def test_workers(kind):
    """One test for all, since starting workers is the slowest step."""
    src, dst, n = GRAPHS["rmat"]
    rng = np.random.default_rng(5)
    with workers(kind) as engine:
        assert engine.size == 2
        assert engine.run_alike(exchange) == [exchange_in_numpy(rank) for rank in range(2)]

        graph = DistributedGraph(SlabGraph, n, engine=engine)
        one = SlabGraph.from_edges(src, dst, num_vertices=n, device="cpu")
        assert graph.insert_edges(src, dst).inserted == one.num_edges == graph.num_edges
        assert np.array_equal(graph.degrees(), one.degrees())
        assert np.array_equal(host(bfs(graph, 0).distance), bfs(one, 0).distance)
        assert np.array_equal(host(connected_components(graph).labels), connected_components(one).labels)
        assert np.allclose(host(pagerank(graph).pagerank), pagerank(one).pagerank, rtol=1e-4, atol=1e-9)
        found, expected = triangle_count(graph), triangle_count(one)
        assert found.total == expected.total and np.array_equal(host(found.per_vertex), expected.per_vertex)

        weighted = DistributedGraph(SlabGraph, 40, weight_dtype="int32", engine=engine)
        model = Model(40, weight_dtype="int32")
        for how in ("replace", "keep", "add"):
            batch = (*rng.integers(0, 40, (2, 200)), rng.integers(-3, 9, 200).astype(np.int32))
            assert weighted.insert_edges(*batch, on_existing=how) == model.insert_edges(*batch, on_existing=how)
            some = batch[0][:50], batch[1][:50]
            assert weighted.delete_edges(*some) == model.delete_edges(*some)
        assert list(zip(*(array.tolist() for array in weighted.to_coo()), strict=True)) == model.edges()
        with pytest.raises(ValueError, match=r"src\[2\] is 99, outside the graph's vertices 0..39"):
            weighted.insert_edges([0, 1, 99, 3], [4, 5, 6, 7])
        assert weighted.num_edges == len(model.edges())

        options = {"edge_data": {"amount": "float32", "kind": "int8"}, "time_unit": "s"}
        timed = DistributedGraph(SlabGraph, 40, engine=engine, **options), SlabGraph(40, device="cpu", **options)
        windows = [fr.SlidingWindow(each, span="20s") for each in timed]
        for step in range(3):
            src_, dst_ = rng.integers(0, 40, (2, 150))
            data = {"amount": rng.random(150), "kind": src_ - 20, "time": rng.integers(0, 15, 150) + 10 * step}
            done = [window.push(src_, dst_, **data) for window in windows]
            assert done[0] == done[1] and done[0].inserted
        ends = timed[1].to_coo()[:2]
        for name in ("amount", "kind", "time"):
            expected = timed[1].edge_data[name][timed[1].edge_ids(*ends)]
            assert timed[0].edge_values(name, *ends).tolist() == expected.tolist()
        src_, dst_ = rng.integers(0, 40, (2, 150))
        data = {"amount": rng.random(150), "kind": src_ - 20, "time": rng.integers(0, 50, 150)}
        answers = [each.apply(np.arange(150) % 6, src_, dst_, **data) for each in timed]
        for name in ("answers", "weights", "offsets", "neighbors", "inserted", "replaced", "deleted"):
            assert np.array_equal(getattr(answers[0], name), getattr(answers[1], name))
        assert temporal_triangle_count(timed[0], 9).total == temporal_triangle_count(timed[1], 9).total

        shown, before = graph.snapshot(), triangle_count(one).total
        with DynamicTriangleCount(graph) as triangles, DynamicConnectedComponents(graph) as components:
            for each in (graph, one):
                each.insert_edges(src[::2], dst[::-2][: src[::2].size])
                each.delete_edges(src[:100], dst[:100])
            assert triangles.total == triangle_count(one).total
            assert np.array_equal(host(components.labels), connected_components(one).labels)
        assert triangle_count(shown).total == before != triangle_count(graph).total
        if kind == "dask" and not missing("pyarrow"):
            check_frames_of_dask(engine)

        large = np.arange(2**17) % n  # sent to Dask's workers past its scheduler
        assert graph.insert_edges(large, (large * 7 + np.arange(2**17) // n) % n).inserted > 0

        with pytest.raises(PartLostError, match="is gone, and its partition"):
            engine.run_alike(fail_alone)
        with pytest.raises(PartLostError):
            graph.degrees()


# ---- lost workers ---------------------------------------------------------------------------------------------------


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(part: Any, phase: str, folder: str) -> None:
    """Let the second worker be killed while all do something."""
    second = part.comm.rank == 1
    if phase == "exchange":
        exchange = part.comm._exchange
        calls = iter(range(100))
        if second:  # when other partitions have sent to it
            part.comm._exchange = lambda transfers: die() if next(calls) == 1 else exchange(transfers)
        part.insert_edges([1, 2], [3, 4])
    elif phase == "update":
        if second:
            part.local.insert_edges = die
        part.insert_edges([1, 2], [3, 4])
    elif phase == "algorithm":
        if second:
            part.arrays.to_owners = die
        bfs(part, 0)
    else:
        if second:
            part.local.save = die
        part.save(folder)


@SLOW  # test_workers loses a worker, too
@pytest.mark.skipif(bool(missing("ucxx")), reason=missing("ucxx"))
@pytest.mark.parametrize("phase", ["exchange", "save", "update", "algorithm"])
def test_a_stream_goes_on_after_a_worker_is_lost(phase, tmp_path, request):
    """From the last save, on another number of workers."""
    if phase in ("update", "algorithm") and not request.config.getoption("--long"):
        pytest.skip("starts two processes: with --long")
    rng = np.random.default_rng(7)
    batches = [tuple(rng.integers(0, 60, (2, 150))) for _ in range(3)]
    with ProcessEngine(2) as engine:
        graph = DistributedGraph(SlabGraph, 60, engine=engine)
        graph.insert_edges(*batches[0])
        graph.save(tmp_path)
        graph.insert_edges(*batches[1])
        with pytest.raises(PartLostError, match="worker 1 of this graph is gone"):
            graph.run(die_at, phase, str(tmp_path))
        with pytest.raises(PartLostError):
            graph.insert_edges(*batches[2])
    one = SlabGraph(60, device="cpu")
    with ThreadEngine(3) as others:
        found = DistributedGraph.load(tmp_path, engine=others)
        one.insert_edges(*batches[0])
        assert found.num_edges == one.num_edges
        with DynamicTriangleCount(found) as triangles:
            for batch in batches[1:]:
                assert found.insert_edges(*batch) == one.insert_edges(*batch)
            assert triangles.total == triangle_count(one).total
