"""Searches from k sources at once, compared with k single ones; and shortest paths by a `PriorityFrontier`.

On RMAT graphs and those of roads. Single searches are timed for a few of the sources, and their mean is taken k times.
What `PriorityFrontier` saves is compared with a loop that finds each bucket by passes over all vertices.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from algorithms import bfs, closeness_centrality, sssp

from .context import Context
from .defaults import BASELINE, EDGE_FACTOR, GRAPH_SEED, SOURCE_COUNTS, SOURCE_SEED, WEIGHT_SEED
from .graphs import BenchmarkGraph, hub_of
from .results import Results, describe_run, pivot, table
from .timing import measure

NAME = "sources"
SINGLES = 8
"""Single searches that are timed."""
REACH = 64
"""Of the loop by passes: delta as a multiple of the mean weight over the mean degree, as in `sssp`."""
SEARCHES: dict[str, tuple[bool, Callable]] = {
    "bfs distances": (False, partial(bfs, predecessors=False)),
    "bfs": (False, bfs),
    "sssp distances": (True, partial(sssp, predecessors=False)),
    "sssp": (True, sssp),
}
"""By name: whether the graph has weights, and the search."""


def run(context: Context) -> Results:
    """Measure CSR, or the structures that are named."""
    seeds = {"graph": GRAPH_SEED, "weights": WEIGHT_SEED, "sources": SOURCE_SEED}
    results = Results(NAME, context.device.kind, context.mode)
    results.header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR)
    graphs = (context.graph(name) for name in context.graphs.names() if not name.startswith("uniform"))
    for graph in context.fitting(results, NAME, graphs):
        for structure, kind in context.structures_or((BASELINE,)).items():
            context.say(f"{NAME}: {graph.name}, {structure}")
            work = partial(_measure_structure, context, results, graph, structure, kind)
            context.attempt(results, f"{NAME}: {graph.name}, {structure}", work)
    return results


def _measure_structure(
    context: Context, results: Results, graph: BenchmarkGraph, structure: str, kind: type[fr.Graph]
) -> None:
    """All searches on one graph in one structure."""
    axes, device = context.axes, context.device
    repeat = partial(measure, device, repeat=axes.repeat, warm_up=1, limit=axes.seconds_per_call)
    labels = {"graph": graph.name, "structure": structure}

    def keep(task: str, form: str, samples: Any, agrees: bool, **more: Any) -> None:
        if not agrees:
            context.failures += 1
            results.notes.append(f"FAILED: {graph.name}, {structure}: {task}, {form} differs")
        results.add(**labels, task=task, form=form, agrees=agrees, **more, **samples.numbers())

    for weighted in (False, True):
        built = graph.undirected(kind, weighted=weighted)
        ends = np.flatnonzero(device.to_host(built.degrees()))
        sources = np.random.default_rng(SOURCE_SEED).choice(ends, max(SOURCE_COUNTS)).tolist()
        for task, (with_weights, search) in SEARCHES.items():
            if with_weights != weighted:
                continue
            few = sources[:SINGLES]
            samples, rows = repeat(partial(_one_by_one, search, built, few))
            keep(task, "single", samples, agrees=True, sources=len(few))
            each = samples.median / len(few)
            for count in SOURCE_COUNTS:
                samples, found = repeat(partial(search, built, sources=sources[:count]))
                agrees = all(bool((found.distance[i] == rows[i]).all()) for i in range(min(count, len(few))))
                keep(task, "together", samples, agrees, sources=count, speedup=each * count / samples.median)
        if weighted:
            hub = hub_of(built)
            samples, right = repeat(partial(_by_passes, built, hub))
            keep("sssp from the hub", "passes", samples, agrees=True)
            samples, found = repeat(partial(sssp, built, hub, predecessors=False))
            keep("sssp from the hub", "queue", samples, bool((found.distance == right).all()))
        else:
            samples, _ = repeat(partial(closeness_centrality, built, sources[:64]))
            keep("closeness", "together", samples, agrees=True, sources=64)


def _one_by_one(search: Callable, graph: fr.Graph, sources: list[int]) -> list[Any]:
    return [search(graph, source).distance for source in sources]


def _by_passes(graph: fr.Graph, source: int) -> Any:
    """Distances as by `sssp`, with two passes over all vertices for each bucket; for weights that are floats."""
    xp, dtype = graph.xp, graph.weight_dtype
    mean = float(fr.neighbor_reduce(graph, None, _weight).sum()) / max(graph.num_arcs, 1)
    delta = dtype.type(REACH * mean * graph.num_vertices / max(graph.num_arcs, 1))
    distance, near, everyone = xp.full(graph.num_vertices, np.inf, dtype), xp.zeros(1, dtype), fr.Frontier.all(graph)
    distance[source] = 0
    start = fr.Frontier(graph, [source])
    while start:
        fr.traverse(graph, start, _relax, distance, near, delta)
        near = fr.reduce(everyone, _beyond, distance, near, delta, reduce="min", dtype=dtype)
        start = fr.filter(everyone, _within, distance, near, delta)
    return distance


def _weight(src, dst, edge, weight):
    return weight


def _relax(src, dst, edge, weight, distance, near, delta):
    through = distance[src] + weight
    if through < distance[dst] and fr.atomic_min(distance, dst, through) > through:
        return through - near[0] <= delta
    return False


def _beyond(v, distance, near, delta):
    return distance[v] if distance[v] - near[0] > delta else np.inf


def _within(v, distance, near, delta):
    return near[0] <= distance[v] < np.inf and distance[v] - near[0] <= delta


def tables(results: Results) -> list[str]:
    """Milliseconds, and how many times as fast as single searches several at once are."""
    found = []
    for graph, structure in dict.fromkeys((row["graph"], row["structure"]) for row in results.rows):
        rows = results.where(graph=graph, structure=structure)
        for row in rows:
            row["call"] = f"{row['sources']} {row['form']}" if "sources" in row else row["form"]
        columns, cells = pivot(rows, ("call",), "task", lambda row: row["median_ms"])
        found.append(table(f"{graph}, {structure}: ms (median)", columns, cells))
        columns, cells = pivot([row for row in rows if "speedup" in row], ("sources",), "task", _speedup)
        found.append(table(f"{graph}, {structure}: times as fast as single searches", columns, cells))
    return found


def _speedup(row: dict[str, Any]) -> float:
    return row["speedup"]
