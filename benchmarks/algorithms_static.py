"""Algorithms on a graph as it stands: BFS, triangle counting and SpMV, by structure, beside CSR and peers.

Peers run on the same graph in the same run, each in a process of its own. The time in which they build their graph is
apart. Where a peer returns the same thing, it is compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import frontier as fr
from algorithms import UNREACHED, bfs, triangle_count

from .context import Context
from .defaults import BASELINE, EDGE_FACTOR, GRAPH_SEED, PEER_LIMIT_S, VECTOR_SEED
from .digests import digest_distances, digest_triangles, digest_vector
from .graphs import BenchmarkGraph, baseline, hub_of
from .peers.process import PeerRun
from .results import Results, describe_run, table
from .timing import measure

NAME = "algorithms"
GROWN_PARTS = 16  # batches in which half of a grown graph arrives


def run(context: Context) -> Results:
    """Measure all structures and peers on all graphs."""
    seeds = {"graph": GRAPH_SEED, "vector": VECTOR_SEED}
    header = describe_run(context.device, seeds=seeds, edge_factor=EDGE_FACTOR)
    results = Results(NAME, context.device.kind, context.mode, header=header)
    for name in context.graphs.names():
        graph = context.graph(name)
        if not context.clock.fits(NAME, graph.num_edges):
            context.skip(results, f"{NAME}: {name} left out: it would not fit the time budget")
            continue
        begin = time.perf_counter()
        expected: dict[str, Any] = {}
        source = hub_of(graph.undirected(baseline()))
        for structure, kind in context.structures.items():
            context.say(f"{NAME}: {name}, {structure}")
            states = {"built": partial(graph.undirected, kind)}
            if context.axes.grown and structure != BASELINE and graph.scale == context.axes.scales[0]:
                states["grown"] = partial(_grow, graph, kind)
            for state, make in states.items():
                work = partial(_measure_structure, context, results, graph, structure, make, state, source, expected)
                context.attempt(results, f"{NAME}: {name}, {structure}, {state}", work)
        _measure_peers(context, results, graph, source, expected)
        context.clock.took(NAME, graph.num_edges, time.perf_counter() - begin)
    _compare(results)
    return results


def _grow(graph: BenchmarkGraph, kind: type[fr.DynamicGraph]) -> Any:
    """The graph after half of its edges came in batches, so that it lies in memory as updates leave it."""
    xp = graph.device.xp
    order = xp.asarray(np.random.default_rng(GRAPH_SEED).permutation(graph.num_edges))
    src, dst = graph.src[order], graph.dst[order]
    half = graph.num_edges // 2
    grown = kind.from_edges(src[:half], dst[:half], num_vertices=graph.num_vertices, device=graph.device)
    for part in np.array_split(np.arange(half, graph.num_edges), GROWN_PARTS):
        if part.size:
            grown.insert_edges(src[part[0] : part[-1] + 1], dst[part[0] : part[-1] + 1])
    return grown


def _measure_structure(
    context: Context, results: Results, graph: BenchmarkGraph, structure: str, make: Callable[[], Any], state: str,
    source: int, expected: dict[str, Any],
) -> None:  # fmt: skip
    """All algorithms on one graph in one structure."""
    axes, device = context.axes, context.device
    built = make()
    labels = {"graph": graph.name, "system": structure, "state": state}
    repeat = partial(measure, device, repeat=axes.repeat, warm_up=axes.warm_up, limit=axes.seconds_per_call)

    def keep(algorithm: str, samples: Any, digest: dict[str, Any] | None = None, **more: Any) -> None:
        agrees = None if digest is None else _agrees(expected.setdefault(algorithm, digest), digest)
        results.add(**labels, algorithm=algorithm, agrees=agrees, **more, **samples.numbers())

    samples, found = repeat(lambda: bfs(built, source))
    distance = device.to_host(found.distance)
    digest = digest_distances(np.where(distance == UNREACHED, -1, distance))
    levels = found.levels
    keep("bfs", samples, digest, levels=levels, us_per_level=1e6 * samples.median / max(levels, 1))

    samples, found = repeat(lambda: triangle_count(built, per_vertex=False))
    keep("triangles", samples, {"total": found.total}, triangles=found.total)
    samples, found = repeat(lambda: triangle_count(built))
    keep("triangles per vertex", samples, digest_triangles(device.to_host(found.per_vertex)))
    degrees = built.degrees()
    samples, _ = repeat(lambda: fr.extract_subgraph(built, _goes_up, degrees))
    keep("orient", samples)

    vector = device.xp.asarray(np.random.default_rng(VECTOR_SEED).random(graph.num_vertices))
    samples, found = repeat(lambda: fr.neighbor_reduce(built, None, _times, vector))
    keep("spmv", samples, digest_vector(device.to_host(found)), edges=built.num_arcs)


def _goes_up(src, dst, edge, weight, degrees):  # type: ignore[no-untyped-def]
    return degrees[src] < degrees[dst] or (degrees[src] == degrees[dst] and src < dst)


def _times(src, dst, edge, weight, x):  # type: ignore[no-untyped-def]
    return weight * x[dst]


def _measure_peers(
    context: Context, results: Results, graph: BenchmarkGraph, source: int, expected: dict[str, Any]
) -> None:
    """All peers on one graph."""
    limit = PEER_LIMIT_S[context.device.kind]
    for peer in context.peers:
        seconds = min(limit, context.clock.left())
        if seconds < 5:
            context.skip(results, f"{NAME}: {peer} on {graph.name} left out: it would not fit the time budget")
            continue
        context.say(f"{NAME}: {graph.name}, {peer}")
        with PeerRun(peer, graph) as process:
            answers, note = process.ask(
                ["build", "bfs", "bfs direction-optimizing", "triangles", "spmv"],
                timeout=seconds, source=source, repeat=min(context.axes.repeat, 3), task_limit=seconds / 4,
            )  # fmt: skip
        if note:
            context.skip(results, f"{NAME}: {peer} on {graph.name}: {note}")
        for answer in answers:
            task = answer.pop("task")
            digest = answer.pop("digest", None)
            agrees = None
            if digest is not None:
                if "per_vertex" in digest:
                    task = "triangles per vertex"
                other = expected.get("bfs" if task.startswith("bfs") else task)
                agrees = None if other is None else _agrees(other, digest)
                if agrees is False:
                    context.skip(results, f"{NAME}: {peer} on {graph.name}: {task} gives {digest}, not {other}")
            results.add(graph=graph.name, system=peer, state="peer", algorithm=task, agrees=agrees, **answer)


def _agrees(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two digests are those of equal results."""
    return all(np.isclose(one[key], other[key], rtol=1e-9) if key == "sum" else one[key] == other[key] for key in one)


def _compare(results: Results) -> None:
    """Add to every row its time over that of CSR."""
    base = {(row["graph"], row["algorithm"]): row["median_ms"] for row in results.where(system=BASELINE)}
    for row in results.rows:
        ours = base.get((row["graph"], "bfs" if row["algorithm"].startswith("bfs") else row["algorithm"]))
        if ours:
            row["over_csr"] = row["median_ms"] / ours


def tables(results: Results) -> list[str]:
    """What a reader wants to see first."""
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
        ratios = {(row["system"], row["state"], row["algorithm"]): row.get("over_csr") for row in rows}
        cells = [
            [system, state, *(ratios.get((system, state, algorithm)) for algorithm in algorithms)]
            for system, state in systems
            if system != BASELINE
        ]
        found.append(table(f"{graph}: time over that of CSR", ["system", "state", *algorithms], cells))
    return [text for text in found if text]
