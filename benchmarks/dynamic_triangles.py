"""Triangles after every batch: the time from a batch to the new count, by structure, against a rebuild and recount.

Batches are as a stream would bring them, with loops, duplicates and existing edges. The baselines start from the same
graph and get the same batches. They are the rebuild baseline (CSR) with a count from scratch, and peers. Peers build
their graph from the edge list after the batch, whose preparation is not timed, and count. Then the batches are deleted.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from algorithms import DynamicTriangleCount, triangle_count
from dynfrontier.machine import describe_run
from dynfrontier.timing import TimedObserver

from .batches import distributions_of, raw_batches
from .context import Context
from .defaults import BASELINE, BATCH_SEED, DYNAMIC_PEERS, EDGE_FACTOR, GRAPH_SEED, MAX_EDGES
from .graphs import BenchmarkGraph
from .peers.process import PeerRun
from .results import Results, table
from .timing import Samples, timed

NAME = "dynamic"
RECOUNT = "csr recount"


def run(context: Context) -> Results:
    """Measure all structures, the rebuild baseline and peers."""
    axes = context.axes
    header = describe_run(
        context.device, seeds={"graph": GRAPH_SEED, "batch": BATCH_SEED}, edge_factor=EDGE_FACTOR,
        batches=axes.dynamic_batches, recounts=axes.dynamic_recounts,
    )  # fmt: skip
    results = Results(NAME, context.device.kind, context.mode, header=header)
    graph = context.graph(f"rmat{axes.dynamic_scale}")
    built = {name: graph.undirected(kind) for name, kind in context.structures.items()}
    for size in sorted(axes.dynamic_sizes, key=lambda size: abs(size - 2**16)):  # what matters most comes first
        for distribution in distributions_of(graph):
            if not context.budget.fits(NAME, 1.0):
                context.skip(results, f"{NAME}: {distribution} batches of {size:,} left out: no time left")
                continue
            begin = time.perf_counter()
            _measure_batches(context, results, graph, built, distribution, size)
            context.budget.took(NAME, 1.0, time.perf_counter() - begin)
    _compare(results)
    return results


def _measure_batches(
    context: Context, results: Results, graph: BenchmarkGraph, built: dict[str, Any], distribution: str, size: int
) -> None:
    """Everybody on one series of batches."""
    axes = context.axes
    labels = {"graph": graph.name, "distribution": distribution, "batch": size}
    batches = raw_batches(graph, distribution, size, max(min(axes.dynamic_batches, MAX_EDGES // size), 1))
    few = batches[: axes.dynamic_recounts]
    context.say(f"{NAME}: {distribution} batches of {size:,}, {BASELINE} with recount")
    recount = partial(_recount, context, results, built[BASELINE], few, labels)
    totals, fresh = context.attempt(results, f"{NAME}: {RECOUNT}", recount) or ([], [])
    for name, first in built.items():
        what = f"{NAME}: {distribution} batches of {size:,}, {name}"
        context.say(what)
        chosen = few if name == BASELINE else batches
        context.attempt(results, what, partial(_follow, context, results, name, first, chosen, labels, totals))
    for peer in (peer for peer in context.peers if peer in DYNAMIC_PEERS):
        seconds = min(axes.peer_limit, context.budget.left())
        if seconds < 5:
            context.skip(results, f"{NAME}: {peer}, {distribution} batches of {size:,} left out: no time left")
            continue
        context.say(f"{NAME}: {distribution} batches of {size:,}, {peer}")
        if not fresh:
            continue
        with PeerRun(peer, graph) as process:
            answers, note = process.ask(["recount"], timeout=seconds, batches=fresh, task_limit=seconds)
        if note:
            context.skip(results, f"{NAME}: {peer}, {distribution} batches of {size:,}: {note}")
        for answer in answers:
            answer.pop("task")
            counted = answer.pop("totals")
            correct = counted == totals[: len(counted)]
            results.add(**labels, system=peer, operation="insert", correct=correct, totals=counted, **answer)


def _recount(
    context: Context, results: Results, graph: Any, batches: list, labels: dict[str, Any]
) -> tuple[list[int], list[tuple[Any, Any]]]:
    """The baseline: rebuild, then count from scratch. Gives the counts, and the edges that each batch has added."""
    graph = graph.copy()
    samples, totals, fresh = Samples(), [], []
    device, xp = context.device, context.device.xp
    twin = graph.copy()
    twin.insert_edges(*batches[0])
    triangle_count(twin, per_vertex=True)
    del twin

    def step(src: Any, dst: Any) -> int:
        graph.insert_edges(src, dst)
        return triangle_count(graph).total

    for src, dst in batches:
        low, high = xp.minimum(src, dst), xp.maximum(src, dst)
        new = xp.flatnonzero((low != high) & ~graph.has_edges(low, high))
        keys = xp.unique(low[new].astype("int64") * graph.num_vertices + high[new])
        fresh.append((keys // graph.num_vertices, keys % graph.num_vertices))
        totals.append(timed(device, partial(step, src, dst), samples)[1])
    results.add(**labels, system=RECOUNT, operation="insert", correct=None, totals=totals, **_latency(samples))
    return totals, fresh


def _follow(
    context: Context, results: Results, name: str, graph: Any, batches: list, labels: dict[str, Any],
    totals: list[int],
) -> None:  # fmt: skip
    """A structure with a count maintained incrementally: insert all batches into a copy, then delete them."""
    device, axes = context.device, context.axes
    graph = graph.copy()
    _counting_seconds(graph.copy(), batches[0])  # warms up
    counting = _counting_seconds(graph.copy(), batches[0])
    initial, counter = timed(device, partial(DynamicTriangleCount, graph))
    for operation in ("insert", "delete"):
        samples, changed, correct = Samples(), 0, True
        update = graph.insert_edges if operation == "insert" else graph.delete_edges
        spent, done = 0.0, 0
        for index, (src, dst) in enumerate(batches):
            wall, found = timed(device, partial(update, src, dst), samples)
            spent, done = spent + wall, done + 1
            changed += found.inserted + found.deleted
            if operation == "insert" and index < len(totals):
                correct &= counter.total == totals[index]
            if spent > 4 * axes.seconds_per_call and samples.wall and done >= len(totals):
                break
        batches = batches[:done]
        from_scratch = triangle_count(graph)
        correct &= counter.total == from_scratch.total and bool((counter.per_vertex == from_scratch.per_vertex).all())
        results.add(
            **labels, system=name, operation=operation, correct=correct, triangles=counter.total,
            changed_per_batch=changed / len(samples.wall), initial_ms=1e3 * initial,
            counting_ms=1e3 * counting[operation], m_edges_per_s=labels["batch"] / samples.mean / 1e6,
            **_latency(samples),
        )  # fmt: skip
        if not correct:
            raise AssertionError(f"{name} has {counter.total:,} triangles, counted from scratch {from_scratch.total:,}")
    counter.close()


def _counting_seconds(graph: Any, batch: Any) -> dict[str, float]:
    """The share of counting in the time in which a batch is inserted and deleted again."""
    counter = DynamicTriangleCount(graph)
    watch = TimedObserver(graph, counter)
    found = {}
    for operation, update in (("insert", graph.insert_edges), ("delete", graph.delete_edges)):
        watch.seconds = 0.0
        update(*batch)
        found[operation] = watch.seconds
    return found


def _latency(samples: Samples) -> dict[str, Any]:
    """Mean and percentiles with the times."""
    return {
        "mean_ms": 1e3 * samples.mean,
        "p50_ms": 1e3 * samples.percentile(50),
        "p99_ms": 1e3 * samples.percentile(99),
        **samples.numbers(),
    }


def _compare(results: Results) -> None:
    """Add to the rows of structures their speedups over each baseline."""
    for row in results.rows:
        key = {name: row[name] for name in ("graph", "distribution", "batch")}
        for other in results.where(**key, operation="insert"):
            if other["system"] not in ("csr", row["system"]) and "initial_ms" not in other and "initial_ms" in row:
                row[f"times_{other['system'].replace(' ', '_')}"] = other["mean_ms"] / row["mean_ms"]


def tables(results: Results) -> list[str]:
    """The main tables for a reader."""
    found = []
    baselines = [name for name in dict.fromkeys(row["system"] for row in results.rows if "initial_ms" not in row)]
    columns = ["batch", "operation", "system", "mean", "P50", "P99", "counting", "new edges/batch"]
    columns += [f"x {name}" for name in baselines] + ["correct"]
    groups = dict.fromkeys((row["graph"], row["distribution"]) for row in results.rows)
    for graph, distribution in groups:
        cells = [
            [
                row["batch"], row["operation"], row["system"], row["mean_ms"], row["p50_ms"], row["p99_ms"],
                row.get("counting_ms"), row.get("changed_per_batch"),
                *(row.get(f"times_{name.replace(' ', '_')}") for name in baselines),
                {True: "yes", False: "NO", None: "-"}[row["correct"]],
            ]
            for row in results.where(graph=graph, distribution=distribution)
        ]  # fmt: skip
        found.append(table(f"{graph}, {distribution} batches: ms from a batch to the new count", columns, cells))
    return [text for text in found if text]
