"""The distribution of neighbor lists: the same operators with each `balance`, on graphs whose lists differ in length.

The graphs are an RMAT graph (few long lists), a grid (all lists are short) and a star (one list has all edges). The
operators are a sum over all neighbors, and advances from all vertices, from one in 64, and from the vertex with the
most edges. Breadth-first searches start from that vertex. Advances also return edges, or vertices with duplicates
(``unique=False``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from dynfrontier.machine import describe_run

from .context import Context
from .defaults import BALANCES, EDGE_FACTOR, GALLERY_STRUCTURES, GRAPH_SEED, VECTOR_SEED
from .graphs import BenchmarkGraph, hub_of
from .results import Results, pivot, table
from .timing import measure

NAME = "schedules"
SHARE = 64  # one vertex in so many is a frontier of medium size
UNSEEN = 2**30


def run(context: Context) -> Results:
    """Measure `GALLERY_STRUCTURES`, or the named ones."""
    seeds = {"graph": GRAPH_SEED, "vector": VECTOR_SEED}
    header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for graph in context.fitting(results, NAME, _graphs(context)):
        expected: dict[str, Any] = {}
        for structure, kind in context.structures_or(GALLERY_STRUCTURES).items():
            context.say(f"{NAME}: {graph.name}, {structure}")
            work = partial(_measure, context, results, graph, structure, kind, expected)
            context.attempt(results, f"{NAME}: {graph.name}, {structure}", work)
    return results


def _graphs(context: Context) -> Iterator[BenchmarkGraph]:
    yield from context.rmat_graphs()
    yield context.graph(f"grid{context.axes.grid_side}")
    yield _star(context.device, max(context.axes.scales))


def _star(device: fr.advanced.Device, scale: int) -> BenchmarkGraph:
    ends = device.xp.arange(1, 2**scale, dtype=np.int32)
    text = f"one vertex with an edge to each of {ends.size} others"
    return BenchmarkGraph(f"star{scale}", text, 2**scale, device.xp.zeros_like(ends), ends, device)


def _value(src, dst, edge, weight, x):  # type: ignore[no-untyped-def]
    return x[dst]


def _is_low(src, dst, edge, weight, x):  # type: ignore[no-untyped-def]
    return x[dst] < 0.5


def _reach(src, dst, edge, weight, distance, step):  # type: ignore[no-untyped-def]
    return fr.atomic_min(distance, dst, step) > step


def _sum(graph: fr.Graph, x: Any, out: Any, **options: Any) -> Any:
    return fr.neighbor_reduce(graph, None, _value, x, out=out, **options)


def _advance(graph: fr.Graph, frontier: fr.Frontier, x: Any, **options: Any) -> Any:
    return fr.advance(graph, frontier, _is_low, x, direction="push", **options)


def _search(graph: fr.Graph, hub: int, distance: Any, unique: bool, **options: Any) -> Any:
    """Breadth-first search by pushes, a launch each."""
    distance.fill(UNSEEN)
    distance[hub] = 0
    frontier, step = fr.Frontier(graph, [hub]), 1
    while frontier:
        frontier = fr.advance(
            graph, frontier, _reach, distance, np.int32(step), direction="push", unique=unique, **options
        )
        step += 1
    return distance


def _calls(graph: fr.Graph) -> dict[str, tuple[Callable[..., Any], Callable[[Any], float]]]:
    """The measured calls, which accept `balance`, and a number by which their results are compared."""
    xp, n = graph.xp, graph.num_vertices
    rng = np.random.default_rng(VECTOR_SEED)
    x, out = xp.asarray(rng.random(n)), xp.empty(n)
    distance, hub = xp.empty(n, np.int32), hub_of(graph)
    few = np.flatnonzero(rng.integers(0, SHARE, n) == 0)
    frontiers = {
        "all": fr.Frontier.all(graph), f"one in {SHARE}": fr.Frontier(graph, few), "hub": fr.Frontier(graph, [hub]),
    }  # fmt: skip
    found: dict[str, tuple[Callable[..., Any], Callable[[Any], float]]] = {
        "sum": (partial(_sum, graph, x, out), lambda sums: float(sums.sum()))
    }
    for name, frontier in frontiers.items():
        found[f"advance from {name}"] = partial(_advance, graph, frontier, x), len
    everyone = frontiers["all"]
    found["the same, duplicates"] = partial(_advance, graph, everyone, x, unique=False), len
    found["the same, edges"] = partial(_advance, graph, everyone, x, output="edges"), len
    for name, unique in (("bfs", True), ("bfs, duplicates", False)):
        found[name] = partial(_search, graph, hub, distance, unique), lambda reached: float((reached < UNSEEN).sum())
    return found


def _measure(
    context: Context, results: Results, graph: BenchmarkGraph, structure: str, kind: type[fr.DynamicGraph],
    expected: dict[str, Any],
) -> None:  # fmt: skip
    """All calls with all schedules on one graph in one structure."""
    axes, device = context.axes, context.device
    built = graph.undirected(kind)
    for operation, (call, digest_of) in _calls(built).items():
        for balance in BALANCES:
            samples, found = measure(
                device, partial(call, balance=balance), repeat=axes.repeat, warm_up=axes.warm_up,
                limit=axes.seconds_per_call,
            )  # fmt: skip
            digest = digest_of(found)
            agrees = bool(np.isclose(expected.setdefault(operation, digest), digest))
            if not agrees:
                context.failures += 1
                results.notes.append(f"FAILED: {graph.name}, {structure}: {operation}, {balance} differs")
            results.add(
                graph=graph.name, structure=structure, operation=operation, balance=balance, agrees=agrees,
                **samples.numbers(),
            )  # fmt: skip


def tables(results: Results) -> list[str]:
    """The main tables for a reader."""
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        keys = ("structure", "operation")
        columns, cells = pivot(results.where(graph=graph), keys, "balance", lambda row: row["median_ms"])
        found.append(table(f"{graph}: ms (median) by schedule", columns, cells))
    return found
