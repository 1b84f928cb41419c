"""Updates: bulk build, insertion of new arcs and of existing arcs, queries, deletion, and memory, by structure.

Graphs are directed and have both directions of every edge, so an edge of a batch is one arc, as in the peers' own
benchmarks. A batch of new arcs is inserted, inserted again (duplicates), looked up (hits), deleted, and looked up again
(misses): the graph is the same before and after. Every repetition has a new batch.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run

from .batches import distributions_of, new_batches
from .context import Context
from .defaults import BASELINE, BATCH_SEED, EDGE_DATA, EDGE_FACTOR, GRAPH_SEED, IN_EDGES, MAX_EDGES
from .graphs import BenchmarkGraph
from .results import Results, pivot, table
from .timing import Samples, measure, timed

NAME = "updates"
OPERATIONS = ("insert", "duplicate", "query hit", "delete", "query miss")
BUILDS = 3


def run(context: Context) -> Results:
    """Measure all structures on all graphs."""
    seeds = {"graph": GRAPH_SEED, "batch": BATCH_SEED}
    header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for name in context.graphs.names():
        graph = context.graph(name)
        prepared: dict[tuple[str, int], Any] = {}
        for variant in context.axes.variants:
            if not context.budget.fits(NAME, graph.num_edges):
                context.skip(results, f"{NAME}: {name}, {variant} left out: it would not fit the time budget")
                continue
            begin = time.perf_counter()
            _measure_graph(context, results, graph, variant, prepared)
            context.budget.took(NAME, graph.num_edges, time.perf_counter() - begin)
    _compare(results)
    return results


def _measure_graph(
    context: Context, results: Results, graph: BenchmarkGraph, variant: str, prepared: dict[tuple[str, int], Any]
) -> None:
    """All structures on one graph. The batches, which all share, are prepared once."""
    device = context.device
    src, dst = graph.arcs()
    weights = None
    if variant in ("weighted", EDGE_DATA):
        rng = np.random.default_rng(GRAPH_SEED)
        weights = device.xp.asarray(rng.random(int(src.size), dtype=np.float32))
    for name, kind in context.structures.items():
        what = f"updates: {graph.name}, {variant}, {name}"
        context.say(what)
        arcs = (src, dst, weights)
        context.attempt(
            results, what, partial(_measure_structure, context, results, graph, variant, kind, arcs, prepared)
        )


def _measure_structure(
    context: Context, results: Results, graph: BenchmarkGraph, variant: str, kind: type[fr.DynamicGraph],
    arcs: tuple[Any, Any, Any], prepared: dict[tuple[str, int], Any],
) -> None:  # fmt: skip
    """One structure on one graph."""
    axes, device = context.axes, context.device
    data = {"time": device.xp.arange(int(arcs[0].size))} if variant == EDGE_DATA else None
    make = partial(
        kind.from_edges, *arcs, graph.num_vertices, directed=True, device=device, in_edges=variant == IN_EDGES,
        edge_data=data,
    )  # fmt: skip
    samples, built = measure(device, make, repeat=BUILDS, limit=axes.seconds_per_call)
    labels = {"graph": graph.name, "variant": variant, "structure": kind.name}
    results.add(**labels, operation="build", **_memory(built), **_rates(samples, built.num_arcs))
    repeat = axes.baseline_repeat if kind.name == BASELINE else axes.repeat
    for distribution in distributions_of(graph):
        for size in axes.batch_sizes:
            key = (distribution, size)
            if key not in prepared:  # by the baseline, which comes first and determines the new arcs
                count = axes.warm_up + max(min(axes.repeat, MAX_EDGES // size), 1)
                prepared[key] = new_batches(graph, built, distribution, size, count)
                if prepared[key] is None:
                    context.skip(results, f"{NAME}: {graph.name}: no {distribution} batches of {size:,} new arcs")
            if prepared[key] is None:
                continue
            found = cycle(context, built, prepared[key][: repeat + axes.warm_up], weighted=arcs[2] is not None)
            for operation, times in found.items():
                results.add(**labels, distribution=distribution, batch=size, operation=operation, **_rates(times, size))
    results.add(**labels, operation="after all batches", **_memory(built))


def _memory(graph: fr.Graph) -> dict[str, Any]:
    """Bytes, and bytes per arc, compared with CSR."""
    memory = graph.memory_usage()
    found: dict[str, Any] = {"arcs": memory.arcs}
    for name, size in (("used", memory.used), ("reserved", memory.reserved), ("csr", memory.csr)):
        found |= {f"{name}_bytes": size, f"{name}_per_arc": size / memory.arcs}
    return found


def cycle(context: Context, graph: fr.DynamicGraph, batches: list, weighted: bool) -> dict[str, Samples]:
    """Times of the five operations over these batches, of which the first are for warming up."""
    device, axes = context.device, context.axes
    found = {operation: Samples() for operation in OPERATIONS}
    spent = 0.0
    for index, (src, dst) in enumerate(batches):
        if spent > len(OPERATIONS) * axes.seconds_per_call and index > axes.warm_up:
            break
        size = int(src.size)
        values = {"weights": device.xp.ones(size, np.float32)} if weighted else {}
        if graph.edge_data is not None:
            values["time"] = device.xp.arange(size)
        before = graph.num_arcs
        warm = index < axes.warm_up

        def step(operation: str, work: Any, warm: bool = warm) -> Any:
            nonlocal spent
            wall, result = timed(device, work, None if warm else found[operation])
            spent += wall
            return result

        inserted = step("insert", partial(graph.insert_edges, src, dst, **values)).inserted
        repeated = step("duplicate", partial(graph.insert_edges, src, dst, **values)).inserted
        hits = step("query hit", partial(graph.has_edges, src, dst))
        deleted = step("delete", partial(graph.delete_edges, src, dst)).deleted
        misses = step("query miss", partial(graph.has_edges, src, dst))
        if (inserted, repeated, deleted, graph.num_arcs) != (size, 0, size, before) or not hits.all() or misses.any():
            raise AssertionError(f"{graph!r} did not do as it was told with a batch of {size:,} new arcs")
    return found


def _rates(samples: Samples, count: int) -> dict[str, float]:
    """M edges per second with the times."""
    return {
        "m_edges_per_s": count / samples.median / 1e6,
        "m_edges_per_s_best": count / samples.best / 1e6,
        **samples.numbers(),
    }


def _compare(results: Results) -> None:
    """Add to every row its speedup over the rebuild."""
    axes: tuple[str, ...] = ("graph", "variant", "distribution", "batch", "operation")
    baseline = {
        tuple(row.get(axis) for axis in axes): row for row in results.where(structure=BASELINE) if "median_ms" in row
    }
    for row in results.rows:
        other = baseline.get(tuple(row.get(axis) for axis in axes))
        if other and "median_ms" in row:
            row["times_rebuild"] = other["median_ms"] / row["median_ms"]
    for variant, (plain_variant, ratio, _) in EXTRAS.items():
        _compare_with_plain(results, variant, plain_variant, ratio)


EXTRAS = {
    IN_EDGES: ("unweighted", "times_without_in_edges", "time with in-edges, over that without"),
    EDGE_DATA: ("weighted", "times_without_edge_data", "time with edge data, over that with weights alone"),
}
"""Variants that do more than another, the name of the ratio in results, and its meaning."""


def _compare_with_plain(results: Results, variant: str, plain_variant: str, ratio: str) -> None:
    """Add to every row of a variant its time as a multiple of another variant's."""
    axes = ("graph", "distribution", "batch", "operation", "structure")
    plain = {
        tuple(row.get(axis) for axis in axes): row for row in results.where(variant=plain_variant) if "median_ms" in row
    }
    for row in results.where(variant=variant):
        other = plain.get(tuple(row.get(axis) for axis in axes))
        if other and "median_ms" in row:
            row[ratio] = row["median_ms"] / other["median_ms"]


def tables(results: Results) -> list[str]:
    """The main tables for a reader."""
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        updates = [row for row in results.where(graph=graph) if "batch" in row]
        for _, ratio, what in EXTRAS.values():
            both = [row for row in updates if ratio in row and not row["operation"].startswith("query")]
            if both:
                keys = ("distribution", "operation", "structure")
                columns, cells = pivot(both, keys, "batch", lambda row, ratio=ratio: row[ratio])
                found.append(table(f"{graph}: {what}, by batch size", columns, cells))
        for distribution in dict.fromkeys(row["distribution"] for row in updates):
            rows = [row for row in updates if row["distribution"] == distribution]
            keys = ("variant", "operation", "structure")
            columns, cells = pivot(rows, keys, "batch", lambda row: row["m_edges_per_s"])
            cells.sort(key=lambda row: (row[0], OPERATIONS.index(row[1])))
            found.append(table(f"{graph}, {distribution} batches: M edges/s (median) by batch size", columns, cells))
            columns, cells = pivot(
                [row for row in rows if row["structure"] != BASELINE and not row["operation"].startswith("query")],
                keys, "batch", lambda row: row["times_rebuild"],
            )  # fmt: skip
            cells.sort(key=lambda row: (row[0], OPERATIONS.index(row[1])))
            found.append(table(f"{graph}, {distribution} batches: times as fast as rebuilding CSR", columns, cells))
    built = results.cells(
        "graph", "variant", "structure", "arcs", "m_edges_per_s", "used_per_arc", "reserved_per_arc", "csr_per_arc",
        operation="build",
    )  # fmt: skip
    head = ("graph", "variant", "structure", "arcs", "build, M arcs/s", "bytes/arc used", "reserved", "CSR")
    found.append(table("Bulk build and memory", head, built))
    return [text for text in found if text]
