"""Algorithms on a static graph, by structure, compared with CSR and peers.

The analytics of the catalogue that have a static form, except the gallery. Weighted ones run on weights from 1 to 255.
SpMV is timed as well, and the orientation of a graph, which is a step of some analytics. Peers run on the same graph in
the same run, each in a separate process. The time in which they build their graph is listed separately. If a peer
returns the same result, both are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import frontier as fr
from algorithms.comparators import edges_of
from dynfrontier.machine import describe_run

from .calls import COLUMNS, COSTLY, ROUNDING, SPMV, Call, calls_of, comparator_of, is_left_out, peer_tasks
from .context import Context
from .defaults import BASELINE, COPY_BANDWIDTH, EDGE_FACTOR, GRAPH_SEED, PAGERANK_STEPS, VECTOR_SEED, WEIGHT_SEED
from .graphs import BenchmarkGraph, baseline, hub_of
from .peers.process import PeerRun
from .results import Results, pivot, table
from .timing import measure

NAME = "algorithms"
GROWN_PARTS = 16  # batches in which half of a grown graph arrives


def run(context: Context) -> Results:
    """Measure all structures and peers on all graphs."""
    seeds = {"graph": GRAPH_SEED, "vector": VECTOR_SEED, "weights": WEIGHT_SEED}
    header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for graph in context.fitting(results, NAME, map(context.graph, context.graphs.names())):
        expected: dict[str, Any] = {}
        source = hub_of(graph.undirected(baseline()))
        for structure, kind in context.structures.items():
            context.say(f"{NAME}: {graph.name}, {structure}")
            states = {"built": partial(graph.undirected, kind)}
            if context.axes.grown and structure != BASELINE and graph.scale == context.axes.scales[0]:
                states["grown"] = partial(_grow, graph, kind)
            for state, make in states.items():
                work = partial(_measure_structure, context, results, graph, structure, make, state, source, expected)
                context.attempt(results, f"{NAME}: {graph.name}, {structure}, {state}", work)
        _measure_peers(context, results, graph, source, expected)
    _compare(results)
    return results


def _grow(graph: BenchmarkGraph, kind: type[fr.DynamicGraph], *, weighted: bool = False) -> Any:
    """The graph after half of its edges came in batches, in the memory layout that updates leave."""
    xp = graph.device.xp
    order = xp.asarray(np.random.default_rng(GRAPH_SEED).permutation(graph.num_edges))
    src, dst = graph.src[order], graph.dst[order]
    weights = graph.weights[order] if weighted else None

    def part(begin: int, end: int) -> tuple[Any, Any, Any]:
        return src[begin:end], dst[begin:end], None if weights is None else weights[begin:end]

    half = graph.num_edges // 2
    grown = kind.from_edges(*part(0, half), graph.num_vertices, device=graph.device)
    ends = np.linspace(half, graph.num_edges, GROWN_PARTS + 1).astype(int).tolist()
    for begin, end in pairwise(ends):
        grown.insert_edges(*part(begin, end))
    return grown


def _measure_structure(
    context: Context, results: Results, graph: BenchmarkGraph, structure: str, make: Callable[..., Any], state: str,
    source: int, expected: dict[str, Any],
) -> None:  # fmt: skip
    """All algorithms on one graph in one structure."""
    axes, device = context.axes, context.device
    built = make()
    labels = {"graph": graph.name, "system": structure, "state": state}
    repeat = partial(measure, device, repeat=axes.repeat, warm_up=axes.warm_up, limit=axes.seconds_per_call)

    def keep(algorithm: str, samples: Any, digest: dict[str, Any] | None = None, **more: Any) -> None:
        agrees = None
        if digest is not None:
            agrees = comparator_of(algorithm).same_digests(expected.setdefault(algorithm, digest), digest)
        results.add(**labels, algorithm=algorithm, agrees=agrees, **more, **samples.numbers())

    asked = [call for call in calls_of(gallery=False).values() if not is_left_out(call.label, graph.name)]
    for call in asked:
        if not call.weighted:
            _measure_call(context, call, built, source, keep)
    degrees = built.degrees()
    samples, _ = repeat(lambda: fr.extract_subgraph(built, _goes_up, degrees))
    keep("orient", samples)
    vector = device.xp.asarray(np.random.default_rng(VECTOR_SEED).random(graph.num_vertices))
    samples, found = repeat(lambda: fr.neighbor_reduce(built, None, _times, vector))
    keep(SPMV, samples, comparator_of(SPMV).digest((device.to_host(found),)), edges=built.num_arcs)

    del built
    built = make(weighted=True)
    for call in asked:
        if call.weighted:
            _measure_call(context, call, built, source, keep)


def _measure_call(context: Context, call: Call, built: Any, source: int, keep: Callable[..., None]) -> None:
    """One algorithm with its parameters."""
    axes, device, analytic = context.axes, context.device, call.analytic
    slow = analytic.name in COSTLY[-1:]
    samples, found = measure(
        device, partial(analytic.compute, built, source=source, **call.settings), repeat=axes.repeat,
        warm_up=1 if slow else axes.warm_up, limit=axes.seconds_per_call / (5 if slow else 1),
    )  # fmt: skip
    more = {name: getattr(found, name) for name in COLUMNS.get(analytic.name, ())}
    if "levels" in more:
        more["us_per_level"] = 1e6 * samples.median / max(found.levels, 1)
    if call.label == "pagerank steps":  # where ranks converge before, there are fewer steps
        more["ms_per_step"] = 1e3 * samples.median / max(found.iterations, 1)
        more["floor_ms"] = _pagerank_floor_ms(built)
    comparator = call.comparator
    edges = edges_of(built) if comparator.needs_edges else None
    keep(call.label, samples, comparator.digest(analytic.fetch(device, found), edges=edges), **more)


def _pagerank_floor_ms(graph: fr.Graph) -> float | None:
    """The time in which a GPU's memory moves the data that a step must move: each neighbor once, three doubles for each
    vertex."""
    if not graph.device.is_gpu:
        return None
    return 1e3 * (graph.num_arcs * graph.vertex_dtype.itemsize + graph.num_vertices * 3 * 8) / COPY_BANDWIDTH


def _goes_up(src, dst, edge, weight, degrees):  # type: ignore[no-untyped-def]
    return degrees[src] < degrees[dst] or (degrees[src] == degrees[dst] and src < dst)


def _times(src, dst, edge, weight, x):  # type: ignore[no-untyped-def]
    return weight * x[dst]


def _measure_peers(
    context: Context, results: Results, graph: BenchmarkGraph, source: int, expected: dict[str, Any]
) -> None:
    """All peers on one graph."""
    limit, tasks = context.axes.peer_limit, peer_tasks()
    for peer in context.peers:
        seconds = min(limit, context.budget.left())
        if seconds < 5:
            context.skip(results, f"{NAME}: {peer} on {graph.name} left out: it would not fit the time budget")
            continue
        context.say(f"{NAME}: {graph.name}, {peer}")
        with PeerRun(peer, graph) as process:
            answers, note = process.ask(
                tasks, timeout=seconds, source=source, repeat=min(context.axes.repeat, 3),
                task_limit=seconds / len(tasks),
            )  # fmt: skip
        if note:
            context.skip(results, f"{NAME}: {peer} on {graph.name}: {note}")
        for answer in answers:
            task = answer.pop("task")
            digest = answer.pop("digest", None)
            agrees = None
            if digest is not None:
                if "per_vertex" in digest:
                    task = "triangle_count per vertex"
                other = expected.get("bfs" if task.startswith("bfs") else task)
                if other is not None:
                    agrees = comparator_of(task).same_digests(digest, other, rounding=ROUNDING)
                if agrees is False:
                    context.skip(results, f"{NAME}: {peer} on {graph.name}: {task} gives {digest}, not {other}")
            results.add(graph=graph.name, system=peer, state="peer", algorithm=task, agrees=agrees, **answer)


def _compare(results: Results) -> None:
    """Add to rows their times over the times of CSR, and to rows of structures the times of peers over theirs."""
    base = {(row["graph"], row["algorithm"]): row["median_ms"] for row in results.where(system=BASELINE)}
    peers: dict[tuple[str, str], dict[str, float]] = {}
    for row in results.rows:
        key = row["graph"], "bfs" if row["algorithm"].startswith("bfs") else row["algorithm"]
        if key in base:
            row["over_csr"] = row["median_ms"] / base[key]
        if row["state"] == "peer":  # which may have several ways
            best = peers.setdefault(key, {})
            best[row["system"]] = min(row["median_ms"], best.get(row["system"], row["median_ms"]))
    for row in results.rows:
        if row["state"] != "peer":
            found = peers.get((row["graph"], row["algorithm"]), {})
            mine = row["ms_per_step"] * PAGERANK_STEPS if "ms_per_step" in row else row["median_ms"]
            row["times_peers"] = {peer: milliseconds / mine for peer, milliseconds in found.items()}


def tables(results: Results) -> list[str]:
    """The main tables for a reader."""
    found = []
    for graph in dict.fromkeys(row["graph"] for row in results.rows):
        rows = results.where(graph=graph)
        algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
        systems = list(dict.fromkeys((row["system"], row["state"]) for row in rows))
        cells: list[list[Any]] = []
        for system, state in systems:
            mine = {row["algorithm"]: row for row in rows if (row["system"], row["state"]) == (system, state)}
            wrong = any(row["agrees"] is False for row in mine.values())
            times = [mine[a]["median_ms"] if a in mine else None for a in algorithms]
            cells.append([system, state, *times, "NO" if wrong else "yes"])
        found.append(table(f"{graph}: ms (median)", ["system", "state", *algorithms, "results agree"], cells))
        cells = [
            [row["system"], row["state"], row["levels"], row["us_per_level"]] for row in rows if "us_per_level" in row
        ]
        found.append(table(f"{graph}: BFS from the hub", ["system", "state", "levels", "µs/level"], cells))
        cells = [
            [row["system"], row["state"], row["ms_per_step"], row["floor_ms"]] for row in rows if "ms_per_step" in row
        ]
        found.append(table(f"{graph}: PageRank", ["system", "state", "ms/step", "floor, ms"], cells))
        ratios = {(row["system"], row["state"], row["algorithm"]): row.get("over_csr") for row in rows}
        cells = [
            [system, state, *(ratios.get((system, state, algorithm)) for algorithm in algorithms)]
            for system, state in systems
            if system != BASELINE
        ]
        found.append(table(f"{graph}: time over that of CSR", ["system", "state", *algorithms], cells))
        found += _beside_peers(graph, [row for row in rows if row["state"] != "peer"])
    return [text for text in found if text]


def _beside_peers(graph: str, rows: list[dict[str, Any]]) -> list[str]:
    """For each peer, the speedups of structures."""
    found = []
    for peer in dict.fromkeys(peer for row in rows for peer in row["times_peers"]):
        mine = [{**row, "times": row["times_peers"][peer]} for row in rows if peer in row["times_peers"]]
        columns, cells = pivot(mine, ("system", "state"), "algorithm", lambda row: row["times"])
        found.append(table(f"{graph}: times as fast as {peer}", columns, cells))
    return found
