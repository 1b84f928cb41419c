"""Sums of the neighbors' features, k float32 numbers for each vertex, by structure; and as a sparse matrix product.

The product is SciPy's on a CPU, and CuPy's (cuSPARSE) on a GPU, with the sparse matrix made beforehand. Two floors: the
time in which the memory of a GPU moves what must be moved at least (each neighbor and each row once), and that in which
it moves a row for each arc, as if no cache held any.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import frontier as fr

from .context import Context
from .defaults import COPY_BANDWIDTH, EDGE_FACTOR, FEATURES, GRAPH_SEED, VECTOR_SEED
from .graphs import BenchmarkGraph, baseline
from .results import Results, describe_run, pivot, table
from .timing import measure

NAME = "features"
MAX_BYTES = {"cpu": 2**30, "gpu": 2**35}  # of features, beyond which columns are left out
RTOL = 1e-3  # float32 sums of up to a hub's neighbors, in any order


def run(context: Context) -> Results:
    """Measure all structures on the RMAT graphs."""
    header = describe_run(context.device, seeds={"graph": GRAPH_SEED, "vector": VECTOR_SEED}, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for graph in context.fitting(results, NAME, context.rmat_graphs()):
        expected: dict[int, Any] = {}
        systems: dict[str, Callable[[], Any]] = {
            structure: partial(_aggregation, graph, kind) for structure, kind in context.structures.items()
        }
        systems["cupyx" if context.device.is_gpu else "scipy"] = partial(_product, graph)
        for system, prepare in systems.items():
            context.say(f"{NAME}: {graph.name}, {system}")
            work = partial(_measure, context, results, graph, system, prepare, expected)
            context.attempt(results, f"{NAME}: {graph.name}, {system}", work)
    return results


def _feature(src, dst, edge, weight, column, x):  # type: ignore[no-untyped-def]
    return x[dst, column]


def _aggregation(graph: BenchmarkGraph, kind: type[fr.DynamicGraph]) -> Callable[[Any, Any], Any]:
    held = graph.undirected(kind)
    return lambda x, out: fr.neighbor_reduce(held, None, _feature, x, columns=x.shape[1], out=out)


def _product(graph: BenchmarkGraph) -> Callable[[Any, Any], Any]:
    matrix = fr.interchange.to_scipy(graph.undirected(baseline()))
    return lambda x, out: matrix @ x


def _measure(
    context: Context, results: Results, graph: BenchmarkGraph, system: str,
    prepare: Callable[[], Callable[[Any, Any], Any]], expected: dict[int, Any],
) -> None:  # fmt: skip
    """All numbers of columns in one system."""
    axes, device = context.axes, context.device
    call = prepare()
    for k in FEATURES:
        if graph.num_vertices * k * 4 > MAX_BYTES[device.kind]:
            continue
        rows = np.random.default_rng(VECTOR_SEED).random((graph.num_vertices, k), np.float32)
        x = device.xp.asarray(rows)
        out = device.xp.empty_like(x)
        samples, found = measure(
            device, partial(call, x, out), repeat=axes.repeat, warm_up=axes.warm_up, limit=axes.seconds_per_call
        )
        digest = device.to_host(found.sum(axis=0, dtype=np.float64))
        agrees = bool(np.allclose(expected.setdefault(k, digest), digest, rtol=RTOL))
        if not agrees:
            context.failures += 1
            results.notes.append(f"FAILED: {graph.name}, {system}: sums of {k} columns differ")
        row_bytes, arcs = 4 * k, 2 * graph.num_edges
        least = 4 * arcs + 2 * graph.num_vertices * row_bytes
        gathered = arcs * (4 + row_bytes) + graph.num_vertices * row_bytes
        results.add(
            graph=graph.name, system=system, columns=k, agrees=agrees, bytes=least, gathered_bytes=gathered,
            gathered_gb_per_s=gathered / samples.median / 1e9,
            floor_ms=1e3 * least / COPY_BANDWIDTH if device.is_gpu else None,
            gathered_floor_ms=1e3 * gathered / COPY_BANDWIDTH if device.is_gpu else None,
            **samples.numbers(),
        )  # fmt: skip


def tables(results: Results) -> list[str]:
    """What a reader wants to see first."""
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        rows = results.where(graph=graph)
        columns, cells = pivot(rows, ("system",), "columns", lambda row: row["median_ms"])
        if any(row["floor_ms"] is not None for row in rows):
            by_columns = {row["columns"]: row for row in rows}.values()
            for name, field in (("floor, rows once", "floor_ms"), ("floor, a row an arc", "gathered_floor_ms")):
                cells = [*cells, [name, *(row[field] for row in by_columns)]]
        found.append(table(f"{graph}: sums of the neighbors' k features, ms (median)", columns, cells))
        columns, cells = pivot(rows, ("system",), "columns", lambda row: row["gathered_gb_per_s"])
        found.append(table(f"{graph}: GB/s, a row counted for each arc", columns, cells))
    return found
