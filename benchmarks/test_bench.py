"""Small cases for pytest-benchmark, to compare two commits: ``pytest benchmarks/test_bench.py --benchmark-autosave``.

They run on the CPU by default, and on a GPU with ``DYNFRONTIER_BENCH_DEVICE=gpu``.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
import pytest

import frontier as fr
from algorithms import DynamicTriangleCount
from benchmarks.batches import new_batches
from benchmarks.calls import calls
from benchmarks.context import choose_structures
from benchmarks.defaults import AXES, VECTOR_SEED
from benchmarks.graphs import BenchmarkGraph, GraphSource, baseline, hub_of

DEVICE = fr.advanced.resolve_device(os.environ.get("DYNFRONTIER_BENCH_DEVICE", "cpu"))
SCALE = 14 if not DEVICE.is_gpu else 20
BATCH = 2**10 if not DEVICE.is_gpu else 2**16
ROUNDS = 10
STRUCTURES = choose_structures(None)


@pytest.fixture(scope="module")
def source() -> BenchmarkGraph:
    return GraphSource(DEVICE, AXES[DEVICE.kind, "quick"]).get(f"rmat{SCALE}")


@pytest.fixture(scope="module", params=list(STRUCTURES))
def graph(request: pytest.FixtureRequest, source: BenchmarkGraph) -> Any:
    """An undirected graph in each structure."""
    return source.undirected(STRUCTURES[request.param])


@pytest.fixture(scope="module")
def batches(source: BenchmarkGraph) -> list[tuple[Any, Any]]:
    """New arcs, a batch for each round and one to warm up."""
    kind = baseline()
    arcs = kind.from_edges(*source.arcs(), num_vertices=source.num_vertices, directed=True, device=DEVICE)
    found = new_batches(source, arcs, "uniform", BATCH, ROUNDS + 1)
    assert found is not None
    return found


def synchronized(work: Any) -> Any:
    """The same call, which returns when the device has finished."""

    def call(*args: Any) -> Any:
        result = work(*args)
        DEVICE.synchronize()
        return result

    return call


def test_insert(benchmark: Any, graph: Any, batches: list[tuple[Any, Any]]) -> None:
    changing, left = graph.copy(), iter(batches)
    benchmark.extra_info["edges"] = BATCH
    benchmark.pedantic(
        synchronized(changing.insert_edges), setup=lambda: (next(left), {}), rounds=ROUNDS, warmup_rounds=1
    )


def test_delete(benchmark: Any, graph: Any, batches: list[tuple[Any, Any]]) -> None:
    changing, left = graph.copy(), iter(batches)
    for src, dst in batches:
        changing.insert_edges(src, dst)
    benchmark.extra_info["edges"] = BATCH
    benchmark.pedantic(
        synchronized(changing.delete_edges), setup=lambda: (next(left), {}), rounds=ROUNDS, warmup_rounds=1
    )


def test_query(benchmark: Any, graph: Any, batches: list[tuple[Any, Any]]) -> None:
    benchmark.extra_info["edges"] = BATCH
    benchmark.pedantic(synchronized(graph.has_edges), args=batches[0], rounds=ROUNDS, warmup_rounds=1)


def test_insert_and_count(benchmark: Any, graph: Any, batches: list[tuple[Any, Any]]) -> None:
    changing, left = graph.copy(), iter(batches)
    counter = DynamicTriangleCount(changing)
    benchmark.pedantic(
        synchronized(changing.insert_edges), setup=lambda: (next(left), {}), rounds=ROUNDS, warmup_rounds=1
    )
    counter.close()


@pytest.mark.parametrize("label", calls())
def test_algorithm(benchmark: Any, graph: Any, source: BenchmarkGraph, label: str) -> None:
    call = calls()[label]
    held = source.undirected(type(graph), weighted=True) if call.weighted else graph
    work = partial(call.analytic.compute, held, source=hub_of(held), **call.settings)
    benchmark.pedantic(synchronized(work), rounds=5, warmup_rounds=1)


def test_spmv(benchmark: Any, graph: Any) -> None:
    vector = graph.xp.asarray(np.random.default_rng(VECTOR_SEED).random(graph.num_vertices))
    benchmark.pedantic(
        synchronized(fr.neighbor_reduce), args=(graph, None, _times, vector), rounds=ROUNDS, warmup_rounds=1
    )


def _times(src, dst, edge, weight, x):  # type: ignore[no-untyped-def]
    return weight * x[dst]
