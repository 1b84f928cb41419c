"""Directed graphs that keep in-edges, compared with undirected ones: searches, incremental analytics and updates.

On RMAT graphs, by structure. A directed graph holds each edge ``one way``, or ``both ways``: the same arcs as the
undirected graph. Each measurement has a target, the most that it may take over that of its counterpart in this run:

    bfs        a direction-optimizing search with in-edges, over the same on the undirected graph
    analytics  the cost of a batch in an incremental analytic, over the same on the undirected graph
    updates    insertion and deletion with in-edges, over the same without
"""

from __future__ import annotations

from functools import partial
from typing import Any

import frontier as fr
from algorithms import analytics, bfs

from . import incremental, updates
from .batches import new_batches
from .context import Context
from .defaults import BATCH_SEED, EDGE_FACTOR, GALLERY_STRUCTURES, GRAPH_SEED, IN_EDGES, WEIGHT_SEED
from .graphs import BenchmarkGraph, hub_of
from .results import Results, describe_run, table
from .timing import measure

NAME = "directed"
TARGETS = {"bfs": 1.3, "analytics": 1.3, "updates": 2.2}
"""The most that a directed graph with in-edges may take, over its counterpart."""
TIMED = ("insert", "delete")
BATCHES = 8


def run(context: Context) -> Results:
    """Measure structures on all RMAT graphs."""
    seeds = {"graph": GRAPH_SEED, "batch": BATCH_SEED, "weights": WEIGHT_SEED}
    header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR, targets=TARGETS)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for graph in context.fitting(results, NAME, context.rmat_graphs()):
        for structure, kind in context.structures_or(GALLERY_STRUCTURES).items():
            for part, measure_part in (("bfs", _searches), ("analytics", _analytics), ("updates", _updates)):
                what = f"{NAME}: {graph.name}, {structure}, {part}"
                context.say(what)
                context.attempt(results, what, partial(measure_part, context, results, graph, kind))
    return results


def _searches(context: Context, results: Results, graph: BenchmarkGraph, kind: type[fr.DynamicGraph]) -> None:
    """Breadth-first searches from the hub."""
    axes, device = context.axes, context.device
    one_way = incremental.one_way(device.xp, (graph.src, graph.dst, graph.weights))[:2]
    forms = {
        "undirected": (None, {}),
        f"{IN_EDGES}, both ways": (graph.arcs(), {"directed": True, "in_edges": True}),
        "directed, both ways": (graph.arcs(), {"directed": True}),
        f"{IN_EDGES}, one way": (one_way, {"directed": True, "in_edges": True}),
        "directed, one way": (one_way, {"directed": True}),
    }
    reached: dict[str, int] = {}
    base = source = None
    for form, (ends, options) in forms.items():
        src, dst = (graph.src, graph.dst) if ends is None else ends
        built = kind.from_edges(src, dst, None, graph.num_vertices, device=device, **options)
        source = hub_of(built) if source is None else source
        samples, found = measure(
            device, partial(bfs, built, source), repeat=axes.repeat, warm_up=axes.warm_up, limit=axes.seconds_per_call
        )
        base = base or samples.median
        reached[form] = int((found.distance >= 0).sum())
        ratio = samples.median / base if form != "undirected" else None
        _add(results, graph, kind, "bfs", "bfs", form, ratio, form == f"{IN_EDGES}, both ways", **samples.numbers(),
             levels=found.levels, reached=reached[form])  # fmt: skip
        del built
    if reached["undirected"] != reached[f"{IN_EDGES}, both ways"]:
        raise AssertionError(f"searches reach different numbers of vertices: {reached}")


def _analytics(context: Context, results: Results, graph: BenchmarkGraph, kind: type[fr.DynamicGraph]) -> None:
    """Incremental analytics after batches of changes."""
    axes = context.axes
    kept = Results(incremental.NAME, results.device, results.mode)  # in rows of its own
    start, batches = incremental.split(graph, axes.incremental_size, axes.warm_up + axes.incremental_batches)
    for analytic in analytics().values():
        if analytic.incremental is None or analytic.static is None or analytic.directions == "refused":
            continue
        base = None
        for ways in incremental.WAYS:
            incremental.measure_case(context, kept, graph, analytic, kind, start, batches, ways)
            row = kept.rows[-1]
            base = row["incremental_ms"] if base is None else base
            form = f"{IN_EDGES}, {ways}" if ways else "undirected"
            ratio = row["incremental_ms"] / base if ways and base > 0 else None
            more = {key: row[key] for key in ("batch", "update_ms", "both_ms", "anew_ms", "update_wall_ms",
                                              "both_wall_ms")}  # fmt: skip
            _add(results, graph, kind, "analytics", analytic.name, form, ratio, bool(ways),
                 median_ms=row["incremental_ms"], **more)  # fmt: skip


def _updates(context: Context, results: Results, graph: BenchmarkGraph, kind: type[fr.DynamicGraph]) -> None:
    """Insertions and deletions of arcs, with in-edges and without."""
    axes, device = context.axes, context.device
    base: dict[str, float] = {}
    batches: Any = None
    for form, in_edges in (("directed, both ways", False), (f"{IN_EDGES}, both ways", True)):
        built = kind.from_edges(
            *graph.arcs(), None, graph.num_vertices, directed=True, in_edges=in_edges, device=device
        )
        if batches is None:
            batches = new_batches(graph, built, "uniform", axes.incremental_size, axes.warm_up + BATCHES)
            if batches is None:
                raise ValueError(f"there are no batches of {axes.incremental_size:,} new arcs")
        found = updates.cycle(context, built, batches, weighted=False)
        for operation in TIMED:
            samples = found[operation]
            ratio = samples.median / base[operation] if in_edges else None
            base.setdefault(operation, samples.median)
            _add(results, graph, kind, "updates", operation, form, ratio, in_edges, batch=axes.incremental_size,
                 **samples.numbers())  # fmt: skip


def _add(
    results: Results, graph: BenchmarkGraph, kind: type[fr.DynamicGraph], part: str, what: str, form: str,
    ratio: float | None, targeted: bool, **numbers: Any,
) -> None:  # fmt: skip
    """A row; one with a target tells whether it is met."""
    row = results.add(graph=graph.name, structure=kind.name, part=part, what=what, form=form, **numbers)
    if ratio is not None:
        row["ratio"] = ratio
    if targeted:  # of costs within the noise of the clock there is no ratio
        row |= {"target": TARGETS[part], "met": None if ratio is None else bool(ratio <= TARGETS[part])}


def tables(results: Results) -> list[str]:
    """Each measurement, its ratio, and its target."""
    found = []
    columns = ["structure", "part", "what", "graph holds", "ms", "over its counterpart", "target", "met"]
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        cells = [
            [
                row["structure"], row["part"], row["what"], row["form"], row["median_ms"], row.get("ratio"),
                row.get("target"), {True: "yes", False: "NO"}.get(row.get("met"), "-"),
            ]
            for row in results.where(graph=graph)
        ]  # fmt: skip
        found.append(table(f"{graph}: directed graphs with in-edges", columns, cells))
    return found
