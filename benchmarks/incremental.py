"""Incremental analytics: the time that a batch of changes costs them, compared with recomputation from scratch.

Half of a batch are insertions, half deletions of edges that are present. The inserted edges are edges of the graph that
were withheld at first, so a road network stays one. Every batch goes into two copies of the graph, of which one is
observed by the analytic. The difference of both times is the cost of the analytic. Then it is recomputed from scratch
on the observed copy, in the same structure, and compared.

With ``--in-edges`` also on directed graphs with in-edges: of the same edges, each in one direction.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from algorithms import Analytic, analytics
from algorithms.comparators import edges_of
from dynfrontier.machine import describe_run

from .context import Context
from .defaults import BATCH_SEED, EDGE_FACTOR, GRAPH_SEED, IN_EDGES, PAGERANK_ALPHA, PAGERANK_TOL, TRUSSES, WEIGHT_SEED
from .graphs import BenchmarkGraph, hub_of
from .results import Results, table
from .timing import Samples, timed

NAME = "incremental"
MAX_HELD_BACK = 1 / 8  # of a graph's edges
Edges = tuple[Any, Any, Any]  # src, dst, weights


ONE_WAY, BOTH_WAYS = "one way", "both ways"
WAYS = ("", ONE_WAY, BOTH_WAYS)
"""The direction in which a directed graph has the edges, or "" for an undirected one."""
SMALL = ("k_truss",)
"""Analytics that are measured with small batches."""
SETTINGS: dict[str, Any] = {"alpha": PAGERANK_ALPHA, "tol": PAGERANK_TOL, "k": TRUSSES[0]}
"""Parameters of analytics whose entry in the catalogue has them."""


def settings_of(analytic: Analytic, source: int) -> dict[str, Any]:
    """The parameters of an analytic."""
    given = {name: value for name, value in SETTINGS.items() if name in analytic.parameters}
    return analytic.settings(source=source, **given)


def run(context: Context) -> Results:
    """Measure all structures, on a scale-free and on a road-like graph."""
    axes = context.axes
    seeds = {"graph": GRAPH_SEED, "batch": BATCH_SEED, "weights": WEIGHT_SEED}
    header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR, batches=axes.incremental_batches)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for name in (f"rmat{axes.dynamic_scale}", f"grid{axes.grid_side}"):
        graph = context.graph(name)
        for analytic in analytics().values():
            chosen = analytic.name in (context.algorithms or (analytic.name,))
            if not chosen or analytic.incremental is None or analytic.static is None:
                continue
            size = axes.truss_size if analytic.name in SMALL else axes.incremental_size
            start, batches = split(graph, size, axes.warm_up + axes.incremental_batches)
            both = IN_EDGES in axes.variants and analytic.directions != "refused"
            cases = [(*item, ways) for item in context.structures.items() for ways in WAYS[: 1 + both]]
            for structure, kind, ways in cases:
                what = f"{NAME}: {name}, {analytic.name}, {structure}" + (f", {IN_EDGES}" if ways else "")
                if not context.budget.fits(analytic.name, graph.num_edges):
                    context.skip(results, f"{what} left out: it would not fit the time budget")
                    continue
                context.say(what)
                begin = time.perf_counter()
                work = partial(measure_case, context, results, graph, analytic, kind, start, batches, ways)
                context.attempt(results, what, work)
                context.budget.took(analytic.name, graph.num_edges, time.perf_counter() - begin)
    return results


def split(graph: BenchmarkGraph, size: int, count: int) -> tuple[Edges, list[tuple[Edges, Edges]]]:
    """The edges to start with, and for each batch its insertions and deletions."""
    xp, half = graph.device.xp, size // 2
    count = max(min(count, int(MAX_HELD_BACK * graph.num_edges) // half), 2)
    chosen = np.random.default_rng(BATCH_SEED).choice(graph.num_edges, 2 * count * half, replace=False)
    parts = [xp.asarray(part) for part in np.split(chosen, 2 * count)]
    stays = xp.ones(graph.num_edges, bool)
    stays[xp.concatenate(parts[:count])] = False

    def pick(ids: Any) -> Edges:
        return graph.src[ids], graph.dst[ids], graph.weights[ids]

    batches = [(pick(held), pick(doomed)) for held, doomed in zip(parts[:count], parts[count:], strict=True)]
    return pick(xp.flatnonzero(stays)), batches


def measure_case(
    context: Context, results: Results, graph: BenchmarkGraph, analytic: Analytic, kind: type[fr.DynamicGraph],
    start: Edges, batches: list[tuple[Edges, Edges]], ways: str,
) -> None:  # fmt: skip
    """One analytic on one graph in one structure. Directed graphs, with each edge in one of `WAYS`, have in-edges."""
    device, axes = context.device, context.axes
    options = {"directed": True, "in_edges": True} if ways else {}
    if ways:
        turn = partial(one_way if ways == ONE_WAY else both_ways, device.xp)
        start, batches = turn(start), [(turn(new), turn(gone)) for new, gone in batches]
    src, dst, weights = start
    weighted = analytic.weights in ("expected", "required")
    alone = kind.from_edges(src, dst, weights if weighted else None, graph.num_vertices, device=device, **options)
    watched = alone.copy()
    settings = settings_of(analytic, hub_of(alone))
    comparator = analytic.comparator_for(**settings)
    initial, follower = timed(device, partial(analytic.maintain, watched, **settings))
    update, both, anew = Samples(), Samples(), Samples()
    wrong = ""
    for index, batch in enumerate(batches):
        warm = index < min(axes.warm_up, len(batches) - 1)
        timed(device, partial(_apply, alone, batch, weighted), None if warm else update)
        timed(device, partial(_follow, follower, watched, batch, weighted, analytic), None if warm else both)
        _, found = timed(device, partial(analytic.compute, watched, **settings), None if warm else anew)
        verdict = comparator.compare(
            analytic.fetch(device, follower), analytic.fetch(device, found),
            edges=edges_of(watched) if comparator.needs_edges else None,
        )  # fmt: skip
        wrong = wrong or ("" if verdict.agrees else verdict.text)
        if not warm and sum(update.wall) + sum(both.wall) + sum(anew.wall) > axes.seconds_per_call:
            break
    follower.close()
    costs = Samples([with_it - without for with_it, without in zip(both.wall, update.wall, strict=True)])
    results.add(
        graph=graph.name, structure=kind.name, analytic=_label(analytic, settings) + (f", {IN_EDGES}" if ways else ""),
        batch=2 * int(batches[0][0][0].size), correct=not wrong, difference=wrong,
        initial_ms=1e3 * initial, update_ms=1e3 * update.median, both_ms=1e3 * both.median,
        incremental_ms=1e3 * costs.median, anew_ms=1e3 * anew.median,
        times_anew=anew.median / costs.median if costs.median > 0 else None,
        update_wall_ms=update.numbers()["wall_ms"], both_wall_ms=both.numbers()["wall_ms"],
        anew_wall_ms=anew.numbers()["wall_ms"],
    )  # fmt: skip
    if wrong:
        raise AssertionError(f"results differ from those recomputed from scratch: {wrong}")


def one_way(xp: Any, edges: Edges) -> Edges:
    """Each edge in one direction, whichever, but always the same."""
    src, dst, weights = edges
    turned = (src + dst) % 2 == 1
    return xp.where(turned, dst, src), xp.where(turned, src, dst), weights


def both_ways(xp: Any, edges: Edges) -> Edges:
    """Each edge in both directions."""
    src, dst, weights = edges
    return xp.concatenate([src, dst]), xp.concatenate([dst, src]), xp.concatenate([weights, weights])


def _label(analytic: Analytic, settings: dict[str, Any]) -> str:
    """Its name in results."""
    return f"k-truss {settings['k']}" if analytic.name == "k_truss" else analytic.name


def _apply(graph: fr.DynamicGraph, batch: tuple[Edges, Edges], weighted: bool) -> None:
    """Insert the first half, delete the second."""
    (src, dst, weights), (doomed_src, doomed_dst, _) = batch
    graph.insert_edges(src, dst, weights if weighted else None)
    graph.delete_edges(doomed_src, doomed_dst)


def _follow(
    follower: Any, graph: fr.DynamicGraph, batch: tuple[Edges, Edges], weighted: bool, analytic: Analytic
) -> None:
    """Apply a batch to a graph that is watched, and have the results at hand."""
    _apply(graph, batch, weighted)
    analytic.read(follower)


def tables(results: Results) -> list[str]:
    """The main tables for a reader."""
    columns = (
        "analytic", "structure", "batch", "update", "with analytic", "analytic", "from scratch", "speedup", "correct",
    )  # fmt: skip
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        cells = [
            [
                row["analytic"], row["structure"], row["batch"], row["update_ms"], row["both_ms"],
                row["incremental_ms"], row["anew_ms"], row["times_anew"], "yes" if row["correct"] else "NO",
            ]
            for row in results.where(graph=graph)
        ]  # fmt: skip
        found.append(table(f"{graph}: ms (median) for a batch, half insertions, half deletions", columns, cells))
    return [text for text in found if text]
